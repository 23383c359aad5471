BEGIN TRANSACTION;
CREATE TABLE dlo_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
);
INSERT INTO "dlo_migrations" VALUES(1,'soniq','2026-11-30 07:27:06',1,X'A4F35819F8A8A3E88C41AB1CC17E8A63C89DE1FEAE66E1549A5A5D5958C76B8849174F371A95236C7A08BDD6F616B35C',5021486);
CREATE TABLE soniq_dead_letter_jobs (
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
INSERT INTO "soniq_dead_letter_jobs" VALUES('11111111-1111-4111-8111-111111111111','render.poll','{"operation_id": "op_seen"}','render',50,3,3,'timeout: read timeout','max_retries_exceeded','2026-01-01T00:00:00.000000+00:00','2026-01-01T00:00:01.000000+00:00',0,NULL,NULL,'2026-01-01T00:00:01.000000+00:00');
INSERT INTO "soniq_dead_letter_jobs" VALUES('22222222-2222-4222-8222-222222222222','render.poll','{"operation_id": "op_nobody"}','render',50,3,3,'timeout: read timeout','max_retries_exceeded','2026-01-01T00:00:00.000000+00:00','2026-01-01T00:00:02.000000+00:00',NULL,NULL,NULL,'2026-01-01T00:00:02.000000+00:00');
CREATE TABLE soniq_jobs (
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
INSERT INTO "soniq_jobs" VALUES('26756cc5-a920-459a-a773-9b4137cb1083','generation.dispatch','{"operation_id":"op_sent","recovery_id":"01a22b59-b2bc-771d-8d63-0e10aa41da79"}',NULL,'done',1,5,'dead-letter-office',100,0,NULL,NULL,'2026-11-30T07:32:08.801559+00:00',NULL,NULL,NULL,NULL,'2026-11-30T07:27:08.477476+00:00','2026-11-30T07:27:08.801559+00:00');
INSERT INTO "soniq_jobs" VALUES('85390409-ce1b-43d2-aff7-3145107f7325','generation.observe','{"operation_id":"op_seen","recovery_id":"01a22b59-b32e-76e9-b410-f9899191fb37"}',NULL,'done',1,5,'dead-letter-office',100,0,NULL,NULL,'2026-11-30T07:32:08.914993+00:00',NULL,NULL,NULL,NULL,'2026-11-30T07:27:08.650194+00:00','2026-11-30T07:27:08.914993+00:00');
CREATE TABLE soniq_workers (
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
CREATE INDEX idx_eq_jobs_status_priority
    ON soniq_jobs (status, priority) WHERE status = 'queued';
CREATE INDEX idx_eq_jobs_queue_status
    ON soniq_jobs (queue, status);
CREATE TRIGGER soniq_jobs_reject_dead_letter_insert
BEFORE INSERT ON soniq_jobs
FOR EACH ROW WHEN NEW.status = 'dead_letter'
BEGIN
    SELECT RAISE(ABORT, 'soniq_jobs.status=dead_letter is rejected: DLQ rows live in soniq_dead_letter_jobs');
END;
CREATE TRIGGER soniq_jobs_reject_dead_letter_update
BEFORE UPDATE ON soniq_jobs
FOR EACH ROW WHEN NEW.status = 'dead_letter'
BEGIN
    SELECT RAISE(ABORT, 'soniq_jobs.status=dead_letter is rejected: DLQ rows live in soniq_dead_letter_jobs');
END;
CREATE INDEX idx_soniq_dead_letter_jobs_job_name
    ON soniq_dead_letter_jobs (job_name);
CREATE INDEX idx_soniq_dead_letter_jobs_queue
    ON soniq_dead_letter_jobs (queue);
CREATE INDEX idx_soniq_dead_letter_jobs_reason
    ON soniq_dead_letter_jobs (dead_letter_reason);
CREATE INDEX idx_soniq_dead_letter_jobs_moved_at
    ON soniq_dead_letter_jobs (moved_to_dead_letter_at);
COMMIT;
