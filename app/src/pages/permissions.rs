//! `/permissions`: what you may do here, and why not the rest. It shows the table that the server decides by.

use super::error::Problem;
use super::{Page, Wanted, ordered};
use crate::components::badge::Tone;
use crate::components::form::{Returned, finished, refused, send_back};
use crate::components::frame::Section;
use crate::components::icon::icon;
use crate::components::ledger::{Breadth, column, ledger};
use crate::components::notice::done;
use crate::components::text::{outside, person};
use crate::components::time::{ago, exact, when};
use crate::components::words;
use crate::desk::{CameBy, Code, DeskError, Standing};
use crate::domain::permission::{Permission, ROUTES};
use crate::domain::role::{Caller, Role};
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

const FORM: &str = "sign-out-everywhere";
const PASSWORD: &str = "password";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    pub caller: Caller,
    pub standing: Standing,
    /// What the issuer of single sign-on is called, where there is one.
    pub issuer: Option<String>,
    pub now: DateTime<Utc>,
    pub done: Option<String>,
    pub returned: Option<Returned>,
}

/// Ends all sessions of whoever asks, this one too.
#[server(prefix = "/forms", endpoint = "sign-out-everywhere")]
pub async fn sign_out_everywhere() -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    match desk.sign_out_everywhere().await {
        Ok(()) => edge.reply.redirect(href::LOGIN),
        Err(error) => send_back(&edge, href::PERMISSIONS, &Query::default(), FORM, error.code, &[]),
    }
    Ok(())
}

/// Changes the password of whoever asks, and ends their other sessions.
#[server(prefix = "/forms", endpoint = "password")]
pub async fn change_password(
    #[server(default)] current: String,
    #[server(default)] password: String,
    #[server(default)] again: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let result = if password == again {
        desk.change_password(&current, &password).await
    } else {
        Err(DeskError::new(Code::ConfirmMismatch, "The two passwords differ."))
    };
    match result {
        Ok(()) => {
            let query = Query::of(&[("done", "password")]);
            edge.reply.redirect(&href::with(href::PERMISSIONS, &query));
        }
        Err(error) => send_back(
            &edge,
            href::PERMISSIONS,
            &Query::default(),
            PASSWORD,
            error.code,
            &[],
        ),
    }
    Ok(())
}

/// What was wrong with a password, in words of its own.
fn password_trouble(returned: Option<&Returned>) -> Option<AnyView> {
    let back = returned.filter(|back| back.form == PASSWORD)?;
    let (title, text) = if back.code == Code::Unauthenticated {
        ("That is not your current password.", "Nothing was changed.")
    } else if back.code == Code::ConfirmMismatch {
        (
            "The two new passwords differ.",
            "Nothing was changed. Type the same one twice.",
        )
    } else if back.code == Code::InvalidRequest {
        (
            "The new password cannot be used.",
            "It needs at least 8 characters, must not be your name, and none that everybody tries first.",
        )
    } else if back.code == Code::NotAllowedHere {
        (
            "There is no password of yours here.",
            "Change it where you sign in. Nothing was changed.",
        )
    } else {
        return refused(returned, PASSWORD);
    };
    let notice = view! {
        <div class="notice" data-tone=Tone::Refuse.as_str() role="alert" id="refused" tabindex="-1"
            data-code=back.code.as_str()>
            {icon("block")}
            <div><h3>{title}</h3><p>{text}</p></div>
        </div>
    };
    Some(notice.into_any())
}

fn password_form(model: &Model) -> Option<AnyView> {
    // Refused all the same, when somebody sends it.
    if !model.standing.has_password {
        return password_trouble(model.returned.as_ref());
    }
    let field = |name: &'static str, words: &'static str, fill: &'static str| {
        view! {
            <label class="field"><span>{words}</span>
                <input name=name type="password" autocomplete=fill required/></label>
        }
        .into_any()
    };
    let form = view! {
        <details open=model.returned.as_ref().is_some_and(|back| back.form == PASSWORD)>
            <summary><b>"Change your password"</b></summary>
            {password_trouble(model.returned.as_ref())}
            <form class="form" method="post" action=ChangePassword::PATH data-action="password">
                {field("current", "Current password", "current-password")}
                {field("password", "New password, at least 8 characters", "new-password")}
                {field("again", "The new one again", "new-password")}
                <button class="btn" type="submit">"Change the password"</button>
                <small>"Ends your sessions in other browsers."</small>
            </form>
        </details>
    };
    Some(form.into_any())
}

