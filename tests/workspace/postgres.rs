//! What only a server has: several machines, rows behind row-level security, and connections that end.
