CREATE FUNCTION public.dlo_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END
$$;
CREATE TABLE public.dlo_attempts (
    id uuid NOT NULL,
    operation_id text NOT NULL,
    number bigint NOT NULL,
    recovery_id uuid NOT NULL,
    started_at timestamp with time zone NOT NULL
);
CREATE TABLE public.dlo_audit (
    seq bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    role text NOT NULL,
    action text NOT NULL,
    effect text,
    operation_id text,
    dead_letter_id text,
    recovery_id text,
    revision_before bigint,
    revision_after bigint,
    reason text,
    guards text NOT NULL,
    hash text NOT NULL
);
CREATE TABLE public.dlo_decisions (
    seq bigint NOT NULL,
    operation_id text NOT NULL,
    decision text NOT NULL,
    detail text NOT NULL,
    decided_by text NOT NULL,
    role text NOT NULL,
    reason text NOT NULL,
    revision bigint NOT NULL,
    decided_at timestamp with time zone NOT NULL
);
ALTER TABLE public.dlo_decisions ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.dlo_decisions_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.dlo_events (
    seq bigint NOT NULL,
    operation_id text NOT NULL,
    body text NOT NULL,
    at timestamp with time zone NOT NULL
);
ALTER TABLE public.dlo_events ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.dlo_events_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.dlo_idempotency (
    caller text NOT NULL,
    route text NOT NULL,
    key text NOT NULL,
    body_hash text NOT NULL,
    status bigint NOT NULL,
    answer text NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.dlo_known_jobs (
    operation_id text NOT NULL,
    job_id text NOT NULL,
    held boolean DEFAULT false NOT NULL
);
CREATE TABLE public.dlo_leases (
    job_id uuid NOT NULL,
    attempt bigint NOT NULL,
    until_at timestamp with time zone NOT NULL
);
CREATE TABLE public.dlo_messages (
    message_id uuid NOT NULL,
    operation_id text,
    linked boolean DEFAULT false NOT NULL,
    job_id text,
    action text,
    error_category text,
    safe_error text NOT NULL,
    job_name text NOT NULL,
    queue text NOT NULL,
    reason text NOT NULL,
    attempts bigint NOT NULL,
    max_attempts bigint NOT NULL,
    died_at timestamp with time zone NOT NULL,
    resurrections bigint DEFAULT 0 NOT NULL,
    own_replays bigint DEFAULT 0 NOT NULL,
    last_resurrection_at timestamp with time zone,
    disposition text DEFAULT 'open'::text NOT NULL,
    disposed_by text,
    disposed_at timestamp with time zone,
    purged_at timestamp with time zone,
    phase text,
    label text NOT NULL,
    next_action text,
    owner text
);
CREATE TABLE public.dlo_migrations (
    version bigint NOT NULL,
    description text NOT NULL,
    installed_on timestamp with time zone DEFAULT now() NOT NULL,
    success boolean NOT NULL,
    checksum bytea NOT NULL,
    execution_time bigint NOT NULL
);
CREATE TABLE public.dlo_operations (
    id text NOT NULL,
    revision bigint NOT NULL,
    provider text NOT NULL,
    account text NOT NULL,
    fingerprint text,
    owner text NOT NULL,
    specification_id text NOT NULL,
    specification_revision bigint NOT NULL,
    model text,
    phase text NOT NULL,
    dispatch text NOT NULL,
    not_sent_since timestamp with time zone,
    dispatch_proof text,
    job_id text,
    remote text NOT NULL,
    charge text NOT NULL,
    outputs text NOT NULL,
    other_jobs text NOT NULL,
    settled_jobs text NOT NULL,
    adopted_jobs text NOT NULL,
    lost_outputs text NOT NULL,
    error text,
    parent text,
    closure text,
    accounting text NOT NULL,
    outside_send_excluded_through timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    label text NOT NULL,
    next_action text NOT NULL,
    refund_unresolved boolean NOT NULL,
    charged_credits text
);
CREATE TABLE public.dlo_operators (
    name text NOT NULL,
    role text NOT NULL,
    password_hash text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    disabled_at timestamp with time zone
);
CREATE TABLE public.dlo_owners (
    id text NOT NULL,
    authorized boolean NOT NULL,
    remaining_credits text NOT NULL,
    as_of timestamp with time zone NOT NULL
);
CREATE TABLE public.dlo_paused_providers (
    provider text NOT NULL,
    reason text NOT NULL,
    paused_by text NOT NULL,
    paused_at timestamp with time zone NOT NULL
);
CREATE TABLE public.dlo_receipts (
    seq bigint NOT NULL,
    attempt_id uuid NOT NULL,
    operation_id text NOT NULL,
    kind text NOT NULL,
    job_id text,
    body text NOT NULL,
    received_at timestamp with time zone NOT NULL
);
ALTER TABLE public.dlo_receipts ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.dlo_receipts_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.dlo_recoveries (
    id uuid NOT NULL,
    operation_id text NOT NULL,
    dead_letter_id uuid,
    action text NOT NULL,
    effect text NOT NULL,
    state text NOT NULL,
    outcome text,
    requested_by text NOT NULL,
    requested_role text NOT NULL,
    approved_by text,
    reason text NOT NULL,
    revision_before bigint NOT NULL,
    revision_after bigint,
    queue_job_id uuid,
    remote_job_id text,
    follow boolean DEFAULT false NOT NULL,
    execute text DEFAULT 'builtin'::text NOT NULL,
    fence bigint DEFAULT 0 NOT NULL,
    lease_until timestamp with time zone,
    owner text,
    reserved text,
    reservation_open boolean DEFAULT false NOT NULL,
    valid_until timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    heard_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone
);
CREATE TABLE public.dlo_replays (
    job_id uuid NOT NULL,
    dead_letter_id uuid NOT NULL,
    recovery_id uuid,
    replayed_by text NOT NULL,
    reason text NOT NULL,
    replayed_at timestamp with time zone NOT NULL
);
CREATE TABLE public.dlo_sessions (
    id text NOT NULL,
    data text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.dlo_specifications (
    id text NOT NULL,
    current_revision bigint NOT NULL,
    model text,
    model_available boolean NOT NULL,
    active boolean NOT NULL,
    estimated_credits text NOT NULL,
    body text,
    as_of timestamp with time zone NOT NULL
);
CREATE TABLE public.dlo_tokens (
    id uuid NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    hash text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone
);
CREATE TABLE public.soniq_dead_letter_jobs (
    id uuid NOT NULL,
    job_name text NOT NULL,
    args jsonb NOT NULL,
    queue text NOT NULL,
    priority integer NOT NULL,
    max_attempts integer NOT NULL,
    attempts integer NOT NULL,
    last_error text,
    dead_letter_reason text NOT NULL,
    original_created_at timestamp with time zone NOT NULL,
    moved_to_dead_letter_at timestamp with time zone NOT NULL,
    resurrection_count integer DEFAULT 0,
    last_resurrection_at timestamp with time zone,
    tags jsonb,
    created_at timestamp with time zone DEFAULT now()
);
CREATE TABLE public.soniq_jobs (
    id uuid NOT NULL,
    job_name text NOT NULL,
    args jsonb NOT NULL,
    args_hash text,
    status text DEFAULT 'queued'::text NOT NULL,
    attempts integer DEFAULT 0,
    max_attempts integer DEFAULT 3,
    queue text DEFAULT 'default'::text,
    priority integer DEFAULT 100,
    unique_job boolean DEFAULT false,
    dedup_key text,
    scheduled_at timestamp with time zone,
    expires_at timestamp with time zone,
    last_error text,
    result jsonb,
    producer_id text,
    created_at timestamp with time zone DEFAULT now(),
    updated_at timestamp with time zone DEFAULT now(),
    worker_id uuid,
    CONSTRAINT soniq_jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'done'::text, 'cancelled'::text])))
);
CREATE TABLE public.soniq_logs (
    id integer NOT NULL,
    "timestamp" timestamp with time zone NOT NULL,
    level text NOT NULL,
    message text NOT NULL,
    logger_name text NOT NULL,
    module text,
    function text,
    line_number integer,
    request_id text,
    job_id text,
    job_name text,
    queue text,
    extra_data jsonb,
    exception_data jsonb,
    performance_data jsonb,
    created_at timestamp with time zone DEFAULT now()
);
CREATE SEQUENCE public.soniq_logs_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.soniq_logs_id_seq OWNED BY public.soniq_logs.id;
CREATE TABLE public.soniq_migrations (
    id integer NOT NULL,
    version character varying(255) NOT NULL,
    name text NOT NULL,
    applied_at timestamp without time zone DEFAULT now(),
    checksum text
);
CREATE SEQUENCE public.soniq_migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.soniq_migrations_id_seq OWNED BY public.soniq_migrations.id;
CREATE TABLE public.soniq_recurring_jobs (
    id uuid NOT NULL,
    job_name text NOT NULL,
    schedule_type text NOT NULL,
    schedule_value text NOT NULL,
    priority integer DEFAULT 100 NOT NULL,
    queue text DEFAULT 'default'::text NOT NULL,
    max_attempts integer DEFAULT 3 NOT NULL,
    job_kwargs jsonb DEFAULT '{}'::jsonb NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now(),
    last_run timestamp with time zone,
    next_run timestamp with time zone,
    run_count integer DEFAULT 0 NOT NULL,
    last_job_id uuid,
    updated_at timestamp with time zone DEFAULT now(),
    CONSTRAINT soniq_recurring_jobs_schedule_type_check CHECK ((schedule_type = ANY (ARRAY['interval'::text, 'cron'::text]))),
    CONSTRAINT soniq_recurring_jobs_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text])))
);
CREATE TABLE public.soniq_task_registry (
    task_name text NOT NULL,
    worker_id text NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    args_model_repr text
);
CREATE TABLE public.soniq_webhook_deliveries (
    id text NOT NULL,
    endpoint_id text NOT NULL,
    event text NOT NULL,
    payload jsonb NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0,
    max_attempts integer DEFAULT 3,
    next_retry_at timestamp with time zone,
    last_error text,
    response_status integer,
    response_body text,
    created_at timestamp with time zone DEFAULT now(),
    delivered_at timestamp with time zone
);
CREATE TABLE public.soniq_webhook_endpoints (
    id text NOT NULL,
    url text NOT NULL,
    secret text,
    events jsonb,
    active boolean DEFAULT true,
    max_retries integer DEFAULT 3,
    timeout_seconds integer DEFAULT 30,
    headers jsonb,
    created_at timestamp with time zone DEFAULT now(),
    updated_at timestamp with time zone DEFAULT now()
);
CREATE TABLE public.soniq_workers (
    id uuid NOT NULL,
    hostname text NOT NULL,
    pid integer NOT NULL,
    queues text[] DEFAULT '{}'::text[],
    concurrency integer DEFAULT 1 NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    last_heartbeat timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    version text,
    metadata jsonb DEFAULT '{}'::jsonb,
    CONSTRAINT soniq_workers_status_check CHECK ((status = ANY (ARRAY['active'::text, 'stopping'::text, 'stopped'::text])))
);
ALTER TABLE ONLY public.soniq_logs ALTER COLUMN id SET DEFAULT nextval('public.soniq_logs_id_seq'::regclass);
ALTER TABLE ONLY public.soniq_migrations ALTER COLUMN id SET DEFAULT nextval('public.soniq_migrations_id_seq'::regclass);
INSERT INTO public.dlo_attempts VALUES ('01a22b59-ca79-7685-8990-e2e44cb1cb6d', 'op_sent', 1, '01a22b59-c92d-730a-8ac2-9704c959de9a', '2026-11-30 07:27:14.556281+00');
INSERT INTO public.dlo_audit VALUES (1, '2026-11-30 07:27:12.650838+00', 'system', 'admin', 'token_created', NULL, NULL, NULL, NULL, NULL, NULL, 'old as admin, token 01a22b59-c2ec-74e5-a5b9-34bbcc815e32', '[]', 'a1b03e025a98accd5527021f9f118d5b87f6a13d4e8f761aa852b96d36c6d6fa');
INSERT INTO public.dlo_audit VALUES (2, '2026-11-30 07:27:14.236259+00', 'old', 'admin', 'dispatch', 'submits_new_generation', 'op_sent', NULL, '01a22b59-c92d-730a-8ac2-9704c959de9a', 1, NULL, 'due', '[{"guard":"record_current","verdict":"pass","detail":"Revision 1 is the newest."},{"guard":"no_active_recovery","verdict":"pass","detail":"None is requested or running."},{"guard":"operator_permitted","verdict":"pass","detail":"old has the role admin; approver is enough."},{"guard":"message_not_superseded","verdict":"pass","detail":"No message led here."},{"guard":"provider_pinned","verdict":"pass","detail":"genace, account main: fingerprint e067b9 matches."},{"guard":"confirmed_not_sent","verdict":"pass","detail":"It is recorded that nothing was sent."},{"guard":"no_earlier_open_attempt","verdict":"pass","detail":"Nothing was attempted before."},{"guard":"no_competing_job","verdict":"pass","detail":"No queued or processing job names op_sent; nobody else replayed it."},{"guard":"specification_current","verdict":"pass","detail":"spec_9 r3 is the current revision."},{"guard":"model_available","verdict":"pass","detail":"m is available."},{"guard":"owner_authorized","verdict":"pass","detail":"studio may create."},{"guard":"budget_sufficient","verdict":"pass","detail":"100 credits remain, 0 reserved elsewhere, 12 needed: 88 would be left."},{"guard":"facts_fresh","verdict":"pass","detail":"Owner facts are 1 s old; they block at 24 h."},{"guard":"creation_not_paused","verdict":"pass","detail":"genace: creation is on."},{"guard":"parent_settled","verdict":"pass","detail":"op_sent has no parent."}]', '40f16f37d99b1182ffa2e54b3b3532bd877a1fa8cc0f89a09e7f28008f2b2ee6');
INSERT INTO public.dlo_audit VALUES (3, '2026-11-30 07:27:14.545681+00', 'old', 'admin', 'observe', 'reads_status', 'op_seen', NULL, '01a22b59-ca70-714e-a533-72442f389f96', 1, NULL, 'due', '[{"guard":"record_current","verdict":"pass","detail":"Revision 1 is the newest."},{"guard":"no_active_recovery","verdict":"pass","detail":"None is requested or running."},{"guard":"operator_permitted","verdict":"pass","detail":"old has the role admin; operator is enough."},{"guard":"message_not_superseded","verdict":"pass","detail":"No message led here."},{"guard":"job_known","verdict":"pass","detail":"gj_old is attached."},{"guard":"provider_pinned","verdict":"pass","detail":"genace, account main: fingerprint e067b9 matches."},{"guard":"credentials_accepted","verdict":"pass","detail":"Nothing was refused yet: it was never read."}]', 'f6ce811806f6939cdc9563a1296fdd54201adae40c7d828c062ae51f46250dfe');
INSERT INTO public.dlo_audit VALUES (4, '2026-11-30 07:27:14.718123+00', 'old', 'admin', 'close_unresolved', 'records_decision', 'op_closed', NULL, NULL, 1, 2, 'not worth it', '[{"guard":"record_current","verdict":"pass","detail":"Revision 1 is the newest."},{"guard":"no_active_recovery","verdict":"pass","detail":"None is requested or running."},{"guard":"operator_permitted","verdict":"pass","detail":"old has the role admin; operator is enough."},{"guard":"message_not_superseded","verdict":"pass","detail":"No message led here."}]', 'cf8930e76962c01d1c1c79951bedbf57bbd8fb0e5a210adcd9294402b7ecb95a');
INSERT INTO public.dlo_audit VALUES (5, '2026-11-30 07:27:14.969951+00', 'worker', 'admin', 'observe_ended_succeeded', 'reads_status', 'op_seen', NULL, '01a22b59-ca70-714e-a533-72442f389f96', 1, 2, 'Job gj_old is failed.', '[]', '90cc0000eb81714f7cd0eb333c12b2c33795d890af1096df8adb349afa9f1b6f');
INSERT INTO public.dlo_audit VALUES (6, '2026-11-30 07:27:14.969951+00', 'worker', 'admin', 'dispatch_ended_succeeded', 'submits_new_generation', 'op_sent', NULL, '01a22b59-c92d-730a-8ac2-9704c959de9a', 1, 3, 'The provider accepted it as gj_new: 201 with a job id.', '[]', '3db4a2aea2dec937b0c605b6156c85fa6b72e59df79990c0bfa6394ad7aa2f07');
INSERT INTO public.dlo_decisions OVERRIDING SYSTEM VALUE VALUES (1, 'op_closed', 'close_unresolved', '{}', 'old', 'admin', 'not worth it', 2, '2026-11-30 07:27:14.718123+00');
INSERT INTO public.dlo_events OVERRIDING SYSTEM VALUE VALUES (1, 'op_sent', '{"at":"2026-11-30T07:27:13.710511Z","kind":"report","lane":"our_side","title":"prepared","detail":"recorded; evidence confirmed_not_sent","source":"reported","money":null,"phase":"prepared","execution":null,"revision":1}', '2026-11-30 07:27:13.710511+00');
INSERT INTO public.dlo_events OVERRIDING SYSTEM VALUE VALUES (2, 'op_seen', '{"at":"2026-11-30T07:27:13.919531Z","kind":"report","lane":"our_side","title":"accepted","detail":"recorded; evidence sent; job gj_old","source":"reported","money":null,"phase":"accepted","execution":null,"revision":1}', '2026-11-30 07:27:13.919531+00');
INSERT INTO public.dlo_events OVERRIDING SYSTEM VALUE VALUES (3, 'op_closed', '{"at":"2026-11-30T07:27:14.178049Z","kind":"report","lane":"our_side","title":"accepted","detail":"recorded; evidence sent","source":"reported","money":null,"phase":"accepted","execution":null,"revision":1}', '2026-11-30 07:27:14.178049+00');
INSERT INTO public.dlo_events OVERRIDING SYSTEM VALUE VALUES (4, 'op_sent', '{"at":"2026-11-30T07:27:14.556281Z","kind":"attempt","lane":"our_side","title":"submitting","detail":"the creation request may leave from now on","source":"worker","money":null,"phase":"submitting","execution":null,"revision":2}', '2026-11-30 07:27:14.556281+00');
INSERT INTO public.dlo_events OVERRIDING SYSTEM VALUE VALUES (5, 'op_closed', '{"at":"2026-11-30T07:27:14.718123Z","kind":"decision","lane":"our_side","title":"close unresolved","detail":"not worth it","source":"old","money":null,"phase":null,"execution":null,"revision":2}', '2026-11-30 07:27:14.718123+00');
INSERT INTO public.dlo_events OVERRIDING SYSTEM VALUE VALUES (6, 'op_sent', '{"at":"2026-11-30T07:27:14.919937Z","kind":"receipt","lane":"our_side","title":"accepted","detail":"attempt 1: 201 with a job id; it names gj_new","source":"worker","money":null,"phase":"accepted","execution":null,"revision":3}', '2026-11-30 07:27:14.919937+00');
INSERT INTO public.dlo_events OVERRIDING SYSTEM VALUE VALUES (7, 'op_seen', '{"at":"2026-11-30T07:27:14.962065619Z","kind":"observation","lane":"remote","title":"failed","detail":"gj_old: the provider says failed","source":"we asked","money":"12 charged","phase":"failed","execution":"failed","revision":2}', '2026-11-30 07:27:14.962065+00');
INSERT INTO public.dlo_events OVERRIDING SYSTEM VALUE VALUES (8, 'op_seen', '{"at":"2026-01-01T00:00:01Z","kind":"dead_letter","lane":"neither","title":"observe","detail":"message 11111111-1111-4111-8111-111111111111 died after 3 attempts","source":"queue","money":null,"phase":null,"execution":null,"revision":3}', '2026-01-01 00:00:01+00');
INSERT INTO public.dlo_idempotency VALUES ('old', '/operations/op_sent/recoveries', '4ed7ddb6-6698-4a6c-b9ae-ea2ff3217428', 'f16a83062ab229b8c4df5cd4bd2065deadd5540653754b1f36218d6cd6340874', 202, '{"recovery_id":"01a22b59-c92d-730a-8ac2-9704c959de9a","state":"requested","job_id":"fdab1fb6-8ab6-4275-801f-09c156102a04"}', '2026-11-30 07:27:14.236259+00');
INSERT INTO public.dlo_idempotency VALUES ('old', '/operations/op_seen/recoveries', 'c81bf0a1-94d4-4fc7-8565-962fb85d6c9b', 'b8ef61312993c6a1eb5705476bb4b38d46d778e6f95c4ffb1466618b3e589df2', 202, '{"recovery_id":"01a22b59-ca70-714e-a533-72442f389f96","state":"requested","job_id":"acaa8efe-6f0c-4607-8184-75061dc6b767"}', '2026-11-30 07:27:14.545681+00');
INSERT INTO public.dlo_idempotency VALUES ('old', '/operations/op_closed/decisions', 'afb2015b-d1ed-459c-89ce-fb62efa878b1', 'c6d17729ba78db09df29e17b4150b97c92c5d0c508ee8eecace3058df9add3d6', 200, '[2,{"operation_id":"op_closed","revision":2,"action":"acknowledge","effect":"none","label":"closed","refund_unresolved":true,"summary":"Marks the message as obsolete. Sends nothing, copies nothing. old closed the operation (close_unresolved).","role":"operator","allowed":true,"guards":[{"guard":"record_current","verdict":"pass","detail":"Revision 2 is the newest."},{"guard":"no_active_recovery","verdict":"pass","detail":"None is requested or running."},{"guard":"operator_permitted","verdict":"pass","detail":"old has the role admin; operator is enough."},{"guard":"message_not_superseded","verdict":"pass","detail":"No message led here."}],"alternatives":[],"refused":[{"action":"dispatch","why":"A request was sent. A new generation could be billed twice."},{"action":"observe","why":"No job id is known: there is nothing to read."},{"action":"deliver","why":"The operation is closed: it has to be reopened first."},{"action":"inspect_accounting","why":"The operation is closed; its money can still be decided by a person."},{"action":"reconcile","why":"Nothing is left to decide about what was sent or rendered."}],"row":2,"job_id":null,"outputs":[],"decisions":["attach_job","refund_confirmed","charge_accepted","refund_requested","acknowledge_obsolete","prepare_new_operation","reopen"],"planned_at":"2026-11-30T07:27:14.718123Z"}]', '2026-11-30 07:27:14.718123+00');
INSERT INTO public.dlo_known_jobs VALUES ('op_seen', 'gj_old', true);
INSERT INTO public.dlo_known_jobs VALUES ('op_sent', 'gj_new', true);
INSERT INTO public.dlo_messages VALUES ('22222222-2222-4222-8222-222222222222', 'op_nobody', false, NULL, 'observe', 'timeout', 'timeout: read timeout', 'render.poll', 'render', 'max_retries_exceeded', 3, 3, '2026-01-01 00:00:02+00', 0, 0, NULL, 'open', NULL, NULL, NULL, NULL, 'no_operation_record', NULL, NULL);
INSERT INTO public.dlo_messages VALUES ('11111111-1111-4111-8111-111111111111', 'op_seen', false, NULL, 'observe', 'timeout', 'timeout: read timeout', 'render.poll', 'render', 'max_retries_exceeded', 3, 3, '2026-01-01 00:00:01+00', 0, 0, NULL, 'open', NULL, NULL, NULL, 'failed', 'remote_render_failed', 'inspect_accounting', 'studio');
INSERT INTO public.dlo_migrations VALUES (1, 'soniq', '2026-11-30 07:27:11.591886+00', true, '\x2a0c4b2eb6bbe8d9a4175aee1b776a3b40de23164367b0dbf80206e71654b6563297797e909938fcb0d1e44b34e2d69b', 137563610);
INSERT INTO public.dlo_migrations VALUES (2, 'office', '2026-11-30 07:27:11.733289+00', true, '\x653df66d29f1dfc3436f09ab65865f633be9ef3963b0983c3c8de612faa55b604eb8cf199e6a7a279b47233bfa0fe239', 164619283);
INSERT INTO public.dlo_operations VALUES ('op_closed', 2, 'genace', 'main', 'e067b920f9e037eb', 'studio', 'spec_9', 3, 'm', 'accepted', 'sent', NULL, NULL, NULL, '{"fetch":null,"execution":null,"reason":null,"raw_status":null,"outputs":null,"outputs_expected":null,"empty_observations":0,"observed_at":null,"source":null,"read_at":null,"contradiction":null}', '{"state":"unknown","reserved":null,"charged":null,"refunded":null}', '[]', '[]', '[]', '[]', '[]', NULL, NULL, '{"decision":"close_unresolved","by":"old","at":"2026-11-30T07:27:14.718123Z","reason":"not worth it"}', '[]', NULL, '2026-11-30 07:27:14.178049+00', '2026-11-30 07:27:14.718123+00', 'closed', 'acknowledge', true, NULL);
INSERT INTO public.dlo_operations VALUES ('op_sent', 3, 'genace', 'main', 'e067b920f9e037eb', 'studio', 'spec_9', 3, 'm', 'accepted', 'sent', NULL, NULL, 'gj_new', '{"fetch":null,"execution":null,"reason":null,"raw_status":null,"outputs":null,"outputs_expected":null,"empty_observations":0,"observed_at":null,"source":null,"read_at":null,"contradiction":null}', '{"state":"unknown","reserved":null,"charged":null,"refunded":null}', '[]', '[]', '[]', '[]', '[]', NULL, NULL, NULL, '[]', NULL, '2026-11-30 07:27:13.710511+00', '2026-11-30 07:27:14.919937+00', 'render_in_progress', 'observe', false, NULL);
INSERT INTO public.dlo_operations VALUES ('op_seen', 3, 'genace', 'main', 'e067b920f9e037eb', 'studio', 'spec_9', 3, 'm', 'failed', 'sent', NULL, NULL, 'gj_old', '{"fetch":"ok","execution":"failed","reason":"moderation","raw_status":null,"outputs":null,"outputs_expected":null,"empty_observations":0,"observed_at":"2026-11-30T07:27:14.962065619Z","source":"get","read_at":"2026-11-30T07:27:14.962065619Z","contradiction":null}', '{"state":"charged","reserved":"0","charged":"12","refunded":"0"}', '[]', '[]', '[]', '[]', '[]', NULL, NULL, NULL, '[]', NULL, '2026-11-30 07:27:13.919531+00', '2026-11-30 07:27:15.389815+00', 'remote_render_failed', 'inspect_accounting', true, '12');
INSERT INTO public.dlo_owners VALUES ('studio', true, '100', '2026-11-30 07:27:13+00');
INSERT INTO public.dlo_receipts OVERRIDING SYSTEM VALUE VALUES (1, '01a22b59-ca79-7685-8990-e2e44cb1cb6d', 'op_sent', 'accepted', 'gj_new', '{"kind":"accepted","status":201,"job_id":"gj_new","job_id_at":"/job/id","charge":null,"detail":"201 with a job id","category":null}', '2026-11-30 07:27:14.919937+00');
INSERT INTO public.dlo_recoveries VALUES ('01a22b59-ca70-714e-a533-72442f389f96', 'op_seen', NULL, 'observe', 'reads_status', 'succeeded', 'Job gj_old is failed.', 'old', 'admin', NULL, 'due', 1, 2, 'acaa8efe-6f0c-4607-8184-75061dc6b767', 'gj_old', false, 'builtin', 2, NULL, NULL, NULL, false, NULL, '2026-11-30 07:27:14.545681+00', '2026-11-30 07:27:14.754054+00', '2026-11-30 07:27:14.969951+00', '2026-11-30 07:27:14.969951+00');
INSERT INTO public.dlo_recoveries VALUES ('01a22b59-c92d-730a-8ac2-9704c959de9a', 'op_sent', NULL, 'dispatch', 'submits_new_generation', 'succeeded', 'The provider accepted it as gj_new: 201 with a job id.', 'old', 'admin', NULL, 'due', 1, 3, 'fdab1fb6-8ab6-4275-801f-09c156102a04', NULL, false, 'builtin', 2, NULL, 'studio', '12', true, '2026-11-30 07:42:14.236259+00', '2026-11-30 07:27:14.236259+00', '2026-11-30 07:27:14.556281+00', '2026-11-30 07:27:14.919937+00', '2026-11-30 07:27:14.919937+00');
INSERT INTO public.dlo_specifications VALUES ('spec_9', 3, 'm', true, true, '12', '{"prompt":"a red fox"}', '2026-11-30 07:27:13.201992+00');
INSERT INTO public.dlo_tokens VALUES ('01a22b59-c2ec-74e5-a5b9-34bbcc815e32', 'old', 'admin', '5533f7d4e4c053b49d44f4de76d8f4717d7116739a5c643313f9fcc7ec1f130a', '2026-11-30 07:27:12.650838+00', '2026-11-30 07:27:13.123489+00', NULL);
INSERT INTO public.soniq_dead_letter_jobs VALUES ('11111111-1111-4111-8111-111111111111', 'render.poll', '{"operation_id": "op_seen"}', 'render', 50, 3, 3, 'timeout: read timeout', 'max_retries_exceeded', '2026-01-01 00:00:00+00', '2026-01-01 00:00:01+00', 0, NULL, NULL, '2026-01-01 00:00:01+00');
INSERT INTO public.soniq_dead_letter_jobs VALUES ('22222222-2222-4222-8222-222222222222', 'render.poll', '{"operation_id": "op_nobody"}', 'render', 50, 3, 3, 'timeout: read timeout', 'max_retries_exceeded', '2026-01-01 00:00:00+00', '2026-01-01 00:00:02+00', NULL, NULL, NULL, '2026-01-01 00:00:02+00');
INSERT INTO public.soniq_jobs VALUES ('acaa8efe-6f0c-4607-8184-75061dc6b767', 'generation.observe', '{"recovery_id": "01a22b59-ca70-714e-a533-72442f389f96", "operation_id": "op_seen"}', NULL, 'done', 1, 5, 'dead-letter-office', 100, false, NULL, NULL, '2026-11-30 07:32:15.095001+00', NULL, NULL, NULL, '2026-11-30 07:27:14.545681+00', '2026-11-30 07:27:15.095001+00', NULL);
INSERT INTO public.soniq_jobs VALUES ('fdab1fb6-8ab6-4275-801f-09c156102a04', 'generation.dispatch', '{"recovery_id": "01a22b59-c92d-730a-8ac2-9704c959de9a", "operation_id": "op_sent"}', NULL, 'done', 1, 5, 'dead-letter-office', 100, false, NULL, NULL, '2026-11-30 07:32:15.120278+00', NULL, NULL, NULL, '2026-11-30 07:27:14.236259+00', '2026-11-30 07:27:15.120278+00', NULL);
SELECT pg_catalog.setval('public.dlo_decisions_seq_seq', 1, true);
SELECT pg_catalog.setval('public.dlo_events_seq_seq', 8, true);
SELECT pg_catalog.setval('public.dlo_receipts_seq_seq', 1, true);
SELECT pg_catalog.setval('public.soniq_logs_id_seq', 1, false);
SELECT pg_catalog.setval('public.soniq_migrations_id_seq', 1, false);
ALTER TABLE ONLY public.dlo_attempts
    ADD CONSTRAINT dlo_attempts_operation_id_number_key UNIQUE (operation_id, number);
