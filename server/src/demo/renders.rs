//! Lives of jobs at the provider, as the demo scripts them. Reservations, charges and refunds are in credits.

use crate::fixture::{
    Armed, Credits, JobScript, Lasts, OutputFault, OutputScript, Place, ReadFault, UrlPolicy,
};

/// How long a job waits and renders.
const QUEUED: Lasts = Lasts::Ms(200);
const RUNNING: Lasts = Lasts::Ms(500);
/// Reads of a failed submission that still tell a pending refund, where it is never seen to end.
const NEVER: u32 = 10_000;

/// The usual beginning: queued, then running.
fn after_a_while(job: JobScript) -> JobScript {
    job.first("running", RUNNING).first("queued", QUEUED)
}

/// One film.
pub fn film() -> JobScript {
    after_a_while(JobScript::succeeded(vec![
        OutputScript::new("video/mp4").bytes(64 * 1024).with_sha256(),
    ]))
}

/// A film, its poster and a preview.
pub fn film_and_stills() -> JobScript {
    after_a_while(JobScript::succeeded(vec![
        OutputScript::new("video/mp4").bytes(64 * 1024),
        OutputScript::new("image/png").bytes(12 * 1024),
        OutputScript::new("image/webp").bytes(6 * 1024),
    ]))
}

/// As [`film_and_stills`], and fetching the preview fails so.
pub fn preview_fails(fault: Armed<OutputFault>) -> JobScript {
    let mut job = film_and_stills();
    if let Some(preview) = job.outputs.as_mut().and_then(|outputs| outputs.last_mut()) {
        preview.faults.push(fault);
    }
    job
}

/// One film, whose fetch fails so.
pub fn film_fails(fault: OutputFault) -> JobScript {
    after_a_while(JobScript::succeeded(vec![
        OutputScript::new("video/mp4")
            .bytes(64 * 1024)
            .fault(Armed::forever(fault)),
    ]))
}

/// One film, whose URLs are over before anybody can follow them.
pub fn expires_at_once() -> JobScript {
    film().with_urls(UrlPolicy {
        ttl_ms: Some(0),
        ..UrlPolicy::default()
    })
}

/// One film, on a host that nobody listed.
pub fn elsewhere() -> JobScript {
    let mut job = film();
    for output in job.outputs.iter_mut().flatten() {
        output.host = Place::Foreign;
    }
    job
}

/// Succeeded, and `[]` where outputs should be.
pub fn no_outputs() -> JobScript {
    after_a_while(JobScript::succeeded(Vec::new()))
}

/// Succeeded, and `null` where outputs should be.
pub fn outputs_not_stated() -> JobScript {
    after_a_while(JobScript::resting("succeeded"))
}

/// Runs for longer than anybody waits.
pub fn endless() -> JobScript {
    JobScript::open("running").first("queued", QUEUED)
}

/// Runs, and reading it fails so from the first moment.
pub fn unreadable(fault: ReadFault) -> JobScript {
    endless().read_fault(Armed::forever(fault))
}

/// Rests in a state that no profile lists.
pub fn held_for_review() -> JobScript {
    let mut job = JobScript::open("held_for_review");
    job.steps.insert(0, crate::fixture::Step::new("queued", QUEUED));
    job
}

/// Failed with this code; charged, and nothing is given back.
pub fn failed(code: &str) -> JobScript {
    after_a_while(JobScript::failed(code))
}

/// Ended by the provider without a result: `cancelled` or `expired`; charged.
pub fn ended(state: &str) -> JobScript {
    after_a_while(JobScript::resting(state))
}

/// A submission failure whose refund is on its way, and stays so.
pub fn refund_pending() -> JobScript {
    after_a_while(JobScript::submission_failed(NEVER))
}

/// A submission failure whose refund arrives after so many reads.
pub fn refund_arrives(after_reads: u32) -> JobScript {
    after_a_while(JobScript::submission_failed(after_reads))
}

/// Failed, and all of it refunded.
pub fn refunded() -> JobScript {
    failed("provider_error").with_credits(Credits::refunded(12, 12))
}

/// Failed, and a part of it refunded.
pub fn partly_refunded() -> JobScript {
    failed("provider_error").with_credits(Credits::refunded(12, 5))
}
