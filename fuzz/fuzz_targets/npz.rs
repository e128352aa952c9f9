#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| similis_fuzz::run("npz", bytes));
