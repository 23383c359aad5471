//! The keys, in a dialog that the script opens. Without it nothing leads here, and nothing is lost: keys are extras.

use leptos::prelude::*;

const KEYS: [(&str, &str); 6] = [
    ("?", "these keys"),
    ("/", "search"),
    ("j  k", "next and previous row"),
    ("o", "open the row"),
    ("g d", "dead letters"),
    ("g a", "audit"),
];

/// The dialog, and the place where the script says what is not shown. For a reader who has keys switched on or off in the preferences. The script adds a switch of this browser.
pub fn keys(on: bool) -> AnyView {
    let list = KEYS
        .iter()
        .map(|(keys, words)| view! { <dt>{*keys}</dt><dd>{*words}</dd> })
        .collect::<Vec<_>>();
    let off = (!on).then(|| view! { <p>"Off in your preferences."</p> });
    let turn =
        on.then(|| view! { <button class="btn" type="button" data-keys="turn">"Turn keys off"</button> });
    view! {
        <dialog id="keys" aria-label="Keys">
            <h2>"Keys"</h2>
            <dl>{list}</dl>
            {off}
            <div class="acts"><button class="btn" type="button" data-keys="close">"Close"</button> {turn}</div>
        </dialog>
        <p id="voice" class="vh" role="status"></p>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_preferences_switch_off_no_browser_switches_on() {
        let (on, off) = (keys(true).to_html(), keys(false).to_html());
        assert!(on.contains("data-keys=\"turn\"") && !on.contains("Off in your preferences."));
        assert!(!off.contains("data-keys=\"turn\"") && off.contains("Off in your preferences."));
        for (key, words) in KEYS {
            assert!(off.contains(&format!("<dt>{key}</dt><dd>{words}</dd>")), "{key}");
        }
    }
}
