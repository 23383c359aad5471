//! Other ways in than by password: a proxy that signs people in, or an issuer that says who they are.

use super::{ConfigError, Oidc};
use app::domain::role::Role;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Who else may say who somebody is. Nobody, when nothing is configured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SignIn {
    /// The header in which an authenticating proxy names the person. Empty: no proxy is believed.
    pub trusted_header: String,
    /// The header in which it names roles or groups, separated by commas. Empty: the role is that of the person of
    /// this name, and nobody else comes in.
    pub trusted_role_header: String,
    /// The addresses and networks of that proxy. A header from anywhere else is not looked at.
    pub trusted_from: Vec<String>,
    /// What stands in a role header or in the issuer's claim, and the role that it means.
    pub roles: BTreeMap<String, Role>,
    /// An issuer of OpenID Connect.
    pub oidc: Oidc,
}

impl SignIn {
    /// The highest role that these names mean, in the order of DESIGN 7; a machine's role is never a person's.
    pub fn role<'a>(&self, names: impl Iterator<Item = &'a str>) -> Option<Role> {
        names
            .filter_map(|name| self.roles.get(name.trim()).copied())
            .filter(|role| *role != Role::Reporter)
            .max_by_key(|role| Role::ALL.iter().position(|one| one == role))
    }

    /// Whether headers from this address are believed.
    pub fn trusts(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        self.trusted_from
            .iter()
            .filter_map(|text| Network::parse(text))
            .any(|network| network.holds(peer))
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let refuse = |key: &str, why: &str| Err(ConfigError::invalid(format!("sign_in.{key}"), why));
        for (key, name) in [
            ("trusted_header", &self.trusted_header),
            ("trusted_role_header", &self.trusted_role_header),
        ] {
            if !name.is_empty() && http::HeaderName::from_bytes(name.as_bytes()).is_err() {
                return refuse(key, "must be empty or the name of a header");
            }
        }
        if let Some(position) = self
            .trusted_from
            .iter()
            .position(|text| Network::parse(text).is_none())
        {
            return refuse(
                &format!("trusted_from[{position}]"),
                "must be an address or a network, like 10.0.0.1 or 10.0.0.0/24",
            );
        }
        if !self.trusted_header.is_empty() && self.trusted_from.is_empty() {
            return refuse(
                "trusted_from",
                "must name the proxy's addresses: without them anybody could name themselves",
            );
        }
        if self.trusted_header.is_empty() && !self.trusted_role_header.is_empty() {
            return refuse("trusted_role_header", "needs a trusted_header beside it");
        }
        if !self.trusted_role_header.is_empty() && self.roles.is_empty() {
            return refuse("roles", "must say which role each name of the role header means");
        }
        self.oidc.validate()?;
        if self.oidc.is_on() && !self.trusted_header.is_empty() {
            return refuse(
                "trusted_header",
                "must not stand beside sign_in.oidc: two of them could name two people alike",
            );
        }
        if self.oidc.is_on() && self.roles.is_empty() {
            return refuse(
                "roles",
                "must say which role each value of the issuer's claim means",
            );
        }
        if let Some((name, _)) = self.roles.iter().find(|(_, role)| **role == Role::Reporter) {
            return refuse(
                &format!("roles.{name}"),
                "must not be reporter: that is a role of programs, which have tokens",
            );
        }
        Ok(())
    }
}

/// Addresses that begin with the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Network {
    address: IpAddr,
    bits: u8,
}

impl Network {
    fn parse(text: &str) -> Option<Self> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u8>().ok()?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(most);
        (bits <= most).then_some(Self { address, bits })
    }

    fn holds(&self, other: IpAddr) -> bool {
        let mask = |bits: u8, most: u32| u128::MAX.checked_shl(most - u32::from(bits)).unwrap_or(0);
        match (self.address, other) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let differ = u128::from(u32::from(own) ^ u32::from(other));
                differ & mask(self.bits, 32) == 0
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let differ = u128::from(own) ^ u128::from(other);
                differ & mask(self.bits, 128) == 0
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_hold_what_begins_alike() {
        for (network, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.1"),
            ("192.0.2.7", "192.0.2.7", "192.0.2.8"),
            ("192.0.2.0/25", "192.0.2.127", "192.0.2.128"),
            ("fd00::/8", "fd12::1", "fe80::1"),
            ("::1", "::1", "::2"),
            ("0.0.0.0/0", "203.0.113.9", "::1"),
        ] {
            let sign_in = SignIn {
                trusted_from: vec![network.to_owned()],
                ..SignIn::default()
            };
            let trusts = |text: &str| sign_in.trusts(text.parse().expect("an address"));
            assert!(trusts(inside), "{network} {inside}");
            assert!(!trusts(outside), "{network} {outside}");
        }
        let mapped = SignIn {
            trusted_from: vec!["10.0.0.1".to_owned()],
            ..SignIn::default()
        };
        assert!(mapped.trusts("::ffff:10.0.0.1".parse().expect("an address")));
        for bad in ["", "10.0.0.0/33", "10.0.0", "::/129", "host.test", "10.0.0.1/x"] {
            assert!(Network::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn the_highest_role_counts() {
        let sign_in = SignIn {
            roles: [("ops", Role::Operator), ("leads", Role::Approver)]
                .into_iter()
                .map(|(name, role)| (name.to_owned(), role))
                .collect(),
            ..SignIn::default()
        };
        assert_eq!(sign_in.role("x, ops ,leads".split(',')), Some(Role::Approver));
        assert_eq!(sign_in.role("ops".split(',')), Some(Role::Operator));
        assert_eq!(sign_in.role("OPS,".split(',')), None);
    }
}
