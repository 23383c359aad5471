//! `/preferences`: how this person wants to read. Applied on the server, on every page from the next one on.

use super::error::Problem;
use super::{Page, Wanted, ordered};
use crate::components::form::{Returned, finished, refused, send_back};
use crate::components::frame::Section;
use crate::components::notice::done;
use crate::components::time::exact;
use crate::desk::{Code, Density, DeskError, Preferences, Theme, Zone};
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use chrono_tz::TZ_VARIANTS;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use serde::{Deserialize, Serialize};

const FORM: &str = "preferences";
/// The choice of a zone by its name.
const NAMED: &str = "named";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    pub now: DateTime<Utc>,
    pub chosen: Preferences,
    pub returned: Option<Returned>,
    pub done: Option<String>,
}

/// The fields as they come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PreferenceForm {
    pub theme: String,
    pub density: String,
    /// `utc`, `local` or `named`.
    pub zone: String,
    /// With `named`.
    pub zone_name: String,
    /// Absent when the box is not ticked.
    pub shortcuts: String,
}

impl PreferenceForm {
    fn chosen(&self) -> Result<Preferences, DeskError> {
        let wrong = |what: &str| DeskError::new(Code::InvalidRequest, format!("There is no such {what}."));
        let zone = if self.zone == NAMED {
            self.zone_name.trim()
        } else {
            self.zone.as_str()
        };
        Ok(Preferences {
            theme: self.theme.parse().map_err(|_| wrong("theme"))?,
            density: self.density.parse().map_err(|_| wrong("density"))?,
            zone: zone.parse().map_err(|_| wrong("zone"))?,
            shortcuts: !self.shortcuts.is_empty(),
        })
    }
}

/// Keeps what the person chose.
#[server(prefix = "/forms", endpoint = "preferences/save")]
pub async fn prefer(#[server(flatten)] form: PreferenceForm) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let result = async { desk.prefer(form.chosen()?).await };
    match result.await {
        Ok(()) => edge.reply.redirect(&href::with(
            href::PREFERENCES,
            &Query::of(&[("done", "preferred")]),
        )),
        Err(error) => {
            let typed = [("zone_name", form.zone_name.as_str())];
            send_back(
                &edge,
                href::PREFERENCES,
                &Query::default(),
                FORM,
                error.code,
                &typed,
            );
        }
    }
    Ok(())
}

fn radio(
    name: &'static str,
    value: &'static str,
    checked: bool,
    words: &'static str,
    hint: &'static str,
) -> AnyView {
    view! {
        <label class="check">
            <input type="radio" name=name value=value checked=checked/>
            <span>{words} {(!hint.is_empty()).then(|| view! { <small>{hint}</small> })}</span>
        </label>
    }
    .into_any()
}

fn themes(chosen: Theme) -> Vec<AnyView> {
    let words = |theme| match theme {
        Theme::System => ("As the system says", ""),
        Theme::Light => ("Light", "paper and ink"),
        Theme::Dark => ("Dark", "slate"),
    };
    Theme::ALL
        .iter()
        .map(|theme| {
            let (text, hint) = words(*theme);
            radio("theme", theme.as_str(), *theme == chosen, text, hint)
        })
        .collect()
}

fn densities(chosen: Density) -> Vec<AnyView> {
    let words = |density| match density {
        Density::Calm => ("Calm", "rows with room to breathe"),
        Density::Dense => ("Dense", "more rows on a screen"),
    };
    Density::ALL
        .iter()
        .map(|density| {
            let (text, hint) = words(*density);
            radio("density", density.as_str(), *density == chosen, text, hint)
        })
        .collect()
}

