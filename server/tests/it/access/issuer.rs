//! A small issuer of OpenID Connect that really signs, and can be told to do each thing wrong.

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chrono::Utc;
use p256::ecdsa::signature::Signer as _;
use rsa::Pkcs1v15Sign;
use rsa::traits::PublicKeyParts as _;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

pub const CLIENT: &str = "dead-letter-office";
pub const SECRET: &str = "a secret of the office's";

/// Made once: it takes a moment.
static RSA: LazyLock<rsa::RsaPrivateKey> =
    LazyLock::new(|| rsa::RsaPrivateKey::new(&mut rsa::rand_core::OsRng, 2048).expect("a key"));

/// How a token is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signed {
    Rs256,
    Es256,
    /// By the client's secret, which the office knows too.
    Hs256,
    None,
    /// As RS256, by a bit that is another one.
    Wrongly,
}

/// What the issuer does. The default is all right.
#[derive(Debug, Clone)]
pub struct Ways {
    /// What the token says beside the standard's claims, or instead of them.
    pub claims: Value,
    pub signed: Signed,
    /// The name of the RSA key.
    pub kid: &'static str,
    /// Instead of a code.
    pub error: Option<&'static str>,
    /// Who the answer says that it is from.
    pub iss: Option<&'static str>,
    /// What the token endpoint answers instead of a token.
    pub token_status: Option<u16>,
    /// What its own description calls it.
    pub called: Option<&'static str>,
}

impl Default for Ways {
    fn default() -> Self {
        Self {
            claims: json!({}),
            signed: Signed::Rs256,
            kid: "rsa-1",
            error: None,
            iss: None,
            token_status: None,
            called: None,
        }
    }
}

/// A code that was given out.
struct Code {
    challenge: String,
    nonce: String,
    back: String,
}

struct Inner {
    url: String,
    ways: Mutex<Ways>,
    codes: Mutex<HashMap<String, Code>>,
    es256: p256::ecdsa::SigningKey,
    described: AtomicUsize,
    exchanged: AtomicUsize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A running issuer. It ends with the test's runtime.
#[derive(Clone)]
pub struct Issuer(Arc<Inner>);

fn base64url(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Issuer {
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let address = listener.local_addr().expect("an address");
        // Not every 32 bytes are a key; nearly all are.
        let es256 = loop {
            if let Ok(key) = p256::ecdsa::SigningKey::from_slice(&rand::random::<[u8; 32]>()) {
                break key;
            }
        };
        let issuer = Self(Arc::new(Inner {
            url: format!("http://{address}"),
            ways: Mutex::default(),
            codes: Mutex::default(),
            es256,
            described: AtomicUsize::new(0),
            exchanged: AtomicUsize::new(0),
        }));
        let routes = Router::new()
            .route("/.well-known/openid-configuration", get(describe))
            .route("/keys", get(keys))
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .with_state(issuer.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await.expect("served") });
        issuer
    }

    pub fn url(&self) -> &str {
        &self.0.url
    }

    /// From now on it does it so.
    pub fn now(&self, change: impl FnOnce(&mut Ways)) {
        let mut ways = Ways::default();
        change(&mut ways);
        *lock(&self.0.ways) = ways;
    }

    /// How often it was asked what it is.
    pub fn described(&self) -> usize {
        self.0.described.load(Ordering::SeqCst)
    }

    /// How many codes were exchanged for tokens.
    pub fn exchanged(&self) -> usize {
        self.0.exchanged.load(Ordering::SeqCst)
    }

    fn ways(&self) -> Ways {
        lock(&self.0.ways).clone()
    }

    fn signature(&self, signed: Signed, text: &str) -> Vec<u8> {
        match signed {
            Signed::Rs256 | Signed::Wrongly => {
                let digest = Sha256::digest(text.as_bytes());
                let mut bytes = RSA
                    .sign(Pkcs1v15Sign::new::<Sha256>(), &digest)
                    .expect("a signature");
                if signed == Signed::Wrongly {
                    bytes[7] ^= 1;
                }
                bytes
            }
            Signed::Es256 => {
                let signature: p256::ecdsa::Signature = self.0.es256.sign(text.as_bytes());
                signature.to_bytes().to_vec()
            }
            Signed::Hs256 => hmac(SECRET.as_bytes(), text.as_bytes()),
            Signed::None => Vec::new(),
        }
    }

    fn id_token(&self, nonce: &str) -> String {
        let ways = self.ways();
        let now = Utc::now().timestamp();
        let mut claims = json!({
            "iss": self.0.url,
            "aud": CLIENT,
            "sub": "subject-1",
            "nonce": nonce,
            "iat": now,
            "exp": now + 300,
            "preferred_username": "ada",
            "groups": ["leads"],
        });
        for (name, value) in ways.claims.as_object().expect("claims") {
            claims[name] = value.clone();
        }
        let (alg, kid) = match ways.signed {
            Signed::Rs256 | Signed::Wrongly => ("RS256", ways.kid),
            Signed::Es256 => ("ES256", "ec-1"),
            Signed::Hs256 => ("HS256", ways.kid),
            Signed::None => ("none", ways.kid),
        };
        let header = json!({"alg": alg, "kid": kid, "typ": "JWT"});
        let text = format!(
            "{}.{}",
            base64url(header.to_string()),
            base64url(claims.to_string())
        );
        let signature = self.signature(ways.signed, &text);
        format!("{text}.{}", base64url(signature))
    }
}

