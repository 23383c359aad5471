//! What a browser loads beside the pages: one stylesheet, one script and one sheet of icons, all part of the program.
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
    "components/chart.css",
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
    "components/spread.css",
    "components/plan.css",
    "components/guards.css",
    "components/list.css",
    "components/fold.css",
    "components/source.css",
    "components/live.css",
    "components/banner.css",
    "components/claim.css",
    "components/notes.css",
    "components/changes.css",
    "components/previews.css",
    "components/steps.css",
    "components/sights.css",
    "components/views.css",
    "pages/desk.css",
    "pages/recoveries.css",
    "pages/audit.css",
    "pages/permissions.css",
    "pages/decisions.css",
    "pages/login.css",
    "pages/preferences.css",
    "utilities.css",
    "print.css",
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

/// The script: liveness, keys, copying. Its comments stay at home.
pub static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let lines = include_str!("../script/app.js").lines().map(str::trim);
    let kept = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    let body: String = kept.map(|line| format!("{line}\n")).collect();
    Asset::new("app", "js", "text/javascript; charset=utf-8", body)
});

/// Every asset.
pub fn all() -> [&'static Asset; 4] {
    [&STYLE, &SCRIPT, &ICONS, &MARK]
}

/// The asset of a path, if it is one of ours.
pub fn find(path: &str) -> Option<&'static Asset> {
    all().into_iter().find(|asset| asset.path == path)
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
    fn the_script_is_small_and_says_where_nothing_comes_from() {
        let source = include_str!("../script/app.js");
        assert!(source.len() <= 10 * 1024, "{} bytes", source.len());
        assert!(SCRIPT.body.len() < source.len());
        for foreign in ["http://", "https://", "eval(", "innerHTML", "import "] {
            let told = source.replace("over https only", "");
            assert!(!told.contains(foreign), "{foreign}");
        }
    }

    #[test]
    fn an_asset_is_found_by_its_own_path_only() {
        assert!(find(&STYLE.path).is_some_and(|asset| asset.body.contains("@layer reset, tokens")));
        assert!(find(&ICONS.path).is_some());
        assert!(find(&SCRIPT.path).is_some_and(|asset| asset.body.contains("EventSource")));
        assert!(find("/assets/dlo.css").is_none());
    }
}
