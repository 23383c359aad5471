//! Text that came from outside. Leptos escapes it; what an eye would not see is shown by its code.

use crate::domain::person::foreign_letters;
use leptos::prelude::*;

/// Controls, marks that turn text round, and characters without width: they can make a text look like another.
fn is_odd(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// The text with odd characters written as `U+202E`, for attributes and titles.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_odd(c) {
            out.push_str(&code(c));
        } else {
            out.push(c);
        }
    }
    out
}

fn code(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

/// The text as a view, each odd character boxed. The text keeps its own direction and turns nothing around it.
pub fn outside(text: &str) -> AnyView {
    view! { <bdi>{boxed(text)}</bdi> }.into_any()
}

/// The name of somebody who acts: as any text, and letters of another script than the rest are boxed too. A name with one
/// letter that only looks Latin is somebody else's.
pub fn person(name: &str) -> AnyView {
    let foreign = foreign_letters(name);
    let name = boxed_where(name, |letter| is_odd(letter) || foreign.contains(&letter));
    view! { <bdi>{name}</bdi> }.into_any()
}

/// A part of such a text.
pub(super) fn boxed(text: &str) -> AnyView {
    boxed_where(text, is_odd)
}

fn boxed_where(text: &str, is_odd: impl Fn(char) -> bool) -> AnyView {
    if !text.chars().any(&is_odd) {
        return text.to_owned().into_any();
    }
    let mut pieces = Vec::new();
    let mut plain = String::new();
    for c in text.chars() {
        if is_odd(c) {
            pieces.push(std::mem::take(&mut plain).into_any());
            pieces.push(view! { <span class="odd">{code(c)}</span> }.into_any());
        } else {
            plain.push(c);
        }
    }
    pieces.push(plain.into_any());
    pieces.into_any()
}

/// A dash for what is absent.
pub const ABSENT: &str = "—";

/// The dash alone in its place; where a table stacks, a cell that holds nothing else takes no line.
pub fn absent() -> AnyView {
    view! { <span class="absent">{ABSENT}</span> }.into_any()
}

/// The last characters of an id that begins with its time (our own UUIDs), enough to tell it from its neighbours.
pub fn tail(id: &str) -> String {
    let skipped = id.chars().count().saturating_sub(8);
    id.chars().skip(skipped).collect()
}

/// The first characters of a long id, enough to tell it from its neighbours.
pub fn short(id: &str) -> String {
    id.chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_eye_would_not_see_is_written_out() {
        assert_eq!(visible("a\u{202e}b\0c\u{200b}"), "aU+202EbU+0000cU+200B");
        assert_eq!(visible("línea\nö"), "línea\nö");
    }

    #[test]
    fn a_letter_that_only_looks_latin_is_boxed_in_a_name() {
        assert_eq!(person("ada").to_html(), outside("ada").to_html());
        let html = person("\u{430}da").to_html();
        assert!(html.contains("U+0430") && !html.contains('\u{430}'), "{html}");
        // Any other text may mix as it likes.
        assert!(outside("\u{430}da").to_html().contains('\u{430}'));
    }

    #[test]
    fn markup_stays_text() {
        let html = outside("<script>\u{2066}").to_html();
        assert!(html.contains("&lt;script&gt;"), "{html}");
        assert!(html.contains("U+2066"), "{html}");
    }
}
