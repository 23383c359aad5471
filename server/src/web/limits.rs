//! What one sender, and all of them together, may take of this program.

use std::time::Duration;

/// The bounds of the web server. Bodies have theirs in [`super::body`], lists and writes in the office.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long the head of a request may take, and how long a connection may rest between two.
    pub head_time: Duration,
    /// The longest head of a request, in bytes; 431 beyond it, and beyond a hundred headers.
    pub head_bytes: usize,
    /// No request takes longer. A decision may wait for a provider's answer, so this is above every sane timeout of one.
    pub request_time: Duration,
    /// Requests that are worked on at once; more wait their turn.
    pub at_once: usize,
    /// Connections at once; more wait until they are taken.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head_time: Duration::from_secs(30),
            head_bytes: 64 * 1024,
            request_time: Duration::from_secs(60),
            at_once: 512,
            connections: 4096,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Limits;
    use crate::web::bounded;
    use axum::Router;
    use axum::body::Body;
    use axum::http::{Request, StatusCode};
    use axum::routing::get;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;
    use tokio::sync::Semaphore;
    use tower::ServiceExt;

    fn request(path: &str) -> Request<Body> {
        Request::get(path).body(Body::empty()).expect("a request")
    }

    #[tokio::test]
    async fn a_request_that_takes_too_long_is_given_up() {
        let limits = Limits {
            request_time: Duration::from_millis(50),
            ..Limits::default()
        };
        let routes = Router::new()
            .route(
                "/never",
                get(|| async { std::future::pending::<&'static str>().await }),
            )
            .route("/now", get(|| async { "now" }));
        let router = bounded(routes, limits, |routes| routes);
        let patience = Duration::from_secs(20);
        let answer = tokio::time::timeout(patience, router.clone().oneshot(request("/never")))
            .await
            .expect("an answer in time");
        let answer = answer.expect("an answer");
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
        let now = router.oneshot(request("/now")).await.expect("an answer");
        assert_eq!(now.status(), StatusCode::OK);
    }

    #[tokio::test]
    async fn no_more_are_worked_on_at_once_than_is_allowed() {
        let limits = Limits {
            at_once: 3,
            ..Limits::default()
        };
        let (inside, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let gate = Arc::new(Semaphore::new(0));
        let (counted, seen, held) = (inside.clone(), most.clone(), gate.clone());
        let slow = move || {
            let (counted, seen, held) = (counted.clone(), seen.clone(), held.clone());
            async move {
                let now = counted.fetch_add(1, Ordering::SeqCst) + 1;
                seen.fetch_max(now, Ordering::SeqCst);
                held.acquire().await.expect("open").forget();
                counted.fetch_sub(1, Ordering::SeqCst);
                "done"
            }
        };
        let router = bounded(Router::new().route("/slow", get(slow)), limits, |routes| routes);
        let all: Vec<_> = (0..10)
            .map(|_| tokio::spawn(router.clone().oneshot(request("/slow"))))
            .collect();
        let wait = async {
            while inside.load(Ordering::SeqCst) < 3 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), wait)
            .await
            .expect("three get in");
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert_eq!(inside.load(Ordering::SeqCst), 3, "and the others wait");
        gate.add_permits(10);
        for one in all {
            let answer = tokio::time::timeout(Duration::from_secs(20), one)
                .await
                .expect("each has its turn");
            let answer = answer.expect("no panic").expect("an answer");
            assert_eq!(answer.status(), StatusCode::OK);
        }
        assert_eq!(most.load(Ordering::SeqCst), 3);
    }
}
