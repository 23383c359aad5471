"""An application on Soniq that renders at Genace and reports to Dead Letter Office.

Order a render:      python app.py op_1 "a red fox"
Work on the queues:  soniq worker --jobs-modules app --queues render,delivery,default
"""

import asyncio
import datetime
import hashlib
import os
import pathlib
import sys

from genace import Genace, NotSent, Rejected, Seen, Unsure
from office import Office
from soniq import JobContext, Snooze, Soniq

OWNER = "studio"
MODEL = "aurora-video-2"
# Seconds between two tries, and between two looks at a render that goes on.
PAUSE = float(os.environ.get("APP_PAUSE_SECONDS", "5"))
OUTPUTS = pathlib.Path(os.environ.get("APP_OUTPUTS", "outputs"))

app = Soniq()
office = Office(os.environ.get("OFFICE_URL", "http://127.0.0.1:8080"), os.environ["OFFICE_TOKEN"])
genace = Genace(os.environ.get("GENACE_URL", "http://127.0.0.1:8090"), os.environ["GENACE_API_KEY"])


async def order(operation_id: str, prompt: str) -> None:
    """Tells the office what is wanted, then queues it. In this order: a message always finds its record."""
    body = {"model": MODEL, "prompt": prompt}
    now = datetime.datetime.now(datetime.timezone.utc).isoformat()
    await office.facts("owners", OWNER, {"authorized": True, "remaining_credits": "500", "as_of": now})
    await office.facts(
        "specifications",
        operation_id,
        {"current_revision": 1, "model": MODEL, "model_available": True, "active": True,
         "estimated_credits": "12", "body": body},
    )
    await office.open(
        operation_id,
        {"provider": "genace", "account": "main", "owner": OWNER, "model": MODEL, "phase": "prepared",
         "specification": {"id": operation_id, "revision": 1}},
    )
    await app.enqueue(submit, operation_id=operation_id, prompt=prompt)


@app.job(name="render.submit", queue="render", retries=2, retry_delay=PAUSE)
async def submit(operation_id: str, prompt: str, ctx: JobContext) -> None:
    """Sends the one request that costs money, and says what it can prove about it."""
    record = await office.operation(operation_id)
    if record["phase"] != "prepared":
        # An earlier try has begun, and nobody here knows what became of it. The office can find out.
        raise Unsure(f"{operation_id} is {record['phase']} already")
    try:
        await genace.reach()
    except NotSent as error:
        # The proof names this message: nobody else has sent it either.
        await office.report(
            operation_id,
            dispatch="confirmed_not_sent",
            dispatch_proof={"message_id": ctx.job_id, "attempts": ctx.attempt},
            error={"category": "connection", "detail": str(error)},
        )
        raise
    # Before the first byte: whoever finds the record like this must not send again.
    await office.report(operation_id, phase="submitting")
    try:
        job_id = await genace.create({"model": MODEL, "prompt": prompt, "client_reference": operation_id})
    except Rejected as error:
        await office.report(
            operation_id, phase="failed", dispatch="sent", error={"category": "rejected", "detail": str(error)}
        )
        return
    except Unsure as error:
        await office.report(operation_id, error={"category": "other", "detail": str(error)})
        raise
    await office.report(operation_id, phase="accepted", dispatch="sent", remote={"job_id": job_id})
    await app.enqueue(poll, operation_id=operation_id, job_id=job_id)


@app.job(name="render.poll", queue="render", retries=2, retry_delay=PAUSE)
async def poll(operation_id: str, job_id: str, ctx: JobContext) -> Snooze | None:
    """Looks at a render until it has ended."""
    recovery_id = await recovery_of(operation_id, ctx)
    if recovery_id is not None:
        # An operator replayed this message: one look, reported to the recovery.
        return await look(operation_id, job_id, recovery_id, ctx)
    seen = await read(operation_id, job_id, ctx)
    changes = {"remote": seen.remote()}
    if seen.charge is not None:
        changes["charge"] = seen.charge
    if seen.execution in ("queued", "running", "unknown"):
        await office.report(operation_id, **changes)
        return Snooze(seconds=PAUSE, reason=f"it is {seen.raw_status}")
    succeeded = seen.execution == "succeeded"
    await office.report(operation_id, phase="succeeded" if succeeded else "failed", **changes)
    if succeeded:
        await app.enqueue(deliver, operation_id=operation_id, job_id=job_id)


@app.job(name="render.deliver", queue="delivery", retries=2, retry_delay=PAUSE)
async def deliver(
    operation_id: str, ctx: JobContext, job_id: str | None = None, recovery_id: str | None = None
) -> None:
    """Copies the outputs that are not ours yet, from a fresh read: their links do not live long."""
    recovery_id = recovery_id or await recovery_of(operation_id, ctx)
    record = await office.operation(operation_id)
    job_id = job_id or record["remote"]["job_id"]
    ours = {copy["index"] for copy in record["outputs"] if copy["state"] == "delivered"}
    seen = await read(operation_id, job_id, ctx)
    copies = []
    for index, link in enumerate(seen.links):
        if index not in ours:
            copies.append(await copy_output(operation_id, job_id, index, link))
    if recovery_id is not None:
        await office.report_recovery(recovery_id, {"outputs": copies, "outcome": "done"})
    else:
        await office.report(operation_id, outputs=copies, phase="delivered")


@app.job(name="render.observe", queue="render", retries=2, retry_delay=PAUSE)
async def observe(operation_id: str, recovery_id: str, ctx: JobContext) -> None:
    """Carries out what the office handed back: `execute = "queue"`, `job_name = "render.observe"`."""
    recovery = await office.recovery(recovery_id)
    await look(operation_id, recovery["remote_job_id"], recovery_id, ctx)


async def look(operation_id: str, job_id: str, recovery_id: str, ctx: JobContext) -> None:
    """One good read of the job, reported to the recovery, which ends with it."""
    seen = await read(operation_id, job_id, ctx)
    if seen.charge is not None:
        await office.report(operation_id, charge=seen.charge)
    await office.report_recovery(recovery_id, {"observation": seen.remote(), "outcome": "done"})


async def recovery_of(operation_id: str, ctx: JobContext) -> str | None:
    """The recovery that made this very job, when an operator replayed the message: it names none itself."""
    record = await office.operation(operation_id)
    for recovery in record["recoveries"]:
        if recovery["job_id"] == ctx.job_id and recovery["finished_at"] is None:
            return recovery["id"]
    return None


async def read(operation_id: str, job_id: str, ctx: JobContext) -> Seen:
    """A good read. Another one raises, so that Soniq tries again; the last try reports what went wrong. When the job
    dies, the office ends the recovery by itself."""
    seen = await genace.read(job_id)
    if seen.fetch != "ok":
        if ctx.attempt >= ctx.max_attempts:
            await office.report(operation_id, remote=seen.remote())
        raise RuntimeError(f"GET /v1/jobs/{job_id}: {seen.fetch}")
    return seen


async def copy_output(operation_id: str, job_id: str, index: int, link: str) -> dict:
    """Writes one output beside its place and moves it there: a half-written file is never found."""
    data = await genace.fetch(link)
    key = f"{hashlib.sha256(operation_id.encode()).hexdigest()[:16]}/{job_id}-{index}"
    place = OUTPUTS / key
    place.parent.mkdir(parents=True, exist_ok=True)
    staged = place.with_suffix(".part")
    staged.write_bytes(data)
    staged.replace(place)
    return {"index": index, "state": "delivered", "storage_key": key, "bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest()}


async def main() -> None:
    async with app:
        await order(*sys.argv[1:3])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    asyncio.run(main())
