-- Sessions remember the generation they began under: raising it ends all of a person's sessions at once.
ALTER TABLE dlo_operators ADD COLUMN generation BIGINT NOT NULL DEFAULT 0;

-- After this a token is worthless; NULL: only revoking ends it.
ALTER TABLE dlo_tokens ADD COLUMN expires_at TEXT;

-- Links that make the first person, by the SHA-256 of their secret. Gone with the first use.
CREATE TABLE dlo_setup_links (
    hash TEXT PRIMARY KEY,
    expires_at TEXT NOT NULL
);
