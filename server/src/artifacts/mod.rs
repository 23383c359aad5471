//! Copies of outputs (DESIGN 4.8): fetch, stage, check length, type and hash, publish by compare-and-set. A
//! published output is never replaced.

mod deliver;
mod key;
mod kind;
mod place;

pub use deliver::{Stored, Wanted};

use crate::config::{self, ConfigError};
use crate::provider::output::OutputError;
use app::domain::operation::ErrorCategory;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt};
use place::Place;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, SystemTime};

/// The store of copies.
#[derive(Clone)]
pub struct Artifacts {
    store: Arc<dyn ObjectStore>,
    folder: Option<PathBuf>,
    quota_bytes: Option<u64>,
    max_bytes: u64,
    /// Bytes of this process's own deliveries that are not in the store's list yet.
    underway: Arc<AtomicU64>,
}

impl std::fmt::Debug for Artifacts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Artifacts")
            .field("max_bytes", &self.max_bytes)
            .finish_non_exhaustive()
    }
}

/// A published output, as it is read back.
pub struct Content {
    pub bytes: u64,
    /// By its extension.
    pub content_type: &'static str,
    pub stream: BoxStream<'static, Result<Bytes, OutputError>>,
}

/// Bytes of a published output.
pub struct Part {
    pub stream: BoxStream<'static, Result<Bytes, OutputError>>,
}

fn missing() -> OutputError {
    OutputError::new(ErrorCategory::NotFound, "the copy is not there")
}

impl Artifacts {
    /// The store that the configuration names; a folder is created when missing.
    ///
    /// # Errors
    /// The URL names no store, or one that cannot be used.
    pub fn from_config(config: &config::Artifacts) -> Result<Self, ConfigError> {
        let Place {
            store,
            folder,
            quota_bytes,
        } = place::open(&config.url)?;
        Ok(Self {
            store,
            folder,
            quota_bytes,
            max_bytes: config.max_bytes,
            underway: Arc::default(),
        })
    }

    /// On a store that is open already; no output may be larger than `max_bytes`.
    pub fn on(store: Arc<dyn ObjectStore>, max_bytes: u64) -> Self {
        Self {
            store,
            folder: None,
            quota_bytes: None,
            max_bytes,
            underway: Arc::default(),
        }
    }

    /// Reads a published output back.
    ///
    /// # Errors
    /// `not_found` for a key that is none of ours or is not there; else as storage says.
    pub async fn open(&self, storage_key: &str) -> Result<Content, OutputError> {
        let path = key::known(storage_key).ok_or_else(missing)?;
        let found = self
            .store
            .get(&path)
            .await
            .map_err(|error| storage_error(&error))?;
        Ok(Content {
            bytes: found.meta.size,
            content_type: kind::type_of_extension(path.extension().unwrap_or_default()),
            stream: found.into_stream().map_err(|error| storage_error(&error)).boxed(),
        })
    }

    /// How many bytes a published output has, and what they are by how they begin; `None` for what is none that we know.
    ///
    /// # Errors
    /// As [`Artifacts::open`].
    pub async fn about(&self, storage_key: &str) -> Result<(u64, Option<&'static str>), OutputError> {
        let path = key::known(storage_key).ok_or_else(missing)?;
        let options = GetOptions {
            range: Some(GetRange::Bounded(0..kind::HEAD as u64)),
            ..GetOptions::default()
        };
        let meta = self
            .store
            .head(&path)
            .await
            .map_err(|error| storage_error(&error))?;
        if meta.size == 0 {
            return Ok((0, None));
        }
        let found = self
            .store
            .get_opts(&path, options)
            .await
            .map_err(|error| storage_error(&error))?;
        let head = found.bytes().await.map_err(|error| storage_error(&error))?;
        Ok((meta.size, kind::Kind::of(&head).map(|kind| kind.names().1)))
    }

