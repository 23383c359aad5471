//! `/login/oidc` sends a browser to the issuer, and `/login/oidc/callback` takes it back.
//!
//! Both are links: a form would be stopped on its way to another host, which the policy forbids. A link from elsewhere
//! begins nothing; it leads to the sign-in page, where a person decides.

use super::pages::{base, to_login};
use super::visit::Visit;
use super::{Face, Reference, Served};
use crate::api::problem::Problem;
use crate::office::session;
use crate::office::single_sign_on::Returned;
use crate::office::throttle::seconds;
use crate::storage::sign_ins;
use app::desk::{Code, DeskError};
use app::href::{self, Query};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::time::Instant;

/// Binds a sign-in to the browser that began it.
const COOKIE: &str = "dlo_sign_in";
const SECURE_COOKIE: &str = "__Host-dlo_sign_in";
/// Random bytes of the cookie.
const COOKIE_BYTES: usize = 32;

/// The longest value of the query that is looked at: codes of real issuers have up to some thousand characters.
const MAX_VALUE: usize = 8 * 1024;

fn cookie(secure: bool, value: &str, seconds: i64) -> String {
    let (name, more) = if secure {
        (SECURE_COOKIE, "; Secure")
    } else {
        (COOKIE, "")
    };
    // Lax: the issuer's redirect back must bring it.
    format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{more}")
}

/// The cookie's value, when there is exactly one of ours.
fn browser(request: &Request, secure: bool) -> Option<String> {
    let name = if secure { SECURE_COOKIE } else { COOKIE };
    let mut values = request
        .headers()
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(key, _)| *key == name)
        .map(|(_, value)| value.to_owned());
    let value = values.next()?;
    (values.next().is_none() && value.len() == 2 * COOKIE_BYTES).then_some(value)
}

