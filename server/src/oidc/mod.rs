//! The issuer of single sign-on: the authorization code flow of OpenID Connect, with PKCE, state and nonce. What a token
//! is worth is decided here, and nothing of it is kept: who comes in is the office's matter.

mod claims;
mod error;
mod http;

pub use self::error::{OidcError, plain};
pub use self::http::HttpError;

use self::error::{is_of_an_unknown_key, not_exchanged, unread, worthless};
use self::http::Http;
use crate::config::{ConfigError, SignIn};
use app::domain::person::Known;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use openidconnect::core::{
    CoreAuthenticationFlow, CoreClient, CoreClientAuthMethod, CoreIdToken, CoreJwsSigningAlgorithm,
    CoreProviderMetadata, CoreTokenResponse,
};
use openidconnect::{
    AuthType, AuthorizationCode, ClaimsVerificationError, ClientId, ClientSecret, CsrfToken,
    EndpointMaybeSet, EndpointNotSet, EndpointSet, HttpRequest, HttpResponse, IssuerUrl, Nonce,
    PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope, TokenResponse as _,
};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::Mutex;

/// What the issuer said of itself is asked anew after this time: a key that it takes back is worth nothing then.
const KNOWN_FOR: Duration = Duration::from_secs(3600);
/// A token by a key that is not known has the keys asked for once more, at most so often.
const ASKED_AGAIN: Duration = Duration::from_secs(30);
/// Whoever waited while the issuer did not answer is told so, and does not ask once more.
const SILENT_FOR: Duration = Duration::from_secs(2);
/// A sign-in asks up to four times: for what the issuer is, for its keys, for the token, and for newer keys. All of them
/// together end before the request that waits for them does.
const WHOLE: Duration = Duration::from_secs(30);
/// Tokens are young, and clocks differ.
const OLDEST: TimeDelta = TimeDelta::minutes(10);
const FROM_THE_FUTURE: TimeDelta = TimeDelta::minutes(2);

/// Signatures by which an issuer can be told from whoever knows our secret: nothing symmetric, and never none.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// A sign-in that was begun: what only this office knows of it, and where the browser goes.
#[derive(Debug)]
pub struct Begun {
    pub to: String,
    pub state: String,
    pub nonce: String,
    pub verifier: String,
}

type Client = CoreClient<
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// What the issuer said of itself, and when.
#[derive(Default)]
struct Said {
    metadata: Option<(Arc<CoreProviderMetadata>, Instant)>,
    /// When it was asked although it was known.
    asked_again: Option<Instant>,
    /// How it did not answer, the last time.
    silent: Option<(String, Instant)>,
}

fn within(at: Option<&Instant>, time: Duration) -> bool {
    at.is_some_and(|at| at.elapsed() < time)
}

/// All that is asked for one step of a sign-in, or that there was no answer in time.
async fn in_time<T>(asked: impl Future<Output = Result<T, OidcError>>) -> Result<T, OidcError> {
    match tokio::time::timeout(WHOLE, asked).await {
        Ok(answer) => answer,
        Err(_elapsed) => Err(OidcError::Unreachable(format!(
            "not everything came within {} s",
            WHOLE.as_secs()
        ))),
    }
}

/// Whether what is known is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ask {
    IfOld,
    /// A key is missing.
    Again,
    Now,
}

/// The issuer.
pub struct Issuer {
    sign_in: SignIn,
    url: IssuerUrl,
    secret: Option<SecretString>,
    http: Http,
    said: Mutex<Said>,
}

