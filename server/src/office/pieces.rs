//! Pieces of pages, kept while nothing changes: as text, and packed as they travel.

use super::Office;
use super::desk::OfficeDesk;
use crate::database::State;
use crate::gzip::{Part, Segment};
use app::desk::{Pieces, Shelf};
use async_trait::async_trait;
use std::sync::{Arc, Mutex, PoisonError};

/// Pieces that are kept. Their names hold the second: those of the last one are of no use any more.
pub(super) const PIECES: usize = 16;

const MARK_END: &str = "-->";

/// The pieces that one page is put together from. In the page's own text a mark stands for each.
#[derive(Debug)]
pub struct Laid {
    /// How marks begin. Nobody can know it, so no text from outside holds it.
    secret: String,
    parts: Mutex<Vec<Arc<Part>>>,
}

impl Default for Laid {
    fn default() -> Self {
        Self {
            secret: format!("<!--{}:", hex::encode(rand::random::<[u8; 16]>())),
            parts: Mutex::default(),
        }
    }
}

impl Laid {
    fn lay(&self, part: Arc<Part>) -> String {
        let mut parts = self.lock();
        parts.push(part);
        format!("{}{}{MARK_END}", self.secret, parts.len() - 1)
    }

    /// The pieces that were laid.
    pub fn parts(&self) -> Vec<Arc<Part>> {
        self.lock().clone()
    }

    /// The page's text as what is its own and the pieces between.
    pub fn segments<'a>(&self, page: &'a str, parts: &'a [Arc<Part>]) -> Vec<Segment<'a>> {
        let mut runs = page.split(&self.secret);
        let first = runs.next().unwrap_or_default();
        let mut segments = vec![Segment::Fresh(first.as_bytes())];
        for run in runs {
            let (place, own) = run.split_once(MARK_END).unwrap_or_default();
            let part = place.parse().ok().and_then(|place: usize| parts.get(place));
            segments.extend(part.map(|part| Segment::Kept(part)));
            segments.push(Segment::Fresh(own.as_bytes()));
        }
        segments
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Part>>> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The pieces of one state of the database.
struct OfficeShelf {
    office: Arc<Office>,
    state: State,
    laid: Arc<Laid>,
}

impl Shelf for OfficeShelf {
    fn get(&self, name: &str) -> Option<String> {
        let found = self.office.pieces.get(&self.state, name)?;
        Some(self.laid.lay(found))
    }

    fn put(&self, name: String, html: String) -> String {
        let part = Part::kept(html);
        self.laid.lay(self.office.pieces.keep(&self.state, name, part))
    }
}

#[async_trait]
impl Pieces for OfficeDesk {
    async fn shelf(&self) -> Option<Arc<dyn Shelf>> {
        let office = self.office.clone();
        let state = self.moment.of(&office.database).await?.clone();
        let laid = self.laid.clone();
        Some(Arc::new(OfficeShelf { office, state, laid }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gzip;

    fn part(html: &str) -> Arc<Part> {
        Arc::new(Part::kept(html.to_owned()))
    }

    fn whole(laid: &Laid, page: &str) -> String {
        let parts = laid.parts();
        String::from_utf8(gzip::plain(&laid.segments(page, &parts))).expect("text")
    }

    #[test]
    fn pieces_stand_where_their_marks_stood() {
        let laid = Laid::default();
        let (rows, rail) = (laid.lay(part("<tr></tr>")), laid.lay(part("<li></li>")));
        // Written in another order than they were made, one of them twice.
        let page = format!("<ul>{rail}</ul><table>{rows}</table>{rail}");
        assert_eq!(
            whole(&laid, &page),
            "<ul><li></li></ul><table><tr></tr></table><li></li>"
        );
        assert_eq!(whole(&laid, "<p>none</p>"), "<p>none</p>");
    }

    #[test]
    fn a_mark_of_another_page_is_only_text() {
        let (mine, theirs) = (Laid::default(), Laid::default());
        let foreign = theirs.lay(part("secret"));
        let page = format!("{}{foreign}", mine.lay(part("mine")));
        assert_eq!(whole(&mine, &page), format!("mine{foreign}"));
    }
}
