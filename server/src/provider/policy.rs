//! Where a client may connect to: hosts by name, and then the addresses that the names resolve to.

use super::address::is_public;
use std::net::IpAddr;
use url::{Host, Url};

/// A host, with or without a port, as `allow_hosts` names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRule {
    host: Host<String>,
    port: Option<u16>,
}

impl HostRule {
    /// `cdn.example.test`, `127.0.0.1:9000`, `[::1]`, `[::1]:9000`. Without a port: any port.
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty()
            || text.contains(['/', '?', '#', '@', '\\'])
            || text.chars().any(char::is_whitespace)
        {
            return None;
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !host.is_empty() && (!host.contains(':') || host.ends_with(']')) => {
                (host, Some(port.parse::<u16>().ok().filter(|port| *port != 0)?))
            }
            Some(_) | None => (text, None),
        };
        let bare_v6 = host.parse::<std::net::Ipv6Addr>().ok().map(Host::Ipv6);
        let host = bare_v6.or_else(|| Host::parse(host).ok())?;
        Some(Self {
            host: plain(host),
            port,
        })
    }

    fn names(&self, host: &Host<String>, port: u16) -> bool {
        self.host == *host && self.port.is_none_or(|own| own == port)
    }
}

/// Names are compared without a trailing dot, and mapped IPv6 as the IPv4 that it is.
fn plain(host: Host<String>) -> Host<String> {
    match host {
        Host::Domain(name) => Host::Domain(name.trim_end_matches('.').to_owned()),
        Host::Ipv4(address) => Host::Ipv4(address),
        Host::Ipv6(address) => address.to_ipv4_mapped().map_or(Host::Ipv6(address), Host::Ipv4),
    }
}

/// Where one client may connect to.
#[derive(Debug, Clone)]
pub struct Policy {
    own: Option<HostRule>,
    listed: Vec<HostRule>,
}

impl Policy {
    /// Nothing may be connected to.
    pub fn nowhere() -> Self {
        Self {
            own: None,
            listed: Vec::new(),
        }
    }

    /// `base_url`'s own host and port, and nothing else.
    pub fn only(base: &Url) -> Self {
        Self {
            own: endpoint(base).map(|(host, port)| HostRule {
                host,
                port: Some(port),
            }),
            listed: Vec::new(),
        }
    }

    /// `base_url`'s own host, and the hosts that are listed. Lines that are no host are left out (the
    /// configuration refuses them).
    pub fn listing(base: &Url, allow_hosts: &[String]) -> Self {
        Self {
            listed: allow_hosts
                .iter()
                .filter_map(|text| HostRule::parse(text))
                .collect(),
            ..Self::only(base)
        }
    }

    fn is_own(&self, host: &Host<String>, port: u16) -> bool {
        self.own.as_ref().is_some_and(|own| own.names(host, port))
    }

    fn lists(&self, host: &Host<String>, port: u16) -> bool {
        self.listed.iter().any(|rule| rule.names(host, port))
    }

    /// Whether a URL's host is one that may be asked at all.
    pub fn allows(&self, url: &Url) -> bool {
        endpoint(url).is_some_and(|(host, port)| self.is_own(&host, port) || self.lists(&host, port))
    }

    /// Whether this address may be connected to for this host. `base_url`'s own host may resolve to any address;
    /// another one to a private address only if the address itself is listed, or the listed name is one that
    /// can only be local: else whoever answers for the name chooses an address of our network.
    pub(super) fn allows_address(&self, host: &Host<String>, port: u16, address: IpAddr) -> bool {
        let address_listed = || {
            let literal = plain(match address {
                IpAddr::V4(address) => Host::Ipv4(address),
                IpAddr::V6(address) => Host::Ipv6(address),
            });
            self.lists(&literal, port) || self.is_own(&literal, port)
        };
        is_public(address)
            || self.is_own(host, port)
            || address_listed()
            || (is_local_name(host) && self.lists(host, port))
    }
}

