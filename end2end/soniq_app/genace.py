"""The provider, as this application talks to it. Reading is free; `create` costs money and is never sent twice."""

import asyncio
import json
import socket
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field

EXECUTIONS = {"queued", "running", "succeeded", "failed", "cancelled", "expired"}
ENDED_BADLY = {"failed", "cancelled", "expired"}
FETCHES = {401: "unauthorized", 403: "forbidden", 404: "not_found", 429: "rate_limited"}


class NotSent(Exception):
    """No byte of the request has left: it can be sent later."""


class Rejected(Exception):
    """The provider refused, and made no job."""


class Unsure(Exception):
    """Anything else: the provider may have made a job, and bills it."""


@dataclass
class Seen:
    """One read of a job, in the office's words."""

    job_id: str
    fetch: str
    execution: str | None = None
    reason: str | None = None
    raw_status: str | None = None
    # None: the provider did not say; []: there are none.
    outputs: list | None = None
    charge: dict | None = None
    # Where the outputs can be fetched for a while. Never kept, never reported.
    links: list = field(default_factory=list)

    def remote(self) -> dict:
        """The axes, for a report. What was not said is left out: absent means unchanged."""
        axes = {
            "job_id": self.job_id,
            "fetch": self.fetch,
            "execution": self.execution,
            "reason": self.reason,
            "raw_status": self.raw_status,
            "outputs": self.outputs,
        }
        return {name: value for name, value in axes.items() if value is not None}


class Genace:
    def __init__(self, url: str, key: str, timeout: float = 20):
        self._base = url.rstrip("/")
        self._key = key
        self._timeout = timeout

    async def reach(self) -> None:
        """Whether anybody takes connections there: asked before anything is sent."""
        await asyncio.to_thread(self._reach)

    async def create(self, body: dict) -> str:
        """Sends the one request that costs money; answers the job's id."""
        return await asyncio.to_thread(self._create, body)

    async def read(self, job_id: str) -> Seen:
        """Reads a job. It never raises: what went wrong is an observation too."""
        return await asyncio.to_thread(self._read, job_id)

    async def fetch(self, url: str) -> bytes:
        """The bytes of one output."""
        return await asyncio.to_thread(self._fetch, url)

    def _reach(self) -> None:
        place = urllib.parse.urlsplit(self._base)
        port = place.port or {"https": 443}.get(place.scheme, 80)
        try:
            socket.create_connection((place.hostname, port), timeout=self._timeout).close()
        except OSError as error:
            raise NotSent(f"connect to {place.hostname}:{port}: {error}") from None

    def _create(self, body: dict) -> str:
        try:
            _, answer = self._json("POST", "/v1/generations", body)
        except urllib.error.HTTPError as error:
            told = told_by(error)
            # A job id counts at any status: a proxy may answer 502 for a job that was made.
            job_id = pointer(told, "error", "job_id")
            if job_id:
                return job_id
            if error.code in (400, 401, 402, 403, 404, 422) and told:
                raise Rejected(f"{error.code} {pointer(told, 'error', 'code')}") from None
            raise Unsure(f"POST /v1/generations -> {error.code}") from None
        except (OSError, ValueError) as error:
            raise Unsure(f"POST /v1/generations: {type(error).__name__}") from None
        job_id = pointer(answer, "job", "id")
        if not job_id:
            raise Unsure("the answer to POST /v1/generations names no job")
        return job_id

    def _read(self, job_id: str) -> Seen:
        try:
            _, job = self._json("GET", f"/v1/jobs/{urllib.parse.quote(job_id, safe='')}")
        except urllib.error.HTTPError as error:
            return Seen(job_id, FETCHES.get(error.code, "server_error" if error.code >= 500 else "bad_payload"))
        except ValueError:
            return Seen(job_id, "bad_payload")
        except OSError:
            return Seen(job_id, "network")
        if pointer(job, "id") != job_id or not isinstance(job.get("state"), str):
            return Seen(job_id, "bad_payload")
        outputs = job.get("outputs")
        known = job["state"] in EXECUTIONS
        return Seen(
            job_id,
            "ok",
            execution=job["state"] if known else "unknown",
            reason=reason_of(job),
            raw_status=job["state"][:64],
            outputs=None if outputs is None else [
                {"index": index, "content_type": output.get("content_type")} for index, output in enumerate(outputs)
            ],
            charge=charge_of(job.get("credits")),
            links=[output["url"] for output in outputs or []],
        )

    def _fetch(self, url: str) -> bytes:
        with urllib.request.urlopen(url, timeout=self._timeout) as answer:
            return answer.read()

    def _json(self, method: str, path: str, body: dict | None = None) -> tuple[int, dict]:
        request = urllib.request.Request(
            self._base + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=self._timeout) as answer:
            told = json.loads(answer.read())
        if not isinstance(told, dict):
            raise ValueError("not an object")
        return answer.status, told


def pointer(value, *names):
    """What stands below these names; None where nothing does."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def told_by(error: urllib.error.HTTPError):
    try:
        return json.loads(error.read())
    except ValueError:
        return None


def reason_of(job: dict) -> str:
    """Why it ended badly. Only the explicit marker means that a refund comes by itself."""
    if job["state"] not in EXECUTIONS:
        return "unrecognised"
    if job["state"] not in ENDED_BADLY:
        return "none"
    if pointer(job, "error", "submission_failure"):
        return "submission_failure"
    code = str(pointer(job, "error", "code") or "")
    if "moderat" in code:
        return "moderation"
    if "timeout" in code:
        return "timeout"
    return "provider_error" if code else "none"


def charge_of(credits: dict | None) -> dict | None:
    """What the provider says about money. A missing field is unknown, never zero; amounts travel as texts."""
    if not credits:
        return None
    amounts = {name: credits.get(name) for name in ("reserved", "charged", "refunded")}
    reserved, charged, refunded = (None if amount is None else float(amount) for amount in amounts.values())
    if credits.get("compensation") == "pending":
        state = "refund_pending"
    elif charged and refunded is not None and refunded >= charged:
        state = "refunded"
    elif charged and refunded:
        state = "partially_refunded"
    elif charged:
        state = "charged"
    elif charged is not None:
        state = "none"
    elif reserved:
        state = "reserved"
    else:
        state = "unknown"
    told = {name: str(amount) for name, amount in amounts.items() if amount is not None}
    return {"state": state, **told}
