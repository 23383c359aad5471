//! The stylesheet, the script, the icons and the mark: part of the program, compressed once, kept by browsers for ever.

use super::Served;
use super::packed::{GZIP, accepts};
use app::assets::{self, Asset};
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use http_body_util::BodyExt;
use std::collections::HashMap;
use std::convert::Infallible;
use tokio::sync::OnceCell;
use tower::{Layer, ServiceExt, service_fn};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;

/// The name carries the hash: what it names never changes.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// What we compress into, best first.
const ENCODINGS: [&str; 2] = ["br", GZIP];

static COMPRESSED: OnceCell<HashMap<(String, &'static str), Bytes>> = OnceCell::const_new();

/// The routes of the assets.
pub fn router() -> Router<Served> {
    Router::new().route("/assets/{file}", get(asset))
}

async fn asset(request: Request) -> Response {
    let Some(asset) = assets::find(request.uri().path()) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let encoding = ENCODINGS
        .into_iter()
        .find(|encoding| accepts(request.headers(), encoding));
    let compressed = COMPRESSED.get_or_init(compress_all).await;
    let packed =
        encoding.and_then(|encoding| Some((encoding, compressed.get(&(asset.path.clone(), encoding))?)));
    let mut response = match packed {
        Some((_, bytes)) => Body::from(bytes.clone()),
        None => Body::from(asset.body.as_str()),
    }
    .into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.content_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(FOR_EVER));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Some((encoding, _)) = packed {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}

async fn compress_all() -> HashMap<(String, &'static str), Bytes> {
    let mut all = HashMap::new();
    for asset in assets::all() {
        for encoding in ENCODINGS {
            if let Some(bytes) = compress(asset, encoding).await {
                all.insert((asset.path.clone(), encoding), bytes);
            }
        }
    }
    all
}

/// The library's own layer, asked once at its best level.
async fn compress(asset: &'static Asset, encoding: &'static str) -> Option<Bytes> {
    let plain = service_fn(move |_: Request| async move {
        Ok::<_, Infallible>(
            ([(header::CONTENT_TYPE, asset.content_type)], asset.body.as_str()).into_response(),
        )
    });
    let layer = CompressionLayer::new().quality(CompressionLevel::Best);
    let request = Request::builder()
        .header(header::ACCEPT_ENCODING, encoding)
        .body(Body::empty())
        .ok()?;
    let response = layer.layer(plain).oneshot(request).await.ok()?;
    if response.headers().get(header::CONTENT_ENCODING)? != encoding {
        return None;
    }
    Some(response.into_body().collect().await.ok()?.to_bytes())
}
