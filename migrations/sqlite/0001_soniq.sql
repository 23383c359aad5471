-- The tables of the Soniq job queue, version 0.1.0, as its SQLite backend creates them.
--
-- They are Soniq's, not ours: same names, same columns, same order. On a database that Soniq has used already
-- every statement here finds its object present and changes nothing. Never put a column, a trigger or a row of
-- ours into these tables; an index of ours must be named dlo_... and belongs in a later file.
--
-- Times are text that is compared as text, so a writer always spells them YYYY-MM-DDTHH:MM:SS.ffffff+00:00.
-- args, result and tags are JSON as text; they may hold what strict JSON forbids (NaN, lone surrogates).

CREATE TABLE IF NOT EXISTS soniq_jobs (
    id TEXT PRIMARY KEY,
    job_name TEXT NOT NULL,
    args TEXT NOT NULL,
    args_hash TEXT,
    status TEXT NOT NULL DEFAULT 'queued'
        CHECK (status IN ('queued', 'processing', 'done', 'cancelled')),
    attempts INTEGER DEFAULT 0,
    max_attempts INTEGER DEFAULT 3,
    queue TEXT DEFAULT 'default',
    priority INTEGER DEFAULT 100,
    unique_job INTEGER DEFAULT 0,
    dedup_key TEXT,
    scheduled_at TEXT,
    expires_at TEXT,
    last_error TEXT,
    result TEXT,
    worker_id TEXT,
    producer_id TEXT,
    created_at TEXT,
    updated_at TEXT
);

-- Soniq's own spelling: these two carry "eq", not "soniq".
CREATE INDEX IF NOT EXISTS idx_eq_jobs_status_priority
    ON soniq_jobs (status, priority) WHERE status = 'queued';
CREATE INDEX IF NOT EXISTS idx_eq_jobs_queue_status
    ON soniq_jobs (queue, status);

-- The contract's second lock on the status: RAISE(ABORT) also stops INSERT OR IGNORE, which the check would
-- pass over in silence.
CREATE TRIGGER IF NOT EXISTS soniq_jobs_reject_dead_letter_insert
BEFORE INSERT ON soniq_jobs
FOR EACH ROW WHEN NEW.status = 'dead_letter'
BEGIN
    SELECT RAISE(ABORT, 'soniq_jobs.status=dead_letter is rejected: DLQ rows live in soniq_dead_letter_jobs');
END;

CREATE TRIGGER IF NOT EXISTS soniq_jobs_reject_dead_letter_update
BEFORE UPDATE ON soniq_jobs
FOR EACH ROW WHEN NEW.status = 'dead_letter'
BEGIN
    SELECT RAISE(ABORT, 'soniq_jobs.status=dead_letter is rejected: DLQ rows live in soniq_dead_letter_jobs');
END;

-- Only continuous Soniq workers stand here. queues = '[]' means every queue.
CREATE TABLE IF NOT EXISTS soniq_workers (
    id TEXT PRIMARY KEY,
    hostname TEXT NOT NULL,
    pid INTEGER NOT NULL,
    queues TEXT DEFAULT '[]',
    concurrency INTEGER DEFAULT 1,
    status TEXT DEFAULT 'active',
    last_heartbeat TEXT,
    started_at TEXT,
    metadata TEXT
);

CREATE TABLE IF NOT EXISTS soniq_dead_letter_jobs (
    id TEXT PRIMARY KEY,
    job_name TEXT NOT NULL,
    args TEXT NOT NULL,
    queue TEXT NOT NULL,
    priority INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    last_error TEXT,
    dead_letter_reason TEXT NOT NULL,
    original_created_at TEXT NOT NULL,
    moved_to_dead_letter_at TEXT NOT NULL,
    resurrection_count INTEGER DEFAULT 0,
    last_resurrection_at TEXT,
    tags TEXT,
    created_at TEXT
);

CREATE INDEX IF NOT EXISTS idx_soniq_dead_letter_jobs_job_name
    ON soniq_dead_letter_jobs (job_name);
CREATE INDEX IF NOT EXISTS idx_soniq_dead_letter_jobs_queue
    ON soniq_dead_letter_jobs (queue);
CREATE INDEX IF NOT EXISTS idx_soniq_dead_letter_jobs_reason
    ON soniq_dead_letter_jobs (dead_letter_reason);
CREATE INDEX IF NOT EXISTS idx_soniq_dead_letter_jobs_moved_at
    ON soniq_dead_letter_jobs (moved_to_dead_letter_at);
