//! What a token says, read for this office: a name to show, and a role. Called with verified tokens only.

use crate::config::SignIn;
use app::domain::person::is_plain_name;
use app::domain::role::Role;
use serde_json::Value;

/// The longest subject that is kept, in bytes. The standard allows 255.
const MAX_SUBJECT: usize = 255;

/// An e-mail address counts only when the issuer has seen that it is theirs.
fn is_believed(claims: &Value, name: &str) -> bool {
    name != "email" || claims.get("email_verified") == Some(&Value::Bool(true))
}

fn text<'c>(claims: &'c Value, name: &str) -> Option<&'c str> {
    claims.get(name)?.as_str().filter(|_| is_believed(claims, name))
}

/// The name to show: the configured claim, else the e-mail address, else the subject.
pub fn name(sign_in: &SignIn, claims: &Value, subject: &str) -> String {
    [sign_in.oidc.name_claim.as_str(), "email"]
        .iter()
        .filter_map(|claim| text(claims, claim))
        .chain([subject])
        .map(str::trim)
        .find(|name| is_plain_name(name))
        .unwrap_or("somebody")
        .to_owned()
}

/// The highest role that the configured claim means; `None` when it means none.
pub fn role(sign_in: &SignIn, claims: &Value) -> Option<Role> {
    let claim = sign_in.oidc.roles_claim.as_str();
    let found = if claim.starts_with('/') {
        claims.pointer(claim)?
    } else {
        claims.get(claim).filter(|_| is_believed(claims, claim))?
    };
    match found {
        Value::String(one) => sign_in.role(std::iter::once(one.as_str())),
        Value::Array(several) => sign_in.role(several.iter().filter_map(Value::as_str)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// A subject that can be kept and compared: ASCII of bounded length, as the standard has it.
pub fn is_subject(text: &str) -> bool {
    (1..=MAX_SUBJECT).contains(&text.len()) && text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sign_in(roles_claim: &str) -> SignIn {
        let mut sign_in = SignIn::default();
        sign_in.oidc.roles_claim = roles_claim.to_owned();
        sign_in.roles = [
            ("staff", Role::Viewer),
            ("leads", Role::Approver),
            ("ada@example.test", Role::Operator),
        ]
        .into_iter()
        .map(|(name, role)| (name.to_owned(), role))
        .collect();
        sign_in
    }

    #[test]
    fn the_highest_role_of_the_claim_counts() {
        for (claim, value, role) in [
            (
                "groups",
                json!({"groups": ["staff", "leads"]}),
                Some(Role::Approver),
            ),
            ("groups", json!({"groups": "staff"}), Some(Role::Viewer)),
            (
                "groups",
                json!({"groups": ["Leads", "staff "]}),
                Some(Role::Viewer),
            ),
            ("groups", json!({"groups": ["admin", 7, null]}), None),
            ("groups", json!({"groups": {"leads": true}}), None),
            ("groups", json!({}), None),
            (
                "/realm_access/roles",
                json!({"realm_access": {"roles": ["leads"]}}),
                Some(Role::Approver),
            ),
            ("/realm_access/roles", json!({"realm_access": ["leads"]}), None),
            (
                "https://a.test/roles",
                json!({"https://a.test/roles": ["leads"]}),
                Some(Role::Approver),
            ),
            (
                "email",
                json!({"email": "ada@example.test", "email_verified": true}),
                Some(Role::Operator),
            ),
            (
                "email",
                json!({"email": "ada@example.test", "email_verified": false}),
                None,
            ),
            ("email", json!({"email": "ada@example.test"}), None),
        ] {
            assert_eq!(super::role(&sign_in(claim), &value), role, "{claim} of {value}");
        }
    }

    #[test]
    fn a_name_is_one_that_others_can_read() {
        for (value, shown) in [
            (json!({"preferred_username": "ada"}), "ada"),
            (json!({"preferred_username": " ada "}), "ada"),
            (
                json!({"email": "ada@example.test", "email_verified": true}),
                "ada@example.test",
            ),
            (json!({"email": "ada@example.test"}), "s-1"),
            (json!({"preferred_username": "system"}), "s-1"),
            (json!({"preferred_username": "System"}), "s-1"),
            (json!({"preferred_username": "signed out"}), "s-1"),
            (json!({"preferred_username": "a\u{202e}da"}), "s-1"),
            (json!({"preferred_username": "ad\u{200b}a"}), "s-1"),
            (json!({"preferred_username": "x".repeat(65)}), "s-1"),
            (json!({"preferred_username": 7}), "s-1"),
            (json!({}), "s-1"),
        ] {
            assert_eq!(super::name(&sign_in("groups"), &value, "s-1"), shown, "{value}");
        }
        assert_eq!(
            super::name(&sign_in("groups"), &json!({}), &"x".repeat(200)),
            "somebody"
        );
        assert!(
            is_subject("auth0|5f7c") && !is_subject("") && !is_subject("ü") && !is_subject(&"x".repeat(256))
        );
    }
}
