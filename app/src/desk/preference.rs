//! Preferences: how a person wants to read. The server applies them; nothing of them needs a script but the zone `local`.

use super::Answer;
use async_trait::async_trait;
use chrono_tz::Tz;
use std::fmt;
use std::str::FromStr;

crate::slugs! {
    /// Paper and ink, or slate.
    pub enum Theme ("theme") {
        System => "system",
        Light => "light",
        Dark => "dark",
    }
}

crate::slugs! {
    /// How close rows stand.
    pub enum Density ("density") {
        Calm => "calm",
        Dense => "dense",
    }
}

/// In which zone times are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Zone {
    #[default]
    Utc,
    /// The browser's own: a script rewrites the times; without one they are in UTC, and say so.
    Local,
    /// A zone of the IANA database, by name.
    Named(Tz),
}

impl Zone {
    /// The zone that the server writes.
    pub const fn written(self) -> Tz {
        match self {
            Self::Utc | Self::Local => Tz::UTC,
            Self::Named(zone) => zone,
        }
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Utc => f.write_str("UTC"),
            Self::Local => f.write_str("local"),
            Self::Named(zone) => f.write_str(zone.name()),
        }
    }
}

/// No zone of that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoZone;

impl FromStr for Zone {
    type Err = NoZone;

    fn from_str(text: &str) -> Result<Self, NoZone> {
        match text {
            "UTC" | "utc" => Ok(Self::Utc),
            "local" => Ok(Self::Local),
            name => name.parse().map(Self::Named).map_err(|_| NoZone),
        }
    }
}

/// What a person chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Preferences {
    pub theme: Theme,
    pub density: Density,
    pub zone: Zone,
    /// Whether single keys do something.
    pub shortcuts: bool,
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            density: Density::Calm,
            zone: Zone::Utc,
            shortcuts: true,
        }
    }
}

/// What may be ordered about preferences: one's own only.
#[async_trait]
pub trait PreferenceDesk: Send + Sync {
    async fn prefer(&self, chosen: Preferences) -> Answer<()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_read_back_as_it_is_written() {
        for text in [
            "UTC",
            "local",
            "Europe/Berlin",
            "Asia/Kolkata",
            "America/St_Johns",
        ] {
            let zone: Zone = text.parse().expect(text);
            assert_eq!(zone.to_string(), text);
        }
        for bad in ["", "Mars/Olympus", "europe/berlin ", "../etc"] {
            assert_eq!(bad.parse::<Zone>(), Err(NoZone), "{bad}");
        }
    }
}
