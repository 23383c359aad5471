-- Takes Dead Letter Office out of a SQLite database: everything named dlo_, and nothing of Soniq's. The audit, the
-- receipts and every operation are gone with it: export first what must stay (`dlo audit export`).
--
--     sqlite3 app.db < migrations/remove/sqlite.sql

BEGIN;
DROP INDEX IF EXISTS dlo_dead_letters_order;
DROP INDEX IF EXISTS dlo_dead_letters_queue;
DROP INDEX IF EXISTS dlo_dead_letters_name;
DROP INDEX IF EXISTS dlo_dead_letters_reason;
DROP INDEX IF EXISTS dlo_dead_letters_replayed;
DROP INDEX IF EXISTS dlo_jobs_claim;
DROP TABLE IF EXISTS dlo_operations;
DROP TABLE IF EXISTS dlo_known_jobs;
DROP TABLE IF EXISTS dlo_messages;
DROP TABLE IF EXISTS dlo_replays;
DROP TABLE IF EXISTS dlo_recoveries;
DROP TABLE IF EXISTS dlo_leases;
DROP TABLE IF EXISTS dlo_circuits;
DROP TABLE IF EXISTS dlo_attempts;
DROP TABLE IF EXISTS dlo_receipts;
DROP TABLE IF EXISTS dlo_decisions;
DROP TABLE IF EXISTS dlo_events;
DROP TABLE IF EXISTS dlo_audit;
DROP TABLE IF EXISTS dlo_owners;
DROP TABLE IF EXISTS dlo_specifications;
DROP TABLE IF EXISTS dlo_paused_providers;
DROP TABLE IF EXISTS dlo_operators;
DROP TABLE IF EXISTS dlo_tokens;
DROP TABLE IF EXISTS dlo_sessions;
DROP TABLE IF EXISTS dlo_setup_links;
DROP TABLE IF EXISTS dlo_sign_ins;
DROP TABLE IF EXISTS dlo_reveals;
DROP TABLE IF EXISTS dlo_identities;
DROP TABLE IF EXISTS dlo_idempotency;
DROP TABLE IF EXISTS dlo_revisions;
DROP TABLE IF EXISTS dlo_notes;
DROP TABLE IF EXISTS dlo_claims;
DROP TABLE IF EXISTS dlo_preferences;
DROP TABLE IF EXISTS dlo_views;
DROP TABLE IF EXISTS dlo_migrations;
COMMIT;
