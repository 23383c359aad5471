//! Which addresses are the public Internet's. Everything else is refused unless it is listed.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address belongs to the public Internet: not this machine, not a private or shared network, not a
/// link, not a range reserved for protocols, documentation or multicast. Forms of IPv6 that carry an IPv4
/// address are judged by that one.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let shared = a == 100 && (64..128).contains(&b);
    let protocols = a == 192 && b == 0 && c == 0;
    let relays = a == 192 && b == 88 && c == 99;
    let benchmarks = a == 198 && (b == 18 || b == 19);
    let this_network = a == 0;
    let reserved = a >= 240;
    !(this_network
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || shared
        || protocols
        || relays
        || benchmarks
        || address.is_documentation()
        || address.is_multicast()
        || reserved)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    if let Some(inner) = carried_v4(&segments) {
        return is_public_v4(inner);
    }
    // Only 2000::/3 is given out; in it, some blocks are for protocols and documentation.
    let global = segments[0] & 0xe000 == 0x2000;
    let protocols = segments[0] == 0x2001 && segments[1] < 0x0200;
    let documentation = (segments[0] == 0x2001 && segments[1] == 0x0db8) || segments[0] & 0xfff0 == 0x3ff0;
    global && !protocols && !documentation
}

/// The IPv4 address inside mapped (`::ffff:0:0/96`), NAT64 (`64:ff9b::/96`) and 6to4 (`2002::/16`) forms.
fn carried_v4(segments: &[u16; 8]) -> Option<Ipv4Addr> {
    let join = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        Ipv4Addr::new(a, b, c, d)
    };
    match *segments {
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x0064, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => Some(join(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::is_public;

    fn check(addresses: &[&str], public: bool) {
        for address in addresses {
            assert_eq!(address.parse().map(is_public), Ok(public), "{address}");
        }
    }

    #[test]
    fn public_addresses_pass() {
        check(
            &[
                "1.1.1.1",
                "8.8.8.8",
                "172.15.0.1",
                "172.32.0.1",
                "100.63.0.1",
                "100.128.0.1",
                "2606:4700::1111",
                "::ffff:8.8.8.8",
                "64:ff9b::808:808",
            ],
            true,
        );
    }

    #[test]
    fn all_others_do_not() {
        check(
            &[
                "0.0.0.0",
                "0.1.2.3",
                "10.0.0.1",
                "127.0.0.1",
                "127.8.8.8",
                "169.254.169.254",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.1.1",
                "192.0.0.8",
                "192.0.2.1",
                "198.18.0.1",
                "198.51.100.1",
                "203.0.113.1",
                "100.64.0.1",
                "100.127.255.254",
                "224.0.0.1",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "::ffff:127.0.0.1",
                "::ffff:10.0.0.1",
                "::127.0.0.1",
                "fc00::1",
                "fd12::1",
                "fe80::1",
                "fec0::1",
                "ff02::1",
                "2001:db8::1",
                "2001::1",
                "2002:7f00:1::",
                "64:ff9b::a00:1",
                "64:ff9b:1::1",
                "100::1",
            ],
            false,
        );
    }
}