ALTER TABLE ONLY public.dlo_attempts
    ADD CONSTRAINT dlo_attempts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.dlo_attempts
    ADD CONSTRAINT dlo_attempts_recovery_id_key UNIQUE (recovery_id);
ALTER TABLE ONLY public.dlo_audit
    ADD CONSTRAINT dlo_audit_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.dlo_decisions
    ADD CONSTRAINT dlo_decisions_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.dlo_events
    ADD CONSTRAINT dlo_events_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.dlo_idempotency
    ADD CONSTRAINT dlo_idempotency_pkey PRIMARY KEY (caller, route, key);
ALTER TABLE ONLY public.dlo_known_jobs
    ADD CONSTRAINT dlo_known_jobs_pkey PRIMARY KEY (operation_id, job_id);
ALTER TABLE ONLY public.dlo_leases
    ADD CONSTRAINT dlo_leases_pkey PRIMARY KEY (job_id);
ALTER TABLE ONLY public.dlo_messages
    ADD CONSTRAINT dlo_messages_pkey PRIMARY KEY (message_id);
ALTER TABLE ONLY public.dlo_migrations
    ADD CONSTRAINT dlo_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.dlo_operations
    ADD CONSTRAINT dlo_operations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.dlo_operators
    ADD CONSTRAINT dlo_operators_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.dlo_owners
    ADD CONSTRAINT dlo_owners_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.dlo_paused_providers
    ADD CONSTRAINT dlo_paused_providers_pkey PRIMARY KEY (provider);
