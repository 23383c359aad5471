//! Every fail point of the program, by name. A test holds that the list is the sources' own.

/// Steps of one transaction each: `….written` before its commit, `….committed` after it.
pub const TRANSACTIONS: [&str; 36] = [
    "acknowledge",
    "approve",
    "approve_refused",
    "cancel",
    "circuit_closed",
    "circuit_probe",
    "circuit_unanswered",
    "claim",
    "decision",
    "delivery",
    "intend",
    "job_dead",
    "job_done",
    "job_given_back",
    "job_later",
    "job_lost",
    "job_renew",
    "job_retry",
    "link",
    "observation",
    "owner",
    "patch",
    "permit",
    "project",
    "project_replays",
    "purge",
    "put",
    "receipt",
    "receipt_alone",
    "reconcile",
    "refuse",
    "release",
    "replay",
    "report",
    "requeue",
    "specification",
];

/// Moments of the work itself. `*` stands for the action.
pub const MOMENTS: [&str; 8] = [
    "*.answered",
    "*.claimed",
    "*.permitted",
    "*.recorded",
    "deliver.copied",
    "deliver.ended",
    "dispatch.before_send",
    "output.published",
];

/// The actions of a machine.
pub const ACTIONS: [&str; 4] = ["deliver", "dispatch", "inspect_accounting", "observe"];

/// Points that a life without faults of database and network does not come to: a lost lease, a stop, a second claim
/// after a long stall, a row that cannot be read. They have tests of their own.
const RARE: [&str; 7] = [
    "approve_refused",
    "circuit_probe",
    "job_given_back",
    "job_lost",
    "job_renew",
    "project_replays",
    "receipt_alone",
];

/// Every point that a machine with its people comes to, again and again.
pub fn all() -> Vec<String> {
    let mut points = Vec::new();
    for step in TRANSACTIONS.iter().filter(|step| !RARE.contains(step)) {
        points.push(format!("{step}.written"));
        points.push(format!("{step}.committed"));
    }
    for moment in MOMENTS.iter().chain(&["output.staged"]) {
        match moment.strip_prefix("*.") {
            Some(rest) => points.extend(ACTIONS.iter().map(|action| format!("{action}.{rest}"))),
            None => points.push((*moment).to_owned()),
        }
    }
    points
}

#[test]
fn the_list_is_the_sources_own() {
    let mut steps = Vec::new();
    let mut moments = Vec::new();
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![source];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("a source");
                steps.extend(between(&text, "commit_at(\"", "\""));
                steps.extend(
                    between(&text, "=> \"job_", "\"")
                        .into_iter()
                        .map(|end| format!("job_{end}")),
                );
                for call in between(&text, "fault::point(", ")") {
                    if let Some((step, moment)) = call.split_once(", ") {
                        let moment = moment.trim_matches('"');
                        let step = if step.starts_with('"') {
                            step.trim_matches('"')
                        } else {
                            "*"
                        };
                        moments.push(format!("{step}.{moment}"));
                    }
                }
            }
        }
    }
    steps.sort();
    steps.dedup();
    assert_eq!(steps, TRANSACTIONS);
    for moment in ["written", "committed"] {
        assert!(
            moments.iter().any(|found| *found == format!("*.{moment}")),
            "{moment}"
        );
    }
    let listed = all();
    for found in &moments {
        let known = found.ends_with("written")
            || found.ends_with("committed")
            || listed.contains(found)
            || found
                .strip_prefix("*.")
                .is_some_and(|rest| listed.iter().any(|point| point.ends_with(rest)));
        assert!(known, "{found} is not listed");
    }
}

fn between(text: &str, before: &str, after: &str) -> Vec<String> {
    text.split(before)
        .skip(1)
        .filter_map(|rest| rest.split_once(after).map(|(found, _)| found.to_owned()))
        .collect()
}
