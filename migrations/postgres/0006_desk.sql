-- The whole record as it stood at each revision, written in the transaction that changed it. Revisions from before this
-- table are not kept.
CREATE TABLE dlo_revisions (
    operation_id TEXT NOT NULL,
    revision BIGINT NOT NULL,
    record TEXT NOT NULL,
    written_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (operation_id, revision)
);

-- What people write about an operation. Plain text, redacted before it is stored.
CREATE TABLE dlo_notes (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    operation_id TEXT NOT NULL,
    body TEXT NOT NULL,
    written_by TEXT NOT NULL,
    role TEXT NOT NULL,
    written_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX dlo_notes_operation ON dlo_notes (operation_id, seq);

-- Who is looking at an operation. A claim whose time is over is none.
CREATE TABLE dlo_claims (
    operation_id TEXT PRIMARY KEY,
    claimed_by TEXT NOT NULL,
    since TIMESTAMPTZ NOT NULL,
    ends_at TIMESTAMPTZ NOT NULL
);

-- How a person wants to read, by name.
CREATE TABLE dlo_preferences (
    person TEXT PRIMARY KEY,
    theme TEXT NOT NULL,
    density TEXT NOT NULL,
    zone TEXT NOT NULL,
    shortcuts BOOLEAN NOT NULL,
    changed_at TIMESTAMPTZ NOT NULL
);

-- Filters that a person gave a name; shared ones are seen by everybody.
CREATE TABLE dlo_views (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    list TEXT NOT NULL,
    query TEXT NOT NULL,
    shared BOOLEAN NOT NULL,
    saved_at TIMESTAMPTZ NOT NULL,
    UNIQUE (owner, list, name)
);
CREATE INDEX dlo_views_shared ON dlo_views (list) WHERE shared;

-- Operations that wait in a phase for long.
CREATE INDEX dlo_operations_waiting ON dlo_operations (phase, updated_at) WHERE phase IN ('submitting', 'accepted');
