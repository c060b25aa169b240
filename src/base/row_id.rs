//! Ids of rows: numbers, each of a type of its own.

/// Gives the id of a kind of row its number.
macro_rules! row_id {
    ($id:ident) => {
        impl $id {
            /// Makes an id of a store.
            #[must_use]
            pub fn new(id: i64) -> Self {
                Self(id)
            }

            /// Returns the number.
            #[must_use]
            pub fn get(self) -> i64 {
                self.0
            }
        }

        impl std::fmt::Display for $id {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&self.0, f)
            }
        }
    };
}
pub(crate) use row_id;