ALTER TABLE ONLY public.dlo_receipts
    ADD CONSTRAINT dlo_receipts_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.dlo_recoveries
    ADD CONSTRAINT dlo_recoveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.dlo_replays
    ADD CONSTRAINT dlo_replays_pkey PRIMARY KEY (job_id);
ALTER TABLE ONLY public.dlo_sessions
    ADD CONSTRAINT dlo_sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.dlo_specifications
    ADD CONSTRAINT dlo_specifications_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.dlo_tokens
    ADD CONSTRAINT dlo_tokens_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.dlo_tokens
    ADD CONSTRAINT dlo_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.soniq_dead_letter_jobs
    ADD CONSTRAINT soniq_dead_letter_jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.soniq_jobs
    ADD CONSTRAINT soniq_jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.soniq_logs
    ADD CONSTRAINT soniq_logs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.soniq_migrations
    ADD CONSTRAINT soniq_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.soniq_migrations
    ADD CONSTRAINT soniq_migrations_version_key UNIQUE (version);
ALTER TABLE ONLY public.soniq_recurring_jobs
    ADD CONSTRAINT soniq_recurring_jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.soniq_task_registry
    ADD CONSTRAINT soniq_task_registry_pkey PRIMARY KEY (task_name, worker_id);
ALTER TABLE ONLY public.soniq_webhook_deliveries
    ADD CONSTRAINT soniq_webhook_deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.soniq_webhook_endpoints
    ADD CONSTRAINT soniq_webhook_endpoints_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.soniq_workers
    ADD CONSTRAINT soniq_workers_pkey PRIMARY KEY (id);
