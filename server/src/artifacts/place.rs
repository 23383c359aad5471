//! The store that an URL names.

use crate::config::ConfigError;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::prefix::PrefixStore;
use object_store::{ObjectStore, parse_url_opts};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use url::Url;

/// A store, and what is special about it.
pub(super) struct Place {
    pub(super) store: Arc<dyn ObjectStore>,
    /// The folder, where it is one.
    pub(super) folder: Option<PathBuf>,
    /// The most bytes that the store may hold; `None`: as many as fit.
    pub(super) quota_bytes: Option<u64>,
}

fn refuse(why: &str) -> ConfigError {
    ConfigError::Invalid {
        key: "artifacts.url".to_owned(),
        why: why.to_owned(),
    }
}

/// Opens `file:PATH`, `file:///ABSOLUTE` (created when missing; `?quota_bytes=N` bounds it), `memory:`, or an
/// object store whose credentials come from the environment.
pub(super) fn open(url: &str) -> Result<Place, ConfigError> {
    if let Some(rest) = url.strip_prefix("file:") {
        let (path, query) = rest
            .split_once('?')
            .map_or((rest, ""), |(path, query)| (path, query));
        return folder(path, quota(query)?);
    }
    if url == "memory:" {
        return Ok(Place {
            store: Arc::new(InMemory::new()),
            folder: None,
            quota_bytes: None,
        });
    }
    let url = Url::parse(url).map_err(|_| refuse("must be file:PATH, memory:, s3://…, gs://… or az://…"))?;
    if !matches!(
        url.scheme(),
        "s3" | "s3a" | "gs" | "az" | "azure" | "abfs" | "abfss"
    ) {
        return Err(refuse("must be file:PATH, memory:, s3://…, gs://… or az://…"));
    }
    remote(&url)
}

fn quota(query: &str) -> Result<Option<u64>, ConfigError> {
    if query.is_empty() {
        return Ok(None);
    }
    let bytes = query
        .strip_prefix("quota_bytes=")
        .and_then(|text| text.parse().ok());
    bytes
        .map(Some)
        .ok_or_else(|| refuse("knows only ?quota_bytes=N after the path"))
}

fn folder(path: &str, quota_bytes: Option<u64>) -> Result<Place, ConfigError> {
    let path = match path.strip_prefix("//") {
        Some(absolute) if absolute.starts_with('/') => absolute,
        Some(_) => return Err(refuse("must be file:PATH or file:///ABSOLUTE")),
        None => path,
    };
    if path.is_empty() {
        return Err(refuse("must name a folder after file:"));
    }
    let path = percent_encoding::percent_decode_str(path)
        .decode_utf8_lossy()
        .into_owned();
    let path = Path::new(&path);
    std::fs::create_dir_all(path).map_err(|_| refuse("names a folder that cannot be made"))?;
    let store = LocalFileSystem::new_with_prefix(path)
        .map_err(|_| refuse("names a folder that cannot be used"))?
        // A record that says "delivered" must be true after a power cut too.
        .with_fsync(true);
    let folder = std::fs::canonicalize(path).map_err(|_| refuse("names a folder that cannot be used"))?;
    Ok(Place {
        store: Arc::new(store),
        folder: Some(folder),
        quota_bytes,
    })
}

fn remote(url: &Url) -> Result<Place, ConfigError> {
    // Publishing is "copy unless something is there"; of S3 that has to be asked for. A variable overrides it.
    let mut options = vec![("aws_copy_if_not_exists".to_owned(), "multipart".to_owned())];
    options.extend(std::env::vars_os().filter_map(|(key, value)| {
        let key = key.into_string().ok()?.to_ascii_lowercase();
        let ours = ["aws_", "google_", "azure_"]
            .iter()
            .any(|prefix| key.starts_with(prefix));
        ours.then_some((key, value.into_string().ok()?))
    }));
    let (store, prefix) =
        parse_url_opts(url, options).map_err(|_| refuse("cannot be used with this environment"))?;
    Ok(Place {
        store: Arc::new(PrefixStore::new(store, prefix)),
        folder: None,
        quota_bytes: None,
    })
}