/// A redirect to anywhere, with a cookie where one is set. Only the issuer's own address and paths of ours come here.
fn see_other(to: &str, cookie: Option<String>) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = [
        (header::LOCATION, Some(to.to_owned())),
        (header::SET_COOKIE, cookie),
    ];
    for (name, value) in headers {
        if let Some(Ok(value)) = value.map(HeaderValue::try_from) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

/// A way back, where it is one of ours; else the desk.
fn ours(next: Option<&str>) -> &str {
    next.filter(|path| href::is_ours(path))
        .unwrap_or(href::DEAD_LETTERS)
}

fn way_back(query: &Query) -> String {
    ours(query.get("next")).to_owned()
}

/// Back to the sign-in page, which says what is wrong.
fn sent_back(next: &str, code: Code, secure: bool) -> Response {
    let query = Query::of(&[
        ("next", next),
        ("refused", code.as_str()),
        ("form", app::pages::login::SINGLE_SIGN_ON),
    ]);
    // What another site may have sent here ends no sign-in that this browser is about.
    let over = (code != Code::SignInExpired).then(|| cookie(secure, "", 0));
    see_other(&href::with(href::LOGIN, &query), over)
}

fn slow_down(wait: std::time::Duration, reference: &str) -> Response {
    let wait = seconds(wait);
    let error = DeskError::new(
        Code::SlowDown,
        format!("Too many tries. Try again in {wait} seconds."),
    );
    let problem = Problem {
        retry_after: Some(wait),
        ..Problem::from(error)
    };
    Face::Page.refuse(problem, reference)
}

/// Our own address that the issuer sends people back to.
fn callback(served: &Served, request: &Request) -> String {
    format!("{}{}", base(served, request), href::SINGLE_SIGN_ON_BACK)
}

fn none_here(reference: &str) -> Response {
    let error = DeskError::new(Code::NotFound, "There is no single sign-on here.");
    Face::Page.refuse(error.into(), reference)
}

/// Sends the browser to the issuer.
pub async fn begin(State(served): State<Served>, request: Request) -> Response {
    let reference = Reference::of(&request);
    if served.office.issuer.is_none() {
        return none_here(&reference);
    }
    let next = way_back(&Query::parse(request.uri().query().unwrap_or_default()));
    let Some(visit) = request.extensions().get::<Visit>().cloned() else {
        return Face::Page.refuse(
            Problem::new(Code::Internal, "The request was not identified."),
            &reference,
        );
    };
    if served.own.is_from_elsewhere(request.headers(), request.uri()) {
        return to_login(&next);
    }
    if visit.caller().is_some() {
        return see_other(&next, Some(cookie(served.secure, "", 0)));
    }
    if let Err(wait) = served
        .throttle
        .begin_single_sign_on(visit.address(), Instant::now())
    {
        return slow_down(wait, &reference);
    }
    let browser = hex::encode(rand::random::<[u8; COOKIE_BYTES]>());
    let back = callback(&served, &request);
    match served.office.begin_single_sign_on(&browser, back, &next).await {
        Ok(to) => see_other(
            &to,
            Some(cookie(served.secure, &browser, sign_ins::VALID.num_seconds())),
        ),
        Err(error) => sent_back(&next, error.code, served.secure),
    }
}

/// What stands in the callback's query; a value that is there twice, or far too long, is none.
fn returned(query: &Query) -> Returned {
    let only = |name: &str| {
        let mut values = query
            .0
            .iter()
            .filter(|(key, _)| key == name)
            .map(|(_, value)| value);
        let value = values
            .next()
            .filter(|value| !value.is_empty() && value.len() <= MAX_VALUE)?;
        values.next().is_none().then(|| value.clone())
    };
    Returned {
        state: only("state").unwrap_or_default(),
        code: only("code"),
        error: only("error"),
        issuer: only("iss"),
    }
}

/// Takes the browser back from the issuer, and lets it in or says why not.
pub async fn finish(State(served): State<Served>, request: Request) -> Response {
    let reference = Reference::of(&request);
    if served.office.issuer.is_none() {
        return none_here(&reference);
    }
    let Some(visit) = request.extensions().get::<Visit>().cloned() else {
        return Face::Page.refuse(
            Problem::new(Code::Internal, "The request was not identified."),
            &reference,
        );
    };
    // A page elsewhere can send a browser here, but not with this cookie: that is nobody's try.
    let Some(browser) = browser(&request, served.secure) else {
        return sent_back(href::DEAD_LETTERS, Code::SignInExpired, served.secure);
    };
    let tried = match served
        .throttle
        .finish_single_sign_on(visit.address(), Instant::now())
    {
        Ok(tried) => tried,
        Err(wait) => return slow_down(wait, &reference),
    };
    let back = callback(&served, &request);
    let returned = returned(&Query::parse(request.uri().query().unwrap_or_default()));
    let came = served
        .office
        .finish_single_sign_on(&browser, back, returned, visit.address())
        .await;
    let came = match came {
        Ok(came) => came,
        Err(refusal) => {
            let next = ours(refusal.next.as_deref());
            return sent_back(next, refusal.error.code, served.secure);
        }
    };
    if let Err(error) = session::start(visit.session(), &came.signed_in).await {
        return Face::Page.refuse(error.into(), &reference);
    }
    served.throttle.let_go(tried);
    served
        .office
        .note_signed_in(&came.signed_in.caller, visit.address(), "by single sign-on")
        .await;
    see_other(ours(Some(&came.next)), Some(cookie(served.secure, "", 0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    #[test]
    fn a_cookie_is_ours_when_it_stands_alone() {
        let value = "a".repeat(2 * COOKIE_BYTES);
        let read = |lines: &[String]| {
            let mut request = Request::builder();
            for line in lines {
                request = request.header(header::COOKIE, line);
            }
            browser(&request.body(Body::empty()).expect("a request"), false)
        };
        assert_eq!(
            read(&[format!("x=y; dlo_sign_in={value}")]).as_deref(),
            Some(&*value)
        );
        for none in [
            vec![],
            vec!["dlo_sign_in=short".to_owned()],
            vec![format!("dlo_sign_in={value}; dlo_sign_in={value}")],
            vec![format!("dlo_sign_in={value}"), format!("dlo_sign_in={value}")],
            vec![format!("__Host-dlo_sign_in={value}")],
        ] {
            assert_eq!(read(&none), None, "{none:?}");
        }
    }

    #[test]
    fn a_value_that_stands_there_twice_is_none() {
        let returned = returned(&Query::parse("state=a&code=b&code=c&iss=d&error="));
        let expected = Returned {
            state: "a".to_owned(),
            issuer: Some("d".to_owned()),
            ..Returned::default()
        };
        assert_eq!(returned, expected);
    }
}
