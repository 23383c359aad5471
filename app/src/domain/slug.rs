//! Closed vocabularies: an enum whose values travel as slugs.

/// A slug that is not in a closed vocabulary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {vocabulary}")]
pub struct UnknownSlug {
    /// Which vocabulary was asked, for example `phase`.
    pub vocabulary: &'static str,
}

/// Declares a closed vocabulary: the enum, its slugs, parsing, `Display`, serde and the OpenAPI schema.
#[macro_export]
macro_rules! slugs {
    (
        $(#[$meta:meta])*
        pub enum $name:ident ($vocabulary:literal) {
            $( $(#[$vmeta:meta])* $variant:ident => $slug:literal ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord,
            serde::Serialize, serde::Deserialize,
        )]
        pub enum $name {
            $( $(#[$vmeta])* #[serde(rename = $slug)] $variant ),+
        }

        impl $name {
            /// Every value, in the order of the design.
            pub const ALL: &'static [$name] = &[ $( $name::$variant ),+ ];

            /// The slug used in the API, in URLs and in storage.
            pub const fn as_str(self) -> &'static str {
                match self { $( $name::$variant => $slug ),+ }
            }
        }

        // By hand: the derive does not see a variant's slug through this macro.
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::schema::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .enum_values(Some([ $( $slug ),+ ]))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}

        impl std::str::FromStr for $name {
            type Err = $crate::domain::slug::UnknownSlug;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $( $slug => Ok($name::$variant), )+
                    _ => Err($crate::domain::slug::UnknownSlug { vocabulary: $vocabulary }),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
