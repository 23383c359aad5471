//! How far the demo's history has filled. Everywhere but in the demo nothing fills, and nothing is said.

use std::sync::atomic::{AtomicU32, Ordering};

/// A count on its way to a total; shared by the demo, which counts, and the office, which says it.
#[derive(Debug, Default)]
pub struct Filling {
    done: AtomicU32,
    of: AtomicU32,
}

impl Filling {
    /// How many there will be.
    pub fn expect(&self, of: u32) {
        self.of.store(of, Ordering::Relaxed);
    }

    /// How many there are.
    pub fn reached(&self, done: u32) {
        self.done.store(done, Ordering::Relaxed);
    }

    /// The sentence for readers, while there is one to say.
    pub fn sentence(&self) -> Option<String> {
        let (done, of) = (self.done.load(Ordering::Relaxed), self.of.load(Ordering::Relaxed));
        (done < of).then(|| format!("The demo's history still fills: {done} of {of}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Filling;

    #[test]
    fn it_speaks_only_while_it_fills() {
        let filling = Filling::default();
        assert_eq!(filling.sentence(), None);
        filling.expect(80);
        filling.reached(12);
        assert_eq!(
            filling.sentence().as_deref(),
            Some("The demo's history still fills: 12 of 80")
        );
        filling.reached(80);
        assert_eq!(filling.sentence(), None);
    }
}
