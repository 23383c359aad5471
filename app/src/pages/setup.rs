//! `/setup`: the first person, by a link from the console. The link is worth something once, for a while, and only while
//! there is nobody.

use super::error::Problem;
use super::{Page, Wanted, ordered};
use crate::components::form::{Returned, hidden, refused, send_back};
use crate::components::frame::Section;
use crate::components::icon::icon;
use crate::desk::{Code, DeskError};
use crate::href::{self, Query};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

const FORM: &str = "set-up";

/// The shortest password, in characters; `/setup` says it and the server holds it.
pub const MIN_PASSWORD: usize = 8;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    /// The link's secret, carried by the form.
    pub link: String,
    pub returned: Option<Returned>,
}

/// Makes the first person and signs them in.
#[server(prefix = "/forms", endpoint = "set-up")]
pub async fn set_up(
    #[server(default)] link: String,
    #[server(default)] name: String,
    #[server(default)] password: String,
    #[server(default)] again: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let result = if password == again {
        desk.set_up(&link, &name, &password).await
    } else {
        Err(DeskError::new(Code::ConfirmMismatch, "The two passwords differ."))
    };
    match result {
        Ok(_) => edge.reply.redirect(href::PERMISSIONS),
        Err(error) => send_back(
            &edge,
            href::SETUP,
            &Query::of(&[("link", &link)]),
            FORM,
            error.code,
            &[("name", &name)],
        ),
    }
    Ok(())
}

fn trouble(returned: Option<&Returned>) -> Option<AnyView> {
    let back = returned.filter(|back| back.form == FORM)?;
    let words = if back.code == Code::ConfirmMismatch {
        ("The two passwords differ.", "Type the same one twice.")
    } else if back.code == Code::InvalidRequest {
        (
            "This name or password cannot be used.",
            "A name has 1 to 64 characters. A password has at least 8, is not the name, and is none that everybody \
             tries first.",
        )
    } else {
        return refused(returned, FORM);
    };
    let notice = view! {
        <div class="notice" data-tone="refuse" role="alert" id="refused" tabindex="-1" data-code=back.code.as_str()>
            {icon("block")}
            <div><h2>{words.0}</h2><p>{words.1}</p></div>
        </div>
    };
    Some(notice.into_any())
}

pub fn view(model: Model) -> AnyView {
    let typed = Returned::typed(model.returned.as_ref(), "name");
    let least = MIN_PASSWORD.to_string();
    view! {
        <main id="main" class="login">
            <h1>"Set up the first person"</h1>
            {trouble(model.returned.as_ref())}
            <p>"Nobody can sign in yet. This link makes one administrator, who adds the others. It works once."</p>
            <form class="form" method="post" action=SetUp::PATH data-action="set-up">
                {hidden("link", model.link)}
                <label class="field"><span>"Name"</span>
                    <input name="name" autocomplete="username" required autofocus maxlength="64" value=typed/></label>
                <label class="field"><span>"Password"</span>
                    <input name="password" type="password" autocomplete="new-password" required minlength=least.clone()/>
                    <small>"At least 8 characters. A few words are better than one with signs."</small></label>
                <label class="field"><span>"The same password again"</span>
                    <input name="again" type="password" autocomplete="new-password" required minlength=least/></label>
                <button class="btn" data-tone="go" type="submit">"Make this administrator"</button>
            </form>
        </main>
    }
    .into_any()
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let query = &wanted.edge.query;
    let link = query.get("link").unwrap_or_default();
    wanted.desk.may_set_up(link).await?;
    let model = Model {
        link: link.to_owned(),
        returned: Returned::of(query),
    };
    Ok(Page {
        title: "Set up".to_owned(),
        section: Section::Elsewhere,
        status: 200,
        body: view(model),
    })
}

#[cfg(test)]
pub fn samples() -> Vec<(&'static str, Model)> {
    let refused = Query::parse("refused=invalid_request&form=set-up&typed.name=m.okafor");
    vec![
        (
            "login-setup",
            Model {
                link: "0123".to_owned(),
                returned: None,
            },
        ),
        (
            "login-setup-refused",
            Model {
                link: "0123".to_owned(),
                returned: Returned::of(&refused),
            },
        ),
    ]
}
