-- The tables of the Soniq job queue, version 0.1.0, as `soniq setup` leaves them.
--
-- They are Soniq's, not ours: same tables, columns, constraints and indexes under the same names, so that a
-- Soniq application can produce and consume beside us. On a database that Soniq has set up already every
-- statement here finds its object present and changes nothing. Never put a column, a trigger or a row of ours
-- into these tables; an index of ours must be named dlo_... and belongs in a later file.
--
-- soniq_migrations stays empty here: Soniq's files are idempotent, and `soniq setup` records them itself.

-- The lock that `soniq setup` holds (Soniq derives the number from the name "soniq.migrations"), so that both can start
-- on one empty database at the same moment. It ends with the transaction.
SELECT pg_advisory_xact_lock(-3170183739012905038);

-- ---- migrations ---------------------------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS soniq_migrations (
    id SERIAL PRIMARY KEY,
    version VARCHAR(255) NOT NULL UNIQUE,
    name TEXT NOT NULL,
    applied_at TIMESTAMP DEFAULT NOW(),
    checksum TEXT
);

CREATE INDEX IF NOT EXISTS idx_soniq_migrations_version ON soniq_migrations (version);

-- ---- workers ------------------------------------------------------------------------------------------------
-- Only continuous Soniq workers stand here. queues = '{}' means every queue.

CREATE TABLE IF NOT EXISTS soniq_workers (
    id UUID PRIMARY KEY,
    hostname TEXT NOT NULL,
    pid INTEGER NOT NULL,
    queues TEXT[] DEFAULT '{}',
    concurrency INTEGER NOT NULL DEFAULT 1,
    status TEXT NOT NULL DEFAULT 'active'
        CONSTRAINT soniq_workers_status_check CHECK (status IN ('active', 'stopping', 'stopped')),
    last_heartbeat TIMESTAMPTZ NOT NULL DEFAULT NOW(),
    started_at TIMESTAMPTZ NOT NULL DEFAULT NOW(),
    version TEXT,
    metadata JSONB DEFAULT '{}'
);

CREATE INDEX IF NOT EXISTS idx_soniq_workers_last_heartbeat ON soniq_workers (last_heartbeat);
CREATE INDEX IF NOT EXISTS idx_soniq_workers_status ON soniq_workers (status);
CREATE UNIQUE INDEX IF NOT EXISTS idx_soniq_workers_host_pid ON soniq_workers (hostname, pid);

-- ---- jobs ---------------------------------------------------------------------------------------------------
-- The status check is the contract's: a dead job never stands in this table.

CREATE TABLE IF NOT EXISTS soniq_jobs (
    id UUID PRIMARY KEY,
    job_name TEXT NOT NULL,
    args JSONB NOT NULL,
    args_hash TEXT,
    status TEXT NOT NULL DEFAULT 'queued'
        CONSTRAINT soniq_jobs_status_check CHECK (status IN ('queued', 'processing', 'done', 'cancelled')),
    attempts INTEGER DEFAULT 0,
    max_attempts INTEGER DEFAULT 3,
    queue TEXT DEFAULT 'default',
    priority INTEGER DEFAULT 100,
    unique_job BOOLEAN DEFAULT FALSE,
    dedup_key TEXT,
    scheduled_at TIMESTAMPTZ,
    expires_at TIMESTAMPTZ,
    last_error TEXT,
    result JSONB,
    producer_id TEXT,
    created_at TIMESTAMPTZ DEFAULT NOW(),
    updated_at TIMESTAMPTZ DEFAULT NOW(),
    worker_id UUID
        CONSTRAINT soniq_jobs_worker_id_fkey REFERENCES soniq_workers (id) ON DELETE SET NULL
);

CREATE INDEX IF NOT EXISTS idx_soniq_jobs_status_priority
    ON soniq_jobs (status, priority) WHERE status = 'queued';
CREATE INDEX IF NOT EXISTS idx_soniq_jobs_queue_status
    ON soniq_jobs (queue, status);
CREATE INDEX IF NOT EXISTS idx_soniq_jobs_queue_status_priority
    ON soniq_jobs (queue, status, priority, scheduled_at) WHERE status = 'queued';
CREATE INDEX IF NOT EXISTS idx_soniq_jobs_scheduled_at
    ON soniq_jobs (scheduled_at) WHERE scheduled_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_soniq_jobs_expires_at
    ON soniq_jobs (expires_at) WHERE expires_at IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS idx_soniq_jobs_unique_queued
    ON soniq_jobs (job_name, args_hash) WHERE status = 'queued' AND unique_job = TRUE;
CREATE INDEX IF NOT EXISTS idx_soniq_jobs_args_hash
    ON soniq_jobs (args_hash) WHERE unique_job = TRUE;
CREATE UNIQUE INDEX IF NOT EXISTS idx_soniq_jobs_dedup_key
    ON soniq_jobs (dedup_key) WHERE status = 'queued' AND dedup_key IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_soniq_jobs_worker_id
    ON soniq_jobs (worker_id) WHERE worker_id IS NOT NULL;

-- ---- task registry ------------------------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS soniq_task_registry (
    task_name TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    last_seen_at TIMESTAMPTZ NOT NULL,
    args_model_repr TEXT,
    PRIMARY KEY (task_name, worker_id)
);

CREATE INDEX IF NOT EXISTS idx_soniq_task_registry_task_name ON soniq_task_registry (task_name);

