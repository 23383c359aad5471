//! Single sign-on, against an issuer that really signs: who comes in, as whom, and everything that is refused.

mod people;
mod states;
mod tokens;

use super::issuer::{CLIENT, Issuer, SECRET};
use crate::support::app::{Answer, TestApp};
use crate::support::backend::{Backend, Kind};
use app::desk::AuditFilter;
use app::domain::role::Role;
use server::config::{Config, Flags};
use server::database::Database;
use server::storage::audit;
use std::collections::BTreeMap;

/// The sections that name this issuer, with its secret in the folder.
pub fn sections(issuer: &str, folder: &tempfile::TempDir) -> String {
    let secret = folder.path().join("secret");
    std::fs::write(&secret, format!("{SECRET}\n")).expect("a secret");
    format!(
        "[sign_in.roles]\nstaff = \"viewer\"\nleads = \"approver\"\n\
         [sign_in.oidc]\nissuer = \"{issuer}\"\nclient_id = \"{CLIENT}\"\nclient_secret_file = \"{}\"\n\
         label = \"Example Accounts\"\ntimeout_seconds = 2\n",
        secret.display()
    )
}

pub fn configured(issuer: &str, folder: &tempfile::TempDir, more: &str) -> Config {
    let text = format!("{}{more}", sections(issuer, folder));
    Config::from_parts(Some(&text), &[], &Flags::default()).expect("a configuration")
}

pub async fn start_on(backend: Backend, database: Database, issuer: &Issuer) -> TestApp {
    let folder = tempfile::tempdir().expect("a folder");
    TestApp::start(backend, database, configured(issuer.url(), &folder, "")).await
}

pub async fn start(issuer: &Issuer) -> TestApp {
    let (backend, database) = Backend::open(Kind::Memory).await.expect("memory");
    start_on(backend, database, issuer).await
}

/// A browser that keeps every cookie it is given.
pub struct Jar<'a> {
    app: &'a TestApp,
    pub cookies: BTreeMap<String, String>,
}

impl<'a> Jar<'a> {
    pub fn new(app: &'a TestApp) -> Self {
        Self {
            app,
            cookies: BTreeMap::new(),
        }
    }

