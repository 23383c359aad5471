//! The real router on a real port, in this process, with a token for each role.

use super::backend::Backend;
use app::domain::role::{Caller, Role};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, StatusCode};
use serde_json::Value;
use server::background::{self, Duties};
use server::config::Config;
use server::database::Database;
use server::office::{Office, password};
use server::oidc::Issuer;
use server::provider::Readers;
use server::storage::{operators, tokens};
use server::web::{self, Limits};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Nothing beside the answers: tests that want the worker ask for it.
pub const NO_DUTIES: Duties = Duties {
    worker: false,
    housekeeping: false,
};

static KEYS: AtomicU64 = AtomicU64::new(1);

/// An idempotency key that nobody used before.
pub fn fresh_key() -> String {
    format!(
        "test-{}-{}",
        std::process::id(),
        KEYS.fetch_add(1, Ordering::Relaxed)
    )
}

/// A running office. It ends with the value.
pub struct TestApp {
    pub backend: Backend,
    pub office: Arc<Office>,
    pub address: SocketAddr,
    pub client: reqwest::Client,
    tokens: HashMap<Role, String>,
    shutdown: CancellationToken,
    _working: JoinSet<()>,
}

impl Drop for TestApp {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}

/// Who the harness acts as.
pub fn system() -> Caller {
    Caller {
        name: Caller::SYSTEM.to_owned(),
        role: Role::Admin,
    }
}

impl TestApp {
    /// Serves the database with this configuration; nothing runs in the background.
    pub async fn start(backend: Backend, database: Database, config: Config) -> Self {
        Self::start_with(backend, database, config, NO_DUTIES).await
    }

    /// As [`TestApp::start`], with the worker or housekeeping beside it.
    pub async fn start_with(backend: Backend, database: Database, config: Config, duties: Duties) -> Self {
        Self::start_within(backend, database, config, duties, Limits::default()).await
    }

    /// As [`TestApp::start_with`], with other limits.
    pub async fn start_within(
        backend: Backend,
        database: Database,
        config: Config,
        duties: Duties,
        limits: Limits,
    ) -> Self {
        let mut tokens = HashMap::new();
        for role in Role::ALL {
            let secret = format!("{}{role}-{}", tokens::PREFIX, Uuid::new_v4().simple());
            tokens::create(
                &database,
                &system(),
                Uuid::now_v7(),
                &format!("test-{role}"),
                *role,
                &secret,
            )
            .await
            .expect("a token is made");
            tokens.insert(*role, secret);
        }
        let readers = Readers::from_config(&config).expect("readers");
        let issuer = Issuer::from_config(&config.sign_in, |_| None).expect("an issuer or none");
        let office = Office::new(database, Arc::new(config)).asking(Arc::new(readers));
        let office = Arc::new(office.signed_in_by(issuer));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let address = listener.local_addr().expect("an address");
        let shutdown = CancellationToken::new();
        let mut working = background::start(&office, duties, &shutdown).expect("the duties start");
        let (served, told) = (office.clone(), shutdown.clone());
        working.spawn(async move {
            web::serve_with(listener, served, told, limits)
                .await
                .expect("served");
        });
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .expect("a client");
        Self {
            backend,
            office,
            address,
            client,
            tokens,
            shutdown,
            _working: working,
        }
    }

    /// The secret of the role's token.
    pub fn token(&self, role: Role) -> &str {
        &self.tokens[&role]
    }

    /// `http://127.0.0.1:PORT` and the path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Adds a person who can sign in.
    pub async fn person(&self, name: &str, role: Role, password: &str) {
        let hash = password::hash(password.to_owned()).await.expect("a hash");
        operators::add(&self.office.database, &system(), name, role, &hash)
            .await
            .expect("a person is added");
    }

