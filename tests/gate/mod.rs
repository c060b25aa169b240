//! Doors and their limits: the doors, secrets in disguise, and whole nights of them.

mod doors;
mod evasion;
mod night;
