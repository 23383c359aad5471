//! Where things lie in the store. Keys are made here alone: no part of one comes from outside unescaped.

use app::domain::ids::{JobId, OperationId};
use object_store::path::Path;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Where outputs lie until they are checked. An operation's folder never begins with a dot.
pub(super) const STAGING: &str = ".staging";
/// What is not escaped in a name.
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');
/// The longest name, in bytes; file systems take 255.
const MAX_NAME: usize = 160;

/// `{operation}/{job}`.
pub(super) fn folder(operation: &OperationId, job: &JobId) -> Path {
    Path::parse(format!("{}/{}", name(operation.as_str()), name(job.as_str()))).unwrap_or_default()
}

/// `{operation}/{job}/{index}.{extension}`.
pub(super) fn published(operation: &OperationId, job: &JobId, index: u32, extension: &str) -> Path {
    Path::parse(format!("{}/{index}.{extension}", folder(operation, job))).unwrap_or_default()
}

/// A fresh place for one output that is not checked yet.
pub(super) fn staged(id: Uuid) -> Path {
    Path::parse(format!("{STAGING}/{}", id.as_simple())).unwrap_or_default()
}

/// A key that a record holds; `None` when it is none of a published output (a report may say anything there).
pub(super) fn known(key: &str) -> Option<Path> {
    let path = Path::parse(key).ok()?;
    let is_plain = path.as_ref() == key && !key.starts_with('.') && key.split('/').count() == 3;
    is_plain.then_some(path)
}

/// An id as one name of a path: escaped, without a leading dot, and cut with a hash where it is too long.
fn name(id: &str) -> String {
    let mut name = utf8_percent_encode(id, NAME).to_string();
    if let Some(rest) = name.strip_prefix('.') {
        name = format!("%2E{rest}");
    }
    if name.len() > MAX_NAME {
        let hash = hex::encode(Sha256::digest(id.as_bytes()));
        name.truncate(MAX_NAME - 34);
        name = format!("{name}--{}", &hash[..32]);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::{known, published};
    use app::domain::ids::{JobId, OperationId};

    fn key(operation: &str, job: &str) -> String {
        published(&OperationId::from(operation), &JobId::from(job), 0, "mp4").to_string()
    }

    #[test]
    fn ids_stay_inside_their_folder() {
        assert_eq!(key("op_1", "gj_1"), "op_1/gj_1/0.mp4");
        assert_eq!(key("a/b c", "gj:1"), "a%2Fb%20c/gj%3A1/0.mp4");
        assert_eq!(key("..", "."), "%2E./%2E/0.mp4");
        assert_eq!(key("../../etc", "x\\y"), "%2E.%2F..%2Fetc/x%5Cy/0.mp4");
        assert_eq!(key(".staging", "x"), "%2Estaging/x/0.mp4");
        assert_ne!(key("a%2Fb", "x"), key("a/b", "x"));
    }

    #[test]
    fn long_ids_are_cut_and_stay_apart() {
        let (one, two) = (
            key(&"ü".repeat(99), "x"),
            key(&format!("{}y", "ü".repeat(98)), "x"),
        );
        assert_ne!(one, two);
        assert!(one.split('/').all(|part| part.len() <= 160));
    }

    #[test]
    fn only_keys_of_ours_are_opened() {
        assert!(known("op_1/gj_1/0.mp4").is_some());
        for bad in [
            "",
            "/etc/passwd",
            "../x/y",
            "a/../b",
            ".staging/x/y",
            "op/gj/0.mp4/",
            "s3://bucket/a/b",
            "a//b",
            "a/b",
        ] {
            assert!(known(bad).is_none(), "{bad}");
        }
    }
}
