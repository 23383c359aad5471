//! The bodies of `PUT` and `PATCH /operations/{id}`, and of a recovery's report (DESIGN 7).

use super::fields::{Field, Invalid, Object, Valid};
use super::{
    Copies, NewOperation, Patch, RecoveryReport, ReportedAxes, ReportedCharge, ReportedCopy,
    ReportedSpecification,
};
use crate::domain::ids::{DeadLetterId, JobId, MAX_TEXT_ID, OperationId};
use crate::domain::money::ChargeState;
use crate::domain::operation::{
    Dispatch, DispatchProof, ErrorCategory, OperationError, Phase, SpecificationRef,
};
use crate::domain::redact::redact_text;
use crate::domain::remote::{CopyState, Execution, Fetch, MAX_RAW_STATUS, Output, Reason};
use serde_json::Value;
use std::collections::BTreeSet;

/// The most outputs that one generation may have, and one more than the highest index.
pub const MAX_OUTPUTS: u32 = 1000;
/// The longest storage key and content type, in bytes.
const MAX_KEY: usize = 1024;
const MAX_CONTENT_TYPE: usize = 255;
const MAX_COUNT: u32 = 1_000_000;
/// Numbers that both databases and JavaScript readers keep exactly.
const MAX_WHOLE: u64 = (1 << 53) - 1;

const OPERATION: [&str; 13] = [
    "provider",
    "account",
    "owner",
    "specification",
    "model",
    "phase",
    "dispatch",
    "remote",
    "charge",
    "outputs",
    "error",
    "dispatch_proof",
    "parent",
];
const REMOTE: [&str; 9] = [
    "job_id",
    "fetch",
    "execution",
    "reason",
    "raw_status",
    "outputs",
    "outputs_expected",
    "empty_observations",
    "observed_at",
];

macro_rules! slugs_of {
    ($vocabulary:ty) => {
        &<$vocabulary>::ALL
            .iter()
            .map(|value| value.as_str())
            .collect::<Vec<_>>()
    };
}

/// The body of a `PUT`. Required: `provider`, `owner`, `specification`, `phase`. `null` means absent.
pub fn parse_put(body: &Value) -> Result<NewOperation, Invalid> {
    let root = Field::root(body);
    let object = root.required(root.object(&OPERATION)?)?;
    let report = operation(&object)?;
    let provider = object.field("provider").required(report.provider.clone())?;
    let owner = object.field("owner").required(report.owner.clone())?;
    let specification = object.field("specification");
    let stated = specification.required(report.specification.clone())?;
    let inner = specification.required(specification.object(&["id", "revision"])?)?;
    let id = inner.field("id").required(stated.id)?;
    let revision = inner.field("revision").required(stated.revision)?;
    let phase = object.field("phase").required(report.phase)?;
    Ok(NewOperation {
        provider,
        owner,
        specification: SpecificationRef { id, revision },
        phase,
        report,
    })
}

/// The body of a `PATCH`. Absent and `null` mean unchanged, at any depth.
pub fn parse_patch(body: &Value) -> Result<Patch, Invalid> {
    let root = Field::root(body);
    operation(&root.required(root.object(&OPERATION)?)?)
}

/// The body of `POST /recoveries/{id}/report`: at least one of `observation`, `outputs` and `outcome`.
pub fn parse_recovery_report(body: &Value) -> Result<RecoveryReport, Invalid> {
    let root = Field::root(body);
    let object = root.required(root.object(&["observation", "outputs", "outcome", "category"])?)?;
    let observation = axes(&object.field("observation"))?;
    let outputs = copies(&object.field("outputs"))?;
    let done = match object.field("outcome").string()? {
        None => None,
        Some("done") => Some(true),
        Some("failed") => Some(false),
        Some(_) => {
            return object
                .field("outcome")
                .invalid("One of done, failed is expected.");
        }
    };
    let category = category(&object.field("category"))?;
    if observation.is_none() && outputs.is_none() && done.is_none() {
        return root.invalid("One of observation, outputs and outcome is expected.");
    }
    Ok(RecoveryReport {
        observation,
        outputs,
        done,
        category,
    })
}

fn operation(object: &Object<'_>) -> Valid<Patch> {
    Ok(Patch {
        provider: object.field("provider").name(MAX_TEXT_ID)?,
        account: object.field("account").text(MAX_TEXT_ID)?,
        owner: object.field("owner").name(MAX_TEXT_ID)?,
        specification: specification(&object.field("specification"))?,
        model: object.field("model").name(MAX_TEXT_ID)?,
        phase: object.field("phase").slug(slugs_of!(Phase))?,
        dispatch: object.field("dispatch").slug(slugs_of!(Dispatch))?,
        remote: axes(&object.field("remote"))?.unwrap_or_default(),
        charge: charge(&object.field("charge"))?,
        outputs: copies(&object.field("outputs"))?,
        error: error(&object.field("error"))?,
        dispatch_proof: proof(&object.field("dispatch_proof"))?,
        parent: object.field("parent").parsed(OperationId::parse, ID_EXPECTED)?,
    })
}

const ID_EXPECTED: &str = "An id of 1 to 200 bytes without control characters is expected.";