    pub async fn get_with(&mut self, url: &str, headers: &[(&str, &str)]) -> Answer {
        let url = if url.starts_with('/') {
            self.app.url(url)
        } else {
            url.to_owned()
        };
        let mut request = self.app.client.get(&url).header("accept", "text/html");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if url.starts_with(&self.app.url("")) && !self.cookies.is_empty() {
            let pairs: Vec<String> = self
                .cookies
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            request = request.header("cookie", pairs.join("; "));
        }
        let answer = self.app.send(request).await;
        for set in answer.headers.get_all("set-cookie") {
            let set = set.to_str().expect("text");
            let (name, value) = set
                .split(';')
                .next()
                .and_then(|pair| pair.split_once('='))
                .expect("a pair");
            if value.is_empty() {
                self.cookies.remove(name);
            } else {
                for part in ["HttpOnly", "SameSite=Lax", "Path=/"] {
                    assert!(set.contains(part), "{set}");
                }
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        answer
    }

    pub async fn get(&mut self, url: &str) -> Answer {
        self.get_with(url, &[]).await
    }

    /// Goes to the issuer, which sends the browser back; answers where to.
    pub async fn goes_and_is_sent(&mut self, next: &str) -> String {
        let query: String = url::form_urlencoded::byte_serialize(next.as_bytes()).collect();
        let answer = self.get(&format!("/login/oidc?next={query}")).await.expect(303);
        let issuer = answer.header("location").to_owned();
        assert!(issuer.contains("/authorize?"), "{issuer}");
        let answer = self.get(&issuer).await.expect(303);
        let back = answer.header("location").to_owned();
        assert!(back.starts_with(&self.app.url("/login/oidc/callback?")), "{back}");
        back
    }

    /// The whole way.
    pub async fn signs_in(&mut self, next: &str) -> Answer {
        let back = self.goes_and_is_sent(next).await;
        self.get(&back).await
    }

    /// The role under which a page is shown; `None` where it is not.
    pub async fn shown(&mut self) -> Option<Role> {
        let answer = self.get("/queues").await;
        if answer.status.as_u16() == 303 {
            assert!(answer.header("location").starts_with("/login"));
            return None;
        }
        let answer = answer.expect(200);
        Role::ALL
            .iter()
            .find(|role| answer.has(&format!(".who [data-role={role}]")))
            .copied()
    }

    /// Nobody came in, the sign-in page says why, and the answer holds nothing of the issuer's.
    pub async fn is_refused(&mut self, answer: Answer, code: &str) {
        let answer = answer.expect(303);
        let location = answer.header("location").to_owned();
        assert!(
            location.starts_with("/login?next=")
                && location.contains(&format!("refused={code}&form=single-sign-on")),
            "{code}: {location}"
        );
        assert!(
            !self.cookies.contains_key("dlo_session"),
            "{code}: {:?}",
            self.cookies
        );
        let page = self.get(&location).await.expect(200);
        assert!(
            page.has(&format!("[role=alert][data-code={code}]")),
            "{}",
            page.body
        );
        assert!(page.has("a[data-single-sign-on]"), "and one may try again");
        assert!(
            !page.body.contains("secret words") && !page.body.contains("<b>no</b>"),
            "{}",
            page.body
        );
    }
}

/// What the audit keeps of these, oldest first: who, and the words.
pub async fn kept(app: &TestApp, action: &str) -> Vec<(String, String)> {
    let mut tx = app.office.database.read().await.expect("a transaction");
    let mut all = audit::list(&mut tx, &AuditFilter::default(), None, 200)
        .await
        .expect("entries");
    all.reverse();
    all.into_iter()
        .filter(|entry| entry.action == action)
        .map(|entry| (entry.actor, entry.reason.unwrap_or_default()))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_office_without_an_issuer_has_no_such_way() {
    let (backend, database) = Backend::open(Kind::Memory).await.expect("memory");
    let app = TestApp::start(backend, database, Config::default()).await;
    let page = app.browser().get("/login").await.expect(200);
    assert!(!page.has("a[data-single-sign-on]"), "{}", page.body);
    app.browser().get("/login/oidc").await.expect(404);
    app.browser()
        .get("/login/oidc/callback?state=x&code=y")
        .await
        .expect(404);
}

#[test]
fn what_would_let_somebody_else_in_is_refused() {
    let said = |text: &str| match Config::from_parts(Some(text), &[], &Flags::default()) {
        Ok(_) => "nothing was refused".to_owned(),
        Err(error) => error.to_string(),
    };
    let whole = "[sign_in.roles]\nstaff = \"viewer\"\n[sign_in.oidc]\nissuer = \"https://issuer.example.test\"\nclient_id = \"x\"\n";
    assert_eq!(said(whole), "nothing was refused");
    for (text, key) in [
        (whole.replace("https:", "http:"), "sign_in.oidc.issuer"),
        (whole.replace("test\"", "test/?x=1\""), "sign_in.oidc.issuer"),
        (whole.replace("client_id = \"x\"", ""), "sign_in.oidc.client_id"),
        (
            whole.replace("issuer = \"https://issuer.example.test\"", ""),
            "sign_in.oidc.issuer",
        ),
        (whole.replace("staff = \"viewer\"", ""), "sign_in.roles"),
        (whole.replace("viewer", "reporter"), "sign_in.roles.staff"),
        (format!("{whole}roles_claim = \"\"\n"), "sign_in.oidc.roles_claim"),
        (format!("{whole}name_claim = \"\"\n"), "sign_in.oidc.name_claim"),
        (
            format!("{whole}timeout_seconds = 0\n"),
            "sign_in.oidc.timeout_seconds",
        ),
        (format!("{whole}client_secret = \"x\"\n"), "client_secret"),
        (
            format!("[server]\nbind = \"0.0.0.0:80\"\n{whole}"),
            "server.public_url",
        ),
        (
            format!("[sign_in]\ntrusted_header = \"X-User\"\ntrusted_from = [\"::1\"]\n{whole}"),
            "sign_in.trusted_header",
        ),
    ] {
        let words = said(&text);
        assert!(words.contains(key), "{text}: {words}");
    }
}
