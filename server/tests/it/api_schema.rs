//! What the API answers is what its description says: every field is described, every described one is there.

use crate::support::app::{Answer, TestApp};
use crate::support::backend::{Backend, Kind};
use crate::support::desk::Desk;
use app::domain::role::Role;
use chrono::Utc;
use serde_json::{Value, json};
use server::config::Config;

/// Where a value differs from a schema of JSON Schema 2020-12, as far as the description uses it.
struct Description(Value);

impl Description {
    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str() {
            Some(place) => {
                let pointer = place.trim_start_matches('#');
                let found = self.0.pointer(pointer).unwrap_or_else(|| panic!("no {place}"));
                self.resolved(found)
            }
            None => schema,
        }
    }

    fn wrong(&self, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        let schema = self.resolved(schema);
        for several in ["oneOf", "anyOf"] {
            if let Some(choices) = schema[several].as_array() {
                let all: Vec<Vec<String>> = choices.iter().map(|one| self.wrong(one, value, at)).collect();
                return if all.iter().any(Vec::is_empty) {
                    Vec::new()
                } else {
                    all.concat()
                };
            }
        }
        if let Some(parts) = schema["allOf"].as_array() {
            return self.wrong(&self.united(parts), value, at);
        }
        let mut found = Vec::new();
        if let Some(words) = schema["enum"].as_array()
            && !words.contains(value)
        {
            found.push(format!("{at}: {value} is not one of {words:?}"));
        }
        let named: Vec<&str> = match &schema["type"] {
            Value::String(name) => vec![name],
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let is = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let fits = named.contains(&is) || (is == "integer" && named.contains(&"number"));
        if !named.is_empty() && !fits {
            found.push(format!("{at}: {is} instead of {named:?}"));
        }
        if let Some(items) = value.as_array() {
            for (n, item) in items.iter().enumerate() {
                found.extend(self.wrong(&schema["items"], item, &format!("{at}/{n}")));
            }
        }
        if let (Some(fields), Some(described)) = (value.as_object(), schema["properties"].as_object()) {
            for (name, field) in fields {
                let at = format!("{at}/{name}");
                match described.get(name) {
                    Some(schema) => found.extend(self.wrong(schema, field, &at)),
                    None => found.push(format!("{at} is not described")),
                }
            }
            for name in schema["required"].as_array().into_iter().flatten() {
                if !fields.contains_key(name.as_str().unwrap_or_default()) {
                    found.push(format!("{at}: {name} is missing"));
                }
            }
        }
        found
    }

    /// One schema with the fields of all.
    fn united(&self, parts: &[Value]) -> Value {
        let mut all = json!({"type": "object", "properties": {}, "required": []});
        for part in parts {
            let part = self.resolved(part);
            for (name, schema) in part["properties"].as_object().into_iter().flatten() {
                all["properties"][name] = schema.clone();
            }
            for name in part["required"].as_array().into_iter().flatten() {
                all["required"].as_array_mut().expect("a list").push(name.clone());
            }
        }
        all
    }

    #[track_caller]
    fn holds(&self, method: &str, path: &str, answer: &Answer) -> Value {
        let value = answer.json();
        let operation = &self.0["paths"][path][method];
        let status = answer.status.as_u16().to_string();
        let described = &operation["responses"][&status]["content"]["application/json"]["schema"];
        assert!(
            described.is_object(),
            "{method} {path} {status} is described: {operation}"
        );
        let wrong = self.wrong(described, &value, "");
        assert!(wrong.is_empty(), "{method} {path}: {wrong:#?}\n{value}");
        value
    }
}

