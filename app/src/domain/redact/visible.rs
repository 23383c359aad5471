//! Characters that a person would not see, or that would move others about, shown as symbols.

use std::fmt::Write;

/// The text with every control, bidirectional and zero-width character shown: `␀`, `␛`, `⟨U+202E⟩`. Line feeds and tabs stay.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => shown.push(character),
            '\u{0}'..='\u{1F}' => shown.push(picture(0x2400 + u32::from(character))),
            '\u{7F}' => shown.push('␡'),
            _ if is_hidden(character) => {
                // Writing to a String cannot fail.
                let _ = write!(shown, "⟨U+{:04X}⟩", u32::from(character));
            }
            _ => shown.push(character),
        }
    }
    shown
}

fn picture(code: u32) -> char {
    char::from_u32(code).unwrap_or('\u{FFFD}')
}

/// Format characters, separators that break lines, and fillers without a glyph.
fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{80}'..='\u{9F}'
        | '\u{AD}'
        | '\u{34F}'
        | '\u{61C}'
        | '\u{115F}' | '\u{1160}'
        | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}'
        | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}
