//! The targets of `fuzz/` on their corpus and on seeded changes of it: the same cases on every run.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../../../fuzz/src/lib.rs"]
#[allow(unreachable_pub, dead_code, reason = "the library of another package")]
mod targets;

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use targets::{TARGETS, Target};

/// Number of changed inputs for each target.
const N_CHANGED: u64 = 300;

/// What readers stumble over.
const TOKENS: [&str; 24] = [
    "NaN",
    "-inf",
    "1e999",
    "1e-999",
    "-0",
    "-1",
    "18446744073709551615",
    "18446744073709551616",
    "4611686018427387904",
    "\"",
    "\"\"",
    ",",
    ";",
    "\t",
    "\r\n",
    "\n\n",
    "\0",
    "\u{feff}",
    "# ",
    "%",
    "null",
    "[[",
    "{",
    " --n-restarts 18446744073709551615 ",
];

/// A stream of random numbers (SplitMix64).
struct Stream(u64);

impl Stream {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }

    fn range(&mut self, n_bytes: usize) -> std::ops::Range<usize> {
        let begin = self.below(n_bytes + 1);
        begin..begin + self.below((n_bytes - begin).min(16) + 1)
    }
}

/// The files of a target, in the order of their names.
fn corpus(target: Target) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target.name);
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Changes some bytes, by one of eight ways.
fn change(bytes: &mut Vec<u8>, other: &[u8], stream: &mut Stream) {
    let at = stream.below(bytes.len());
    let range = stream.range(bytes.len());
    match stream.below(8) {
        0 if !bytes.is_empty() => bytes[at] ^= 1 << stream.below(8),
        1 if !bytes.is_empty() => bytes[at] = stream.below(256) as u8,
        2 => drop(bytes.drain(range)),
        3 => {
            let copied = bytes[range].to_vec();
            bytes.splice(at..at, copied);
        }
        4 => bytes.truncate(at),
        5 => {
            let token = TOKENS[stream.below(TOKENS.len())];
            bytes.splice(range.start..range.start, token.bytes());
        }
        6 => {
            let number = [u64::MAX, i64::MAX as u64, 1 << 32, 0, 1][stream.below(5)].to_le_bytes();
            let n_bytes = [1, 2, 4, 8][stream.below(4)].min(bytes.len() - range.start);
            bytes[range.start..range.start + n_bytes].copy_from_slice(&number[..n_bytes]);
        }
        _ => {
            let theirs = stream.range(other.len());
            bytes.splice(range, other[theirs].iter().copied());
        }
    }
}

fn run(target: Target, bytes: &[u8]) {
    let ended = catch_unwind(|| (target.run)(bytes));
    assert!(ended.is_ok(), "{} fails on b\"{}\"", target.name, bytes.escape_ascii());
}

fn run_changed(target: Target) {
    let files: Vec<Vec<u8>> = corpus(target).iter().map(|path| fs::read(path).unwrap()).collect();
    for seed in 0..N_CHANGED {
        let mut stream = Stream(seed);
        let mut bytes = files[stream.below(files.len())].clone();
        for _ in 0..=stream.below(4) {
            let other = stream.below(files.len());
            change(&mut bytes, &files[other], &mut stream);
        }
        run(target, &bytes);
    }
}

#[test]
fn every_target_reads_its_corpus() {
    for target in TARGETS {
        let files = corpus(target);
        assert!(!files.is_empty(), "{}", target.name);
        files.iter().for_each(|path| run(target, &fs::read(path).unwrap()));
    }
}

#[test]
fn no_changed_text_makes_a_reader_panic() {
    let text = ["csv", "txt", "mtx", "phylip", "edges", "labels", "pairs", "model"];
    TARGETS.into_iter().filter(|target| text.contains(&target.name)).for_each(run_changed);
}

#[test]
fn no_changed_array_makes_a_reader_panic() {
    let binary = ["gzip", "npy", "npz", "parquet", "arrow"];
    TARGETS.into_iter().filter(|target| binary.contains(&target.name)).for_each(run_changed);
}

#[test]
fn no_settings_make_a_fit_panic() {
    TARGETS.into_iter().filter(|target| target.name == "settings").for_each(run_changed);
}

#[test]
fn cargo_fuzz_has_the_same_targets() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for target in TARGETS {
        assert!(manifest.contains(&format!("name = \"{}\"", target.name)), "{}", target.name);
        let binary = fs::read_to_string(folder.join(format!("fuzz_targets/{}.rs", target.name))).unwrap();
        assert!(binary.contains(&format!("run(\"{}\", bytes)", target.name)), "{}", target.name);
    }
    assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
}
