-- How the job of a replay ended. Its row may be gone a moment later, so what was seen is kept here.
ALTER TABLE dlo_replays ADD COLUMN ended TEXT;
ALTER TABLE dlo_replays ADD COLUMN ended_at TIMESTAMPTZ;
-- Those that are still followed.
CREATE INDEX dlo_replays_open ON dlo_replays (job_id) WHERE ended IS NULL;
-- How many were purged lately.
CREATE INDEX dlo_messages_purged ON dlo_messages (purged_at, died_at) WHERE purged_at IS NOT NULL;
