//! How often one may try. Buckets refill by themselves; nobody is locked out by somebody else's tries.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many tries a full bucket holds, and how long one takes to come back.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    pub burst: u32,
    pub refill: Duration,
}

/// Wrong passwords from one address, whatever the name.
const ADDRESS: Rate = Rate {
    burst: 20,
    refill: Duration::from_secs(15),
};
/// Wrong passwords for one name from one address.
const NAME_AND_ADDRESS: Rate = Rate {
    burst: 5,
    refill: Duration::from_secs(30),
};
/// Wrong passwords for one name from everywhere. An address that has signed in as that name is not counted here.
const NAME: Rate = Rate {
    burst: 50,
    refill: Duration::from_secs(10),
};
/// Sign-ins that one address begins at the issuer: each is remembered for some minutes. Many people may share one.
const BEGUN: Rate = Rate {
    burst: 60,
    refill: Duration::from_secs(2),
};
/// Writes of one token.
const WRITES: Rate = Rate {
    burst: 2_000,
    refill: Duration::from_millis(5),
};

/// What one household or company is given of IPv6 at the least: whoever has an address there has all 2^64 of them.
const V6_NETWORK: u128 = !0 << 64;

/// Whose tries count together: one IPv4 address, however it is written, or one /64 of IPv6.
fn counted_as(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from(u128::from(address) & V6_NETWORK).into(),
    }
}

/// Buckets are forgotten when they are full again; this bounds the memory of a flood of names.
const MAX_BUCKETS: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Address(IpAddr),
    NameAndAddress(String, IpAddr),
    Name(String),
    Begun(IpAddr),
    Writes(String),
}

impl Key {
    const fn rate(&self) -> Rate {
        match self {
            Self::Address(_) => ADDRESS,
            Self::NameAndAddress(..) => NAME_AND_ADDRESS,
            Self::Name(_) => NAME,
            Self::Begun(_) => BEGUN,
            Self::Writes(_) => WRITES,
        }
    }
}

/// When the bucket will be full again: all that a bucket needs to remember.
#[derive(Debug, Default)]
struct Buckets {
    full_at: HashMap<Key, Instant>,
    /// Addresses that have signed in as a name.
    trusted: HashMap<(String, IpAddr), Instant>,
}

impl Buckets {
    /// How long to wait until one try fits; `None` when it fits now.
    fn wait(&self, key: &Key, now: Instant) -> Option<Duration> {
        let rate = key.rate();
        let missing = self.full_at.get(key)?.saturating_duration_since(now);
        let room = rate.refill * rate.burst.saturating_sub(1);
        (missing > room).then(|| missing - room)
    }

    fn take(&mut self, key: Key, now: Instant) {
        let refill = key.rate().refill;
        if self.full_at.len() >= MAX_BUCKETS {
            self.full_at.retain(|_, full| *full > now);
        }
        let full = self.full_at.entry(key).or_insert(now);
        *full = (*full).max(now) + refill;
    }

    fn give_back(&mut self, key: &Key) {
        if let Some(full) = self.full_at.get_mut(key) {
            *full = full.checked_sub(key.rate().refill).unwrap_or(*full);
        }
    }
}

/// The buckets of this process.
#[derive(Debug, Default)]
pub struct Throttle {
    buckets: Mutex<Buckets>,
}

/// A try that was counted; giving the right password takes the count back.
#[derive(Debug)]
pub struct Try {
    name: String,
    address: IpAddr,
    keys: Vec<Key>,
}

/// A browser that came back from the issuer, and was counted.
#[derive(Debug)]
pub struct Returning(Key);

impl Throttle {
    /// Counts a try to sign in, or says how long to wait.
    ///
    /// # Errors
    /// The wait, when there were too many.
    pub fn begin_sign_in(&self, name: &str, address: IpAddr, now: Instant) -> Result<Try, Duration> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let address = counted_as(address);
        let name: String = name.chars().take(64).collect();
        let mut keys = vec![Key::Address(address), Key::NameAndAddress(name.clone(), address)];
        if !buckets.trusted.contains_key(&(name.clone(), address)) {
            keys.push(Key::Name(name.clone()));
        }
        if let Some(wait) = keys.iter().filter_map(|key| buckets.wait(key, now)).max() {
            return Err(wait);
        }
        for key in &keys {
            buckets.take(key.clone(), now);
        }
        Ok(Try { name, address, keys })
    }

    /// The password was right: the try is not held against anybody.
    pub fn signed_in(&self, tried: Try, now: Instant) {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        for key in &tried.keys {
            buckets.give_back(key);
        }
        if buckets.trusted.len() < MAX_BUCKETS {
            buckets.trusted.insert((tried.name, tried.address), now);
        }
    }

    /// Counts a sign-in that begins at the issuer, or says how long to wait.
    ///
    /// # Errors
    /// The wait, when there were too many.
    pub fn begin_single_sign_on(&self, address: IpAddr, now: Instant) -> Result<(), Duration> {
        self.one(Key::Begun(counted_as(address)), now).map(drop)
    }

    /// Counts a browser that comes back from the issuer, as a try of its address, or says how long to wait.
    ///
    /// # Errors
    /// The wait, when there were too many.
    pub fn finish_single_sign_on(&self, address: IpAddr, now: Instant) -> Result<Returning, Duration> {
        self.one(Key::Address(counted_as(address)), now).map(Returning)
    }

    /// The issuer said who they are: the try is not held against their address.
    pub fn let_go(&self, returning: Returning) {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.give_back(&returning.0);
    }

    fn one(&self, key: Key, now: Instant) -> Result<Key, Duration> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        match buckets.wait(&key, now) {
            Some(wait) => Err(wait),
            None => {
                buckets.take(key.clone(), now);
                Ok(key)
            }
        }
    }

    /// Counts a write of a token, or says how long to wait.
    ///
    /// # Errors
    /// The wait, when there were too many.
    pub fn write(&self, token: &str, now: Instant) -> Result<(), Duration> {
        self.one(Key::Writes(token.to_owned()), now).map(drop)
    }
}

