//! What a browser loads beside the pages: one stylesheet and one sheet of icons, both part of the program.
//! Their names carry their hash, so that they may be kept for ever.

use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// One file that the server answers under its path.
pub struct Asset {
    /// Absolute path with the hash of the body in it.
    pub path: String,
    pub content_type: &'static str,
    pub body: String,
}

impl Asset {
    fn new(stem: &str, extension: &str, content_type: &'static str, body: String) -> Self {
        let hash = hex::encode(Sha256::digest(body.as_bytes()));
        Self {
            path: format!("/assets/{stem}.{}.{extension}", &hash[..12]),
            content_type,
            body,
        }
    }
}

macro_rules! parts {
    ($($name:literal),+ $(,)?) => {
        /// The parts of the stylesheet in the order of `style/index.css`, with their text.
        const PARTS: &[(&str, &str)] = &[ $( ($name, include_str!(concat!("../../style/", $name))) ),+ ];
    };
}

parts!(
    "reset.css",
    "tokens.css",
    "base.css",
    "components/topbar.css",
    "components/strip.css",
    "components/tag.css",
    "components/state.css",
    "components/button.css",
    "components/field.css",
    "components/block.css",
    "components/ledger.css",
    "components/chips.css",
    "components/filter.css",
    "components/pager.css",
    "components/notice.css",
    "components/empty.css",
    "components/crumb.css",
    "components/title.css",
    "components/meta.css",
    "components/lanes.css",
    "components/known.css",
    "components/plan.css",
    "components/guards.css",
    "components/list.css",
    "components/fold.css",
    "components/source.css",
    "pages/desk.css",
    "pages/decisions.css",
    "pages/login.css",
    "utilities.css",
);

/// `style/index.css`: the order of the layers, and of the parts.
const INDEX: &str = include_str!("../../style/index.css");

/// The stylesheet: the layer order, then every part.
pub static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let layers = INDEX.lines().filter(|line| line.starts_with("@layer"));
    let mut body: String = layers.map(|line| format!("{line}\n")).collect();
    for (_, text) in PARTS {
        body.push_str(text);
    }
    Asset::new("dlo", "css", "text/css; charset=utf-8", body)
});

/// The icons, one `<symbol>` each, used as `<use href="…#name">`.
pub static ICONS: LazyLock<Asset> = LazyLock::new(|| {
    let body = include_str!("../../style/icons.svg").to_owned();
    Asset::new("icons", "svg", "image/svg+xml", body)
});

/// The postmark, for the browser's tab.
pub static MARK: LazyLock<Asset> = LazyLock::new(|| {
    let body = include_str!("../../style/mark.svg").to_owned();
    Asset::new("mark", "svg", "image/svg+xml", body)
});

/// The asset of a path, if it is one of ours.
pub fn find(path: &str) -> Option<&'static Asset> {
    [&*STYLE, &*ICONS, &*MARK]
        .into_iter()
        .find(|asset| asset.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_those_of_the_index_in_its_order() {
        let listed: Vec<&str> = INDEX
            .lines()
            .filter_map(|line| line.strip_prefix("@import \"")?.strip_suffix("\";"))
            .collect();
        let joined: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
        assert_eq!(listed, joined);
    }

    #[test]
    fn an_asset_is_found_by_its_own_path_only() {
        assert!(find(&STYLE.path).is_some_and(|asset| asset.body.contains("@layer reset, tokens")));
        assert!(find(&ICONS.path).is_some());
        assert!(find("/assets/dlo.css").is_none());
    }
}
