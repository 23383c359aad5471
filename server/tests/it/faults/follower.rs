//! A reader whose page is open: it listens for changes, comes back where the stream ends, and asks for the page again
//! after each change.

use super::machine::Stage;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What it heard and was shown.
#[derive(Debug, Default)]
pub struct Heard {
    pub streams: AtomicU64,
    pub changes: AtomicU64,
    pub pages: AtomicU64,
}

/// Follows the desk for ever, at whichever address `at` names when a stream ends. A refusal must say when to come back;
/// nothing but 200 and 503 is answered.
pub async fn follows(stage: &Stage, at: impl Fn() -> String, cookie: &str, heard: &Heard) {
    let mut last = None;
    loop {
        let base = at();
        let mut request = stage
            .client
            .get(format!("{base}/events?desk"))
            // A stream lives longer than an answer may take.
            .timeout(Duration::from_secs(3600))
            .header("cookie", cookie);
        if let Some(id) = &last {
            request = request.header("last-event-id", id);
        }
        // Whoever is gone is not listened to; another address is named next.
        if let Ok(stream) = request.send().await {
            if stream.status() == 503 {
                assert!(stream.headers().contains_key("retry-after"));
            } else {
                assert_eq!(stream.status(), 200);
                heard.streams.fetch_add(1, Ordering::Relaxed);
                listen(stage, &base, cookie, stream, &mut last, heard).await;
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Until the stream ends.
async fn listen(
    stage: &Stage,
    base: &str,
    cookie: &str,
    mut stream: reqwest::Response,
    last: &mut Option<String>,
    heard: &Heard,
) {
    let mut unread = String::new();
    while let Ok(Some(chunk)) = stream.chunk().await {
        unread.push_str(std::str::from_utf8(&chunk).expect("text"));
        while let Some((block, rest)) = unread.split_once("\n\n") {
            let changed = block.lines().any(|line| line.trim() == "event: changed");
            if let Some(id) = block.lines().find_map(|line| line.strip_prefix("id:")) {
                *last = Some(id.trim().to_owned());
            }
            unread = rest.to_owned();
            if changed {
                heard.changes.fetch_add(1, Ordering::Relaxed);
                looks(stage, base, cookie, heard).await;
            }
        }
    }
}

async fn looks(stage: &Stage, base: &str, cookie: &str, heard: &Heard) {
    let asked = stage
        .client
        .get(format!("{base}/dead-letters"))
        .header("cookie", cookie)
        .header("accept", "text/html");
    let Ok(page) = asked.send().await else {
        return;
    };
    match page.status().as_u16() {
        200 => {
            heard.pages.fetch_add(1, Ordering::Relaxed);
        }
        503 => assert!(page.headers().contains_key("retry-after")),
        other => panic!("the desk answers {other}"),
    }
}