/// Why not, or under which condition; empty when nothing stands in the way.
fn remark(model: &Model, permission: Permission) -> String {
    if !model.caller.has(permission) {
        return format!(
            "Needs the role {}; yours is {}.",
            permission.least(),
            model.caller.role
        );
    }
    let standing = &model.standing;
    match permission {
        Permission::Replay if !standing.replay_without_record => {
            "Switched off in this office: policy.replay_without_record is \"refuse\".".to_owned()
        }
        Permission::Reveal if !standing.reveal => {
            "Switched off in this office: policy.reveal is \"refuse\".".to_owned()
        }
        Permission::Dispatch if standing.people_for_a_creation > 1 => {
            "Another approver must agree before anything is sent.".to_owned()
        }
        Permission::Approve if standing.people_for_a_creation > 1 => {
            "Never what you ordered yourself.".to_owned()
        }
        Permission::Approve => "Not asked for in this office: one person is enough.".to_owned(),
        Permission::Read
        | Permission::OwnAccount
        | Permission::Prefer
        | Permission::ShareView
        | Permission::Note
        | Permission::Claim
        | Permission::SearchProvider
        | Permission::Recover
        | Permission::Cancel
        | Permission::Decide
        | Permission::Acknowledge
        | Permission::Link
        | Permission::Replay
        | Permission::VerifyAudit
        | Permission::Dispatch
        | Permission::DecideCreation
        | Permission::Purge
        | Permission::Reveal
        | Permission::Manage
        | Permission::Report => String::new(),
    }
}

fn row(model: &Model, permission: Permission) -> AnyView {
    let may = model.caller.has(permission);
    let verdict = if may {
        view! { <span class="tag" data-tone=Tone::Bare.as_str()>{icon("pass")}"Yes"</span> }.into_any()
    } else {
        view! { <span class="tag" data-tone=Tone::Plain.as_str()>{icon("block")}"No"</span> }.into_any()
    };
    let remark = Some(remark(model, permission)).filter(|words| !words.is_empty());
    let routes: Vec<AnyView> = ROUTES
        .iter()
        .filter(|route| route.access.permissions().contains(&permission))
        .map(|route| view! { <li><code>{format!("{} {}", route.method, route.path)}</code></li> }.into_any())
        .collect();
    let where_asked = if routes.is_empty() {
        view! { <small>"The command line"</small> }.into_any()
    } else {
        let words = words::count(
            i64::try_from(routes.len()).unwrap_or(i64::MAX),
            "address",
            "addresses",
        );
        view! { <details><summary>{words}</summary><ul class="bul">{routes}</ul></details> }.into_any()
    };
    view! {
        <tr role="row" data-permission=permission.as_str() data-may=may.to_string()>
            <th role="rowheader" scope="row" class="w">{permission.words()}
                <small>{permission.consequence()}</small></th>
            <td role="cell" data-l="You may">{verdict}</td>
            <td role="cell" data-l="Least role"><span class="m">{permission.least().as_str()}</span></td>
            <td role="cell" data-l="Why not, or when" class="w">{remark}</td>
            <td role="cell" data-l="Asked for at" class="w">{where_asked}</td>
        </tr>
    }
    .into_any()
}

const fn of_role(role: Role) -> &'static str {
    match role {
        Role::Viewer => "reads everything",
        Role::Operator => "also recovers, decides, links and acknowledges",
        Role::Approver => "also orders new generations and purges",
        Role::Admin => "all of it, with people, tokens and reports",
        Role::Reporter => "for programs: reads and reports, and orders nothing",
    }
}

/// Who signs them in, where no password does.
fn elsewhere(issuer: Option<&str>) -> AnyView {
    let who = issuer.map_or_else(
        || view! { "Single sign-on" }.into_any(),
        |label| view! { <b>{outside(label)}</b> }.into_any(),
    );
    view! {
        <p data-signs-in="elsewhere">{who} " signs you in. There is no password of yours here: change it there. What your "
            "groups mean here is looked up each time you sign in."</p>
    }
    .into_any()
}

