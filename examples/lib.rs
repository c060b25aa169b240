//! The examples, each in a file of its own beside this one.
