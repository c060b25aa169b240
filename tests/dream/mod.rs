//! Nights: what the dreamers read, ask, write, hold back and take back.

mod appointments;
mod attacks;
mod briefing;
mod days;
mod dialogue;
mod edits;
mod fact_dreamer;
mod first_day;
mod http;
mod languages;
mod nights;
mod participants;
mod personalization;
mod proposals;
mod reads;
mod returns;
mod roles;
mod seams;
mod undo;
mod words;
mod year;
mod zones;
