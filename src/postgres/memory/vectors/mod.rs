//! Vectors of rows, in tables beside them. A row that waits has nothing here.

mod change;
mod read;
