"""Dead Letter Office, as an application talks to it: reports of operations, and of actions that were handed back."""

import asyncio
import json
import urllib.error
import urllib.parse
import urllib.request
import uuid

# A report is sent again so often when the office does not answer, or somebody else reported in between.
TRIES = 5


class Refused(Exception):
    """The office said no. `code` is stable, `detail` is for people."""

    def __init__(self, status: int, code: str, detail: str):
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code


class Office:
    """One office and one token of the role `reporter`."""

    def __init__(self, url: str, token: str):
        self._base = url.rstrip("/") + "/api/v1"
        self._token = token

    async def facts(self, kind: str, name: str, facts: dict) -> None:
        """What guards read: `owners` or `specifications`."""
        await self._call("PUT", f"/{kind}/{quoted(name)}", facts)

    async def open(self, operation_id: str, operation: dict) -> None:
        """Records a new operation. One that is recorded already stays as it is."""
        try:
            await self._call("PUT", path_of(operation_id), operation, {"If-None-Match": "*"})
        except Refused as refused:
            if refused.code != "already_exists":
                raise

    async def operation(self, operation_id: str) -> dict:
        """The operation as the office holds it, with its plan and its recoveries."""
        return await self._call("GET", path_of(operation_id))

    async def report(self, operation_id: str, **changes) -> None:
        """Reports what has changed. What is not named stays as it is."""
        for _ in range(TRIES):
            known = await self.operation(operation_id)
            match = {"If-Match": f'"{known["revision"]}"'}
            try:
                await self._call("PATCH", path_of(operation_id), changes, match)
                return
            except Refused as refused:
                # Somebody else has reported in between.
                if refused.code != "revision_mismatch":
                    raise
        raise Refused(412, "revision_mismatch", f"{operation_id} changes too fast")

    async def recovery(self, recovery_id: str) -> dict:
        """One recovery: what was asked for, by whom, and where it stands."""
        return await self._call("GET", f"/recoveries/{quoted(recovery_id)}")

    async def report_recovery(self, recovery_id: str, report: dict) -> None:
        """Reports what became of a handed-back action: an observation, outputs, an outcome, or several of them."""
        # Sent again with the same key, a report counts once.
        key = {"Idempotency-Key": str(uuid.uuid4())}
        await self._call("POST", f"/recoveries/{quoted(recovery_id)}/report", report, key)

    async def _call(self, method: str, path: str, body: dict | None = None, headers: dict | None = None) -> dict:
        for left in reversed(range(TRIES)):
            try:
                return await asyncio.to_thread(self._send, method, path, body, headers or {})
            except (urllib.error.URLError, TimeoutError):
                if left == 0:
                    raise
            except Refused as refused:
                if refused.status not in (429, 503) or left == 0:
                    raise
            await asyncio.sleep(0.5)
        raise AssertionError("the last try returns or raises")

    def _send(self, method: str, path: str, body: dict | None, headers: dict) -> dict:
        request = urllib.request.Request(
            self._base + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": "application/json", **headers},
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise refusal(error) from None
        return json.loads(text) if text else {}


def refusal(error: urllib.error.HTTPError) -> Refused:
    """The problem that the office describes."""
    try:
        problem = json.loads(error.read())
    except ValueError:
        problem = {}
    return Refused(error.code, problem.get("code", "unknown"), problem.get("detail", ""))


def quoted(name: str) -> str:
    """One segment of a path: `a/b c` is a legal id."""
    return urllib.parse.quote(name, safe="")


def path_of(operation_id: str) -> str:
    return f"/operations/{quoted(operation_id)}"
