-- Providers whose reads go unanswered, by account. A row stands only while they do.
CREATE TABLE dlo_circuits (
    provider TEXT NOT NULL,
    account TEXT NOT NULL,
    -- unanswered reads in a row
    unanswered BIGINT NOT NULL,
    -- how the last one went
    last_fetch TEXT NOT NULL,
    -- repeated reads wait until then; NULL while there were only a few
    open_until TIMESTAMPTZ,
    since TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (provider, account)
);