fn came(model: &Model) -> AnyView {
    let standing = &model.standing;
    match standing.came_by {
        CameBy::Session { since, until } => {
            let idle = standing.idle_minutes;
            view! {
                <p>"You signed in " {when(since, ago(model.now, since))}
                    ". This session ends when it is not used for " {idle.to_string()} " minutes, and at "
                    {exact(until)} " at the latest."</p>
                {(!standing.has_password).then(|| elsewhere(model.issuer.as_deref()))}
            }
            .into_any()
        }
        CameBy::Proxy => view! {
            <p>"A proxy before this office signs you in and names you on each request. Sign out there."</p>
        }
        .into_any(),
    }
}

pub fn view(model: Model) -> AnyView {
    let rows: Vec<AnyView> = Permission::ALL
        .iter()
        .map(|permission| row(&model, *permission))
        .collect();
    let roles: Vec<AnyView> = Role::ALL
        .iter()
        .map(|role| {
            let mark = (*role == model.caller.role).then_some("true");
            view! { <li aria-current=mark><b class="m">{role.as_str()}</b> " – " {of_role(*role)}</li> }
                .into_any()
        })
        .collect();
    view! {
        <main id="main" class="page">
            <h1>"What you may do"</h1>
            {model.done.clone().map(done)}
            {refused(model.returned.as_ref(), FORM)}
            <p>"You are " <b>{person(&model.caller.name)}</b> ", with the role "
                <b class="m">{model.caller.role.as_str()}</b>
                ". The server decides by this table on every request; the pages only explain it."</p>
            {ledger("Permissions", "permissions", Breadth::Many, [column("What"), column("You may"), column("Least role"), column("Why not, or when"), column("Asked for at")], rows)}
            <section class="block">
                <h2>"Roles"</h2>
                <ul class="bul">{roles}</ul>
            </section>
            <section class="block">
                <h2>"Signed in"</h2>
                {came(&model)}
                <form class="form" method="post" action=SignOutEverywhere::PATH data-action="sign-out-everywhere">
                    <button class="btn" type="submit">"Sign out everywhere"</button>
                    <small>"Ends your sessions in every browser, this one too. Tokens stay."</small>
                </form>
                {password_form(&model)}
            </section>
        </main>
    }
    .into_any()
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let Wanted { desk, edge } = wanted;
    let Some(caller) = desk.caller() else {
        return Err(DeskError::new(Code::Unauthenticated, "Sign in first.").into());
    };
    let model = Model {
        caller,
        standing: desk.standing().await?,
        issuer: desk.issuer(),
        now: desk.now(),
        done: finished(&edge.query),
        returned: Returned::of(&edge.query),
    };
    Ok(Page {
        title: "What you may do".to_owned(),
        section: Section::Elsewhere,
        status: 200,
        body: view(model),
    })
}

#[cfg(test)]
pub fn samples(now: DateTime<Utc>) -> Vec<(&'static str, Model)> {
    let model = |role, came_by, has_password| Model {
        caller: Caller {
            name: "m.okafor".to_owned(),
            role,
        },
        standing: Standing {
            came_by,
            has_password,
            ..super::samples::standing(now)
        },
        issuer: Some("Example Accounts".to_owned()),
        now,
        done: None,
        returned: None,
    };
    let session = super::samples::standing(now).came_by;
    vec![
        ("permissions", model(Role::Approver, session, true)),
        ("permissions-viewer", model(Role::Viewer, session, true)),
        ("permissions-issuer", model(Role::Operator, session, false)),
        ("permissions-proxy", model(Role::Admin, CameBy::Proxy, false)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_not_is_told_why() {
        let model = samples(crate::pages::samples::now()).remove(1).1;
        for permission in Permission::ALL {
            let said = remark(&model, *permission);
            assert_eq!(
                said.contains("Needs the role"),
                !model.caller.has(*permission),
                "{permission}: {said}"
            );
        }
        let html = view(model).to_html();
        assert!(
            html.contains("data-permission=\"purge\" data-may=\"false\""),
            "{html}"
        );
    }

    #[test]
    fn who_has_no_password_here_is_offered_none_and_told_who_signs_them_in() {
        for (name, model) in samples(crate::pages::samples::now()) {
            let has_password = model.standing.has_password;
            let by_issuer = !has_password && model.standing.came_by != CameBy::Proxy;
            let html = view(model).to_html();
            assert_eq!(
                html.contains("data-action=\"password\""),
                has_password,
                "{name}: {html}"
            );
            assert_eq!(
                html.contains("data-signs-in=\"elsewhere\""),
                by_issuer,
                "{name}: {html}"
            );
            assert_eq!(html.contains("Example Accounts"), by_issuer, "{name}: {html}");
        }
    }
}
