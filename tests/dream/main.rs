//! Nights: what the dreamers read, ask, write, hold back and take back.

mod attacks;
mod briefing;
mod dialogue;
mod dream;
#[path = "../dreaming/mod.rs"]
mod dreaming;
mod fact_dreamer;
mod http;
mod participants;
mod personalization;
mod proposals;
mod reads;
mod roles;
#[cfg(feature = "http")]
#[path = "../common/scripted_server.rs"]
mod scripted_server;
mod seams;
mod undo;
mod words;
mod year;
