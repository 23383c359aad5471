//! Who sends a form? Only our own pages may: every mutation of pages and server functions is checked before them.

use app::desk::{Code, DeskError};
use axum::http::{HeaderMap, Uri, header};

/// The origins that are ours.
#[derive(Debug, Clone, Default)]
pub struct Own {
    /// `scheme://host[:port]` of `server.public_url`; empty when there is none.
    public: String,
}

/// A URL's origin in one spelling: lower case, without the scheme's own port.
fn origin_of(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.origin().ascii_serialization())
}

impl Own {
    pub fn new(public_url: &str) -> Self {
        Self {
            public: origin_of(public_url).unwrap_or_default(),
        }
    }

    /// Whether an `Origin` or `Referer` is ours: that of `public_url`, or of the host that was asked.
    fn covers(&self, text: &str, host: Option<&str>) -> bool {
        let Some(origin) = origin_of(text) else {
            return false;
        };
        if !self.public.is_empty() && origin == self.public {
            return true;
        }
        host.is_some_and(|host| {
            ["http", "https"]
                .iter()
                .any(|scheme| origin_of(&format!("{scheme}://{host}")) == Some(origin.clone()))
        })
    }

    /// Whether another site sent the browser here. What is typed, or says nothing of where it comes from, is not.
    pub fn is_from_elsewhere(&self, headers: &HeaderMap, uri: &Uri) -> bool {
        let site = headers.get("sec-fetch-site").map(http::HeaderValue::as_bytes);
        match site {
            Some(b"none") => false,
            Some(b"same-origin") | None => {
                headers.contains_key(header::REFERER) && self.check(headers, uri).is_err()
            }
            Some(_) => true,
        }
    }

    /// Refuses a mutation that another site may have sent. All that the browser says must agree; one that says
    /// nothing at all is refused too.
    ///
    /// # Errors
    /// `cross_site`.
    pub fn check(&self, headers: &HeaderMap, uri: &Uri) -> Result<(), DeskError> {
        let text =
            |name: header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
        let host = text(header::HOST).or_else(|| uri.authority().map(|authority| authority.as_str()));
        let site = headers
            .get("sec-fetch-site")
            .map(|value| value.as_bytes() == b"same-origin");
        let origin = text(header::ORIGIN).map(|origin| self.covers(origin, host));
        let referer = text(header::REFERER).map(|referer| self.covers(referer, host));
        let said = [site, origin, referer];
        if said.contains(&Some(false)) || said.iter().all(Option::is_none) {
            return Err(DeskError::new(
                Code::CrossSite,
                "This was not sent by a page of this office. Nothing was done.",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn check(own: &Own, pairs: &[(&'static str, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(
                HeaderName::from_static(name),
                HeaderValue::from_str(value).expect("a value"),
            );
        }
        own.check(&headers, &Uri::from_static("/forms/x")).is_ok()
    }

    #[test]
    fn only_our_own_pages_may_send() {
        let own = Own::new("https://office.example.test/");
        let host = ("host", "127.0.0.1:8080");
        assert!(check(&own, &[host, ("sec-fetch-site", "same-origin")]));
        assert!(check(&own, &[host, ("origin", "http://127.0.0.1:8080")]));
        assert!(check(
            &own,
            &[host, ("referer", "http://127.0.0.1:8080/login?next=/x")]
        ));
        assert!(check(&own, &[host, ("origin", "https://office.example.test")]));
        assert!(check(
            &own,
            &[("host", "Office.test:80"), ("origin", "http://office.test")]
        ));
        for bad in [
            &[host][..],
            &[host, ("sec-fetch-site", "cross-site")],
            &[host, ("sec-fetch-site", "same-site")],
            &[host, ("sec-fetch-site", "none")],
            &[host, ("origin", "null")],
            &[host, ("origin", "http://127.0.0.1:8081")],
            &[host, ("origin", "http://evil.test")],
            &[host, ("referer", "http://evil.test/127.0.0.1:8080")],
            &[host, ("referer", "http://127.0.0.1:8080@evil.test/")],
            &[
                host,
                ("sec-fetch-site", "same-origin"),
                ("origin", "http://evil.test"),
            ],
            &[
                host,
                ("origin", "http://127.0.0.1:8080"),
                ("referer", "http://evil.test/"),
            ],
            &[("origin", "http://127.0.0.1:8080")],
        ] {
            assert!(!check(&own, bad), "{bad:?}");
        }
    }

    #[test]
    fn a_link_from_elsewhere_is_told_from_ours() {
        let own = Own::new("https://office.example.test/");
        for (site, referer, elsewhere) in [
            ("same-origin", "https://office.example.test/login", false),
            ("none", "", false),
            ("", "https://office.example.test/login", false),
            ("", "", false),
            ("cross-site", "", true),
            ("same-site", "https://other.example.test/", true),
            ("", "https://evil.test/", true),
            ("same-origin", "https://evil.test/", true),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in [("sec-fetch-site", site), ("referer", referer)] {
                if !value.is_empty() {
                    headers.insert(name, HeaderValue::from_static(value));
                }
            }
            let said = own.is_from_elsewhere(&headers, &Uri::from_static("/login/oidc"));
            assert_eq!(said, elsewhere, "{site} {referer}");
        }
    }

    use crate::fuzzing::cases;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(cases(300))]

        /// A browser that follows a way back of ours stays with us, whatever stands in it.
        #[test]
        fn no_way_back_leads_away(path in "[/\\\\.@:%a-z0-9?#\u{9}\u{a}\u{20}-]{0,24}|\\PC{0,24}") {
            let here = url::Url::parse("https://office.example.test/login").expect("a URL");
            if app::href::is_ours(&path) {
                let there = here.join(&path).expect("a path");
                prop_assert_eq!(there.origin(), here.origin(), "{}", path);
            }
        }

        #[test]
        fn no_foreign_origin_is_ours(origin in "(https?://)?[a-z0-9.@:%\\[\\]/\\\\-]{0,40}") {
            let own = Own::new("https://office.example.test");
            if let Ok(value) = HeaderValue::from_str(&origin) {
                let headers = HeaderMap::from_iter([(header::ORIGIN, value)]);
                if own.check(&headers, &Uri::from_static("/forms/x")).is_ok() {
                    let read = url::Url::parse(&origin).expect("a URL");
                    prop_assert_eq!(read.origin().ascii_serialization(), "https://office.example.test");
                }
            }
        }
    }
}
