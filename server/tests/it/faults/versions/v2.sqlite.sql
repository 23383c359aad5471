BEGIN TRANSACTION;
CREATE TABLE dlo_attempts (
    id TEXT PRIMARY KEY,
    operation_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    recovery_id TEXT NOT NULL UNIQUE,
    started_at TEXT NOT NULL,
    UNIQUE (operation_id, number)
);
INSERT INTO "dlo_attempts" VALUES('01a22b59-b31b-74f4-aafa-a1abb3077ed0','op_sent',1,'01a22b59-b2bc-771d-8d63-0e10aa41da79','2026-11-30T07:27:08.577731+00:00');
CREATE TABLE dlo_audit (
    seq BIGINT PRIMARY KEY,
    at TEXT NOT NULL,
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
INSERT INTO "dlo_audit" VALUES(1,'2026-11-30T07:27:07.436899+00:00','system','admin','token_created',NULL,NULL,NULL,NULL,NULL,NULL,'old as admin, token 01a22b59-aeac-7728-90e7-97f93e9bb82b','[]','609c0c9a73025d2b673d4609324753295bf31d6d49c956f073c37c17c35239dc');
INSERT INTO "dlo_audit" VALUES(2,'2026-11-30T07:27:08.477476+00:00','old','admin','dispatch','submits_new_generation','op_sent',NULL,'01a22b59-b2bc-771d-8d63-0e10aa41da79',1,NULL,'due','[{"guard":"record_current","verdict":"pass","detail":"Revision 1 is the newest."},{"guard":"no_active_recovery","verdict":"pass","detail":"None is requested or running."},{"guard":"operator_permitted","verdict":"pass","detail":"old has the role admin; approver is enough."},{"guard":"message_not_superseded","verdict":"pass","detail":"No message led here."},{"guard":"provider_pinned","verdict":"pass","detail":"genace, account main: fingerprint e067b9 matches."},{"guard":"confirmed_not_sent","verdict":"pass","detail":"It is recorded that nothing was sent."},{"guard":"no_earlier_open_attempt","verdict":"pass","detail":"Nothing was attempted before."},{"guard":"no_competing_job","verdict":"pass","detail":"No queued or processing job names op_sent; nobody else replayed it."},{"guard":"specification_current","verdict":"pass","detail":"spec_9 r3 is the current revision."},{"guard":"model_available","verdict":"pass","detail":"m is available."},{"guard":"owner_authorized","verdict":"pass","detail":"studio may create."},{"guard":"budget_sufficient","verdict":"pass","detail":"100 credits remain, 0 reserved elsewhere, 12 needed: 88 would be left."},{"guard":"facts_fresh","verdict":"pass","detail":"Owner facts are 1 s old; they block at 24 h."},{"guard":"creation_not_paused","verdict":"pass","detail":"genace: creation is on."},{"guard":"parent_settled","verdict":"pass","detail":"op_sent has no parent."}]','a5af91a784c5febf0df38dc49d0556304d8bdb5adcb1d46f16a42dd214009430');
INSERT INTO "dlo_audit" VALUES(3,'2026-11-30T07:27:08.650194+00:00','old','admin','observe','reads_status','op_seen',NULL,'01a22b59-b32e-76e9-b410-f9899191fb37',1,NULL,'due','[{"guard":"record_current","verdict":"pass","detail":"Revision 1 is the newest."},{"guard":"no_active_recovery","verdict":"pass","detail":"None is requested or running."},{"guard":"operator_permitted","verdict":"pass","detail":"old has the role admin; operator is enough."},{"guard":"message_not_superseded","verdict":"pass","detail":"No message led here."},{"guard":"job_known","verdict":"pass","detail":"gj_old is attached."},{"guard":"provider_pinned","verdict":"pass","detail":"genace, account main: fingerprint e067b9 matches."},{"guard":"credentials_accepted","verdict":"pass","detail":"Nothing was refused yet: it was never read."}]','09d4a792231d017f865f872986854b8cc1e71fbf678d3cf865fd2a5935bfdb72');
INSERT INTO "dlo_audit" VALUES(4,'2026-11-30T07:27:08.684065+00:00','worker','admin','dispatch_ended_succeeded','submits_new_generation','op_sent',NULL,'01a22b59-b2bc-771d-8d63-0e10aa41da79',1,3,'The provider accepted it as gj_new: 201 with a job id.','[]','353e1e18b06c3ff3b0df8f73122dc1ce7f4a63b8b220da3990b5066c2986a420');
INSERT INTO "dlo_audit" VALUES(5,'2026-11-30T07:27:08.742685+00:00','old','admin','close_unresolved','records_decision','op_closed',NULL,NULL,1,2,'not worth it','[{"guard":"record_current","verdict":"pass","detail":"Revision 1 is the newest."},{"guard":"no_active_recovery","verdict":"pass","detail":"None is requested or running."},{"guard":"operator_permitted","verdict":"pass","detail":"old has the role admin; operator is enough."},{"guard":"message_not_superseded","verdict":"pass","detail":"No message led here."}]','635f99dd57fa1bb1e4963f257be25ab93a2a2e540268eb9041cc06abf27e70b9');
INSERT INTO "dlo_audit" VALUES(6,'2026-11-30T07:27:08.893371+00:00','worker','admin','observe_ended_succeeded','reads_status','op_seen',NULL,'01a22b59-b32e-76e9-b410-f9899191fb37',1,2,'Job gj_old is failed.','[]','419a0b86a3ee622400847fa78e24ceab4a56fa539a2585eceac474a620e06bf5');
CREATE TABLE dlo_decisions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    operation_id TEXT NOT NULL,
    decision TEXT NOT NULL,
    detail TEXT NOT NULL,
    decided_by TEXT NOT NULL,
    role TEXT NOT NULL,
    reason TEXT NOT NULL,
    revision BIGINT NOT NULL,
    decided_at TEXT NOT NULL
);
INSERT INTO "dlo_decisions" VALUES(1,'op_closed','close_unresolved','{}','old','admin','not worth it',2,'2026-11-30T07:27:08.742685+00:00');
CREATE TABLE dlo_events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    operation_id TEXT NOT NULL,
    body TEXT NOT NULL,
    at TEXT NOT NULL
);
INSERT INTO "dlo_events" VALUES(1,'op_sent','{"at":"2026-11-30T07:27:08.263572Z","kind":"report","lane":"our_side","title":"prepared","detail":"recorded; evidence confirmed_not_sent","source":"reported","money":null,"phase":"prepared","execution":null,"revision":1}','2026-11-30T07:27:08.263572+00:00');
INSERT INTO "dlo_events" VALUES(2,'op_seen','{"at":"2026-11-30T07:27:08.357422Z","kind":"report","lane":"our_side","title":"accepted","detail":"recorded; evidence sent; job gj_old","source":"reported","money":null,"phase":"accepted","execution":null,"revision":1}','2026-11-30T07:27:08.357422+00:00');
INSERT INTO "dlo_events" VALUES(3,'op_closed','{"at":"2026-11-30T07:27:08.412135Z","kind":"report","lane":"our_side","title":"accepted","detail":"recorded; evidence sent","source":"reported","money":null,"phase":"accepted","execution":null,"revision":1}','2026-11-30T07:27:08.412135+00:00');
INSERT INTO "dlo_events" VALUES(4,'op_sent','{"at":"2026-11-30T07:27:08.577731Z","kind":"attempt","lane":"our_side","title":"submitting","detail":"the creation request may leave from now on","source":"worker","money":null,"phase":"submitting","execution":null,"revision":2}','2026-11-30T07:27:08.577731+00:00');
INSERT INTO "dlo_events" VALUES(5,'op_sent','{"at":"2026-11-30T07:27:08.684065Z","kind":"receipt","lane":"our_side","title":"accepted","detail":"attempt 1: 201 with a job id; it names gj_new","source":"worker","money":null,"phase":"accepted","execution":null,"revision":3}','2026-11-30T07:27:08.684065+00:00');
INSERT INTO "dlo_events" VALUES(6,'op_closed','{"at":"2026-11-30T07:27:08.742685Z","kind":"decision","lane":"our_side","title":"close unresolved","detail":"not worth it","source":"old","money":null,"phase":null,"execution":null,"revision":2}','2026-11-30T07:27:08.742685+00:00');
INSERT INTO "dlo_events" VALUES(7,'op_seen','{"at":"2026-11-30T07:27:08.892083951Z","kind":"observation","lane":"remote","title":"failed","detail":"gj_old: the provider says failed","source":"we asked","money":"12 charged","phase":"failed","execution":"failed","revision":2}','2026-11-30T07:27:08.892083+00:00');
INSERT INTO "dlo_events" VALUES(8,'op_seen','{"at":"2026-01-01T00:00:01Z","kind":"dead_letter","lane":"neither","title":"observe","detail":"message 11111111-1111-4111-8111-111111111111 died after 3 attempts","source":"queue","money":null,"phase":null,"execution":null,"revision":3}','2026-01-01T00:00:01.000000+00:00');
CREATE TABLE dlo_idempotency (
    caller TEXT NOT NULL,
    route TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    status BIGINT NOT NULL,
    answer TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (caller, route, key)
);
INSERT INTO "dlo_idempotency" VALUES('old','/operations/op_sent/recoveries','4b1ffa5d-16fc-4f27-95be-a7ce68a032ba','f16a83062ab229b8c4df5cd4bd2065deadd5540653754b1f36218d6cd6340874',202,'{"recovery_id":"01a22b59-b2bc-771d-8d63-0e10aa41da79","state":"requested","job_id":"26756cc5-a920-459a-a773-9b4137cb1083"}','2026-11-30T07:27:08.477476+00:00');
INSERT INTO "dlo_idempotency" VALUES('old','/operations/op_seen/recoveries','d7b27667-af8e-4f42-a952-3d26fb214832','b8ef61312993c6a1eb5705476bb4b38d46d778e6f95c4ffb1466618b3e589df2',202,'{"recovery_id":"01a22b59-b32e-76e9-b410-f9899191fb37","state":"requested","job_id":"85390409-ce1b-43d2-aff7-3145107f7325"}','2026-11-30T07:27:08.650194+00:00');
INSERT INTO "dlo_idempotency" VALUES('old','/operations/op_closed/decisions','3a1c9622-fb55-405b-98d6-13af123a0a0a','c6d17729ba78db09df29e17b4150b97c92c5d0c508ee8eecace3058df9add3d6',200,'[2,{"operation_id":"op_closed","revision":2,"action":"acknowledge","effect":"none","label":"closed","refund_unresolved":true,"summary":"Marks the message as obsolete. Sends nothing, copies nothing. old closed the operation (close_unresolved).","role":"operator","allowed":true,"guards":[{"guard":"record_current","verdict":"pass","detail":"Revision 2 is the newest."},{"guard":"no_active_recovery","verdict":"pass","detail":"None is requested or running."},{"guard":"operator_permitted","verdict":"pass","detail":"old has the role admin; operator is enough."},{"guard":"message_not_superseded","verdict":"pass","detail":"No message led here."}],"alternatives":[],"refused":[{"action":"dispatch","why":"A request was sent. A new generation could be billed twice."},{"action":"observe","why":"No job id is known: there is nothing to read."},{"action":"deliver","why":"The operation is closed: it has to be reopened first."},{"action":"inspect_accounting","why":"The operation is closed; its money can still be decided by a person."},{"action":"reconcile","why":"Nothing is left to decide about what was sent or rendered."}],"row":2,"job_id":null,"outputs":[],"decisions":["attach_job","refund_confirmed","charge_accepted","refund_requested","acknowledge_obsolete","prepare_new_operation","reopen"],"planned_at":"2026-11-30T07:27:08.742685Z"}]','2026-11-30T07:27:08.742685+00:00');
CREATE TABLE dlo_known_jobs (
    operation_id TEXT NOT NULL,
    job_id TEXT NOT NULL,
    -- it is the operation's attached one
    held INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (operation_id, job_id)
);
INSERT INTO "dlo_known_jobs" VALUES('op_seen','gj_old',1);
INSERT INTO "dlo_known_jobs" VALUES('op_sent','gj_new',1);
CREATE TABLE dlo_leases (
    job_id TEXT PRIMARY KEY,
    attempt BIGINT NOT NULL,
    until_at TEXT NOT NULL
);
CREATE TABLE dlo_messages (
    message_id TEXT PRIMARY KEY,
    operation_id TEXT,
    -- a person linked it to the operation; the message itself names none
    linked INTEGER NOT NULL DEFAULT 0,
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
    died_at TEXT NOT NULL,
    resurrections BIGINT NOT NULL DEFAULT 0,
    own_replays BIGINT NOT NULL DEFAULT 0,
    last_resurrection_at TEXT,
    disposition TEXT NOT NULL DEFAULT 'open',
    disposed_by TEXT,
    disposed_at TEXT,
    purged_at TEXT,
    -- index over derived values of its operation
    phase TEXT,
    label TEXT NOT NULL,
    next_action TEXT,
    owner TEXT
);
INSERT INTO "dlo_messages" VALUES('11111111-1111-4111-8111-111111111111','op_seen',0,NULL,'observe','timeout','timeout: read timeout','render.poll','render','max_retries_exceeded',3,3,'2026-01-01T00:00:01.000000+00:00',0,0,NULL,'open',NULL,NULL,NULL,'failed','remote_render_failed','inspect_accounting','studio');
INSERT INTO "dlo_messages" VALUES('22222222-2222-4222-8222-222222222222','op_nobody',0,NULL,'observe','timeout','timeout: read timeout','render.poll','render','max_retries_exceeded',3,3,'2026-01-01T00:00:02.000000+00:00',0,0,NULL,'open',NULL,NULL,NULL,NULL,'no_operation_record',NULL,NULL);
CREATE TABLE dlo_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
);
INSERT INTO "dlo_migrations" VALUES(1,'soniq','2026-11-30 07:27:06',1,X'A4F35819F8A8A3E88C41AB1CC17E8A63C89DE1FEAE66E1549A5A5D5958C76B8849174F371A95236C7A08BDD6F616B35C',5021486);
INSERT INTO "dlo_migrations" VALUES(2,'office','2026-11-30 07:27:06',1,X'FBB1DCB76CAB6AB6B567E3D36D293C0F8DAD7999A8B738DD912FCCB5874D06AA761B13531DC3C28191BC5170FB2F35DC',22704954);
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
    not_sent_since TEXT,
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
    outside_send_excluded_through TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    -- index over derived values
    label TEXT NOT NULL,
    next_action TEXT NOT NULL,
    refund_unresolved INTEGER NOT NULL,
    charged_credits TEXT
);
INSERT INTO "dlo_operations" VALUES('op_sent',3,'genace','main','e067b920f9e037eb','studio','spec_9',3,'m','accepted','sent',NULL,NULL,'gj_new','{"fetch":null,"execution":null,"reason":null,"raw_status":null,"outputs":null,"outputs_expected":null,"empty_observations":0,"observed_at":null,"source":null,"read_at":null,"contradiction":null}','{"state":"unknown","reserved":null,"charged":null,"refunded":null}','[]','[]','[]','[]','[]',NULL,NULL,NULL,'[]',NULL,'2026-11-30T07:27:08.263572+00:00','2026-11-30T07:27:08.684065+00:00','render_in_progress','observe',0,NULL);
INSERT INTO "dlo_operations" VALUES('op_seen',3,'genace','main','e067b920f9e037eb','studio','spec_9',3,'m','failed','sent',NULL,NULL,'gj_old','{"fetch":"ok","execution":"failed","reason":"moderation","raw_status":null,"outputs":null,"outputs_expected":null,"empty_observations":0,"observed_at":"2026-11-30T07:27:08.892083951Z","source":"get","read_at":"2026-11-30T07:27:08.892083951Z","contradiction":null}','{"state":"charged","reserved":"0","charged":"12","refunded":"0"}','[]','[]','[]','[]','[]',NULL,NULL,NULL,'[]',NULL,'2026-11-30T07:27:08.357422+00:00','2026-11-30T07:27:09.086512+00:00','remote_render_failed','inspect_accounting',1,'12');
INSERT INTO "dlo_operations" VALUES('op_closed',2,'genace','main','e067b920f9e037eb','studio','spec_9',3,'m','accepted','sent',NULL,NULL,NULL,'{"fetch":null,"execution":null,"reason":null,"raw_status":null,"outputs":null,"outputs_expected":null,"empty_observations":0,"observed_at":null,"source":null,"read_at":null,"contradiction":null}','{"state":"unknown","reserved":null,"charged":null,"refunded":null}','[]','[]','[]','[]','[]',NULL,NULL,'{"decision":"close_unresolved","by":"old","at":"2026-11-30T07:27:08.742685Z","reason":"not worth it"}','[]',NULL,'2026-11-30T07:27:08.412135+00:00','2026-11-30T07:27:08.742685+00:00','closed','acknowledge',1,NULL);
CREATE TABLE dlo_operators (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    disabled_at TEXT
);
CREATE TABLE dlo_owners (
    id TEXT PRIMARY KEY,
    authorized INTEGER NOT NULL,
    remaining_credits TEXT NOT NULL,
    as_of TEXT NOT NULL
);
INSERT INTO "dlo_owners" VALUES('studio',1,'100','2026-11-30T07:27:07.000000+00:00');
CREATE TABLE dlo_paused_providers (
    provider TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    paused_by TEXT NOT NULL,
    paused_at TEXT NOT NULL
);
CREATE TABLE dlo_receipts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    attempt_id TEXT NOT NULL,
    operation_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    job_id TEXT,
    body TEXT NOT NULL,
    received_at TEXT NOT NULL
);
INSERT INTO "dlo_receipts" VALUES(1,'01a22b59-b31b-74f4-aafa-a1abb3077ed0','op_sent','accepted','gj_new','{"kind":"accepted","status":201,"job_id":"gj_new","job_id_at":"/job/id","charge":null,"detail":"201 with a job id","category":null}','2026-11-30T07:27:08.684065+00:00');
CREATE TABLE dlo_recoveries (
    id TEXT PRIMARY KEY,
    operation_id TEXT NOT NULL,
    dead_letter_id TEXT,
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
    queue_job_id TEXT,
    -- the provider's id that the action reads
    remote_job_id TEXT,
    follow INTEGER NOT NULL DEFAULT 0,
    -- builtin: our worker; queue: the application's
    execute TEXT NOT NULL DEFAULT 'builtin',
    -- fencing: only the holder of the newest token may write
    fence BIGINT NOT NULL DEFAULT 0,
    lease_until TEXT,
    -- credits held back from the owner until the recovery ends or facts say more
    owner TEXT,
    reserved TEXT,
    reservation_open INTEGER NOT NULL DEFAULT 0,
    -- a person may still confirm until then (approval), or a creation may be sent until then
    valid_until TEXT,
    created_at TEXT NOT NULL,
    started_at TEXT,
    heard_at TEXT NOT NULL,
    finished_at TEXT
);
INSERT INTO "dlo_recoveries" VALUES('01a22b59-b2bc-771d-8d63-0e10aa41da79','op_sent',NULL,'dispatch','submits_new_generation','succeeded','The provider accepted it as gj_new: 201 with a job id.','old','admin',NULL,'due',1,3,'26756cc5-a920-459a-a773-9b4137cb1083',NULL,0,'builtin',2,NULL,'studio','12',1,'2026-11-30T07:42:08.477476+00:00','2026-11-30T07:27:08.477476+00:00','2026-11-30T07:27:08.577731+00:00','2026-11-30T07:27:08.684065+00:00','2026-11-30T07:27:08.684065+00:00');
INSERT INTO "dlo_recoveries" VALUES('01a22b59-b32e-76e9-b410-f9899191fb37','op_seen',NULL,'observe','reads_status','succeeded','Job gj_old is failed.','old','admin',NULL,'due',1,2,'85390409-ce1b-43d2-aff7-3145107f7325','gj_old',0,'builtin',2,NULL,NULL,NULL,0,NULL,'2026-11-30T07:27:08.650194+00:00','2026-11-30T07:27:08.821784+00:00','2026-11-30T07:27:08.893371+00:00','2026-11-30T07:27:08.893371+00:00');
CREATE TABLE dlo_replays (
    job_id TEXT PRIMARY KEY,
    dead_letter_id TEXT NOT NULL,
    recovery_id TEXT,
    replayed_by TEXT NOT NULL,
    reason TEXT NOT NULL,
    replayed_at TEXT NOT NULL
);
CREATE TABLE dlo_sessions (
    id TEXT PRIMARY KEY,
    data TEXT NOT NULL,
    expires_at TEXT NOT NULL
);
CREATE TABLE dlo_specifications (
    id TEXT PRIMARY KEY,
    current_revision BIGINT NOT NULL,
    model TEXT,
    model_available INTEGER NOT NULL,
    active INTEGER NOT NULL,
    estimated_credits TEXT NOT NULL,
    -- write-only: what the provider is asked for
    body TEXT,
    as_of TEXT NOT NULL
);
INSERT INTO "dlo_specifications" VALUES('spec_9',3,'m',1,1,'12','{"prompt":"a red fox"}','2026-11-30T07:27:07.860412+00:00');
CREATE TABLE dlo_tokens (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    last_used_at TEXT,
    revoked_at TEXT
);
INSERT INTO "dlo_tokens" VALUES('01a22b59-aeac-7728-90e7-97f93e9bb82b','old','admin','8b4c2340dffc0efda02d9e29c6598e723a949a88b652a76e9fa8979496ac5844','2026-11-30T07:27:07.436899+00:00','2026-11-30T07:27:07.843029+00:00',NULL);
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
CREATE UNIQUE INDEX dlo_operations_job ON dlo_operations (provider, account, job_id) WHERE job_id IS NOT NULL;
CREATE INDEX dlo_operations_updated ON dlo_operations (updated_at DESC, id);
CREATE INDEX dlo_operations_label ON dlo_operations (label, updated_at DESC, id);
CREATE INDEX dlo_operations_action ON dlo_operations (next_action, updated_at DESC, id);
CREATE INDEX dlo_operations_owner ON dlo_operations (owner, updated_at DESC, id);
CREATE INDEX dlo_operations_unresolved ON dlo_operations (charged_credits, refund_unresolved) WHERE refund_unresolved;
CREATE INDEX dlo_operations_unknown ON dlo_operations (dispatch, job_id, closure)
    WHERE dispatch = 'outcome_unknown' AND job_id IS NULL AND closure IS NULL;
