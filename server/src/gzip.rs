//! Gzip in parts: one that many answers have in common is packed once, and stands in each of them as it is.
//!
//! The parts of one answer are one gzip member (RFC 1952). Each is a run of deflate blocks that looks back at no other part
//! and ends at a whole byte (RFC 1951, 3.2.4), so that they can be put together in any order.

use bytes::Bytes;
use flate2::{Compress, Compression, Crc, FlushCompress};
use std::cell::RefCell;

/// Magic, deflate, no flags, no time, no hint, an unknown system.
const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/// An empty last block.
const END: [u8; 2] = [3, 0];
/// Room for the mark between two parts, and for a text that does not get smaller.
const SLACK: usize = 64;

/// What is packed for one answer, quickly.
const FRESH: u32 = 2;
/// What is packed for many, well.
const KEPT: u32 = 5;

/// A part of a text, plain and packed.
#[derive(Debug)]
pub struct Part {
    pub plain: Bytes,
    packed: Bytes,
    crc: Crc,
}

impl Part {
    /// A part that will stand in many answers.
    pub fn kept(plain: String) -> Self {
        let mut packed = Vec::new();
        let mut packer = Compress::new(Compression::new(KEPT), false);
        pack(&mut packer, plain.as_bytes(), &mut packed);
        let mut crc = Crc::new();
        crc.update(plain.as_bytes());
        Self {
            plain: plain.into(),
            packed: packed.into(),
            crc,
        }
    }
}

/// What stands at one place of an answer.
#[derive(Debug, Clone, Copy)]
pub enum Segment<'a> {
    Fresh(&'a [u8]),
    Kept(&'a Part),
}

/// The segments in their order as one gzip member.
pub fn member(segments: &[Segment<'_>]) -> Vec<u8> {
    thread_local! {
        // Making one costs more than packing a small page.
        static PACKER: RefCell<Compress> = RefCell::new(Compress::new(Compression::new(FRESH), false));
    }
    PACKER.with_borrow_mut(|packer| {
        packer.reset();
        let mut all = Crc::new();
        let mut out = HEAD.to_vec();
        for segment in segments {
            match segment {
                Segment::Fresh(text) => {
                    all.update(text);
                    pack(packer, text, &mut out);
                }
                Segment::Kept(part) => {
                    all.combine(&part.crc);
                    out.extend_from_slice(&part.packed);
                }
            }
        }
        out.extend_from_slice(&END);
        out.extend_from_slice(&all.sum().to_le_bytes());
        out.extend_from_slice(&all.amount().to_le_bytes());
        out
    })
}

/// The segments in their order, as they are.
pub fn plain(segments: &[Segment<'_>]) -> Vec<u8> {
    let texts = segments.iter().map(|segment| match segment {
        Segment::Fresh(text) => text,
        Segment::Kept(part) => &part.plain[..],
    });
    texts.collect::<Vec<_>>().concat()
}

/// Packs a text behind what is there, and forgets it: what comes later does not look back.
fn pack(packer: &mut Compress, text: &[u8], out: &mut Vec<u8>) {
    let before = packer.total_in();
    out.reserve(text.len() / 4 + SLACK);
    loop {
        let done = usize::try_from(packer.total_in() - before).unwrap_or(text.len());
        let status = packer.compress_vec(&text[done..], out, FlushCompress::Full);
        // The format has no text that cannot be packed.
        status.expect("deflate takes any bytes");
        let done = usize::try_from(packer.total_in() - before).unwrap_or(text.len());
        if done == text.len() && out.len() < out.capacity() {
            return;
        }
        out.reserve(text.len() / 4 + SLACK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use proptest::prelude::*;
    use std::io::Read;

    fn unpacked(member: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        let mut decoder = GzDecoder::new(member);
        // The reader compares checksum and length.
        decoder.read_to_end(&mut text).expect("a whole member");
        text
    }

    fn segment(one: &(bool, Part)) -> Segment<'_> {
        match one {
            (true, part) => Segment::Kept(part),
            (false, part) => Segment::Fresh(&part.plain),
        }
    }

    #[test]
    fn nothing_is_a_member_too() {
        assert_eq!(unpacked(&member(&[])), b"");
        assert_eq!(unpacked(&member(&[Segment::Fresh(b"")])), b"");
    }

    #[test]
    fn a_part_stands_twice_between_texts_that_repeat_it() {
        let row = "<tr><td>Local delivery failure</td></tr>".repeat(2000);
        let part = Part::kept(row.clone());
        let segments = [
            Segment::Fresh(row.as_bytes()),
            Segment::Kept(&part),
            Segment::Fresh(row.as_bytes()),
            Segment::Kept(&part),
        ];
        let packed = member(&segments);
        assert_eq!(unpacked(&packed), row.repeat(4).as_bytes());
        assert_eq!(plain(&segments), row.repeat(4).as_bytes());
        assert!(packed.len() < row.len() / 20, "{}", packed.len());
    }

    proptest! {
        #![proptest_config(crate::fuzzing::cases(200))]
        #[test]
        fn any_texts_come_back(texts in prop::collection::vec((any::<bool>(), ".{0,4000}", 0..40_usize), 0..6)) {
            let texts = texts.into_iter().map(|(is_kept, text, times)| (is_kept, text.repeat(times)));
            let parts: Vec<(bool, Part)> = texts.map(|(is_kept, text)| (is_kept, Part::kept(text))).collect();
            let segments: Vec<Segment<'_>> = parts.iter().map(segment).collect();
            prop_assert_eq!(unpacked(&member(&segments)), plain(&segments));
        }
    }
}