/// Names that no public name server answers for.
fn is_local_name(host: &Host<String>) -> bool {
    let Host::Domain(name) = host else { return false };
    !name.contains('.')
        || ["localhost", "local", "internal", "lan", "home.arpa"]
            .iter()
            .any(|end| name.strip_suffix(end).is_some_and(|rest| rest.ends_with('.')))
}

/// Host and port of an http or https URL.
pub(super) fn endpoint(url: &Url) -> Option<(Host<String>, u16)> {
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let host = plain(url.host()?.to_owned());
    Some((host, url.port_or_known_default()?))
}

#[cfg(test)]
mod tests {
    use super::{HostRule, Policy};
    use std::net::IpAddr;
    use url::Url;

    fn policy(base: &str, allow: &[&str]) -> Option<Policy> {
        let allow: Vec<String> = allow.iter().map(|host| (*host).to_owned()).collect();
        Url::parse(base).ok().map(|base| Policy::listing(&base, &allow))
    }

    fn address(policy: &Policy, url: &str, address: &str) -> Option<bool> {
        let (host, port) = super::endpoint(&Url::parse(url).ok()?)?;
        Some(policy.allows_address(&host, port, address.parse::<IpAddr>().ok()?))
    }

    #[test]
    fn hosts_are_read_with_and_without_a_port() {
        for good in [
            "cdn.example.test",
            "cdn.example.test:8443",
            "127.0.0.1",
            "127.0.0.1:9",
            "[::1]",
            "[::1]:9",
            "::1",
            "localhost",
        ] {
            assert!(HostRule::parse(good).is_some(), "{good}");
        }
        for bad in [
            "", "http://x", "x/y", "x:0", "x:99999", "x:y", "a b", "u@x", ":80",
        ] {
            assert!(HostRule::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn only_listed_hosts_are_allowed() {
        let policy = policy(
            "https://api.example.test",
            &["cdn.example.test", "img.example.test:8443"],
        );
        let allowed = |url: &str| {
            policy
                .as_ref()
                .zip(Url::parse(url).ok())
                .map(|(policy, url)| policy.allows(&url))
        };
        for good in [
            "https://api.example.test/x",
            "http://cdn.example.test:81/x",
            "https://CDN.example.test./x",
            "https://img.example.test:8443/",
        ] {
            assert_eq!(allowed(good), Some(true), "{good}");
        }
        for bad in [
            "https://api.example.test:444/",
            "https://img.example.test/",
            "https://evil.test/",
            "ftp://cdn.example.test/",
            "https://cdn.example.test.evil.test/",
            "https://cdn.example.test@evil.test/",
            "http://0x7f.1/",
            "file:///etc/passwd",
        ] {
            assert_eq!(allowed(bad), Some(false), "{bad}");
        }
    }

    #[test]
    fn a_listed_name_may_not_resolve_into_our_network() {
        let Some(policy) = policy(
            "https://api.example.test",
            &[
                "cdn.example.test",
                "localhost",
                "files.example.test",
                "10.1.2.3:80",
            ],
        ) else {
            panic!("the base URL is one")
        };
        assert_eq!(
            address(&policy, "https://cdn.example.test", "8.8.8.8"),
            Some(true)
        );
        assert_eq!(
            address(&policy, "https://cdn.example.test", "127.0.0.1"),
            Some(false)
        );
        assert_eq!(
            address(&policy, "https://cdn.example.test", "::ffff:169.254.169.254"),
            Some(false)
        );
        assert_eq!(
            address(&policy, "http://files.example.test", "10.1.2.3"),
            Some(true)
        );
        assert_eq!(
            address(&policy, "https://files.example.test", "10.1.2.3"),
            Some(false),
            "another port"
        );
        assert_eq!(address(&policy, "http://localhost:9000", "127.0.0.1"), Some(true));
        assert_eq!(
            address(&policy, "https://api.example.test", "10.0.0.9"),
            Some(true),
            "our own provider"
        );
    }
}