    /// A published output, or a range of it that lies within.
    ///
    /// # Errors
    /// As [`Artifacts::open`].
    pub async fn part(&self, storage_key: &str, range: Option<Range<u64>>) -> Result<Part, OutputError> {
        let path = key::known(storage_key).ok_or_else(missing)?;
        let options = GetOptions {
            range: range.map(GetRange::Bounded),
            ..GetOptions::default()
        };
        let found = self
            .store
            .get_opts(&path, options)
            .await
            .map_err(|error| storage_error(&error))?;
        Ok(Part {
            stream: found.into_stream().map_err(|error| storage_error(&error)).boxed(),
        })
    }

    /// Writes something small, and takes it away again: can outputs be stored here?
    ///
    /// # Errors
    /// They cannot.
    pub async fn probe(&self) -> Result<(), OutputError> {
        let path = key::staged(uuid::Uuid::now_v7());
        self.store
            .put(&path, Bytes::from_static(b"probe").into())
            .await
            .map_err(|error| storage_error(&error))?;
        self.store
            .delete(&path)
            .await
            .map_err(|error| storage_error(&error))
    }

    /// Takes away what dead processes left unfinished: everything staged and not touched for `age`. Gives how
    /// many were taken away; what cannot be taken away waits for the next time.
    pub async fn clean_staging(&self, age: Duration, now: DateTime<Utc>) -> usize {
        let Ok(age) = chrono::Duration::from_std(age) else {
            return 0;
        };
        let limit = now - age;
        let prefix = Path::from(key::STAGING);
        let old: Vec<Path> = self
            .store
            .list(Some(&prefix))
            .filter_map(async |found| {
                found
                    .ok()
                    .filter(|found| found.last_modified < limit)
                    .map(|found| found.location)
            })
            .collect()
            .await;
        let mut taken = 0;
        for path in old {
            taken += usize::from(self.store.delete(&path).await.is_ok());
        }
        taken + self.clean_folder(limit).await
    }

    /// A local upload that was cut off lies under a name that the store does not list.
    async fn clean_folder(&self, limit: DateTime<Utc>) -> usize {
        let Some(folder) = self.folder.as_ref().map(|folder| folder.join(key::STAGING)) else {
            return 0;
        };
        let limit = SystemTime::from(limit);
        let clean = move || {
            let Ok(entries) = std::fs::read_dir(folder) else {
                return 0;
            };
            entries
                .flatten()
                .filter(|entry| {
                    entry
                        .metadata()
                        .ok()
                        .filter(std::fs::Metadata::is_file)
                        .and_then(|data| data.modified().ok())
                        .is_some_and(|at| at < limit)
                })
                .filter(|entry| std::fs::remove_file(entry.path()).is_ok())
                .count()
        };
        tokio::task::spawn_blocking(clean).await.unwrap_or(0)
    }
}

/// What a store's error means. Its own words hold paths and keys, and go no further.
fn storage_error(error: &object_store::Error) -> OutputError {
    if is_full(error) {
        return full();
    }
    match error {
        object_store::Error::NotFound { .. } => {
            OutputError::new(ErrorCategory::NotFound, "the copy is not there")
        }
        object_store::Error::PermissionDenied { .. } | object_store::Error::Unauthenticated { .. } => {
            OutputError::new(ErrorCategory::StorageWrite, "the artifact store refused us")
        }
        // The type may grow; whatever else it says, the copy was not stored.
        _other => OutputError::new(
            ErrorCategory::StorageWrite,
            "the artifact store could not store or read the output",
        ),
    }
}

fn full() -> OutputError {
    OutputError::new(ErrorCategory::StorageFull, "the artifact store is full")
}

/// Out of space or over quota, wherever in the chain the file system said so.
fn is_full(error: &object_store::Error) -> bool {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(here) = source {
        if let Some(io) = here.downcast_ref::<std::io::Error>() {
            return matches!(
                io.kind(),
                std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded
            );
        }
        source = here.source();
    }
    false
}
