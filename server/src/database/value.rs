//! A value to bind. Each knows its PostgreSQL type even when it is NULL.

use app::domain::ids::{AttemptId, DeadLetterId, JobId, OperationId, QueueJobId, RecoveryId};
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// A typed value, or a typed NULL.
#[derive(Debug, Clone)]
pub enum Value {
    Text(Option<String>),
    Int(Option<i64>),
    Bool(Option<bool>),
    Time(Option<DateTime<Utc>>),
    Uuid(Option<Uuid>),
    /// JSON text for a column that is `jsonb` in PostgreSQL and text in SQLite.
    Json(Option<Box<serde_json::value::RawValue>>),
    Bytes(Option<Vec<u8>>),
}

macro_rules! from {
    ($source:ty, $value:ident => $target:expr) => {
        impl From<$source> for Value {
            fn from($value: $source) -> Self {
                $target
            }
        }
    };
}

from!(&str, text => Value::Text(Some(text.to_owned())));
from!(String, text => Value::Text(Some(text)));
from!(&String, text => Value::Text(Some(text.clone())));
from!(Option<String>, text => Value::Text(text));
from!(Option<&str>, text => Value::Text(text.map(str::to_owned)));
from!(i64, number => Value::Int(Some(number)));
from!(i32, number => Value::Int(Some(i64::from(number))));
from!(u32, number => Value::Int(Some(i64::from(number))));
from!(Option<i64>, number => Value::Int(number));
from!(bool, flag => Value::Bool(Some(flag)));
from!(DateTime<Utc>, at => Value::Time(Some(at)));
from!(Option<DateTime<Utc>>, at => Value::Time(at));
from!(Uuid, id => Value::Uuid(Some(id)));
from!(Option<Uuid>, id => Value::Uuid(id));
from!(Box<serde_json::value::RawValue>, json => Value::Json(Some(json)));
from!(Option<Box<serde_json::value::RawValue>>, json => Value::Json(json));
from!(&OperationId, id => Value::Text(Some(id.0.clone())));
from!(Option<&OperationId>, id => Value::Text(id.map(|id| id.0.clone())));
from!(&JobId, id => Value::Text(Some(id.0.clone())));
from!(Option<&JobId>, id => Value::Text(id.map(|id| id.0.clone())));
from!(DeadLetterId, id => Value::Uuid(Some(id.0)));
from!(Option<DeadLetterId>, id => Value::Uuid(id.map(|id| id.0)));
from!(QueueJobId, id => Value::Uuid(Some(id.0)));
from!(Option<QueueJobId>, id => Value::Uuid(id.map(|id| id.0)));
from!(RecoveryId, id => Value::Uuid(Some(id.0)));
from!(Option<RecoveryId>, id => Value::Uuid(id.map(|id| id.0)));
from!(AttemptId, id => Value::Uuid(Some(id.0)));

/// `values![a, b, c]`: a list of bound values.
#[macro_export]
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::database::Value::from($value)),*] };
}