/// Whole seconds for a `Retry-After`, at least one.
pub const fn seconds(wait: Duration) -> u64 {
    let whole = wait.as_secs();
    if wait.subsec_nanos() > 0 || whole == 0 {
        whole + 1
    } else {
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
    const THERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

    #[test]
    fn tries_of_one_address_do_not_lock_out_another() {
        let throttle = Throttle::default();
        let now = Instant::now();
        for _ in 0..NAME_AND_ADDRESS.burst {
            assert!(throttle.begin_sign_in("mira", HERE, now).is_ok());
        }
        let wait = throttle.begin_sign_in("mira", HERE, now).expect_err("too many");
        assert_eq!(seconds(wait), NAME_AND_ADDRESS.refill.as_secs());
        assert!(throttle.begin_sign_in("mira", THERE, now).is_ok());
        assert!(throttle.begin_sign_in("noor", HERE, now).is_ok());
        let later = now + NAME_AND_ADDRESS.refill;
        assert!(throttle.begin_sign_in("mira", HERE, later).is_ok());
        assert!(throttle.begin_sign_in("mira", HERE, later).is_err());
    }

    #[test]
    fn an_address_that_signed_in_is_not_locked_out_by_a_flood() {
        let throttle = Throttle::default();
        let now = Instant::now();
        let tried = throttle.begin_sign_in("mira", HERE, now).expect("first");
        throttle.signed_in(tried, now);
        for n in 0..=255_u8 {
            let address = IpAddr::from([192, 0, 2, n]);
            throttle.begin_sign_in("mira", address, now).ok();
        }
        assert!(throttle.begin_sign_in("mira", THERE, now).is_err());
        assert!(throttle.begin_sign_in("mira", HERE, now).is_ok());
    }

    #[test]
    fn a_network_of_ipv6_is_one_address() {
        let counted = |text: &str| counted_as(text.parse().expect("an address")).to_string();
        for (address, as_one) in [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("::1", "::"),
            ("2001:db8:1:2::1", "2001:db8:1:2::"),
            ("2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::"),
            ("2001:db8:1:3::1", "2001:db8:1:3::"),
        ] {
            assert_eq!(counted(address), as_one, "{address}");
        }
        let throttle = Throttle::default();
        let now = Instant::now();
        let of = |network: u128, host: u128| {
            IpAddr::from(Ipv6Addr::from((0x2001_0db8 << 96) | (network << 64) | host))
        };
        // Another address for each try is no way round the count, whatever is tried.
        for host in 0..u128::from(NAME_AND_ADDRESS.burst) {
            assert!(throttle.begin_sign_in("mira", of(1, host), now).is_ok());
        }
        assert!(throttle.begin_sign_in("mira", of(1, 99), now).is_err());
        assert!(throttle.begin_sign_in("mira", of(2, 99), now).is_ok());
        let begun = (0..u128::from(2 * BEGUN.burst))
            .filter(|host| throttle.begin_single_sign_on(of(3, *host), now).is_ok());
        assert_eq!(begun.count(), BEGUN.burst as usize);
        let back = (0..u128::from(2 * ADDRESS.burst))
            .filter(|host| throttle.finish_single_sign_on(of(3, *host), now).is_ok());
        assert_eq!(back.count(), ADDRESS.burst as usize);
        // Whoever signed in from their network is not held back by others, from wherever in it they come.
        let tried = throttle.begin_sign_in("noor", of(4, 1), now).expect("first");
        throttle.signed_in(tried, now);
        for network in 100..200 {
            throttle.begin_sign_in("noor", of(network, 1), now).ok();
        }
        assert!(throttle.begin_sign_in("noor", of(5, 1), now).is_err());
        assert!(throttle.begin_sign_in("noor", of(4, 2), now).is_ok());
    }

    #[test]
    fn right_passwords_cost_nothing() {
        let throttle = Throttle::default();
        let now = Instant::now();
        for _ in 0..100 {
            let tried = throttle.begin_sign_in("mira", HERE, now).expect("a try");
            throttle.signed_in(tried, now);
        }
    }

    #[test]
    fn writes_are_limited_per_token() {
        let throttle = Throttle::default();
        let now = Instant::now();
        for _ in 0..WRITES.burst {
            assert!(throttle.write("a", now).is_ok());
        }
        assert!(throttle.write("a", now).is_err());
        assert!(throttle.write("b", now).is_ok());
    }
}
