-- Our own tables, all named dlo_. Facts are columns; label, next action and flag beside them are an index over
-- the derived values, rewritten in the transaction that changes the facts and never read as truth.

CREATE TABLE dlo_operations (
    id TEXT PRIMARY KEY,
    revision BIGINT NOT NULL,
    provider TEXT NOT NULL,
    account TEXT NOT NULL,
    fingerprint TEXT,
    owner TEXT NOT NULL,
    specification_id TEXT NOT NULL,
    specification_revision BIGINT NOT NULL,
    model TEXT,
    phase TEXT NOT NULL,
    dispatch TEXT NOT NULL,
    not_sent_since TIMESTAMPTZ,
    dispatch_proof TEXT,
    job_id TEXT,
    -- JSON documents of the record's nested facts
    remote TEXT NOT NULL,
    charge TEXT NOT NULL,
    outputs TEXT NOT NULL,
    other_jobs TEXT NOT NULL,
    settled_jobs TEXT NOT NULL,
    adopted_jobs TEXT NOT NULL,
    lost_outputs TEXT NOT NULL,
    error TEXT,
    parent TEXT,
    closure TEXT,
    accounting TEXT NOT NULL,
    outside_send_excluded_through TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    -- index over derived values
    label TEXT NOT NULL,
    next_action TEXT NOT NULL,
    refund_unresolved BOOLEAN NOT NULL,
    charged_credits TEXT
);
-- One operation holds a job id of a provider and account.
CREATE UNIQUE INDEX dlo_operations_job ON dlo_operations (provider, account, job_id) WHERE job_id IS NOT NULL;
CREATE INDEX dlo_operations_updated ON dlo_operations (updated_at DESC, id);
CREATE INDEX dlo_operations_label ON dlo_operations (label, updated_at DESC, id);
CREATE INDEX dlo_operations_action ON dlo_operations (next_action, updated_at DESC, id);
CREATE INDEX dlo_operations_owner ON dlo_operations (owner, updated_at DESC, id);
CREATE INDEX dlo_operations_unresolved ON dlo_operations (charged_credits, refund_unresolved) WHERE refund_unresolved;
-- Creation requests whose outcome nobody knows.
CREATE INDEX dlo_operations_unknown ON dlo_operations (dispatch, job_id, closure)
    WHERE dispatch = 'outcome_unknown' AND job_id IS NULL AND closure IS NULL;
-- One open child per parent is checked when it is prepared.
CREATE INDEX dlo_operations_parent ON dlo_operations (parent) WHERE parent IS NOT NULL;

-- Every job id ever known to an operation, to find who else knows it.
CREATE TABLE dlo_known_jobs (
    operation_id TEXT NOT NULL,
    job_id TEXT NOT NULL,
    -- it is the operation's attached one
    held BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (operation_id, job_id)
);
CREATE INDEX dlo_known_jobs_job ON dlo_known_jobs (job_id);

