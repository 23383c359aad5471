//! Walks over everything that a program shows, link by link, and remembers the words.

use scraper::{Html, Selector};
use serde_json::Value;
use std::collections::{BTreeSet, VecDeque};

/// No office of a test has more pages.
const MOST_PAGES: usize = 2_000;

/// Earlier states of records: so many show all that any of them shows.
const HISTORIES: usize = 60;

/// Whether a link may lead to words that its list does not have: one that narrows a list twice, or orders it anew, has
/// the same rows.
fn is_news(link: &str) -> bool {
    let Some((path, query)) = link.split_once('?') else {
        return true;
    };
    let parts = query.split('&').filter(|part| !part.starts_with("back="));
    !["/dead-letters", "/operations", "/recoveries", "/audit"].contains(&path) || parts.count() <= 1
}

/// A secret where it should not be.
#[derive(Debug, Clone)]
pub struct Found {
    pub place: String,
    pub secret: String,
    /// What stands around it.
    pub around: String,
}

/// Looks for the secrets in a text.
pub fn search(place: &str, text: &str, secrets: &[&str], found: &mut Vec<Found>) {
    for secret in secrets {
        if let Some(at) = text.find(secret) {
            let around: String = text[..at].chars().rev().take(120).collect();
            found.push(Found {
                place: place.to_owned(),
                secret: (*secret).to_owned(),
                around: around.chars().rev().collect::<String>() + secret,
            });
        }
    }
}

/// What was seen so far.
pub struct Walk {
    client: reqwest::Client,
    at: String,
    cookie: String,
    token: String,
    seen: Vec<(String, String)>,
    pub pages: usize,
    pub answers: usize,
}

impl Walk {
    pub fn new(client: reqwest::Client, at: &str, cookie: &str, token: &str) -> Self {
        Self {
            client,
            at: at.to_owned(),
            cookie: cookie.to_owned(),
            token: token.to_owned(),
            seen: Vec::new(),
            pages: 0,
            answers: 0,
        }
    }

    /// The secrets that were seen.
    pub fn found(&self, secrets: &[&str]) -> Vec<Found> {
        let mut found = Vec::new();
        for (place, text) in &self.seen {
            search(place, text, secrets, &mut found);
        }
        found
    }

    /// An answer's body with its headers: a `Location` is read by browsers too.
    async fn text(&mut self, request: reqwest::RequestBuilder, path: &str) -> String {
        let answer = request.send().await.expect("an answer");
        let (status, headers) = (answer.status(), answer.headers().clone());
        let body = answer.text().await.expect("a body");
        assert!(status.as_u16() < 500, "{path}: {status}: {body}");
        let mut kept = body.clone();
        for (name, value) in &headers {
            if name != "set-cookie" {
                kept.push_str(&format!(
                    "\n{name}: {}",
                    String::from_utf8_lossy(value.as_bytes())
                ));
            }
        }
        // As a reader sees it: `&amp;` is one character there.
        if kept.contains("<html") {
            let read: String = Html::parse_document(&body).root_element().text().collect();
            kept.push_str(&read);
        }
        self.seen.push((path.to_owned(), kept));
        body
    }

    async fn page(&mut self, path: &str) -> Vec<String> {
        let request = self
            .client
            .get(format!("{}{path}", self.at))
            .header("accept", "text/html")
            .header("cookie", &self.cookie);
        let body = self.text(request, path).await;
        self.pages += 1;
        let links = Selector::parse("a[href]").expect("a selector");
        Html::parse_document(&body)
            .select(&links)
            .filter_map(|link| link.value().attr("href"))
            .filter(|href| href.starts_with('/') && !href.starts_with("/assets/"))
            .map(|href| href.split('#').next().unwrap_or_default().to_owned())
            .collect()
    }

    /// Every page that links lead to. The way back in a link makes no other page of it.
    pub async fn pages(&mut self) {
        let starts = [
            "/dead-letters",
            "/operations",
            "/recoveries",
            "/queues",
            "/audit",
            "/permissions",
            "/login",
        ];
        let mut open: VecDeque<String> = starts.iter().map(|path| (*path).to_owned()).collect();
        let mut known = BTreeSet::new();
        let mut histories = 0;
        while let Some(path) = open.pop_front() {
            let plain = path.split(['?', '&']).filter(|part| !part.starts_with("back="));
            if !known.insert(plain.collect::<Vec<_>>().join("&")) {
                continue;
            }
            assert!(known.len() < MOST_PAGES, "more pages than anybody has: {path}");
            if path.contains("?at=") {
                histories += 1;
                if histories > HISTORIES {
                    continue;
                }
            }
            open.extend(self.page(&path).await.into_iter().filter(|link| is_news(link)));
        }
    }

    async fn json(&mut self, path: &str) -> Value {
        let request = self
            .client
            .get(format!("{}/api/v1{path}", self.at))
            .bearer_auth(&self.token);
        let body = self.text(request, path).await;
        self.answers += 1;
        serde_json::from_str(&body).unwrap_or(Value::Null)
    }

    async fn list(&mut self, list: &str) -> Vec<String> {
        let mut ids = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = self.json(&format!("/{list}?limit=100{cursor}")).await;
            let items = page["items"].as_array().cloned().unwrap_or_default();
            ids.extend(
                items
                    .iter()
                    .filter_map(|item| item["id"].as_str().map(str::to_owned)),
            );
            match page["next_cursor"].as_str() {
                Some(next) => {
                    let next: String = url::form_urlencoded::byte_serialize(next.as_bytes()).collect();
                    cursor = format!("&cursor={next}");
                }
                None => return ids,
            }
        }
    }

    /// Every list of the API and everything in them.
    pub async fn api(&mut self) {
        for list in ["dead-letters", "operations", "recoveries", "audit"] {
            for id in self.list(list).await {
                let id = app::href::encode(&id);
                self.json(&format!("/{list}/{id}")).await;
                if list == "operations" {
                    self.json(&format!("/{list}/{id}/plan")).await;
                    self.json(&format!("/{list}/{id}/candidates")).await;
                }
            }
        }
        self.json("/queues").await;
    }

    /// What anybody may read.
    pub async fn open(&mut self) {
        for path in ["/metrics", "/healthz", "/readyz", "/api/v1/openapi.json"] {
            let request = self.client.get(format!("{}{path}", self.at));
            self.text(request, path).await;
            self.answers += 1;
        }
    }
}