fn zones(model: &Model) -> AnyView {
    let chosen = model.chosen.zone;
    let returned = model.returned.as_ref().filter(|back| back.form == FORM);
    let (named, name) = match (returned, chosen) {
        (Some(_), _) => (true, Returned::typed(returned, "zone_name")),
        (None, Zone::Named(zone)) => (true, zone.name().to_owned()),
        (None, Zone::Utc | Zone::Local) => (false, String::new()),
    };
    let options = TZ_VARIANTS
        .iter()
        .map(|zone| view! { <option value=zone.name()></option> })
        .collect::<Vec<_>>();
    view! {
        {radio("zone", "utc", !named && chosen == Zone::Utc, "UTC", "what logs and providers write")}
        {radio("zone", "local", !named && chosen == Zone::Local, "This browser’s zone", "set by the page’s script; without it, UTC")}
        {radio("zone", NAMED, named, "A zone by its name", "")}
        <label class="field"><span class="vh">"Name of the zone"</span>
            <input name="zone_name" class="m" list="zones" autocomplete="off" spellcheck="false" placeholder="Europe/Berlin"
                aria-invalid=returned.map(|_| "true") value=name/>
            <small>"As the IANA database spells it."</small></label>
        <datalist id="zones">{options}</datalist>
    }
    .into_any()
}

pub fn view(model: Model) -> AnyView {
    let chosen = model.chosen;
    view! {
        <main id="main" class="page">
            <h1>"Preferences"</h1>
            {model.done.clone().map(done)}
            {refused(model.returned.as_ref(), FORM)}
            <p class="dim">"Yours alone, on every browser you sign in with."</p>
            <form class="preferences" method="post" action=Prefer::PATH data-action="prefer">
                <fieldset><legend>"Theme"</legend>{themes(chosen.theme)}</fieldset>
                <fieldset><legend>"Density"</legend>{densities(chosen.density)}</fieldset>
                <fieldset><legend>"Keys"</legend>
                    <label class="check"><input type="checkbox" name="shortcuts" value="on" checked=chosen.shortcuts/>
                        <span>"Single keys are shortcuts" <small>"never the only way"</small></span></label></fieldset>
                <fieldset><legend>"Times are written in"</legend>{zones(&model)}
                    <p class="dim">"Now: " {exact(model.now)} ". UTC stands behind every time, on hover."</p></fieldset>
                <div class="acts"><button class="btn" data-tone="go" type="submit">"Save the preferences"</button></div>
            </form>
        </main>
    }
    .into_any()
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let Wanted { desk, edge } = wanted;
    let model = Model {
        now: desk.now(),
        chosen: edge.around.preferences,
        returned: Returned::of(&edge.query),
        done: finished(&edge.query),
    };
    Ok(Page {
        title: "Preferences".to_owned(),
        section: Section::Elsewhere,
        status: 200,
        body: view(model).into_any(),
    })
}

#[cfg(test)]
pub fn samples(now: DateTime<Utc>) -> Vec<(&'static str, Model)> {
    let make = |chosen: Preferences, query: &str| Model {
        now,
        chosen,
        returned: Returned::of(&Query::parse(query)),
        done: finished(&Query::parse(query)),
    };
    let other = Preferences {
        theme: Theme::Dark,
        density: Density::Dense,
        zone: "Europe/Berlin".parse().expect("a zone"),
        shortcuts: false,
    };
    let wrong = "refused=invalid_request&form=preferences&typed.zone_name=Mars%2FOlympus";
    vec![
        ("preferences", make(Preferences::default(), "")),
        ("preferences-other", make(other, "done=preferred")),
        ("preferences-refused", make(Preferences::default(), wrong)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_become_preferences_or_are_refused() {
        let form = PreferenceForm {
            theme: "dark".to_owned(),
            density: "dense".to_owned(),
            zone: NAMED.to_owned(),
            zone_name: " Asia/Kolkata ".to_owned(),
            shortcuts: String::new(),
        };
        let chosen = form.chosen().expect("preferences");
        assert_eq!(chosen.zone.to_string(), "Asia/Kolkata");
        assert!(!chosen.shortcuts);
        for (name, value) in [
            ("theme", "pink"),
            ("density", "tight"),
            ("zone_name", "Mars/Olympus"),
        ] {
            let mut wrong = form.clone();
            match name {
                "theme" => wrong.theme = value.to_owned(),
                "density" => wrong.density = value.to_owned(),
                _ => wrong.zone_name = value.to_owned(),
            }
            assert_eq!(
                wrong.chosen().map_err(|error| error.code),
                Err(Code::InvalidRequest),
                "{value}"
            );
        }
    }
}
