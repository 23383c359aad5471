//! What bytes are, by how they begin, and whether that fits what they are said to be.

/// How many bytes are looked at.
pub(super) const HEAD: usize = 64;

/// A kind of file that its first bytes give away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Mp4,
    Quicktime,
    Webm,
    Avi,
    Avif,
    Heic,
    Png,
    Jpeg,
    Gif,
    Webp,
    Bmp,
    Tiff,
    Wav,
    Mp3,
    Ogg,
    Flac,
    Pdf,
    Zip,
    Glb,
    Html,
}

impl Kind {
    /// The kind of a beginning, where it is one that we know.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        let at = |offset: usize, bytes: &[u8]| head.get(offset..).is_some_and(|rest| rest.starts_with(bytes));
        if at(4, b"ftyp") {
            let brand = |name: &[u8]| at(8, name);
            return Some(if brand(b"avif") || brand(b"avis") {
                Self::Avif
            } else if brand(b"heic") || brand(b"heix") || brand(b"mif1") || brand(b"msf1") {
                Self::Heic
            } else if brand(b"qt  ") {
                Self::Quicktime
            } else {
                Self::Mp4
            });
        }
        if at(0, b"RIFF") {
            return [
                (&b"WEBP"[..], Self::Webp),
                (b"WAVE", Self::Wav),
                (b"AVI ", Self::Avi),
            ]
            .into_iter()
            .find(|(name, _)| at(8, name))
            .map(|(_, kind)| kind);
        }
        let beginnings: &[(usize, &[u8], Self)] = &[
            (0, b"\x89PNG\r\n\x1a\n", Self::Png),
            (0, b"\xff\xd8\xff", Self::Jpeg),
            (0, b"GIF87a", Self::Gif),
            (0, b"GIF89a", Self::Gif),
            (0, b"\x1a\x45\xdf\xa3", Self::Webm),
            (4, b"moov", Self::Quicktime),
            (4, b"mdat", Self::Quicktime),
            (4, b"wide", Self::Quicktime),
            (0, b"II*\0", Self::Tiff),
            (0, b"MM\0*", Self::Tiff),
            (0, b"OggS", Self::Ogg),
            (0, b"fLaC", Self::Flac),
            (0, b"ID3", Self::Mp3),
            (0, b"%PDF-", Self::Pdf),
            (0, b"PK\x03\x04", Self::Zip),
            (0, b"glTF", Self::Glb),
            (0, b"BM", Self::Bmp),
        ];
        if let Some((_, _, kind)) = beginnings.iter().find(|(offset, bytes, _)| at(*offset, bytes)) {
            return Some(*kind);
        }
        if matches!(head, [0xff, second, ..] if second & 0xe0 == 0xe0) {
            return Some(Self::Mp3);
        }
        is_html(head).then_some(Self::Html)
    }

    /// Extension and content type.
    pub(super) const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Mp4 => ("mp4", "video/mp4"),
            Self::Quicktime => ("mov", "video/quicktime"),
            Self::Webm => ("webm", "video/webm"),
            Self::Avi => ("avi", "video/x-msvideo"),
            Self::Avif => ("avif", "image/avif"),
            Self::Heic => ("heic", "image/heic"),
            Self::Png => ("png", "image/png"),
            Self::Jpeg => ("jpg", "image/jpeg"),
            Self::Gif => ("gif", "image/gif"),
            Self::Webp => ("webp", "image/webp"),
            Self::Bmp => ("bmp", "image/bmp"),
            Self::Tiff => ("tiff", "image/tiff"),
            Self::Wav => ("wav", "audio/wav"),
            Self::Mp3 => ("mp3", "audio/mpeg"),
            Self::Ogg => ("ogg", "audio/ogg"),
            Self::Flac => ("flac", "audio/flac"),
            Self::Pdf => ("pdf", "application/pdf"),
            Self::Zip => ("zip", "application/zip"),
            Self::Glb => ("glb", "model/gltf-binary"),
            Self::Html => ("html", "text/html"),
        }
    }
}

/// Error pages come with status 200 and the name of a video.
fn is_html(head: &[u8]) -> bool {
    let text =
        String::from_utf8_lossy(head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head)).to_ascii_lowercase();
    let text = text.trim_start();
    [
        "<!doctype html",
        "<html",
        "<head",
        "<body",
        "<script",
        "<title",
        "<h1",
    ]
    .iter()
    .any(|start| text.starts_with(start))
}