CREATE INDEX dlo_audit_actor ON public.dlo_audit USING btree (actor, seq DESC);
CREATE INDEX dlo_audit_operation ON public.dlo_audit USING btree (operation_id, seq DESC);
CREATE INDEX dlo_dead_letters_name ON public.soniq_dead_letter_jobs USING btree (job_name, moved_to_dead_letter_at DESC, id);
CREATE INDEX dlo_dead_letters_order ON public.soniq_dead_letter_jobs USING btree (moved_to_dead_letter_at DESC, id);
CREATE INDEX dlo_dead_letters_queue ON public.soniq_dead_letter_jobs USING btree (queue, moved_to_dead_letter_at DESC, id);
CREATE INDEX dlo_dead_letters_reason ON public.soniq_dead_letter_jobs USING btree (dead_letter_reason, moved_to_dead_letter_at DESC, id);
CREATE INDEX dlo_dead_letters_replayed ON public.soniq_dead_letter_jobs USING btree (id) WHERE (resurrection_count > 0);
CREATE INDEX dlo_decisions_operation ON public.dlo_decisions USING btree (operation_id, seq);
CREATE INDEX dlo_events_operation ON public.dlo_events USING btree (operation_id, seq);
CREATE INDEX dlo_idempotency_age ON public.dlo_idempotency USING btree (created_at);
CREATE INDEX dlo_jobs_claim ON public.soniq_jobs USING btree (queue, priority, scheduled_at, created_at) WHERE (status = 'queued'::text);
CREATE INDEX dlo_known_jobs_job ON public.dlo_known_jobs USING btree (job_id);
CREATE INDEX dlo_leases_until ON public.dlo_leases USING btree (until_at);
CREATE INDEX dlo_messages_action ON public.dlo_messages USING btree (next_action, died_at DESC, message_id) WHERE (purged_at IS NULL);
CREATE INDEX dlo_messages_category ON public.dlo_messages USING btree (error_category, died_at DESC, message_id) WHERE (purged_at IS NULL);
CREATE INDEX dlo_messages_died ON public.dlo_messages USING btree (died_at DESC, message_id) WHERE (purged_at IS NULL);
CREATE INDEX dlo_messages_job ON public.dlo_messages USING btree (job_id) WHERE (job_id IS NOT NULL);
CREATE INDEX dlo_messages_label ON public.dlo_messages USING btree (label, died_at DESC, message_id) WHERE (purged_at IS NULL);
CREATE INDEX dlo_messages_operation ON public.dlo_messages USING btree (operation_id, died_at DESC);
CREATE INDEX dlo_messages_owner ON public.dlo_messages USING btree (owner, died_at DESC, message_id) WHERE (purged_at IS NULL);
CREATE INDEX dlo_messages_queue ON public.dlo_messages USING btree (queue, died_at DESC, message_id) WHERE (purged_at IS NULL);
CREATE INDEX dlo_messages_rail ON public.dlo_messages USING btree (label, queue, purged_at) WHERE (purged_at IS NULL);
CREATE INDEX dlo_operations_action ON public.dlo_operations USING btree (next_action, updated_at DESC, id);
CREATE UNIQUE INDEX dlo_operations_job ON public.dlo_operations USING btree (provider, account, job_id) WHERE (job_id IS NOT NULL);
CREATE INDEX dlo_operations_label ON public.dlo_operations USING btree (label, updated_at DESC, id);
CREATE INDEX dlo_operations_owner ON public.dlo_operations USING btree (owner, updated_at DESC, id);
CREATE INDEX dlo_operations_parent ON public.dlo_operations USING btree (parent) WHERE (parent IS NOT NULL);
CREATE INDEX dlo_operations_unknown ON public.dlo_operations USING btree (dispatch, job_id, closure) WHERE ((dispatch = 'outcome_unknown'::text) AND (job_id IS NULL) AND (closure IS NULL));
CREATE INDEX dlo_operations_unresolved ON public.dlo_operations USING btree (charged_credits, refund_unresolved) WHERE refund_unresolved;
CREATE INDEX dlo_operations_updated ON public.dlo_operations USING btree (updated_at DESC, id);
CREATE INDEX dlo_receipts_attempt ON public.dlo_receipts USING btree (attempt_id);
CREATE INDEX dlo_receipts_operation ON public.dlo_receipts USING btree (operation_id);
CREATE UNIQUE INDEX dlo_recoveries_active ON public.dlo_recoveries USING btree (operation_id) WHERE (finished_at IS NULL);
CREATE INDEX dlo_recoveries_created ON public.dlo_recoveries USING btree (created_at DESC, id);
CREATE INDEX dlo_recoveries_job ON public.dlo_recoveries USING btree (queue_job_id) WHERE (queue_job_id IS NOT NULL);
CREATE INDEX dlo_recoveries_operation ON public.dlo_recoveries USING btree (operation_id, created_at DESC);
CREATE INDEX dlo_recoveries_reserved ON public.dlo_recoveries USING btree (owner) WHERE reservation_open;
CREATE INDEX dlo_replays_dead_letter ON public.dlo_replays USING btree (dead_letter_id, replayed_at);
CREATE INDEX dlo_sessions_expiry ON public.dlo_sessions USING btree (expires_at);
CREATE INDEX idx_soniq_dead_letter_jobs_job_name ON public.soniq_dead_letter_jobs USING btree (job_name);
CREATE INDEX idx_soniq_dead_letter_jobs_moved_at ON public.soniq_dead_letter_jobs USING btree (moved_to_dead_letter_at);
CREATE INDEX idx_soniq_dead_letter_jobs_queue ON public.soniq_dead_letter_jobs USING btree (queue);
CREATE INDEX idx_soniq_dead_letter_jobs_reason ON public.soniq_dead_letter_jobs USING btree (dead_letter_reason);
CREATE INDEX idx_soniq_jobs_args_hash ON public.soniq_jobs USING btree (args_hash) WHERE (unique_job = true);
CREATE UNIQUE INDEX idx_soniq_jobs_dedup_key ON public.soniq_jobs USING btree (dedup_key) WHERE ((status = 'queued'::text) AND (dedup_key IS NOT NULL));
CREATE INDEX idx_soniq_jobs_expires_at ON public.soniq_jobs USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX idx_soniq_jobs_queue_status ON public.soniq_jobs USING btree (queue, status);
CREATE INDEX idx_soniq_jobs_queue_status_priority ON public.soniq_jobs USING btree (queue, status, priority, scheduled_at) WHERE (status = 'queued'::text);
CREATE INDEX idx_soniq_jobs_scheduled_at ON public.soniq_jobs USING btree (scheduled_at) WHERE (scheduled_at IS NOT NULL);
CREATE INDEX idx_soniq_jobs_status_priority ON public.soniq_jobs USING btree (status, priority) WHERE (status = 'queued'::text);
CREATE UNIQUE INDEX idx_soniq_jobs_unique_queued ON public.soniq_jobs USING btree (job_name, args_hash) WHERE ((status = 'queued'::text) AND (unique_job = true));
CREATE INDEX idx_soniq_jobs_worker_id ON public.soniq_jobs USING btree (worker_id) WHERE (worker_id IS NOT NULL);
CREATE INDEX idx_soniq_logs_job_id ON public.soniq_logs USING btree (job_id);
CREATE INDEX idx_soniq_logs_level ON public.soniq_logs USING btree (level);
CREATE INDEX idx_soniq_logs_request_id ON public.soniq_logs USING btree (request_id);
CREATE INDEX idx_soniq_logs_timestamp ON public.soniq_logs USING btree ("timestamp");
CREATE INDEX idx_soniq_migrations_version ON public.soniq_migrations USING btree (version);
CREATE INDEX idx_soniq_recurring_jobs_next_run ON public.soniq_recurring_jobs USING btree (next_run);
CREATE INDEX idx_soniq_recurring_jobs_status ON public.soniq_recurring_jobs USING btree (status);
CREATE INDEX idx_soniq_task_registry_task_name ON public.soniq_task_registry USING btree (task_name);
CREATE INDEX idx_soniq_webhook_deliveries_endpoint ON public.soniq_webhook_deliveries USING btree (endpoint_id);
CREATE INDEX idx_soniq_webhook_deliveries_next_retry ON public.soniq_webhook_deliveries USING btree (next_retry_at);
CREATE INDEX idx_soniq_webhook_deliveries_status ON public.soniq_webhook_deliveries USING btree (status);
CREATE UNIQUE INDEX idx_soniq_workers_host_pid ON public.soniq_workers USING btree (hostname, pid);
CREATE INDEX idx_soniq_workers_last_heartbeat ON public.soniq_workers USING btree (last_heartbeat);
CREATE INDEX idx_soniq_workers_status ON public.soniq_workers USING btree (status);
CREATE TRIGGER dlo_audit_append_only BEFORE DELETE OR UPDATE ON public.dlo_audit FOR EACH ROW EXECUTE FUNCTION public.dlo_refuse_change();
CREATE TRIGGER dlo_audit_no_truncate BEFORE TRUNCATE ON public.dlo_audit FOR EACH STATEMENT EXECUTE FUNCTION public.dlo_refuse_change();
CREATE TRIGGER dlo_receipts_append_only BEFORE DELETE OR UPDATE ON public.dlo_receipts FOR EACH ROW EXECUTE FUNCTION public.dlo_refuse_change();
ALTER TABLE ONLY public.soniq_jobs
    ADD CONSTRAINT soniq_jobs_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES public.soniq_workers(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.soniq_webhook_deliveries
    ADD CONSTRAINT soniq_webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES public.soniq_webhook_endpoints(id) ON DELETE CASCADE;
