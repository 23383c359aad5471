//! Single sign-on: an issuer of OpenID Connect that says who somebody is.

use super::ConfigError;
use super::provider::is_pointer;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::path::Path;
use url::{Host, Url};

/// An issuer and this office's registration with it. Off while `issuer` is empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Oidc {
    /// The issuer, exactly as it names itself. Empty: there is no single sign-on.
    pub issuer: String,
    /// What the issuer calls this office.
    pub client_id: String,
    /// The environment variable that holds the client's secret. Empty: none, which is a public client.
    pub client_secret_env: String,
    /// A file that holds it, where it is not in the environment. Empty: none.
    pub client_secret_file: String,
    /// What is asked for besides `openid`.
    pub scopes: Vec<String>,
    /// What the button calls the issuer: "Sign in with …".
    pub label: String,
    /// The claim that names the person to others. Who they are is the issuer and its `sub`.
    pub name_claim: String,
    /// The claim that `[sign_in.roles]` is looked up by; a JSON pointer where it begins with a slash.
    pub roles_claim: String,
    /// How long one request to the issuer may take.
    pub timeout_seconds: u64,
}

impl Default for Oidc {
    fn default() -> Self {
        Self {
            issuer: String::new(),
            client_id: String::new(),
            client_secret_env: String::new(),
            client_secret_file: String::new(),
            scopes: vec!["profile".to_owned()],
            label: "single sign-on".to_owned(),
            name_claim: "preferred_username".to_owned(),
            roles_claim: "groups".to_owned(),
            timeout_seconds: 10,
        }
    }
}

/// Whether what is sent to this address cannot be read on the way: https, or http on this machine.
pub fn is_encrypted_or_local(url: &Url) -> bool {
    let here = match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    match url.scheme() {
        "https" => url.has_host(),
        "http" => here,
        _other => false,
    }
}

impl Oidc {
    pub const fn is_on(&self) -> bool {
        !self.issuer.is_empty()
    }

    /// The client's secret, from the environment that `variable` reads or from the file.
    ///
    /// # Errors
    /// A secret is named and is not there.
    pub fn client_secret(
        &self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<SecretString>, ConfigError> {
        let kept = |text: String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        if !self.client_secret_env.is_empty()
            && let Some(secret) = variable(&self.client_secret_env).and_then(kept)
        {
            return Ok(Some(secret.into()));
        }
        if !self.client_secret_file.is_empty() {
            let text = std::fs::read_to_string(Path::new(&self.client_secret_file)).unwrap_or_default();
            return kept(text).map(|secret| Some(secret.into())).ok_or_else(|| {
                ConfigError::invalid(
                    "sign_in.oidc.client_secret_file",
                    "cannot be read, or holds no secret",
                )
            });
        }
        if self.client_secret_env.is_empty() {
            Ok(None)
        } else {
            Err(ConfigError::invalid(
                "sign_in.oidc.client_secret_env",
                "names a variable that is not set",
            ))
        }
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let refuse = |key: &str, why: &str| Err(ConfigError::invalid(format!("sign_in.oidc.{key}"), why));
        if !self.is_on() {
            if self.client_id.is_empty() {
                return Ok(());
            }
            return refuse(
                "issuer",
                "must name the issuer: a client_id alone signs nobody in",
            );
        }
        match Url::parse(&self.issuer) {
            Ok(url) if is_encrypted_or_local(&url) && url.query().is_none() && url.fragment().is_none() => {}
            Ok(_) | Err(_) => {
                return refuse(
                    "issuer",
                    "must be an https URL without a query (http only for this machine)",
                );
            }
        }
        if self.client_id.is_empty() {
            return refuse("client_id", "must be what the issuer calls this office");
        }
        if self.label.trim().is_empty() || self.label.chars().count() > 40 {
            return refuse("label", "must have 1 to 40 characters");
        }
        if self.name_claim.is_empty() {
            return refuse("name_claim", "must name a claim, like preferred_username");
        }
        if self.roles_claim.is_empty()
            || (self.roles_claim.starts_with('/') && !is_pointer(&self.roles_claim))
        {
            return refuse(
                "roles_claim",
                "must name a claim, or be a JSON pointer, like /realm_access/roles",
            );
        }
        if !(1..=30).contains(&self.timeout_seconds) {
            return refuse("timeout_seconds", "must be from 1 to 30");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_sent_where_others_can_read_it() {
        for (text, safe) in [
            ("https://issuer.example.test", true),
            ("http://127.0.0.1:9000", true),
            ("http://[::1]/realm", true),
            ("http://localhost:9000/", true),
            ("http://issuer.example.test", false),
            ("http://127.0.0.1.example.test", false),
            ("ftp://127.0.0.1/", false),
        ] {
            assert_eq!(
                is_encrypted_or_local(&Url::parse(text).expect("a URL")),
                safe,
                "{text}"
            );
        }
    }

    #[test]
    fn a_secret_that_is_named_must_be_there() {
        let oidc = Oidc {
            client_secret_env: "OIDC_SECRET".to_owned(),
            ..Oidc::default()
        };
        assert!(oidc.client_secret(|_| None).is_err());
        assert!(oidc.client_secret(|_| Some("  ".to_owned())).is_err());
        let secret = oidc
            .client_secret(|name| Some(format!("{name} kept\n")))
            .expect("it is there");
        let secret = secret.expect("a secret");
        assert_eq!(secrecy::ExposeSecret::expose_secret(&secret), "OIDC_SECRET kept");
        assert!(!format!("{secret:?}").contains("kept"));
        assert!(
            Oidc::default()
                .client_secret(|_| None)
                .expect("a public client")
                .is_none()
        );
    }
}