CREATE INDEX dlo_operations_parent ON dlo_operations (parent) WHERE parent IS NOT NULL;
CREATE INDEX dlo_known_jobs_job ON dlo_known_jobs (job_id);
CREATE INDEX dlo_messages_operation ON dlo_messages (operation_id, died_at DESC);
CREATE INDEX dlo_messages_died ON dlo_messages (died_at DESC, message_id) WHERE purged_at IS NULL;
CREATE INDEX dlo_messages_label ON dlo_messages (label, died_at DESC, message_id) WHERE purged_at IS NULL;
CREATE INDEX dlo_messages_action ON dlo_messages (next_action, died_at DESC, message_id) WHERE purged_at IS NULL;
CREATE INDEX dlo_messages_queue ON dlo_messages (queue, died_at DESC, message_id) WHERE purged_at IS NULL;
CREATE INDEX dlo_messages_category ON dlo_messages (error_category, died_at DESC, message_id) WHERE purged_at IS NULL;
CREATE INDEX dlo_messages_job ON dlo_messages (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX dlo_messages_owner ON dlo_messages (owner, died_at DESC, message_id) WHERE purged_at IS NULL;
CREATE INDEX dlo_messages_rail ON dlo_messages (label, queue, purged_at) WHERE purged_at IS NULL;
CREATE INDEX dlo_replays_dead_letter ON dlo_replays (dead_letter_id, replayed_at);
CREATE UNIQUE INDEX dlo_recoveries_active ON dlo_recoveries (operation_id) WHERE finished_at IS NULL;
CREATE INDEX dlo_recoveries_operation ON dlo_recoveries (operation_id, created_at DESC);
CREATE INDEX dlo_recoveries_created ON dlo_recoveries (created_at DESC, id);
CREATE INDEX dlo_recoveries_job ON dlo_recoveries (queue_job_id) WHERE queue_job_id IS NOT NULL;
CREATE INDEX dlo_recoveries_reserved ON dlo_recoveries (owner) WHERE reservation_open;
CREATE INDEX dlo_leases_until ON dlo_leases (until_at);
CREATE INDEX dlo_receipts_attempt ON dlo_receipts (attempt_id);
CREATE INDEX dlo_receipts_operation ON dlo_receipts (operation_id);
CREATE INDEX dlo_decisions_operation ON dlo_decisions (operation_id, seq);
CREATE INDEX dlo_events_operation ON dlo_events (operation_id, seq);
CREATE INDEX dlo_audit_operation ON dlo_audit (operation_id, seq DESC);
CREATE INDEX dlo_audit_actor ON dlo_audit (actor, seq DESC);
CREATE INDEX dlo_sessions_expiry ON dlo_sessions (expires_at);
CREATE INDEX dlo_idempotency_age ON dlo_idempotency (created_at);
CREATE INDEX dlo_dead_letters_order ON soniq_dead_letter_jobs (moved_to_dead_letter_at DESC, id);
CREATE INDEX dlo_dead_letters_queue ON soniq_dead_letter_jobs (queue, moved_to_dead_letter_at DESC, id);
CREATE INDEX dlo_dead_letters_name ON soniq_dead_letter_jobs (job_name, moved_to_dead_letter_at DESC, id);
CREATE INDEX dlo_dead_letters_reason ON soniq_dead_letter_jobs (dead_letter_reason, moved_to_dead_letter_at DESC, id);
CREATE INDEX dlo_dead_letters_replayed ON soniq_dead_letter_jobs (id) WHERE resurrection_count > 0;
CREATE INDEX dlo_jobs_claim ON soniq_jobs (queue, priority, scheduled_at, created_at) WHERE status = 'queued';
CREATE TRIGGER dlo_audit_no_update BEFORE UPDATE ON dlo_audit
    BEGIN SELECT RAISE(ABORT, 'dlo_audit is append-only'); END;
CREATE TRIGGER dlo_audit_no_delete BEFORE DELETE ON dlo_audit
    BEGIN SELECT RAISE(ABORT, 'dlo_audit is append-only'); END;
CREATE TRIGGER dlo_receipts_no_update BEFORE UPDATE ON dlo_receipts
    BEGIN SELECT RAISE(ABORT, 'dlo_receipts is append-only'); END;
CREATE TRIGGER dlo_receipts_no_delete BEFORE DELETE ON dlo_receipts
    BEGIN SELECT RAISE(ABORT, 'dlo_receipts is append-only'); END;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('dlo_events',8);
INSERT INTO "sqlite_sequence" VALUES('dlo_receipts',1);
INSERT INTO "sqlite_sequence" VALUES('dlo_decisions',1);
COMMIT;
