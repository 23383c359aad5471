//! The application's own database: what it shows its customers, and its books. Its constraints are real, and some
//! of the demo's operations break them.

use crate::database::{Database, DbError, Location};
use crate::values;
use app::domain::ids::OperationId;
use std::path::Path;

const SCHEMA: [&str; 3] = [
    "CREATE TABLE assets (operation_id TEXT PRIMARY KEY, title TEXT NOT NULL CHECK (length(title) <= 80))",
    "CREATE TABLE completions (operation_id TEXT PRIMARY KEY, asset_id TEXT NOT NULL REFERENCES assets (operation_id))",
    "CREATE TABLE ledger (operation_id TEXT PRIMARY KEY, account TEXT NOT NULL, credits INTEGER NOT NULL)",
];

/// The application's tables, in a file of their own.
pub struct Catalogue {
    database: Database,
}

impl Catalogue {
    /// # Errors
    /// The file cannot be made.
    pub async fn create(path: &Path) -> Result<Self, DbError> {
        let database = Database::open(&Location::File(path.to_owned())).await?;
        let mut tx = database.write().await?;
        for table in SCHEMA {
            tx.execute(table, vec![]).await?;
        }
        tx.commit().await?;
        Ok(Self { database })
    }

    /// Lists a delivered asset under its title.
    ///
    /// # Errors
    /// The database's own words.
    pub async fn list(&self, operation: &OperationId, title: &str) -> Result<(), String> {
        self.insert(
            "INSERT INTO assets (operation_id, title) VALUES ($1, $2) ON CONFLICT (operation_id) DO NOTHING",
            values![operation, title],
        )
        .await
    }

    /// Notes that an asset is complete. It has to be listed.
    ///
    /// # Errors
    /// As [`Self::list`].
    pub async fn complete(&self, operation: &OperationId) -> Result<(), String> {
        self.insert(
            "INSERT INTO completions (operation_id, asset_id) VALUES ($1, $1)",
            values![operation],
        )
        .await
    }

    /// Books a refund on an account.
    ///
    /// # Errors
    /// As [`Self::list`].
    pub async fn book_refund(&self, operation: &OperationId, account: Option<&str>) -> Result<(), String> {
        self.insert(
            "INSERT INTO ledger (operation_id, account, credits) VALUES ($1, $2, 12) ON CONFLICT (operation_id) DO NOTHING",
            values![operation, account],
        )
        .await
    }

    async fn insert(&self, sql: &str, values: Vec<crate::database::Value>) -> Result<(), String> {
        let inserted = async {
            let mut tx = self.database.write().await?;
            tx.execute(sql, values).await?;
            tx.commit().await
        };
        inserted.await.map_err(|error: DbError| error.to_string())
    }

    /// Closes the file.
    pub async fn close(&self) {
        self.database.close().await;
    }
}
