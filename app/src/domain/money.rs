//! Money: exact decimals that travel as strings, and what the provider did with them.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

crate::slugs! {
    /// What the provider did with the credits. A missing field is `unknown`, never zero.
    pub enum ChargeState ("charge") {
        Unknown => "unknown",
        None => "none",
        Reserved => "reserved",
        Charged => "charged",
        RefundPending => "refund_pending",
        Refunded => "refunded",
        PartiallyRefunded => "partially_refunded",
    }
}

/// The charge axis of one job. Amounts are provider credits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Charge {
    pub state: ChargeState,
    #[schema(value_type = Option<String>)]
    #[serde(default, with = "amount")]
    pub reserved: Option<Decimal>,
    #[schema(value_type = Option<String>)]
    #[serde(default, with = "amount")]
    pub charged: Option<Decimal>,
    #[schema(value_type = Option<String>)]
    #[serde(default, with = "amount")]
    pub refunded: Option<Decimal>,
}

/// An amount or none, as text. (The library's own spelling refuses `null` inside a flattened object.)
pub mod amount {
    use rust_decimal::Decimal;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// The exact digits, or `null`.
    pub fn serialize<S: Serializer>(amount: &Option<Decimal>, serializer: S) -> Result<S::Ok, S::Error> {
        amount.as_ref().map(Decimal::to_string).serialize(serializer)
    }

    /// Digits, or `null`.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Decimal>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(D::Error::custom))
            .transpose()
    }
}

impl Default for Charge {
    fn default() -> Self {
        Self {
            state: ChargeState::Unknown,
            reserved: None,
            charged: None,
            refunded: None,
        }
    }
}

impl Charge {
    /// The state that the credit fields of an answer mean (DESIGN 6), or `Unknown` when they say nothing.
    pub fn state_of(
        compensation_pending: bool,
        reserved: Option<Decimal>,
        charged: Option<Decimal>,
        refunded: Option<Decimal>,
    ) -> ChargeState {
        let zero = Decimal::ZERO;
        let refund = refunded.unwrap_or(zero);
        match charged {
            _ if compensation_pending => ChargeState::RefundPending,
            Some(charged) if charged > zero && refund >= charged => ChargeState::Refunded,
            Some(charged) if charged > zero && refund > zero => ChargeState::PartiallyRefunded,
            Some(charged) if charged > zero => ChargeState::Charged,
            Some(charged) if charged == zero => ChargeState::None,
            Some(_) | None if reserved.is_some_and(|amount| amount > zero) => ChargeState::Reserved,
            Some(_) | None => ChargeState::Unknown,
        }
    }
}
