//! The command line: one binary, `dlo`. This file knows the words; the files beside it do the work.
//!
//! Exit codes: 0 fine, 1 failed, 2 wrong usage or configuration.

mod audit;
mod context;
mod doctor;
mod operators;
mod plan;
mod providers;
mod purge;
mod serve;
mod tokens;

pub use context::{CliError, Outcome};

use crate::demo;
use app::domain::role::Role;
use clap::{Args, Parser, Subcommand, ValueEnum};
use context::Context;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tracing_subscriber::EnvFilter;
use uuid::Uuid;

/// What may still run when the command is over gets so long.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Finds out what is still possible with dead-lettered generation jobs, and does it, one reviewed step at a time.
#[derive(Debug, Parser)]
#[command(name = "dlo", version, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    shared: Shared,
    #[command(subcommand)]
    command: Command,
}

/// What every command takes, in any position.
#[derive(Debug, Clone, Args)]
pub struct Shared {
    /// The configuration file (TOML).
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// postgres://…, sqlite:PATH or memory:; wins over file and environment.
    #[arg(long, global = true, value_name = "URL")]
    database_url: Option<String>,
    /// Who acts, for the audit.
    #[arg(long = "as", global = true, value_name = "PERSON")]
    person: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start everything with a story to look at: nothing is kept, no provider is paid.
    Demo(Bind),
    /// Serve pages and API; runs the worker too, unless it is switched off.
    Serve(Bind),
    /// Run the worker alone.
    Worker,
    /// Bring the database up to date: Soniq's tables where they are missing, then ours.
    Migrate,
    /// People who sign in.
    #[command(subcommand)]
    Operators(Operators),
    /// Bearer tokens of programs.
    #[command(subcommand)]
    Tokens(Tokens),
    /// Providers: whether new generations may be sent there, and one to try against.
    #[command(subcommand)]
    Providers(Providers),
    /// Print an operation's plan.
    Plan {
        /// The operation.
        id: String,
        /// As the API gives it.
        #[arg(long)]
        json: bool,
    },
    /// The audit: who did what.
    #[command(subcommand)]
    Audit(Audit),
    /// Purge old dead letters: a dry run unless it is told to `--execute`.
    Purge(purge::Purge),
    /// Check what the program needs; one line each.
    Doctor,
}

#[derive(Debug, Args)]
struct Bind {
    /// Address and port; port 0 lets the system choose.
    #[arg(long, value_name = "ADDRESS:PORT")]
    bind: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Operators {
    /// Add a person, or give one a new role and password. The password is read from standard input.
    Add {
        name: String,
        #[arg(long, value_parser = role)]
        role: Role,
    },
    /// Everybody.
    List,
    /// Give a person another role; the password stays.
    Role {
        name: String,
        #[arg(long, value_parser = role)]
        role: Role,
    },
    /// End all sessions of a person, from the next request on. They may sign in again.
    SignOut { name: String },
    /// Sign a person out, from the next request on and for good.
    Disable { name: String },
    /// Let a disabled person in again, by the way they came before.
    Enable { name: String },
}

#[derive(Debug, Subcommand)]
enum Tokens {
    /// Make a token and print it, once and alone.
    Create {
        #[arg(long)]
        name: String,
        #[arg(long, value_parser = role)]
        role: Role,
        /// Days after which it is worthless; without it, only revoking ends it.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=3650))]
        expires_in_days: Option<u32>,
    },
    /// All tokens, without their secrets.
    List,
    /// Make a token worthless, from the next request on.
    Revoke { id: Uuid },
}

#[derive(Debug, Subcommand)]
enum Providers {
    /// Send no new generation there from now on. Reading and delivering go on.
    Pause {
        name: String,
        /// Why; kept with the switch and in the audit.
        #[arg(long)]
        reason: String,
    },
    /// Allow new generations there again.
    Resume {
        name: String,
        /// Why; kept in the audit.
        #[arg(long)]
        reason: String,
    },
    /// Every configured provider, and whether creation is paused there.
    List,
    /// Play a provider (the profile `genace`) to try against: it renders nothing and bills nobody.
    Pretend {
        /// Address and port; port 0 lets the system choose.
        #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8090")]
        bind: String,
    },
}

#[derive(Debug, Subcommand)]
enum Audit {
    /// Print every entry, oldest first.
    Export {
        #[arg(long, value_enum, default_value_t = Format::Jsonl)]
        format: Format,
        /// Begin behind this entry.
        #[arg(long, value_name = "SEQ", default_value_t = 0)]
        after: i64,
        /// The most entries that are printed; where there are more, standard error says how to go on.
        #[arg(long, value_name = "N", default_value_t = audit::MOST, value_parser = clap::value_parser!(u64).range(1..=audit::MOST))]
        limit: u64,
    },
    /// Check that no entry was changed or removed.
    Verify,
}

/// How the audit is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One JSON object a line.
    Jsonl,
    Csv,
}