/// RFC 2104, over SHA-256.
fn hmac(key: &[u8], text: &[u8]) -> Vec<u8> {
    let padded = |with: u8| -> Vec<u8> {
        (0..64)
            .map(|at| key.get(at).copied().unwrap_or(0) ^ with)
            .collect()
    };
    let inner = Sha256::digest([padded(0x36), text.to_vec()].concat());
    Sha256::digest([padded(0x5c), inner.to_vec()].concat()).to_vec()
}

async fn describe(State(issuer): State<Issuer>) -> Json<Value> {
    issuer.0.described.fetch_add(1, Ordering::SeqCst);
    let url = &issuer.0.url;
    Json(json!({
        "issuer": issuer.ways().called.unwrap_or(url),
        "authorization_endpoint": format!("{url}/authorize"),
        "token_endpoint": format!("{url}/token"),
        "jwks_uri": format!("{url}/keys"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        // It boasts of more than anybody should take.
        "id_token_signing_alg_values_supported": ["RS256", "ES256", "HS256", "none"],
    }))
}

async fn keys(State(issuer): State<Issuer>) -> Json<Value> {
    let public = RSA.to_public_key();
    let point = issuer.0.es256.verifying_key().to_sec1_point(false);
    let bytes = point.as_bytes();
    Json(json!({"keys": [
        {
            "kty": "RSA", "use": "sig", "alg": "RS256", "kid": issuer.ways().kid,
            "n": base64url(public.n().to_bytes_be()),
            "e": base64url(public.e().to_bytes_be()),
        },
        {
            "kty": "EC", "use": "sig", "crv": "P-256", "kid": "ec-1",
            "x": base64url(&bytes[1..33]), "y": base64url(&bytes[33..65]),
        },
    ]}))
}

/// Somebody is signed in here already, and agrees: the browser goes back at once.
async fn authorize(State(issuer): State<Issuer>, Query(asked): Query<HashMap<String, String>>) -> Response {
    let of = |name: &str| asked.get(name).cloned().unwrap_or_default();
    for (name, expected) in [
        ("client_id", CLIENT),
        ("response_type", "code"),
        ("code_challenge_method", "S256"),
    ] {
        assert_eq!(of(name), expected, "{asked:?}");
    }
    assert!(of("scope").split(' ').any(|scope| scope == "openid"), "{asked:?}");
    for (name, least) in [("state", 20), ("nonce", 20), ("code_challenge", 43)] {
        assert!(of(name).len() >= least, "{name} of {asked:?}");
    }
    let mut back = url::Url::parse(&of("redirect_uri")).expect("a way back");
    let ways = issuer.ways();
    match ways.error {
        Some(error) => {
            back.query_pairs_mut()
                .append_pair("error", error)
                .append_pair("error_description", "<b>no</b>");
        }
        None => {
            let code = hex::encode(rand::random::<[u8; 8]>());
            back.query_pairs_mut().append_pair("code", &code);
            let kept = Code {
                challenge: of("code_challenge"),
                nonce: of("nonce"),
                back: of("redirect_uri"),
            };
            lock(&issuer.0.codes).insert(code, kept);
        }
    }
    back.query_pairs_mut().append_pair("state", &of("state"));
    if let Some(iss) = ways.iss {
        back.query_pairs_mut().append_pair("iss", iss);
    }
    Redirect::to(back.as_str()).into_response()
}

/// A code is worth one token, to whoever knows the secret, the way back and the verifier of its challenge.
async fn token(
    State(issuer): State<Issuer>,
    headers: HeaderMap,
    Form(asked): Form<HashMap<String, String>>,
) -> Response {
    let refuse = |error: &str| {
        (
            StatusCode::BAD_REQUEST,
            Json(json!({"error": error, "error_description": "secret words"})),
        )
            .into_response()
    };
    if let Some(status) = issuer.ways().token_status {
        let status = StatusCode::from_u16(status).expect("a status");
        let elsewhere = [(header::LOCATION, format!("{}/elsewhere", issuer.0.url))];
        return (status, elsewhere, "<html>").into_response();
    }
    let secret: String = url::form_urlencoded::byte_serialize(SECRET.as_bytes()).collect();
    let expected = format!("Basic {}", STANDARD.encode(format!("{CLIENT}:{secret}")));
    let of = |name: &str| asked.get(name).map_or("", String::as_str);
    if headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        != Some(expected.as_str())
    {
        return refuse("invalid_client");
    }
    let Some(code) = lock(&issuer.0.codes).remove(of("code")) else {
        return refuse("invalid_grant");
    };
    let challenge = base64url(Sha256::digest(of("code_verifier").as_bytes()));
    if challenge != code.challenge
        || of("redirect_uri") != code.back
        || of("grant_type") != "authorization_code"
    {
        return refuse("invalid_grant");
    }
    issuer.0.exchanged.fetch_add(1, Ordering::SeqCst);
    let answer = json!({
        "access_token": "unused", "token_type": "Bearer", "expires_in": 60,
        "id_token": issuer.id_token(&code.nonce),
    });
    Json(answer).into_response()
}