/// The type without its parameters, in lower case.
fn essence(content_type: &str) -> String {
    content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// The kinds that a declared type can be; `None` for a type that we do not know.
fn kinds_of(content_type: &str) -> Option<&'static [Kind]> {
    Some(match essence(content_type).as_str() {
        "video/mp4" | "video/x-m4v" | "video/quicktime" => &[Kind::Mp4, Kind::Quicktime],
        "audio/mp4" | "audio/x-m4a" | "audio/m4a" => &[Kind::Mp4],
        "video/webm" | "audio/webm" | "video/x-matroska" => &[Kind::Webm],
        "video/x-msvideo" => &[Kind::Avi],
        "video/ogg" | "audio/ogg" | "application/ogg" | "audio/opus" => &[Kind::Ogg],
        "image/png" | "image/apng" => &[Kind::Png],
        "image/jpeg" | "image/jpg" => &[Kind::Jpeg],
        "image/gif" => &[Kind::Gif],
        "image/webp" => &[Kind::Webp],
        "image/avif" => &[Kind::Avif, Kind::Heic],
        "image/heic" | "image/heif" => &[Kind::Heic],
        "image/bmp" => &[Kind::Bmp],
        "image/tiff" => &[Kind::Tiff],
        "audio/mpeg" | "audio/mp3" => &[Kind::Mp3],
        "audio/wav" | "audio/x-wav" | "audio/wave" | "audio/vnd.wave" => &[Kind::Wav],
        "audio/flac" | "audio/x-flac" => &[Kind::Flac],
        "application/pdf" => &[Kind::Pdf],
        "application/zip" => &[Kind::Zip],
        "model/gltf-binary" => &[Kind::Glb],
        _other => return None,
    })
}

/// Whether a beginning fits a declared type. A type that we do not know, and no type, take anything but HTML.
pub(super) fn fits(declared: Option<&str>, kind: Option<Kind>) -> bool {
    if kind == Some(Kind::Html) {
        return false;
    }
    match declared.and_then(kinds_of) {
        None => true,
        Some(kinds) => kind.is_some_and(|kind| kinds.contains(&kind)),
    }
}

/// Extension and content type of a published output: what the bytes say; else what was declared, without an
/// extension of its own.
pub(super) fn names(declared: Option<&str>, kind: Option<Kind>) -> (&'static str, Option<String>) {
    match kind {
        Some(kind) => {
            let (extension, content_type) = kind.names();
            // `audio/mp4` begins like `video/mp4`: where the declared type fits, it says more.
            let declared =
                declared.filter(|declared| kinds_of(declared).is_some_and(|kinds| kinds.contains(&kind)));
            (
                extension,
                Some(declared.map_or_else(|| content_type.to_owned(), essence)),
            )
        }
        None => ("bin", declared.map(essence).filter(|text| !text.is_empty())),
    }
}

/// The content type of a published output by its extension.
pub(super) fn type_of_extension(extension: &str) -> &'static str {
    ALL.iter()
        .map(|kind| kind.names())
        .find(|(known, _)| *known == extension)
        .map_or("application/octet-stream", |(_, content_type)| content_type)
}

/// Every kind that can be published.
const ALL: &[Kind] = &[
    Kind::Mp4,
    Kind::Quicktime,
    Kind::Webm,
    Kind::Avi,
    Kind::Avif,
    Kind::Heic,
    Kind::Png,
    Kind::Jpeg,
    Kind::Gif,
    Kind::Webp,
    Kind::Bmp,
    Kind::Tiff,
    Kind::Wav,
    Kind::Mp3,
    Kind::Ogg,
    Kind::Flac,
    Kind::Pdf,
    Kind::Zip,
    Kind::Glb,
];

#[cfg(test)]
mod tests {
    use super::{Kind, fits, names, type_of_extension};

    #[test]
    fn beginnings_are_recognised() {
        for (head, kind) in [
            (&b"\0\0\0\x18ftypisom\0\0"[..], Some(Kind::Mp4)),
            (b"\0\0\0\x14ftypqt  \0\0", Some(Kind::Quicktime)),
            (b"\0\0\0\x1cftypavif", Some(Kind::Avif)),
            (b"\x1a\x45\xdf\xa3\x9f", Some(Kind::Webm)),
            (b"\x89PNG\r\n\x1a\n\0", Some(Kind::Png)),
            (b"RIFF\x10\0\0\0WEBPVP8L", Some(Kind::Webp)),
            (b"RIFF\x10\0\0\0WAVEfmt ", Some(Kind::Wav)),
            (b"\xff\xfb\x90\0", Some(Kind::Mp3)),
            (b"\n <!DOCTYPE HTML><title>502</title>", Some(Kind::Html)),
            (b"{\"error\":1}", None),
            (b"", None),
        ] {
            assert_eq!(Kind::of(head), kind, "{head:?}");
        }
    }

    #[test]
    fn a_known_type_must_fit_and_an_unknown_one_is_taken() {
        assert!(fits(Some("Video/MP4; codecs=avc1"), Some(Kind::Mp4)));
        assert!(!fits(Some("video/mp4"), Some(Kind::Png)));
        assert!(!fits(Some("video/mp4"), None));
        assert!(fits(Some("application/x-splat"), None));
        assert!(fits(None, Some(Kind::Png)));
        assert!(!fits(None, Some(Kind::Html)));
        assert!(!fits(Some("text/html"), Some(Kind::Html)));
    }

    #[test]
    fn names_follow_the_bytes() {
        assert_eq!(
            names(Some("application/octet-stream"), Some(Kind::Png)),
            ("png", Some("image/png".to_owned()))
        );
        assert_eq!(
            names(Some("audio/mp4"), Some(Kind::Mp4)),
            ("mp4", Some("audio/mp4".to_owned()))
        );
        assert_eq!(names(None, None), ("bin", None));
        assert_eq!(type_of_extension("webm"), "video/webm");
        assert_eq!(type_of_extension("html"), "application/octet-stream");
    }
}
