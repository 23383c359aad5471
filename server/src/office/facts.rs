//! `PUT /owners/{id}` and `PUT /specifications/{id}`: facts that creation guards read.

use super::{Failure, Office, require};
use crate::storage::{facts, reservations};
use app::desk::{Code, DeskError};
use app::domain::guard::{OwnerFacts, SpecificationFacts};
use app::domain::ids::OperationId;
use app::domain::permission::Permission;
use app::domain::role::Caller;
use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde_json::{Map, Value};

/// Digits before and after the point that an amount may have.
const MAX_WHOLE_DIGITS: usize = 18;
const MAX_FRACTION_DIGITS: usize = 9;
/// The longest model name, in bytes.
const MAX_NAME: usize = 200;

impl Office {
    /// Stores owner facts; answers what stands. Reservations that the new facts have counted already end.
    pub async fn put_owner(&self, caller: &Caller, id: &str, body: &Value) -> Result<OwnerFacts, DeskError> {
        check_id(id)?;
        require(caller, Permission::Report)?;
        let fields = Fields::of(body, &["authorized", "remaining_credits", "as_of"])?;
        let mut reported = OwnerFacts {
            id: id.to_owned(),
            authorized: fields.flag("authorized")?,
            remaining_credits: fields.amount("remaining_credits", true)?,
            as_of: DateTime::UNIX_EPOCH,
        };
        let as_of = fields.opt_time("as_of")?;
        crate::again!(self.put_owner_once(&mut reported, as_of).await)
    }

    async fn put_owner_once(
        &self,
        reported: &mut OwnerFacts,
        as_of: Option<DateTime<Utc>>,
    ) -> Result<OwnerFacts, Failure> {
        let mut tx = self.database.write().await?;
        reported.as_of = as_of.unwrap_or(tx.now());
        let stands = facts::put_owner(&mut tx, reported).await?;
        reservations::end_counted(&mut tx, &stands.id, stands.as_of).await?;
        tx.commit_at("owner").await?;
        Ok(stands)
    }

    /// Stores specification facts; answers what stands, never the body.
    pub async fn put_specification(
        &self,
        caller: &Caller,
        id: &str,
        body: &Value,
    ) -> Result<SpecificationFacts, DeskError> {
        check_id(id)?;
        require(caller, Permission::Report)?;
        let names = [
            "current_revision",
            "model",
            "model_available",
            "active",
            "estimated_credits",
            "body",
            "as_of",
        ];
        let fields = Fields::of(body, &names)?;
        let mut reported = SpecificationFacts {
            id: id.to_owned(),
            current_revision: fields.whole("current_revision")?,
            model: fields.opt_name("model")?,
            model_available: fields.flag("model_available")?,
            active: fields.flag("active")?,
            estimated_credits: fields.amount("estimated_credits", false)?,
            has_body: false,
            as_of: DateTime::UNIX_EPOCH,
        };
        let as_of = fields.opt_time("as_of")?;
        let body = fields.opt_object("body")?;
        crate::again!(self.put_specification_once(&mut reported, as_of, body).await)
    }

    async fn put_specification_once(
        &self,
        reported: &mut SpecificationFacts,
        as_of: Option<DateTime<Utc>>,
        body: Option<&Value>,
    ) -> Result<SpecificationFacts, Failure> {
        let mut tx = self.database.write().await?;
        reported.as_of = as_of.unwrap_or(tx.now());
        let stands = facts::put_specification(&mut tx, reported, body).await?;
        tx.commit_at("specification").await?;
        Ok(stands)
    }
}

fn check_id(id: &str) -> Result<(), DeskError> {
    match OperationId::parse(id) {
        Some(_) => Ok(()),
        None => Err(DeskError::new(
            Code::BadId,
            "An id has 1 to 200 bytes and no control characters.",
        )),
    }
}

/// A flat object, read exactly. `null` counts as absent.
struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    fn of(body: &'a Value, names: &[&str]) -> Result<Self, DeskError> {
        let Value::Object(fields) = body else {
            return Err(invalid("", "An object is expected."));
        };
        match fields.keys().find(|name| !names.contains(&name.as_str())) {
            Some(_) => Err(invalid(
                "",
                &format!("Only these fields are known: {}.", names.join(", ")),
            )),
            None => Ok(Self(fields)),
        }
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn required(&self, name: &str) -> Result<&'a Value, DeskError> {
        self.get(name)
            .ok_or_else(|| invalid(name, "This field is required."))
    }

    fn flag(&self, name: &str) -> Result<bool, DeskError> {
        self.required(name)?
            .as_bool()
            .ok_or_else(|| invalid(name, "true or false is expected."))
    }

    fn whole(&self, name: &str) -> Result<i64, DeskError> {
        let number = self
            .required(name)?
            .as_i64()
            .filter(|number| (0..1 << 53).contains(number));
        number.ok_or_else(|| invalid(name, "A whole number of at least 0 is expected."))
    }

    fn amount(&self, name: &str, may_be_negative: bool) -> Result<Decimal, DeskError> {
        let text = match self.required(name)? {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => String::new(),
        };
        let amount = exact(&text).filter(|amount| may_be_negative || !amount.is_sign_negative());
        amount.ok_or_else(|| invalid(name, "An amount like \"12.50\" is expected."))
    }

    fn opt_name(&self, name: &str) -> Result<Option<String>, DeskError> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        match value
            .as_str()
            .filter(|text| !text.is_empty() && text.len() <= MAX_NAME && !text.contains('\0'))
        {
            Some(text) => Ok(Some(text.to_owned())),
            None => Err(invalid(name, "A text of 1 to 200 bytes is expected.")),
        }
    }

    fn opt_time(&self, name: &str) -> Result<Option<DateTime<Utc>>, DeskError> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let at = value
            .as_str()
            .and_then(|text| DateTime::parse_from_rfc3339(text).ok());
        // Microseconds, as the columns keep them.
        let at = at.and_then(|at| DateTime::from_timestamp_micros(at.timestamp_micros()));
        match at.filter(|at| (1970..=9999).contains(&chrono::Datelike::year(at))) {
            Some(at) => Ok(Some(at)),
            None => Err(invalid(name, "A moment like 2026-05-04T10:00:00Z is expected.")),
        }
    }

    fn opt_object(&self, name: &str) -> Result<Option<&'a Value>, DeskError> {
        match self.get(name) {
            None => Ok(None),
            Some(value @ Value::Object(_)) => Ok(Some(value)),
            Some(_) => Err(invalid(name, "An object is expected.")),
        }
    }
}

/// Digits with at most one point, a sign before them where there is one: nothing that a double has touched.
fn exact(text: &str) -> Option<Decimal> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = |part: &str, most: usize| {
        !part.is_empty() && part.len() <= most && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    (plain(whole, MAX_WHOLE_DIGITS) && plain(fraction, MAX_FRACTION_DIGITS))
        .then(|| text.parse().ok())
        .flatten()
}

fn invalid(name: &str, why: &str) -> DeskError {
    let place = if name.is_empty() {
        "the body".to_owned()
    } else {
        format!("/{name}")
    };
    DeskError::new(Code::InvalidRecord, format!("{place}: {why}"))
}
