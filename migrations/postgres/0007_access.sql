-- Who an issuer of single sign-on knows, by the issuer and its subject, and the person that they are here.
CREATE TABLE dlo_identities (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (issuer, subject)
);

-- Sign-ins that were begun at an issuer, by the SHA-256 of their state; the browser by the SHA-256 of its cookie. Gone with
-- the first use.
CREATE TABLE dlo_sign_ins (
    state TEXT PRIMARY KEY,
    browser TEXT NOT NULL,
    nonce TEXT NOT NULL,
    verifier TEXT NOT NULL,
    next TEXT NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);

-- Fields that somebody said why they want to see, by the SHA-256 of their ticket. Gone with the first look; never the value.
CREATE TABLE dlo_reveals (
    ticket TEXT PRIMARY KEY,
    person TEXT NOT NULL,
    message_id TEXT NOT NULL,
    field TEXT NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
