//! `Debug` by one format, for types that hold a person's words, a key, or an object of the host.

/// Implements `Debug` for a type that prints only its shape.
macro_rules! debug_as {
    ($type:ty, $text:literal) => {
        debug_as!($type, |_it| $text);
    };
    ($type:ty, |$it:ident| $($format:tt)+) => {
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $it = self;
                write!(f, $($format)+)
            }
        }
    };
}
pub(crate) use debug_as;
