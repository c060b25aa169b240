//! The tests of a default run, a module for each room. What takes longer is left out: `-- --include-ignored` runs it too.

mod artifacts;
mod doctor;
mod dream;
mod exchange;
mod files;
mod finance;
mod gate;
mod golden;
mod life;
mod memory;
mod report;
mod sleep;
mod tools;
mod tracing;
mod workspace;
