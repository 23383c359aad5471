//! `/login`, and signing in and out.

use super::error::Problem;
use super::{Page, Wanted, ordered};
use crate::components::form::{Returned, hidden, refused, send_back};
use crate::components::frame::Section;
use crate::desk::Code;
use crate::href::{self, Query};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

/// Where the sign-out form posts to.
pub const SIGN_OUT: &str = "/forms/sign-out";

const FORM: &str = "sign-in";

/// The way back after signing in, and what was refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    pub next: String,
    pub returned: Option<Returned>,
}

/// Starts a session and goes to where the person wanted to be.
#[server(prefix = "/forms", endpoint = "sign-in")]
pub async fn sign_in(
    #[server(default)] name: String,
    #[server(default)] password: String,
    #[server(default)] next: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let next = if href::is_ours(&next) {
        next.as_str()
    } else {
        href::DEAD_LETTERS
    };
    match desk.sign_in(&name, &password).await {
        Ok(_) => edge.reply.redirect(next),
        Err(error) => send_back(
            &edge,
            href::LOGIN,
            &Query::of(&[("next", next)]),
            FORM,
            error.code,
            &[("name", &name)],
        ),
    }
    Ok(())
}

/// Ends the session.
#[server(prefix = "/forms", endpoint = "sign-out")]
pub async fn sign_out() -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    // An unreadable session is no session: the person ends at the sign-in page either way.
    desk.sign_out().await.ok();
    edge.reply.redirect(href::LOGIN);
    Ok(())
}

fn trouble(returned: Option<&Returned>) -> Option<AnyView> {
    let back = returned?;
    if back.code == Code::Unauthenticated {
        let notice = view! {
            <div class="notice" data-tone="refuse" role="alert" id="refused" tabindex="-1" data-code="unauthenticated">
                {crate::components::icon::icon("block")}
                <div><h2>"That did not match."</h2><p>"Check the name and the password, and try again."</p></div>
            </div>
        };
        return Some(notice.into_any());
    }
    refused(returned, FORM)
}

pub fn view(model: Model) -> AnyView {
    let typed = Returned::typed(model.returned.as_ref(), "name");
    view! {
        <main id="main" class="login">
            <h1>"Sign in"</h1>
            {trouble(model.returned.as_ref())}
            <form class="form" method="post" action=SignIn::PATH data-action="sign-in">
                {hidden("next", model.next)}
                <label class="field"><span>"Name"</span>
                    <input name="name" autocomplete="username" required autofocus value=typed/></label>
                <label class="field"><span>"Password"</span>
                    <input name="password" type="password" autocomplete="current-password" required/></label>
                <button class="btn" data-tone="go" type="submit">"Sign in"</button>
            </form>
        </main>
    }
    .into_any()
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let query = &wanted.edge.query;
    let next = query
        .get("next")
        .filter(|path| href::is_ours(path))
        .unwrap_or(href::DEAD_LETTERS);
    if wanted.desk.caller().is_some() {
        wanted.edge.reply.redirect(next);
    }
    let model = Model {
        next: next.to_owned(),
        returned: Returned::of(query),
    };
    Ok(Page {
        title: "Sign in".to_owned(),
        section: Section::Elsewhere,
        status: 200,
        body: view(model).into_any(),
    })
}

#[cfg(test)]
pub fn samples() -> Vec<(&'static str, Model)> {
    let refused = Query::parse("refused=unauthenticated&form=sign-in&typed.name=m.okafor");
    vec![
        (
            "login",
            Model {
                next: href::DEAD_LETTERS.to_owned(),
                returned: None,
            },
        ),
        (
            "login-refused",
            Model {
                next: "/operations/op_1".to_owned(),
                returned: Returned::of(&refused),
            },
        ),
    ]
}
