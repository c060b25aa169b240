//! Sweeps over crashes, kills, failures of every operation, and made-up inputs. They take minutes.

mod crashes;
mod fuzz;
mod planted;
