//! The table beside the lines never changes an answer, and never keeps a word that left the lines.

mod crash;
mod damage;
mod life;
mod lives;
mod words;
