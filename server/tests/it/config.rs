//! The configuration: layers, profiles, and what is refused in which words.

use app::domain::plan::Action;
use server::config::{Config, ConfigError, Execute, Flags, ReplayWithoutRecord, fingerprint};

fn load(file: &str, environment: &[(&str, &str)], flags: &Flags) -> Result<Config, ConfigError> {
    let environment: Vec<(String, String)> = environment
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    Config::from_parts(Some(file), &environment, flags)
}

fn read(file: &str) -> Result<Config, ConfigError> {
    load(file, &[], &Flags::default())
}

fn environment(environment: &[(&str, &str)]) -> Result<Config, ConfigError> {
    load("", environment, &Flags::default())
}

/// The refusal, in the words that a person reads.
fn refusal(result: Result<Config, ConfigError>) -> String {
    match result {
        Ok(_) => "nothing was refused".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// Section 7 of the design, whole.
const COMPLETE: &str = include_str!("config/complete.toml");

#[test]
fn the_defaults_are_the_documented_ones() {
    assert_eq!(read(COMPLETE), Ok(Config::default()));
    assert_eq!(
        Config::from_parts(None, &[], &Flags::default()),
        Ok(Config::default())
    );
}

#[test]
fn each_layer_wins_over_the_one_before() {
    let file =
        "[server]\nbind = \"127.0.0.1:1\"\n[database]\nurl = \"sqlite:file.db\"\n[worker]\nconcurrency = 2\n";
    let variables = [
        ("DLO_DATABASE__URL", "sqlite:variable.db"),
        ("DLO_WORKER__CONCURRENCY", "3"),
    ];
    let flags = Flags {
        database_url: Some("memory:".to_owned()),
        ..Flags::default()
    };
    let config = load(file, &variables, &flags).expect("a configuration");
    assert_eq!(config.server.bind, "127.0.0.1:1");
    assert_eq!((config.worker.concurrency, config.worker.lease_seconds), (3, 60));
    assert_eq!(config.database.url, "memory:");
}

#[test]
fn variables_reach_every_depth_and_type() {
    let config = environment(&[
        ("DLO_WORKER__ENABLED", "false"),
        ("DLO_RETRIES__BACKOFF_SECONDS", "[1, 2]"),
        ("DLO_POLICY__REPLAY_WITHOUT_RECORD", "allow"),
        ("DLO_MESSAGES__ACTIONS__RENDER_SUBMIT", "observe"),
        ("DLO_MESSAGES__ACTIONS", "{ \"image.make\" = \"dispatch\" }"),
        ("DLO_ACTIONS__OBSERVE__EXECUTE", "queue"),
        ("DLO_PROVIDERS__GENACE__PROFILE", "genace"),
        ("DLO_PROVIDERS__GENACE__BASE_URL", "http://127.0.0.1:9"),
        ("DLO_PROVIDERS__GENACE__ACCOUNT", "007"),
        (
            "DLO_PROVIDERS__GENACE__ALLOW_HOSTS",
            "127.0.0.1:9,cdn.example.test",
        ),
        ("DLO_PROVIDERS__GENACE__CREATE__REJECTIONS", "[400]"),
        ("DLO_NOT_A_SECTION", "is nobody's business"),
        ("OTHER__KEY", "neither"),
    ])
    .expect("a configuration");
    assert!(!config.worker.enabled);
    assert_eq!(config.retries.backoff_seconds, [1, 2]);
    assert_eq!(config.policy.replay_without_record, ReplayWithoutRecord::Allow);
    assert_eq!(
        config.messages.actions.get("render.submit"),
        Some(&Action::Observe)
    );
    assert_eq!(config.messages.actions.get("image.make"), Some(&Action::Dispatch));
    assert_eq!(config.messages.actions.len(), 5);
    assert_eq!(config.actions.observe.execute, Execute::Queue);
    let provider = &config.providers["genace"];
    assert_eq!(provider.account, "007", "text stays text");
    assert_eq!(provider.allow_hosts, ["127.0.0.1:9", "cdn.example.test"]);
    assert_eq!(provider.create.rejections, [400]);
    assert_eq!(provider.create.path, "/v1/generations");
}

#[test]
fn a_profile_stands_beneath_what_the_user_says() {
    let config = read(
        "[providers.mine]\nprofile = \"genace\"\nbase_url = \"https://api.example.test\"\n\
         [providers.mine.states]\nqueued = [\"waiting\"]\n\
         [providers.bare]\nbase_url = \"https://bare.example.test\"\n\
         [providers.genace]\nbase_url = \"https://named.example.test\"\n",
    )
    .expect("a configuration");
    let mine = &config.providers["mine"];
    assert_eq!(mine.states.queued, ["waiting"]);
    assert_eq!(mine.states.running, ["running"]);
    assert_eq!(mine.create.job_id, ["/job/id", "/id", "/error/job_id"]);
    assert!(mine.search().is_some() && mine.observe.may_advance_compensation);
    for bare in ["bare", "genace"] {
        let bare = &config.providers[bare];
        assert!(bare.create.path.is_empty() && bare.states.queued.is_empty() && bare.search().is_none());
        assert!(bare.account.is_empty() && bare.api_key_env.is_empty());
    }
}

#[test]
fn refusals_name_the_key_and_never_the_value() {
    for (file, key) in [
        ("[worker]\nconcurrencyy = 4\n", "worker.concurrencyy"),
        ("[wroker]\n", "wroker"),
        ("[worker]\nconcurrency = \"s3cret\"\n", "worker.concurrency"),
        ("[worker]\nconcurrency = -1\n", "worker.concurrency"),
        ("[worker]\nconcurrency = 1.5\n", "worker.concurrency"),
        ("[worker]\nconcurrency = 0\n", "worker.concurrency"),
        ("[worker]\nenabled = 1\n", "worker.enabled"),
        ("worker = \"s3cret\"\n", "worker"),
        ("[database]\nurl = 5\n", "database.url"),
        ("[server]\nbind = \"s3cret\"\n", "server.bind"),
        ("[server]\npublic_url = \"s3cret\"\n", "server.public_url"),
        (
            "[policy]\nreplay_without_record = \"s3cret\"\n",
            "policy.replay_without_record",
        ),
        (
            "[policy]\nobserve_bound_seconds = 0\n",
            "policy.observe_bound_seconds",
        ),
        ("[approvals]\ndispatch = 3\n", "approvals.dispatch"),
        ("[approvals]\ndispatch = 0\n", "approvals.dispatch"),
        (
            "[actions.dispatch]\nexecute = \"queue\"\n",
            "actions.dispatch.execute",
        ),
        (
            "[actions.observe]\nexecute = \"s3cret\"\n",
            "actions.observe.execute",
        ),
        (
            "[actions.reconcile]\nexecute = \"builtin\"\n",
            "actions.reconcile",
        ),
        ("[messages.actions]\n\"x\" = \"s3cret\"\n", "messages.actions.x"),
        ("[messages]\njob_id = [\"s3cret\"]\n", "messages.job_id"),
        ("[retries]\nbackoff_seconds = []\n", "retries.backoff_seconds"),
        ("[providers.p]\nprofile = \"s3cret\"\n", "providers.p.profile"),
        ("[providers.p]\nbase_url = \"s3cret\"\n", "providers.p.base_url"),
        (
            "[providers.p]\nbase_url = \"https://user:s3cret@example.test\"\n",
            "providers.p.base_url",
        ),
        ("[providers.p]\napi_key = \"s3cret\"\n", "providers.p.api_key"),
        ("[providers.p]\ntimeout_seconds = 60\n", "worker.lease_seconds"),
        (
            "[providers.p]\nallow_hosts = [\"https://s3cret\"]\n",
            "providers.p.allow_hosts",
        ),
        (
            "[providers.p.create]\njob_id = [\"s3cret\"]\n",
            "providers.p.create.job_id",
        ),
        (
            "[providers.p.create]\nrejections = [99999]\n",
            "providers.p.create.rejections",
        ),
        (
            "[providers.p.observe]\npath = \"/v1/jobs\"\n",
            "providers.p.observe.path",
        ),
        (
            "[providers.p.observe]\nid = \"s3cret\"\n",
            "providers.p.observe.id",
        ),
    ] {
        let words = refusal(read(file));
        assert!(words.contains(&format!("`{key}")), "{file} gave: {words}");
        assert!(!words.contains("s3cret"), "{file} gave: {words}");
    }
    let words = refusal(read("[database]\nurl = \"postgres://s3cret\n"));
    assert!(words.contains("line 2") && !words.contains("s3cret"), "{words}");
    let words = refusal(environment(&[("DLO_WORKER__LEASE", "5")]));
    assert!(words.contains("`worker.lease`"), "{words}");
    let words = refusal(environment(&[("DLO_WORKER__LEASE_SECONDS", "s3cret")]));
    assert!(
        words.contains("`worker.lease_seconds` must be a number") && !words.contains("s3cret"),
        "{words}"
    );
    let words = refusal(environment(&[("DLO_WORKER__LEASE_SECONDS__X", "5")]));
    assert!(words.contains("worker.lease_seconds.x"), "{words}");
}

#[test]
fn secrets_are_not_shown() {
    let config = read("[database]\nurl = \"postgres://u:s3cret@db/x\"\n").expect("a configuration");
    assert!(!format!("{config:?}").contains("s3cret"));
    let key = config.providers.get("p").cloned().unwrap_or_default();
    let key = server::config::ProviderConfig {
        api_key_env: "KEY".to_owned(),
        ..key
    };
    let secret = key.api_key(|name| (name == "KEY").then(|| " s3cret\n".to_owned()));
    assert!(!format!("{secret:?}").contains("s3cret"));
    assert!(matches!(secret, Ok(Some(_))));
    assert!(matches!(key.api_key(|_| None), Ok(None)));
}

#[test]
fn a_fingerprint_follows_provider_host_and_account() {
    let one = fingerprint("genace", "https://api.example.test", "main");
    assert_eq!(
        (one.len(), one.as_str()),
        (
            16,
            fingerprint("genace", "https://api.example.test/", "main").as_str()
        )
    );
    for other in [
        fingerprint("other", "https://api.example.test", "main"),
        fingerprint("genace", "https://api2.example.test", "main"),
        fingerprint("genace", "https://api.example.test", "test"),
    ] {
        assert_ne!(one, other);
    }
}
