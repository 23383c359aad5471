//! `dlo plan ID`: the decided next action, for a terminal or a script.

use super::context::{CliError, Context, Outcome};
use app::domain::ids::OperationId;
use app::domain::plan::Plan;
use std::fmt::Write;

pub async fn print(context: Context, id: &str, json: bool) -> Outcome {
    let id = OperationId::parse(id)
        .ok_or_else(|| CliError::usage("an operation id has 1 to 200 bytes and no control characters"))?;
    let office = context.office(context.current().await?)?;
    let plan = office.plan(&context.caller, &id, None, None).await?;
    if json {
        let text = serde_json::to_string_pretty(&plan)
            .map_err(|_| CliError::failed("the plan cannot be written"))?;
        println!("{text}");
    } else {
        print!("{}", readable(&plan));
    }
    Ok(())
}

/// Control characters in texts from outside must not reach a terminal.
fn shown(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

fn readable(plan: &Plan) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        // Writing to a string cannot fail.
        writeln!(out, "{}", shown(&text)).ok();
    };
    let flag = if plan.refund_unresolved {
        ", refund unresolved"
    } else {
        ""
    };
    line(format!(
        "{} at revision {}: {}{flag}",
        plan.operation_id, plan.revision, plan.label
    ));
    line(format!(
        "next: {} ({}), least role {}",
        plan.action, plan.effect, plan.role
    ));
    line(format!("      {}", plan.summary));
    line(format!("allowed: {}", if plan.allowed { "yes" } else { "no" }));
    for guard in &plan.guards {
        line(format!(
            "  {:<5} {}: {}",
            guard.verdict.as_str(),
            guard.guard,
            guard.detail
        ));
    }
    for warned in &plan.warnings {
        line(format!("  warning {}: {}", warned.warning, warned.detail));
    }
    for alternative in &plan.alternatives {
        line(format!("or: {} {}", alternative.action, alternative.job_id));
    }
    for refused in &plan.refused {
        line(format!("not {}: {}", refused.action, refused.why));
    }
    let decisions: Vec<&str> = plan.decisions.iter().map(|kind| kind.as_str()).collect();
    if !decisions.is_empty() {
        line(format!("decisions: {}", decisions.join(", ")));
    }
    out
}
