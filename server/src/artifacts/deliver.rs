//! One output from its URL into the store.

use super::kind::{HEAD, Kind, fits, names, type_of_extension};
use super::{Artifacts, full, key, storage_error};
use crate::fault;
use crate::provider::OutputLink;
use crate::provider::output::{OutputBody, OutputClient, OutputError};
use app::domain::ids::{JobId, OperationId};
use app::domain::operation::ErrorCategory;
use bytes::Bytes;
use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectStoreExt, WriteMultipart};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use uuid::Uuid;

/// What an upload sends at once; object stores take no less.
const PART: usize = 8 * 1024 * 1024;
/// How many parts are under way at once.
const PARTS_UNDER_WAY: usize = 2;

/// The output that is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    pub operation: &'a OperationId,
    pub job: &'a JobId,
    /// Of a fresh read of that job.
    pub link: &'a OutputLink,
}

/// A published output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    pub storage_key: String,
    pub bytes: u64,
    /// Lower-case hex.
    pub sha256: String,
    /// As the bytes say; else as was declared.
    pub content_type: Option<String>,
    /// It was published before; this delivery published nothing.
    pub already_there: bool,
}

/// Bytes of one delivery that the store's list does not show yet, taken back when the delivery is over.
struct Underway {
    all: Arc<AtomicU64>,
    mine: u64,
}

impl Underway {
    /// Counts more bytes; gives how many all deliveries of this process have under way.
    fn add(&mut self, bytes: u64) -> u64 {
        self.mine += bytes;
        self.all.fetch_add(bytes, Ordering::Relaxed) + bytes
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        self.all.fetch_sub(self.mine, Ordering::Relaxed);
    }
}

/// A staged output, checked.
struct Staged {
    path: Path,
    bytes: u64,
    sha256: String,
    kind: Option<Kind>,
}

impl Artifacts {
    /// Brings one output into the store, or finds it there. Doing it again is harmless: a published output is
    /// verified and kept, never replaced, and not fetched again.
    ///
    /// # Errors
    /// The output could not be fetched, is not what it says, or could not be stored. Nothing is published then,
    /// and what was staged is taken away.
    pub async fn deliver_output(
        &self,
        client: &OutputClient,
        wanted: &Wanted<'_>,
    ) -> Result<Stored, OutputError> {
        if let Some(stored) = self.published(wanted).await? {
            return matching(stored, wanted);
        }
        let body = client.fetch(&wanted.link.url, self.max_bytes).await?;
        let path = key::staged(Uuid::now_v7());
        let mut underway = Underway {
            all: Arc::clone(&self.underway),
            mine: 0,
        };
        let result = match self.stage(body, wanted, path.clone(), &mut underway).await {
            Ok(staged) => {
                fault::point("output", "staged").await;
                self.publish(staged, wanted).await
            }
            Err(error) => Err(error),
        };
        fault::point("output", "published").await;
        // It may not be there; what stays is taken away by the next cleaning.
        let _ = self.store.delete(&path).await;
        result
    }

    /// What is published of an output already, whatever its extension, hashed as it lies there.
    async fn published(&self, wanted: &Wanted<'_>) -> Result<Option<Stored>, OutputError> {
        let index = wanted.link.index.to_string();
        let listed: Vec<object_store::ObjectMeta> = self
            .store
            .list(Some(&key::folder(wanted.operation, wanted.job)))
            .try_collect()
            .await
            .map_err(|error| refused(&error))?;
        let found = listed.into_iter().find(|found| {
            found
                .location
                .filename()
                .and_then(|name| name.split_once('.'))
                .is_some_and(|(stem, _)| stem == index)
        });
        match found {
            Some(found) => self.hashed(&found.location).await.map(Some),
            None => Ok(None),
        }
    }

    async fn hashed(&self, path: &Path) -> Result<Stored, OutputError> {
        let found = self.store.get(path).await.map_err(|error| refused(&error))?;
        let mut stream = found.into_stream();
        let mut hash = Sha256::new();
        let mut bytes = 0;
        while let Some(piece) = stream.try_next().await.map_err(|error| refused(&error))? {
            hash.update(&piece);
            bytes += length(&piece);
        }
        Ok(Stored {
            storage_key: path.to_string(),
            bytes,
            sha256: hex::encode(hash.finalize()),
            content_type: Some(type_of_extension(path.extension().unwrap_or_default()).to_owned()),
            already_there: true,
        })
    }

    async fn stage(
        &self,
        mut body: OutputBody,
        wanted: &Wanted<'_>,
        path: Path,
        underway: &mut Underway,
    ) -> Result<Staged, OutputError> {
        let (head, kind) = beginning(&mut body, wanted).await?;
        let upload = self
            .store
            .put_multipart(&path)
            .await
            .map_err(|error| refused(&error))?;
        let mut writer = WriteMultipart::new_with_chunk_size(upload, PART);
        match self.copy(&mut body, &mut writer, head, underway).await {
            Ok((bytes, sha256)) => {
                writer.finish().await.map_err(|error| refused(&error))?;
                // A store that keeps less than it was given says so nowhere else.
                let kept = self.store.head(&path).await.map_err(|error| refused(&error))?;
                if kept.size != bytes {
                    return Err(OutputError::new(
                        ErrorCategory::StorageWrite,
                        "the artifact store did not keep the whole output",
                    ));
                }
                Ok(Staged {
                    path,
                    bytes,
                    sha256,
                    kind,
                })
            }
            Err(error) => {
                // The first error is the one to report.
                let _ = writer.abort().await;
                Err(error)
            }
        }
    }