impl Issuer {
    /// The configured issuer; `None` when there is none. It is asked nothing yet.
    ///
    /// # Errors
    /// A secret that is named and is not there.
    pub fn from_config(
        sign_in: &SignIn,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, ConfigError> {
        let oidc = &sign_in.oidc;
        if !oidc.is_on() {
            return Ok(None);
        }
        let invalid = |why: &str| ConfigError::invalid("sign_in.oidc.issuer", why);
        Ok(Some(Self {
            secret: oidc.client_secret(variable)?,
            url: IssuerUrl::new(oidc.issuer.clone()).map_err(|_| invalid("must be an https URL"))?,
            http: Http::new(Duration::from_secs(oidc.timeout_seconds))
                .map_err(|_| invalid("cannot be called: this machine has no TLS roots"))?,
            said: Mutex::default(),
            sign_in: sign_in.clone(),
        }))
    }

    /// What its button is called.
    pub fn label(&self) -> &str {
        &self.sign_in.oidc.label
    }

    /// Whether it answers, and calls itself what it is configured as.
    ///
    /// # Errors
    /// [`OidcError::Unreachable`].
    pub async fn answers(&self) -> Result<(), OidcError> {
        self.said(Ask::Now).await.map(drop)
    }

    /// What the issuer says of itself. It is asked by one at a time.
    async fn said(&self, ask: Ask) -> Result<Arc<CoreProviderMetadata>, OidcError> {
        let mut said = self.said.lock().await;
        if let Some((metadata, at)) = &said.metadata {
            let enough = match ask {
                Ask::IfOld => within(Some(at), KNOWN_FOR),
                Ask::Again => within(said.asked_again.as_ref(), ASKED_AGAIN),
                Ask::Now => false,
            };
            if enough {
                return Ok(metadata.clone());
            }
            if ask == Ask::Again {
                said.asked_again = Some(Instant::now());
            }
        }
        if let Some((why, at)) = &said.silent
            && within(Some(at), SILENT_FOR)
        {
            return Err(OidcError::Unreachable(why.clone()));
        }
        let url = self.url.clone();
        let asked = self.ask(move |send| CoreProviderMetadata::discover(&url, &send));
        match asked.await? {
            Ok(metadata) => {
                let metadata = Arc::new(metadata);
                said.metadata = Some((metadata.clone(), Instant::now()));
                Ok(metadata)
            }
            Err(error) => {
                let why = unread(error);
                said.silent = Some((why.clone(), Instant::now()));
                Err(OidcError::Unreachable(why))
            }
        }
    }

    /// Runs something of the library's that asks the issuer. Its requests wait on a thread for such work.
    async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Fn(HttpRequest) -> Result<HttpResponse, HttpError>) -> T + Send + 'static,
    ) -> Result<T, OidcError> {
        let (http, runtime) = (self.http.clone(), Handle::current());
        tokio::task::spawn_blocking(move || work(&|request| runtime.block_on(http.send(request))))
            .await
            .map_err(|_| OidcError::Unreachable("it could not be asked".to_owned()))
    }

    fn client(&self, said: &CoreProviderMetadata, back: String) -> Result<Client, OidcError> {
        let secret = self
            .secret
            .as_ref()
            .map(|secret| ClientSecret::new(secret.expose_secret().to_owned()));
        let back =
            RedirectUrl::new(back).map_err(|_| OidcError::Refused("our own address is no URL".to_owned()))?;
        let id = ClientId::new(self.sign_in.oidc.client_id.clone());
        let client = CoreClient::from_provider_metadata(said.clone(), id, secret).set_redirect_uri(back);
        // The standard's own way to send the secret, unless the issuer takes only the other one.
        let takes = |method: CoreClientAuthMethod| {
            let methods = said.token_endpoint_auth_methods_supported();
            methods.is_some_and(|methods| methods.contains(&method))
        };
        let in_body =
            takes(CoreClientAuthMethod::ClientSecretPost) && !takes(CoreClientAuthMethod::ClientSecretBasic);
        Ok(client.set_auth_type(if in_body {
            AuthType::RequestBody
        } else {
            AuthType::BasicAuth
        }))
    }

    /// Begins a sign-in. `back` is where the issuer sends the browser.
    ///
    /// # Errors
    /// [`OidcError::Unreachable`].
    pub async fn begin(&self, back: String) -> Result<Begun, OidcError> {
        let said = in_time(self.said(Ask::IfOld)).await?;
        let client = self.client(&said, back)?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let mut request = client
            .authorize_url(
                CoreAuthenticationFlow::AuthorizationCode,
                CsrfToken::new_random,
                Nonce::new_random,
            )
            .set_pkce_challenge(challenge);
        for scope in self.sign_in.oidc.scopes.iter().filter(|scope| *scope != "openid") {
            request = request.add_scope(Scope::new(scope.clone()));
        }
        let (to, state, nonce) = request.url();
        if !crate::config::is_encrypted_or_local(&to) {
            return Err(OidcError::Unreachable(
                "it sends people to an open line".to_owned(),
            ));
        }
        Ok(Begun {
            to: to.into(),
            state: state.into_secret(),
            nonce: nonce.secret().clone(),
            verifier: verifier.into_secret(),
        })
    }

    /// Whether this is how the issuer calls itself (RFC 9207).
    pub fn is(&self, issuer: &str) -> bool {
        self.url.as_str() == issuer
    }

    /// Ends a sign-in: gives the code for a token, and reads in it who comes.
    ///
    /// # Errors
    /// See [`OidcError`].
    pub async fn finish(
        &self,
        back: String,
        code: String,
        nonce: String,
        verifier: String,
    ) -> Result<Known, OidcError> {
        in_time(self.exchanged(back, code, nonce, verifier)).await
    }

    async fn exchanged(
        &self,
        back: String,
        code: String,
        nonce: String,
        verifier: String,
    ) -> Result<Known, OidcError> {
        let said = self.said(Ask::IfOld).await?;
        let client = self.client(&said, back.clone())?;
        let asking = client.clone();
        let exchanged = self.ask(move |send| -> Result<_, OidcError> {
            Ok(asking
                .exchange_code(AuthorizationCode::new(code))
                .map_err(|_| OidcError::Unreachable("it names no place to ask for tokens".to_owned()))?
                .set_pkce_verifier(PkceCodeVerifier::new(verifier))
                .request(&send))
        });
        let answer: CoreTokenResponse = exchanged.await??.map_err(not_exchanged)?;
        let token = answer
            .id_token()
            .ok_or_else(|| OidcError::Token("there is none".to_owned()))?;
        let nonce = Nonce::new(nonce);
        let claims = match self.verified(&client, token, &nonce) {
            Err(error) if is_of_an_unknown_key(&error) => {
                let client = self.client(&*self.said(Ask::Again).await?, back)?;
                self.verified(&client, token, &nonce)
            }
            first => first,
        };
        self.known(&claims.map_err(|error| worthless(&error))?)
    }

    /// The payload of a token that is worth something, as it was signed.
    fn verified(
        &self,
        client: &Client,
        token: &CoreIdToken,
        nonce: &Nonce,
    ) -> Result<Value, ClaimsVerificationError> {
        let verifier = client
            .id_token_verifier()
            .set_allowed_algs(ALGORITHMS)
            .set_issue_time_verifier_fn(|issued: DateTime<Utc>| {
                let age = Utc::now() - issued;
                if age > OLDEST || age < -FROM_THE_FUTURE {
                    return Err("not issued now".to_owned());
                }
                Ok(())
            });
        let claims = token.claims(&verifier, nonce)?;
        let ours = &self.sign_in.oidc.client_id;
        if claims.authorized_party().is_some_and(|party| **party != *ours) {
            return Err(ClaimsVerificationError::InvalidAudience("azp".to_owned()));
        }
        // The library gives the standard's claims; groups have names of their own.
        let unread = || ClaimsVerificationError::Other("the payload".to_owned());
        let text = token.to_string();
        let payload = text.split('.').nth(1).ok_or_else(unread)?;
        let bytes = URL_SAFE_NO_PAD.decode(payload).map_err(|_| unread())?;
        serde_json::from_slice(&bytes).map_err(|_| unread())
    }

    fn known(&self, claims: &Value) -> Result<Known, OidcError> {
        let subject = claims["sub"].as_str().unwrap_or_default();
        if !claims::is_subject(subject) {
            return Err(OidcError::Token("its subject cannot be kept".to_owned()));
        }
        Ok(Known {
            issuer: self.url.as_str().to_owned(),
            subject: subject.to_owned(),
            name: claims::name(&self.sign_in, claims, subject),
            role: claims::role(&self.sign_in, claims),
        })
    }
}
