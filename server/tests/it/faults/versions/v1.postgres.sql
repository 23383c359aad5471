CREATE TABLE public.dlo_migrations (
    version bigint NOT NULL,
    description text NOT NULL,
    installed_on timestamp with time zone DEFAULT now() NOT NULL,
    success boolean NOT NULL,
    checksum bytea NOT NULL,
    execution_time bigint NOT NULL
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
INSERT INTO public.dlo_migrations VALUES (1, 'soniq', '2026-11-30 07:27:11.591886+00', true, '\x2a0c4b2eb6bbe8d9a4175aee1b776a3b40de23164367b0dbf80206e71654b6563297797e909938fcb0d1e44b34e2d69b', 137563610);
INSERT INTO public.soniq_dead_letter_jobs VALUES ('11111111-1111-4111-8111-111111111111', 'render.poll', '{"operation_id": "op_seen"}', 'render', 50, 3, 3, 'timeout: read timeout', 'max_retries_exceeded', '2026-01-01 00:00:00+00', '2026-01-01 00:00:01+00', 0, NULL, NULL, '2026-01-01 00:00:01+00');
INSERT INTO public.soniq_dead_letter_jobs VALUES ('22222222-2222-4222-8222-222222222222', 'render.poll', '{"operation_id": "op_nobody"}', 'render', 50, 3, 3, 'timeout: read timeout', 'max_retries_exceeded', '2026-01-01 00:00:00+00', '2026-01-01 00:00:02+00', NULL, NULL, NULL, '2026-01-01 00:00:02+00');
INSERT INTO public.soniq_jobs VALUES ('acaa8efe-6f0c-4607-8184-75061dc6b767', 'generation.observe', '{"recovery_id": "01a22b59-ca70-714e-a533-72442f389f96", "operation_id": "op_seen"}', NULL, 'done', 1, 5, 'dead-letter-office', 100, false, NULL, NULL, '2026-11-30 07:32:15.095001+00', NULL, NULL, NULL, '2026-11-30 07:27:14.545681+00', '2026-11-30 07:27:15.095001+00', NULL);
INSERT INTO public.soniq_jobs VALUES ('fdab1fb6-8ab6-4275-801f-09c156102a04', 'generation.dispatch', '{"recovery_id": "01a22b59-c92d-730a-8ac2-9704c959de9a", "operation_id": "op_sent"}', NULL, 'done', 1, 5, 'dead-letter-office', 100, false, NULL, NULL, '2026-11-30 07:32:15.120278+00', NULL, NULL, NULL, '2026-11-30 07:27:14.236259+00', '2026-11-30 07:27:15.120278+00', NULL);
SELECT pg_catalog.setval('public.soniq_logs_id_seq', 1, false);
SELECT pg_catalog.setval('public.soniq_migrations_id_seq', 1, false);
ALTER TABLE ONLY public.dlo_migrations
    ADD CONSTRAINT dlo_migrations_pkey PRIMARY KEY (version);
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
ALTER TABLE ONLY public.soniq_jobs
    ADD CONSTRAINT soniq_jobs_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES public.soniq_workers(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.soniq_webhook_deliveries
    ADD CONSTRAINT soniq_webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES public.soniq_webhook_endpoints(id) ON DELETE CASCADE;
