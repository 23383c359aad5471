-- Takes Dead Letter Office out of a PostgreSQL database: everything named dlo_, and nothing of Soniq's. The audit, the
-- receipts and every operation are gone with it: export first what must stay (`dlo audit export`).
--
--     psql "$DATABASE_URL" --single-transaction --file migrations/remove/postgres.sql

DO $$
DECLARE
    found RECORD;
BEGIN
    -- Tables with their own indexes, triggers and sequences.
    FOR found IN SELECT tablename AS name FROM pg_tables
        WHERE schemaname = current_schema() AND tablename LIKE 'dlo\_%'
    LOOP
        EXECUTE format('DROP TABLE %I', found.name);
    END LOOP;
    -- Indexes of ours on Soniq's tables.
    FOR found IN SELECT indexname AS name FROM pg_indexes
        WHERE schemaname = current_schema() AND indexname LIKE 'dlo\_%'
    LOOP
        EXECUTE format('DROP INDEX %I', found.name);
    END LOOP;
    FOR found IN SELECT oid::regprocedure AS name FROM pg_proc
        WHERE pronamespace = current_schema()::regnamespace AND proname LIKE 'dlo\_%'
    LOOP
        EXECUTE format('DROP FUNCTION %s', found.name);
    END LOOP;
END
$$;
