//! The table and the vectors beside the lines never change an answer, and never keep anything of what left the lines.

mod audit;
mod crash;
mod damage;
mod life;
mod lives;
mod vectors;
mod words;
