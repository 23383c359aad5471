//! `POST /operations/{id}/decisions`: what a person records when no machine can know.

use super::Reply;
use super::auth::By;
use super::extract::{Body, Key, PathOperation, reason, shape};
use super::problem::Problem;
use crate::web::Served;
use app::desk::{Code, DecisionOrder};
use app::domain::decision::Decision;
use app::domain::plan::Plan;
use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde_json::{Map, Value};

/// The answer to a decision.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub struct Decided {
    /// The revision that resulted.
    revision: i64,
    /// The plan that holds now.
    plan: Plan,
}

/// Reads a decision strictly: fields that it does not have are refused.
fn order(mut body: Map<String, Value>) -> Result<DecisionOrder, Problem> {
    let mut take = |name: &str| {
        body.remove(name)
            .ok_or_else(|| Problem::new(Code::InvalidRequest, format!("The body has no {name}.")))
    };
    let revision = serde_json::from_value(take("revision")?).map_err(|error| shape(&error))?;
    let said: String = serde_json::from_value(take("reason")?).map_err(|error| shape(&error))?;
    let decision: Decision =
        serde_json::from_value(Value::Object(body.clone())).map_err(|error| shape(&error))?;
    let known = serde_json::to_value(&decision).map_err(|error| shape(&error))?;
    if let Some(name) = body.keys().find(|name| known.get(name.as_str()).is_none()) {
        let name: String = name.chars().take(64).collect();
        let kind = decision.kind();
        return Err(Problem::new(
            Code::InvalidRequest,
            format!("The decision {kind} has no field {name:?}."),
        ));
    }
    Ok(DecisionOrder {
        revision,
        reason: reason(&said)?.to_owned(),
        decision,
    })
}

/// Records a decision.
#[utoipa::path(post, path = "/operations/{id}/decisions", tag = "decisions", security(("token" = [])),
    params(("id" = String, Path), ("Idempotency-Key" = String, Header)), request_body = DecisionOrder,
    responses((status = 200, body = Decided)))]
pub async fn decide(
    State(served): State<Served>,
    By(caller): By,
    PathOperation(id): PathOperation,
    Key(key): Key,
    Body(body): Body<Map<String, Value>>,
) -> Reply {
    let (revision, plan) = served.office.decide(&caller, &id, order(body)?, &key).await?;
    Ok(Json(Decided { revision, plan }).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(body: Value) -> Result<DecisionOrder, Code> {
        let Value::Object(map) = body else {
            return Err(Code::Internal);
        };
        order(map).map_err(|problem| problem.error.code)
    }

    #[test]
    fn a_decision_is_read_with_its_own_fields_only() {
        let good = read(
            json!({"revision": 3, "reason": "seen", "decision": "refund_confirmed",
            "reference": "r-1", "amount": "12.50"}),
        );
        assert!(good.is_ok(), "{good:?}");
        assert!(read(json!({"revision": 3, "reason": "x", "decision": "acknowledge_obsolete"})).is_ok());
        for bad in [
            json!({}),
            json!({"revision": 3, "reason": "x"}),
            json!({"revision": 3, "reason": "x", "decision": "shrug"}),
            json!({"revision": "3", "reason": "x", "decision": "reopen"}),
            json!({"revision": 3, "reason": "", "decision": "reopen"}),
            json!({"revision": 3, "reason": "x", "decision": "reopen", "job_id": "gj_1"}),
            json!({"revision": 3, "reason": "x", "decision": "attach_job"}),
            json!({"revision": 3, "reason": "x", "decision": "outputs_lost", "indexes": [-1]}),
        ] {
            assert_eq!(read(bad.clone()), Err(Code::InvalidRequest), "{bad}");
        }
    }
}