fn role(text: &str) -> Result<Role, String> {
    let names: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
    text.parse().map_err(|_| format!("one of {}", names.join(", ")))
}

impl Command {
    /// What is logged when nobody says otherwise.
    const fn log_level(&self) -> &'static str {
        match self {
            Self::Demo(_) | Self::Serve(_) | Self::Worker => "info",
            Self::Migrate
            | Self::Operators(_)
            | Self::Tokens(_)
            | Self::Providers(_)
            | Self::Plan { .. }
            | Self::Audit(_)
            | Self::Purge(_)
            | Self::Doctor => "warn",
        }
    }

    fn bind(&self) -> Option<&String> {
        match self {
            Self::Demo(bind) | Self::Serve(bind) => bind.bind.as_ref(),
            Self::Worker
            | Self::Migrate
            | Self::Operators(_)
            | Self::Tokens(_)
            | Self::Providers(_)
            | Self::Plan { .. }
            | Self::Audit(_)
            | Self::Purge(_)
            | Self::Doctor => None,
        }
    }
}

async fn run(cli: Cli) -> Outcome {
    let bind = cli.command.bind().cloned();
    let context = || Context::new(&cli.shared, bind.clone());
    match &cli.command {
        Command::Demo(_) => demo::run(demo::Options { bind })
            .await
            .map_err(|error| CliError::failed(error.to_string())),
        Command::Serve(_) => serve::serve(context()?).await,
        Command::Worker => serve::worker(context()?).await,
        Command::Migrate => serve::migrate(context()?).await,
        Command::Operators(Operators::Add { name, role }) => operators::add(context()?, name, *role).await,
        Command::Operators(Operators::List) => operators::list(context()?).await,
        Command::Operators(Operators::Role { name, role }) => {
            operators::change_role(context()?, name, *role).await
        }
        Command::Operators(Operators::SignOut { name }) => operators::sign_out(context()?, name).await,
        Command::Operators(Operators::Disable { name }) => operators::disable(context()?, name).await,
        Command::Operators(Operators::Enable { name }) => operators::enable(context()?, name).await,
        Command::Tokens(Tokens::Create {
            name,
            role,
            expires_in_days,
        }) => tokens::create(context()?, name, *role, *expires_in_days).await,
        Command::Tokens(Tokens::List) => tokens::list(context()?).await,
        Command::Tokens(Tokens::Revoke { id }) => tokens::revoke(context()?, *id).await,
        Command::Providers(Providers::Pause { name, reason }) => {
            providers::pause(context()?, name, reason).await
        }
        Command::Providers(Providers::Resume { name, reason }) => {
            providers::resume(context()?, name, reason).await
        }
        Command::Providers(Providers::List) => providers::list(context()?).await,
        Command::Providers(Providers::Pretend { bind }) => providers::pretend(bind).await,
        Command::Plan { id, json } => plan::print(context()?, id, *json).await,
        Command::Audit(Audit::Export { format, after, limit }) => {
            audit::export(context()?, *format, *after, *limit).await
        }
        Command::Audit(Audit::Verify) => audit::verify(context()?).await,
        Command::Purge(order) => purge::purge(context()?, order).await,
        Command::Doctor => doctor::check(&cli.shared).await,
    }
}

fn log_to_stderr(level: &str) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .try_init()
        .ok();
}

/// The whole program.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            error.print().ok();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    log_to_stderr(cli.command.log_level());
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return CliError::failed(format!("no threads: {}", error.kind())).report(),
    };
    let outcome = runtime.block_on(run(cli));
    runtime.shutdown_timeout(LAST_WORDS);
    std::io::stdout().flush().ok();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_words_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn shared_flags_stand_anywhere() {
        for line in [
            "dlo --database-url memory: --as mira tokens create --name n --role viewer",
            "dlo tokens --database-url memory: create --name n --role viewer --as mira",
            "dlo tokens create --name n --as mira --role viewer --database-url memory:",
        ] {
            let cli = Cli::try_parse_from(line.split(' ')).expect(line);
            assert_eq!(cli.shared.database_url.as_deref(), Some("memory:"), "{line}");
            assert_eq!(cli.shared.person.as_deref(), Some("mira"), "{line}");
        }
        assert!(Cli::try_parse_from(["dlo", "worker", "--bind", "127.0.0.1:0"]).is_err());
        assert!(Cli::try_parse_from(["dlo", "tokens", "create", "--name", "n", "--role", "king"]).is_err());
    }
}