    /// Sends anything.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        let response = request.send().await.expect("an answer, not a broken connection");
        let (status, headers) = (response.status(), response.headers().clone());
        let url = response.url().path().to_owned();
        let body = response.text().await.expect("a body");
        Answer {
            status,
            headers,
            body,
            url,
        }
    }

    fn call(&self, role: Role, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client
            .request(method, self.url(path))
            .bearer_auth(self.token(role))
    }

    /// `GET` with the role's token.
    pub async fn get(&self, role: Role, path: &str) -> Answer {
        self.send(self.call(role, Method::GET, path)).await
    }

    /// `POST` with the role's token and a fresh idempotency key.
    pub async fn post(&self, role: Role, path: &str, body: &Value) -> Answer {
        self.post_with_key(role, path, body, &fresh_key()).await
    }

    /// `POST` with the role's token and this idempotency key.
    pub async fn post_with_key(&self, role: Role, path: &str, body: &Value, key: &str) -> Answer {
        self.send(
            self.call(role, Method::POST, path)
                .header("idempotency-key", key)
                .json(body),
        )
        .await
    }

    /// `PUT` that creates: with `If-None-Match: *`.
    pub async fn put(&self, role: Role, path: &str, body: &Value) -> Answer {
        self.send(
            self.call(role, Method::PUT, path)
                .header("if-none-match", "*")
                .json(body),
        )
        .await
    }

    /// `PATCH` of a revision.
    pub async fn patch(&self, role: Role, path: &str, revision: i64, body: &Value) -> Answer {
        self.send(
            self.call(role, Method::PATCH, path)
                .header("if-match", format!("\"{revision}\""))
                .json(body),
        )
        .await
    }

    /// A browser without a session.
    pub fn browser(&self) -> Browser<'_> {
        Browser {
            app: self,
            cookie: None,
        }
    }

    /// A browser of a person of this role, signed in.
    pub async fn signed_in(&self, role: Role) -> Browser<'_> {
        let name = format!("{role}-{}", Uuid::new_v4().simple());
        self.person(&name, role, "a good password").await;
        let mut browser = self.browser();
        browser.sign_in(&name, "a good password").await.expect(303);
        browser
    }
}

/// What came back. Its helpers print the body when they fail.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
    url: String,
}

impl Answer {
    /// Fails with the body unless the status is this one.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}: {}", self.url, self.body);
        self
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|error| panic!("{}: {error}: {}", self.url, self.body))
    }

    /// Fails with the body unless this is a refusal of this status and code.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Value {
        let body = self.json();
        assert_eq!(
            (self.status.as_u16(), body["code"].as_str()),
            (status, Some(code)),
            "{}: {}",
            self.url,
            self.body
        );
        assert_eq!(
            self.header("content-type"),
            "application/problem+json",
            "{}",
            self.url
        );
        assert_eq!(
            (&body["type"], &body["status"]),
            (&"about:blank".into(), &status.into()),
            "{}",
            self.url
        );
        assert!(
            body["title"].is_string() && body["detail"].is_string(),
            "{}: {}",
            self.url,
            self.body
        );
        body
    }

    /// A header's text, empty when absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The page, for selectors.
    pub fn page(&self) -> scraper::Html {
        scraper::Html::parse_document(&self.body)
    }

    /// Whether the page has such an element.
    pub fn has(&self, selector: &str) -> bool {
        self.page()
            .select(&scraper::Selector::parse(selector).expect("a selector"))
            .next()
            .is_some()
    }
}

/// A browser: keeps its cookie and says where its forms come from.
pub struct Browser<'a> {
    app: &'a TestApp,
    pub cookie: Option<String>,
}

impl Browser<'_> {
    async fn send(&mut self, mut request: reqwest::RequestBuilder) -> Answer {
        request = request.header("accept", "text/html");
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        let answer = self.app.send(request).await;
        if let Some(set) = answer
            .headers
            .get("set-cookie")
            .and_then(|value| value.to_str().ok())
        {
            let pair = set.split(';').next().unwrap_or_default().to_owned();
            self.cookie = Some(pair).filter(|pair| !pair.ends_with('='));
        }
        answer
    }

    /// Opens a page.
    pub async fn get(&mut self, path: &str) -> Answer {
        let request = self.app.client.get(self.app.url(path));
        self.send(request).await
    }

    /// Sends a form of ours from our own page.
    pub async fn form(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let origin = self.app.url("");
        self.form_with(
            path,
            fields,
            &[("sec-fetch-site", "same-origin"), ("origin", &origin)],
        )
        .await
    }

    /// Sends a form with these headers instead.
    pub async fn form_with(
        &mut self,
        path: &str,
        fields: &[(&str, &str)],
        headers: &[(&str, &str)],
    ) -> Answer {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        let mut map = HeaderMap::new();
        map.insert(
            "content-type",
            HeaderValue::from_static("application/x-www-form-urlencoded"),
        );
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).expect("a name");
            map.insert(name, HeaderValue::from_str(value).expect("a value"));
        }
        let request = self.app.client.post(self.app.url(path)).headers(map).body(body);
        self.send(request).await
    }

    /// Fills in the sign-in form.
    pub async fn sign_in(&mut self, name: &str, password: &str) -> Answer {
        self.form(
            "/forms/sign-in",
            &[("name", name), ("password", password), ("next", "/queues")],
        )
        .await
    }
}