fn specification(field: &Field<'_>) -> Valid<Option<ReportedSpecification>> {
    let Some(object) = field.object(&["id", "revision"])? else {
        return Ok(None);
    };
    Ok(Some(ReportedSpecification {
        id: object.field("id").name(MAX_TEXT_ID)?,
        revision: object
            .field("revision")
            .whole(MAX_WHOLE)?
            .and_then(|whole| i64::try_from(whole).ok()),
    }))
}

fn axes(field: &Field<'_>) -> Valid<Option<ReportedAxes>> {
    let Some(object) = field.object(&REMOTE)? else {
        return Ok(None);
    };
    let raw_status = object.field("raw_status");
    let raw = raw_status.text(4 * MAX_RAW_STATUS)?;
    if raw
        .as_ref()
        .is_some_and(|raw| raw.chars().count() > MAX_RAW_STATUS)
    {
        return raw_status.invalid(format!("At most {MAX_RAW_STATUS} characters are taken."));
    }
    Ok(Some(ReportedAxes {
        job_id: object.field("job_id").parsed(JobId::parse, ID_EXPECTED)?,
        fetch: object.field("fetch").slug(slugs_of!(Fetch))?,
        execution: object.field("execution").slug(slugs_of!(Execution))?,
        reason: object.field("reason").slug(slugs_of!(Reason))?,
        raw_status: raw.as_deref().map(crate::domain::remote::raw_status),
        outputs: listed(&object.field("outputs"))?,
        outputs_expected: object.field("outputs_expected").small(MAX_OUTPUTS)?,
        empty_observations: object.field("empty_observations").small(MAX_COUNT)?,
        observed_at: object.field("observed_at").moment()?,
    }))
}

/// A `url` is accepted and dropped: output URLs are never stored.
fn listed(field: &Field<'_>) -> Valid<Option<Vec<Output>>> {
    let Some(items) = field.list(MAX_OUTPUTS as usize)? else {
        return Ok(None);
    };
    let mut seen = BTreeSet::new();
    let mut outputs = Vec::new();
    for item in &items {
        let object = item.required(item.object(&["index", "content_type", "url"])?)?;
        outputs.push(Output {
            index: index(&object, &mut seen)?,
            content_type: object.field("content_type").text(MAX_CONTENT_TYPE)?,
        });
    }
    outputs.sort_by_key(|output| output.index);
    Ok(Some(outputs))
}

fn copies(field: &Field<'_>) -> Valid<Option<Copies>> {
    let Some(items) = field.list(MAX_OUTPUTS as usize)? else {
        return Ok(None);
    };
    let mut seen = BTreeSet::new();
    let mut copies = Vec::new();
    for item in &items {
        let object =
            item.required(item.object(&["index", "state", "storage_key", "bytes", "sha256", "category"])?)?;
        let state = object.field("state");
        copies.push(ReportedCopy {
            index: index(&object, &mut seen)?,
            state: state.required(state.slug(slugs_of!(CopyState))?)?,
            storage_key: object.field("storage_key").name(MAX_KEY)?.map(without_signature),
            bytes: object.field("bytes").whole(MAX_WHOLE)?,
            sha256: object.field("sha256").name(128)?,
            category: category(&object.field("category"))?,
        });
    }
    Ok(Some(copies))
}

fn index(object: &Object<'_>, seen: &mut BTreeSet<u32>) -> Valid<u32> {
    let field = object.field("index");
    let index = field.required(field.small(MAX_OUTPUTS - 1)?)?;
    if seen.insert(index) {
        Ok(index)
    } else {
        field.invalid("This index stands here twice.")
    }
}

fn charge(field: &Field<'_>) -> Valid<Option<ReportedCharge>> {
    let Some(object) = field.object(&["state", "reserved", "charged", "refunded"])? else {
        return Ok(None);
    };
    Ok(Some(ReportedCharge {
        state: object.field("state").slug(slugs_of!(ChargeState))?,
        reserved: object.field("reserved").amount()?,
        charged: object.field("charged").amount()?,
        refunded: object.field("refunded").amount()?,
    }))
}

fn category(field: &Field<'_>) -> Valid<Option<ErrorCategory>> {
    field.slug(slugs_of!(ErrorCategory))
}

/// The detail may be any text: it is redacted before it is stored.
fn error(field: &Field<'_>) -> Valid<Option<OperationError>> {
    let Some(object) = field.object(&["category", "detail"])? else {
        return Ok(None);
    };
    let stated = object.field("category");
    Ok(Some(OperationError {
        category: stated.required(category(&stated)?)?,
        detail: object.field("detail").string()?.map(redact_text),
    }))
}

fn proof(field: &Field<'_>) -> Valid<Option<DispatchProof>> {
    let Some(object) = field.object(&["message_id", "attempts"])? else {
        return Ok(None);
    };
    let (message_id, attempts) = (object.field("message_id"), object.field("attempts"));
    Ok(Some(DispatchProof {
        message_id: message_id
            .required(message_id.parsed(DeadLetterId::parse, "A message's UUID is expected.")?)?,
        attempts: i64::from(attempts.required(attempts.small(MAX_COUNT)?)?),
    }))
}

/// Where the application keeps a copy. Some name it by an address that is a key at the same time.
fn without_signature(key: String) -> String {
    if key.contains("://") || key.contains('?') {
        redact_text(&key)
    } else {
        key
    }
}
