#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::sleeps(bytes));