-- ---- dead letters -------------------------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS soniq_dead_letter_jobs (
    id UUID PRIMARY KEY,
    job_name TEXT NOT NULL,
    args JSONB NOT NULL,
    queue TEXT NOT NULL,
    priority INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    last_error TEXT,
    dead_letter_reason TEXT NOT NULL,
    original_created_at TIMESTAMPTZ NOT NULL,
    moved_to_dead_letter_at TIMESTAMPTZ NOT NULL,
    resurrection_count INTEGER DEFAULT 0,
    last_resurrection_at TIMESTAMPTZ,
    tags JSONB,
    created_at TIMESTAMPTZ DEFAULT NOW()
);

CREATE INDEX IF NOT EXISTS idx_soniq_dead_letter_jobs_job_name ON soniq_dead_letter_jobs (job_name);
CREATE INDEX IF NOT EXISTS idx_soniq_dead_letter_jobs_queue ON soniq_dead_letter_jobs (queue);
CREATE INDEX IF NOT EXISTS idx_soniq_dead_letter_jobs_reason ON soniq_dead_letter_jobs (dead_letter_reason);
CREATE INDEX IF NOT EXISTS idx_soniq_dead_letter_jobs_moved_at ON soniq_dead_letter_jobs (moved_to_dead_letter_at);

-- ---- what Soniq sets up besides, and we never touch: schedules, webhooks, logs -------------------------------

CREATE TABLE IF NOT EXISTS soniq_recurring_jobs (
    id UUID PRIMARY KEY,
    job_name TEXT NOT NULL,
    schedule_type TEXT NOT NULL
        CONSTRAINT soniq_recurring_jobs_schedule_type_check CHECK (schedule_type IN ('interval', 'cron')),
    schedule_value TEXT NOT NULL,
    priority INTEGER NOT NULL DEFAULT 100,
    queue TEXT NOT NULL DEFAULT 'default',
    max_attempts INTEGER NOT NULL DEFAULT 3,
    job_kwargs JSONB NOT NULL DEFAULT '{}',
    status TEXT NOT NULL DEFAULT 'active'
        CONSTRAINT soniq_recurring_jobs_status_check CHECK (status IN ('active', 'paused')),
    created_at TIMESTAMPTZ DEFAULT NOW(),
    last_run TIMESTAMPTZ,
    next_run TIMESTAMPTZ,
    run_count INTEGER NOT NULL DEFAULT 0,
    last_job_id UUID,
    updated_at TIMESTAMPTZ DEFAULT NOW()
);

CREATE INDEX IF NOT EXISTS idx_soniq_recurring_jobs_status ON soniq_recurring_jobs (status);
CREATE INDEX IF NOT EXISTS idx_soniq_recurring_jobs_next_run ON soniq_recurring_jobs (next_run);

CREATE TABLE IF NOT EXISTS soniq_webhook_endpoints (
    id TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    secret TEXT,
    events JSONB,
    active BOOLEAN DEFAULT TRUE,
    max_retries INTEGER DEFAULT 3,
    timeout_seconds INTEGER DEFAULT 30,
    headers JSONB,
    created_at TIMESTAMPTZ DEFAULT NOW(),
    updated_at TIMESTAMPTZ DEFAULT NOW()
);

CREATE TABLE IF NOT EXISTS soniq_webhook_deliveries (
    id TEXT PRIMARY KEY,
    endpoint_id TEXT NOT NULL
        CONSTRAINT soniq_webhook_deliveries_endpoint_id_fkey
        REFERENCES soniq_webhook_endpoints (id) ON DELETE CASCADE,
    event TEXT NOT NULL,
    payload JSONB NOT NULL,
    status TEXT NOT NULL DEFAULT 'pending',
    attempts INTEGER DEFAULT 0,
    max_attempts INTEGER DEFAULT 3,
    next_retry_at TIMESTAMPTZ,
    last_error TEXT,
    response_status INTEGER,
    response_body TEXT,
    created_at TIMESTAMPTZ DEFAULT NOW(),
    delivered_at TIMESTAMPTZ
);

CREATE INDEX IF NOT EXISTS idx_soniq_webhook_deliveries_status ON soniq_webhook_deliveries (status);
CREATE INDEX IF NOT EXISTS idx_soniq_webhook_deliveries_next_retry ON soniq_webhook_deliveries (next_retry_at);
CREATE INDEX IF NOT EXISTS idx_soniq_webhook_deliveries_endpoint ON soniq_webhook_deliveries (endpoint_id);

CREATE TABLE IF NOT EXISTS soniq_logs (
    id SERIAL PRIMARY KEY,
    timestamp TIMESTAMPTZ NOT NULL,
    level TEXT NOT NULL,
    message TEXT NOT NULL,
    logger_name TEXT NOT NULL,
    module TEXT,
    function TEXT,
    line_number INTEGER,
    request_id TEXT,
    job_id TEXT,
    job_name TEXT,
    queue TEXT,
    extra_data JSONB,
    exception_data JSONB,
    performance_data JSONB,
    created_at TIMESTAMPTZ DEFAULT NOW()
);

CREATE INDEX IF NOT EXISTS idx_soniq_logs_timestamp ON soniq_logs (timestamp);
CREATE INDEX IF NOT EXISTS idx_soniq_logs_job_id ON soniq_logs (job_id);
CREATE INDEX IF NOT EXISTS idx_soniq_logs_level ON soniq_logs (level);
CREATE INDEX IF NOT EXISTS idx_soniq_logs_request_id ON soniq_logs (request_id);
