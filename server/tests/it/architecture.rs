//! ARCHITECTURE.md stays true: its paths exist, its members are named, its dependency rules hold.

use cargo_metadata::MetadataCommand;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn metadata() -> cargo_metadata::Metadata {
    MetadataCommand::new()
        .current_dir(root())
        .no_deps()
        .exec()
        .expect("cargo metadata")
}

#[test]
fn every_named_path_exists_and_every_member_is_named() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    // Fenced blocks are drawings.
    let prose: String = text.split("```").step_by(2).collect();
    let named: Vec<&str> = prose
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| word.contains('/'))
        .collect();
    assert!(named.len() > 20, "the code map names its rooms");
    for path in named {
        assert!(
            root().join(path).exists(),
            "ARCHITECTURE.md names {path}, which does not exist"
        );
    }
    for package in metadata().workspace_packages() {
        assert!(
            text.contains(&format!("`{}`", package.name)),
            "{} is not in ARCHITECTURE.md",
            package.name
        );
    }
}

#[test]
fn app_knows_no_database_no_network_and_no_runtime() {
    let metadata = metadata();
    let packages = metadata.workspace_packages();
    let app = packages
        .iter()
        .find(|package| package.name.as_str() == "app")
        .expect("the package app");
    let forbidden = [
        "sqlx",
        "tokio",
        "reqwest",
        "hyper",
        "axum",
        "tower",
        "tower-http",
        "tower-sessions",
        "object_store",
        "server",
        "leptos_axum",
        "rand",
    ];
    for dependency in &app.dependencies {
        assert!(
            !forbidden.contains(&dependency.name.as_str()),
            "app depends on {}",
            dependency.name
        );
    }
}

#[test]
fn every_direct_dependency_has_its_reason() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let table = text
        .split("## Dependencies")
        .nth(1)
        .expect("the table of dependencies");
    for package in metadata().workspace_packages() {
        for dependency in &package.dependencies {
            if dependency.kind == cargo_metadata::DependencyKind::Normal && dependency.path.is_none() {
                let named = table.split(|letter: char| !(letter.is_alphanumeric() || "-_".contains(letter)));
                assert!(
                    named.into_iter().any(|word| word == dependency.name),
                    "{} has no reason",
                    dependency.name
                );
            }
        }
    }
}

#[test]
fn app_reads_no_clock_and_draws_no_lots() {
    fn walk(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let text = std::fs::read_to_string(&path).expect("a source file");
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                for shortcut in [
                    "Utc::now(",
                    "SystemTime::now(",
                    "Instant::now(",
                    "Uuid::new_v4(",
                    "Uuid::now_v7(",
                ] {
                    if code.contains(shortcut) && !path.to_string_lossy().contains("tests") {
                        found.push(format!("{}: {shortcut}", path.display()));
                    }
                }
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join("app/src"), &mut found);
    assert!(found.is_empty(), "time and ids are arguments in app: {found:#?}");
}

#[test]
fn every_promise_of_reliability_names_a_test_that_exists() {
    let text = std::fs::read_to_string(root().join("RELIABILITY.md")).expect("RELIABILITY.md");
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("| ") && *line != "| promise | held by |")
        .collect();
    assert!(rows.len() >= 18, "RELIABILITY.md lists the promises");
    for row in rows {
        let named: Vec<(&str, &str)> = row
            .split('`')
            .skip(1)
            .step_by(2)
            .filter_map(|word| word.split_once("::"))
            .collect();
        assert!(!named.is_empty(), "this promise names no test: {row}");
        for (file, test) in named {
            let source = std::fs::read_to_string(root().join(file))
                .unwrap_or_else(|error| panic!("RELIABILITY.md names {file}: {error}"));
            assert!(
                source.contains(&format!("fn {test}(")),
                "RELIABILITY.md names {test}, which is not in {file}"
            );
        }
    }
}

/// What `./check` installs with Python is what it was when somebody looked at it, on every platform.
#[test]
fn every_python_package_is_named_by_its_hashes() {
    let check = std::fs::read_to_string(root().join("check")).expect("check");
    for line in check.lines().filter(|line| line.contains("bin/pip\"")) {
        assert!(line.contains(" --require-hashes -r "), "{line}");
    }
    for list in ["tools", "soniq"] {
        let path = root().join(format!("end2end/{list}-requirements.txt"));
        let text = std::fs::read_to_string(path).expect("a list");
        let code: String = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| format!("{line}\n"))
            .collect();
        let wanted: Vec<String> = code.replace("\\\n", " ").lines().map(str::to_owned).collect();
        assert!(!wanted.is_empty(), "{list} names something");
        for one in wanted {
            assert!(
                one.contains("==") && one.contains(" --hash=sha256:"),
                "{list}: {one}"
            );
        }
    }
}

/// All sources below a folder, as one text.
fn sources(folder: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.push_str(&sources(&path));
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            all.push_str(&std::fs::read_to_string(&path).expect("a source file"));
        }
    }
    all
}

#[test]
fn every_test_that_security_names_exists() {
    let text = std::fs::read_to_string(root().join("SECURITY.md")).expect("SECURITY.md");
    let rows = text.lines().filter(|line| {
        line.starts_with("| ") && !line.starts_with("| requirement") && !line.starts_with("| who")
    });
    let code =
        ["app/src", "app/tests", "server/src", "server/tests"].map(|folder| sources(&root().join(folder)));
    let code = code.concat();
    let tests = root().join("server/tests/it");
    let mut named = 0;
    for word in rows.flat_map(|row| row.split('`').skip(1).step_by(2)) {
        let is_name = word.trim_end_matches('_').contains('_')
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let found = if word.starts_with("app/") || word.starts_with("server/") {
            root().join(word).exists()
        } else if word.contains('/') && !word.starts_with('/') {
            tests.join(word).exists()
        } else if is_name {
            tests.join(word).is_dir()
                || tests.join(format!("{word}.rs")).exists()
                || code.contains(&format!("fn {word}("))
                || code.contains(&format!("pub {word}:"))
        } else {
            continue;
        };
        assert!(found, "SECURITY.md names {word}, which does not exist");
        named += 1;
    }
    assert!(named >= 60, "SECURITY.md names the tests: {named}");
}

#[test]
fn storage_knows_nothing_of_who_asks() {
    let code = sources(&root().join("server/src/storage"));
    for room in ["office", "oidc", "web", "api", "cli", "worker", "live"] {
        assert!(
            !code.contains(&format!("crate::{room}::")),
            "storage imports {room}"
        );
    }
    for (room, above) in [
        ("oidc", &["office", "storage", "web"][..]),
        (
            "config",
            &["office", "storage", "oidc", "web", "api", "cli", "worker", "live"],
        ),
    ] {
        let code = sources(&root().join("server/src").join(room));
        for other in above {
            assert!(
                !code.contains(&format!("crate::{other}::")),
                "{room} imports {other}"
            );
        }
    }
}