-- What each dead letter knew, kept also after its purge; and what people did with it.
CREATE TABLE dlo_messages (
    message_id UUID PRIMARY KEY,
    operation_id TEXT,
    -- a person linked it to the operation; the message itself names none
    linked BOOLEAN NOT NULL DEFAULT FALSE,
    job_id TEXT,
    action TEXT,
    error_category TEXT,
    -- redacted text of the error, for search
    safe_error TEXT NOT NULL,
    job_name TEXT NOT NULL,
    queue TEXT NOT NULL,
    reason TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    max_attempts BIGINT NOT NULL,
    -- as in the dead table, byte for byte, so that one order serves both
    died_at TIMESTAMPTZ NOT NULL,
    resurrections BIGINT NOT NULL DEFAULT 0,
    own_replays BIGINT NOT NULL DEFAULT 0,
    last_resurrection_at TIMESTAMPTZ,
    disposition TEXT NOT NULL DEFAULT 'open',
    disposed_by TEXT,
    disposed_at TIMESTAMPTZ,
    purged_at TIMESTAMPTZ,
    -- index over derived values of its operation
    phase TEXT,
    label TEXT NOT NULL,
    next_action TEXT,
    owner TEXT
);
CREATE INDEX dlo_messages_operation ON dlo_messages (operation_id, died_at DESC);
CREATE INDEX dlo_messages_died ON dlo_messages (died_at DESC, message_id) WHERE purged_at IS NULL;
CREATE INDEX dlo_messages_label ON dlo_messages (label, died_at DESC, message_id) WHERE purged_at IS NULL;
CREATE INDEX dlo_messages_action ON dlo_messages (next_action, died_at DESC, message_id) WHERE purged_at IS NULL;
CREATE INDEX dlo_messages_queue ON dlo_messages (queue, died_at DESC, message_id) WHERE purged_at IS NULL;
CREATE INDEX dlo_messages_category ON dlo_messages (error_category, died_at DESC, message_id) WHERE purged_at IS NULL;
CREATE INDEX dlo_messages_job ON dlo_messages (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX dlo_messages_owner ON dlo_messages (owner, died_at DESC, message_id) WHERE purged_at IS NULL;
-- The desk's rail counts from here alone.
CREATE INDEX dlo_messages_rail ON dlo_messages (label, queue, purged_at) WHERE purged_at IS NULL;

-- Who replayed which dead letter into which job: the contract stores none of it.
CREATE TABLE dlo_replays (
    job_id UUID PRIMARY KEY,
    dead_letter_id UUID NOT NULL,
    recovery_id UUID,
    replayed_by TEXT NOT NULL,
    reason TEXT NOT NULL,
    replayed_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX dlo_replays_dead_letter ON dlo_replays (dead_letter_id, replayed_at);

CREATE TABLE dlo_recoveries (
    id UUID PRIMARY KEY,
    operation_id TEXT NOT NULL,
    dead_letter_id UUID,
    action TEXT NOT NULL,
    effect TEXT NOT NULL,
    state TEXT NOT NULL,
    outcome TEXT,
    requested_by TEXT NOT NULL,
    requested_role TEXT NOT NULL,
    approved_by TEXT,
    reason TEXT NOT NULL,
    revision_before BIGINT NOT NULL,
    revision_after BIGINT,
    queue_job_id UUID,
    -- the provider's id that the action reads
    remote_job_id TEXT,
    follow BOOLEAN NOT NULL DEFAULT FALSE,
    -- builtin: our worker; queue: the application's
    execute TEXT NOT NULL DEFAULT 'builtin',
    -- fencing: only the holder of the newest token may write
    fence BIGINT NOT NULL DEFAULT 0,
    lease_until TIMESTAMPTZ,
    -- credits held back from the owner until the recovery ends or facts say more
    owner TEXT,
    reserved TEXT,
    reservation_open BOOLEAN NOT NULL DEFAULT FALSE,
    -- a person may still confirm until then (approval), or a creation may be sent until then
    valid_until TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    started_at TIMESTAMPTZ,
    heard_at TIMESTAMPTZ NOT NULL,
    finished_at TIMESTAMPTZ
);
-- At most one active recovery per operation.
CREATE UNIQUE INDEX dlo_recoveries_active ON dlo_recoveries (operation_id) WHERE finished_at IS NULL;
CREATE INDEX dlo_recoveries_operation ON dlo_recoveries (operation_id, created_at DESC);
CREATE INDEX dlo_recoveries_created ON dlo_recoveries (created_at DESC, id);
CREATE INDEX dlo_recoveries_job ON dlo_recoveries (queue_job_id) WHERE queue_job_id IS NOT NULL;
CREATE INDEX dlo_recoveries_reserved ON dlo_recoveries (owner) WHERE reservation_open;

-- Who works on a claimed job, and until when. The attempt is the fence: each claim counts it on.
CREATE TABLE dlo_leases (
    job_id UUID PRIMARY KEY,
    attempt BIGINT NOT NULL,
    until_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX dlo_leases_until ON dlo_leases (until_at);

-- One row per creation request, written before its first byte.
CREATE TABLE dlo_attempts (
    id UUID PRIMARY KEY,
    operation_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    recovery_id UUID NOT NULL UNIQUE,
    started_at TIMESTAMPTZ NOT NULL,
    UNIQUE (operation_id, number)
);

-- What came back, kept for ever. An attempt can have several: an unknown one, a late one, a person's.
CREATE TABLE dlo_receipts (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    attempt_id UUID NOT NULL,
    operation_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    job_id TEXT,
    body TEXT NOT NULL,
    received_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX dlo_receipts_attempt ON dlo_receipts (attempt_id);
CREATE INDEX dlo_receipts_operation ON dlo_receipts (operation_id);

CREATE TABLE dlo_decisions (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    operation_id TEXT NOT NULL,
    decision TEXT NOT NULL,
    detail TEXT NOT NULL,
    decided_by TEXT NOT NULL,
    role TEXT NOT NULL,
    reason TEXT NOT NULL,
    revision BIGINT NOT NULL,
    decided_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX dlo_decisions_operation ON dlo_decisions (operation_id, seq);

-- The operation's timeline.
CREATE TABLE dlo_events (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    operation_id TEXT NOT NULL,
    body TEXT NOT NULL,
    at TIMESTAMPTZ NOT NULL
);
CREATE INDEX dlo_events_operation ON dlo_events (operation_id, seq);

CREATE TABLE dlo_audit (
    seq BIGINT PRIMARY KEY,
    at TIMESTAMPTZ NOT NULL,
    actor TEXT NOT NULL,
    role TEXT NOT NULL,
    action TEXT NOT NULL,
    effect TEXT,
    operation_id TEXT,
    dead_letter_id TEXT,
    recovery_id TEXT,
    revision_before BIGINT,
    revision_after BIGINT,
    reason TEXT,
    guards TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE INDEX dlo_audit_operation ON dlo_audit (operation_id, seq DESC);
CREATE INDEX dlo_audit_actor ON dlo_audit (actor, seq DESC);

CREATE TABLE dlo_owners (
    id TEXT PRIMARY KEY,
    authorized BOOLEAN NOT NULL,
    remaining_credits TEXT NOT NULL,
    as_of TIMESTAMPTZ NOT NULL
);

CREATE TABLE dlo_specifications (
    id TEXT PRIMARY KEY,
    current_revision BIGINT NOT NULL,
    model TEXT,
    model_available BOOLEAN NOT NULL,
    active BOOLEAN NOT NULL,
    estimated_credits TEXT NOT NULL,
    -- write-only: what the provider is asked for
    body TEXT,
    as_of TIMESTAMPTZ NOT NULL
);

-- A switch per provider.
CREATE TABLE dlo_paused_providers (
    provider TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    paused_by TEXT NOT NULL,
    paused_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE dlo_operators (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    disabled_at TIMESTAMPTZ
);

CREATE TABLE dlo_tokens (
    id UUID PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    created_at TIMESTAMPTZ NOT NULL,
    last_used_at TIMESTAMPTZ,
    revoked_at TIMESTAMPTZ
);

CREATE TABLE dlo_sessions (
    id TEXT PRIMARY KEY,
    data TEXT NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX dlo_sessions_expiry ON dlo_sessions (expires_at);

-- First answers, by caller, route and key, for 24 hours. Refusals are not stored.
CREATE TABLE dlo_idempotency (
    caller TEXT NOT NULL,
    route TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    status BIGINT NOT NULL,
    answer TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (caller, route, key)
);
CREATE INDEX dlo_idempotency_age ON dlo_idempotency (created_at);

-- Indexes of ours on Soniq's tables: the desk's order, and what names an operation.
CREATE INDEX dlo_dead_letters_order ON soniq_dead_letter_jobs (moved_to_dead_letter_at DESC, id);
CREATE INDEX dlo_dead_letters_queue ON soniq_dead_letter_jobs (queue, moved_to_dead_letter_at DESC, id);
CREATE INDEX dlo_dead_letters_name ON soniq_dead_letter_jobs (job_name, moved_to_dead_letter_at DESC, id);
CREATE INDEX dlo_dead_letters_reason ON soniq_dead_letter_jobs (dead_letter_reason, moved_to_dead_letter_at DESC, id);
-- Who was replayed, by whomever.
CREATE INDEX dlo_dead_letters_replayed ON soniq_dead_letter_jobs (id) WHERE resurrection_count > 0;
CREATE INDEX dlo_jobs_claim ON soniq_jobs (queue, priority, scheduled_at, created_at) WHERE status = 'queued';

-- The audit and the receipts only grow.
CREATE FUNCTION dlo_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END
$$;
CREATE TRIGGER dlo_audit_append_only BEFORE UPDATE OR DELETE ON dlo_audit
    FOR EACH ROW EXECUTE FUNCTION dlo_refuse_change();
CREATE TRIGGER dlo_audit_no_truncate BEFORE TRUNCATE ON dlo_audit
    FOR EACH STATEMENT EXECUTE FUNCTION dlo_refuse_change();
CREATE TRIGGER dlo_receipts_append_only BEFORE UPDATE OR DELETE ON dlo_receipts
    FOR EACH ROW EXECUTE FUNCTION dlo_refuse_change();
