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

/// The name of the way through the issuer, in what is refused.
pub const SINGLE_SIGN_ON: &str = "single-sign-on";

/// The way back after signing in, and what was refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    pub next: String,
    pub returned: Option<Returned>,
    /// What the issuer of single sign-on is called, where there is one.
    pub issuer: Option<String>,
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
    if back.code == Code::RoleRequired && back.form == SINGLE_SIGN_ON {
        let notice = view! {
            <div class="notice" data-tone="refuse" role="alert" id="refused" tabindex="-1" data-code="role_required">
                {crate::components::icon::icon("block")}
                <div><h2>"You have no role here."</h2>
                    <p>"You are known, but no group of yours means a role in this office. Ask an administrator."</p></div>
            </div>
        };
        return Some(notice.into_any());
    }
    refused(returned, FORM).or_else(|| refused(returned, SINGLE_SIGN_ON))
}

/// The way through the issuer: a link, because the policy lets no form lead to another host.
fn single_sign_on(model: &Model) -> Option<AnyView> {
    let label = model.issuer.clone()?;
    let to = href::with(href::SINGLE_SIGN_ON, &Query::of(&[("next", &model.next)]));
    let link = view! {
        <p class="acts"><a class="btn" data-tone="go" data-single-sign-on="" href=to>"Sign in with " {label}</a></p>
    };
    Some(link.into_any())
}

pub fn view(model: Model) -> AnyView {
    let typed = Returned::typed(model.returned.as_ref(), "name");
    view! {
        <main id="main" class="login">
            <h1>"Sign in"</h1>
            {trouble(model.returned.as_ref())}
            {single_sign_on(&model)}
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
        issuer: wanted.desk.issuer(),
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
    let unreachable = Query::parse("refused=issuer_unavailable&form=single-sign-on");
    vec![
        (
            "login",
            Model {
                next: href::DEAD_LETTERS.to_owned(),
                returned: None,
                issuer: None,
            },
        ),
        (
            "login-refused",
            Model {
                next: "/operations/op_1".to_owned(),
                returned: Returned::of(&refused),
                issuer: None,
            },
        ),
        (
            "login-issuer",
            Model {
                next: "/operations/op_1".to_owned(),
                returned: Returned::of(&unreachable),
                issuer: Some("Example Accounts".to_owned()),
            },
        ),
    ]
}