async fn described(app: &TestApp) -> Description {
    let asked = app.client.get(app.url("/api/v1/openapi.json"));
    Description(app.send(asked).await.expect(200).json())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_answer_is_as_it_is_described() {
    let Some((backend, database)) = Backend::open(Kind::Memory).await else {
        return;
    };
    let desk = Desk::new(database.clone());
    let app = TestApp::start(backend, database, Config::default()).await;
    let described = described(&app).await;
    let record = json!({
        "provider": "genace", "account": "main", "owner": "o1", "specification": {"id": "s1", "revision": 1},
        "phase": "failed", "dispatch": "sent", "model": "m1",
        "remote": {"job_id": "gj_1", "fetch": "ok", "execution": "failed", "reason": "moderation", "raw_status": "failed",
            "outputs": [{"index": 0, "content_type": "image/png"}], "outputs_expected": 1},
        "charge": {"state": "charged", "charged": "4.50"},
        "outputs": [{"index": 0, "state": "failed", "category": "storage_full"}],
        "error": {"category": "storage_full", "detail": "no space"},
    });
    let made = app
        .put(Role::Reporter, "/api/v1/operations/op_1", &record)
        .await
        .expect(201);
    described.holds("put", "/operations/{id}", &made);
    let other = json!({"remote": {"job_id": "gj_2", "execution": "running", "reason": "none"}});
    let changed = app
        .patch(Role::Reporter, "/api/v1/operations/op_1", 1, &other)
        .await
        .expect(200);
    let view = described.holds("patch", "/operations/{id}", &changed);
    assert_eq!(view["remote"]["reason"], "moderation");
    assert_eq!(view["remote"]["other_jobs"][0]["job_id"], "gj_2", "{view}");
    let letter = desk
        .dies(
            "render.poll",
            json!({"operation_id": "op_1", "remote_job_id": "gj_1"}),
            Utc::now(),
        )
        .await;
    desk.project().await;
    let unsent = json!({
        "provider": "genace", "owner": "o1", "specification": {"id": "s1", "revision": 1}, "phase": "prepared",
    });
    app.put(Role::Reporter, "/api/v1/operations/op_2", &unsent)
        .await
        .expect(201);

    let owner = json!({"authorized": true, "remaining_credits": "100.5"});
    let owner = app
        .put(Role::Reporter, "/api/v1/owners/o1", &owner)
        .await
        .expect(200);
    assert_eq!(described.holds("put", "/owners/{id}", &owner)["id"], "o1");
    let specification = json!({
        "current_revision": 1, "model": "m1", "model_available": true, "active": true, "estimated_credits": "2.5",
    });
    let specification = app
        .put(Role::Reporter, "/api/v1/specifications/s1", &specification)
        .await
        .expect(200);
    assert_eq!(
        described.holds("put", "/specifications/{id}", &specification)["has_body"],
        false
    );

    let order = json!({"revision": 1, "reason": "the log says so", "decision": "close_unresolved"});
    let decided = app
        .post(Role::Approver, "/api/v1/operations/op_2/decisions", &order)
        .await
        .expect(200);
    described.holds("post", "/operations/{id}/decisions", &decided);
    let seen = json!({"reason": "seen"});
    let path = format!("/api/v1/dead-letters/{letter}/acknowledge");
    app.post(Role::Operator, &path, &seen).await;

    let id = letter.to_string();
    for (path, parameter) in [
        ("/operations", ""),
        ("/operations/{id}", "op_1"),
        ("/operations/{id}", "op_2"),
        ("/operations/{id}/plan", "op_1"),
        ("/operations/{id}/plan", "op_2"),
        ("/dead-letters", ""),
        ("/dead-letters/{id}", id.as_str()),
        ("/recoveries", ""),
        ("/queues", ""),
        ("/audit", ""),
    ] {
        let answer = app
            .get(
                Role::Viewer,
                &format!("/api/v1{}", path.replace("{id}", parameter)),
            )
            .await
            .expect(200);
        let value = described.holds("get", path, &answer);
        if path == "/dead-letters" || path == "/audit" {
            assert!(
                value["items"].as_array().is_some_and(|items| !items.is_empty()),
                "{path}: {value}"
            );
        }
    }
}