    async fn copy(
        &self,
        body: &mut OutputBody,
        writer: &mut WriteMultipart,
        head: Vec<Bytes>,
        underway: &mut Underway,
    ) -> Result<(u64, String), OutputError> {
        let room = self.room().await?;
        let mut hash = Sha256::new();
        let mut head = head.into_iter();
        loop {
            let piece = match head.next() {
                Some(piece) => piece,
                None => match body.chunk().await? {
                    Some(piece) => piece,
                    None => return Ok((underway.mine, hex::encode(hash.finalize()))),
                },
            };
            if underway.add(length(&piece)) > room {
                return Err(full());
            }
            hash.update(&piece);
            writer
                .wait_for_capacity(PARTS_UNDER_WAY)
                .await
                .map_err(|error| refused(&error))?;
            writer.write(&piece);
        }
    }

    /// How many bytes fit beside what is published; without a quota, as many as the store takes.
    async fn room(&self) -> Result<u64, OutputError> {
        let Some(quota) = self.quota_bytes else {
            return Ok(u64::MAX);
        };
        let staging = Path::from(key::STAGING);
        let used = self
            .store
            .list(None)
            .try_fold(0_u64, async |sum, found| {
                let size = if found.location.prefix_matches(&staging) {
                    0
                } else {
                    found.size
                };
                Ok(sum.saturating_add(size))
            })
            .await
            .map_err(|error| refused(&error))?;
        Ok(quota.saturating_sub(used))
    }

    async fn publish(&self, staged: Staged, wanted: &Wanted<'_>) -> Result<Stored, OutputError> {
        if wanted
            .link
            .sha256
            .as_ref()
            .is_some_and(|hash| *hash != staged.sha256)
        {
            return Err(wrong_hash());
        }
        // Others may have published meanwhile.
        if self.underway.load(Ordering::Relaxed) > self.room().await? {
            return Err(full());
        }
        let (extension, content_type) = names(wanted.link.content_type.as_deref(), staged.kind);
        let path = key::published(wanted.operation, wanted.job, wanted.link.index, extension);
        match self.store.copy_if_not_exists(&staged.path, &path).await {
            Ok(()) => Ok(Stored {
                storage_key: path.to_string(),
                bytes: staged.bytes,
                sha256: staged.sha256,
                content_type,
                already_there: false,
            }),
            // Somebody was quicker. What is published stays.
            Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => {
                matching(self.hashed(&path).await?, wanted)
            }
            Err(error) => Err(refused(&error)),
        }
    }
}

/// Reads so far that the kind can be seen, and refuses what is not what it says.
async fn beginning(
    body: &mut OutputBody,
    wanted: &Wanted<'_>,
) -> Result<(Vec<Bytes>, Option<Kind>), OutputError> {
    let mut pieces = Vec::new();
    let mut head = Vec::with_capacity(HEAD);
    while head.len() < HEAD {
        let Some(piece) = body.chunk().await? else { break };
        head.extend(piece.iter().take(HEAD - head.len()));
        pieces.push(piece);
    }
    if head.is_empty() {
        return Err(OutputError::new(
            ErrorCategory::OutputMismatch,
            "the output is empty",
        ));
    }
    let kind = Kind::of(&head);
    let declared = wanted
        .link
        .content_type
        .clone()
        .or_else(|| body.content_type().map(str::to_owned));
    if fits(declared.as_deref(), kind) {
        Ok((pieces, kind))
    } else {
        Err(OutputError::new(
            ErrorCategory::OutputMismatch,
            "the output is not of the type that it is said to be",
        ))
    }
}

/// What a store's error means to a delivery. A place that is missing in our store is no output that is missing at the
/// provider: that would count as lost.
fn refused(error: &object_store::Error) -> OutputError {
    let meant = storage_error(error);
    if meant.category == ErrorCategory::NotFound {
        OutputError::new(
            ErrorCategory::StorageWrite,
            "the artifact store lost what was written",
        )
    } else {
        meant
    }
}

/// A published output against the hash that the provider names now.
fn matching(stored: Stored, wanted: &Wanted<'_>) -> Result<Stored, OutputError> {
    if wanted
        .link
        .sha256
        .as_ref()
        .is_some_and(|hash| *hash != stored.sha256)
    {
        Err(wrong_hash())
    } else {
        Ok(stored)
    }
}

fn wrong_hash() -> OutputError {
    OutputError::new(
        ErrorCategory::OutputMismatch,
        "the output has another hash than the provider names",
    )
}

fn length(bytes: &Bytes) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}
