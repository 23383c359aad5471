//! Pages as they travel: put together from their pieces, and packed where the reader takes that.

use crate::gzip;
use crate::office::pieces::Laid;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use http_body_util::BodyExt;

/// The encoding's name.
pub const GZIP: &str = "gzip";

/// The rendered page with its pieces in their places. Nothing else packs it again.
pub async fn page(rendered: Response, laid: &Laid, accepts_gzip: bool) -> Response {
    let (mut parts, body) = rendered.into_parts();
    // Rendering has ended, and its stream does not fail.
    let own = body
        .collect()
        .await
        .map(|whole| whole.to_bytes())
        .unwrap_or_default();
    let own = String::from_utf8_lossy(&own);
    let pieces = laid.parts();
    let segments = laid.segments(&own, &pieces);
    let vary = HeaderValue::from_static("accept-encoding");
    parts.headers.insert(header::VARY, vary);
    let whole = if accepts_gzip {
        parts
            .headers
            .insert(header::CONTENT_ENCODING, HeaderValue::from_static(GZIP));
        gzip::member(&segments)
    } else {
        gzip::plain(&segments)
    };
    Response::from_parts(parts, Body::from(whole))
}

/// Whether the reader takes this encoding.
pub fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    headers
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|value| {
            value.split(',').map(str::trim).any(|item| {
                let (name, quality) = item.split_once(';').unwrap_or((item, ""));
                let weight = quality
                    .trim()
                    .strip_prefix("q=")
                    .and_then(|weight| weight.parse::<f32>().ok());
                name.trim().eq_ignore_ascii_case(encoding) && weight.is_none_or(|weight| weight > 0.0)
            })
        })
}
