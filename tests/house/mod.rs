//! The house itself: its door, its floors and its manual.

mod api;
mod floors;
mod manual;
mod seeds;
mod words;
