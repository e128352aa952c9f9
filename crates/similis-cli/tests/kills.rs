//! Runs that are killed leave the old file or the new one, whole.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Command lines; every file that they write is an output.
const COMMANDS: [&str; 6] = [
    "convert in/points.csv out/matrix.csv --to matrix -q",
    "convert in/points.csv out/matrix.npy.gz --to matrix -q",
    "cluster in/few.csv -k 2 -q -o out/l.csv --plot out/p.png --save-model out/m.similis",
    "neighbours in/points.csv -k 50 -q -o out/o.csv",
    "generate five-blobs -n 100000 -o out/o.csv",
    "sample latent-graph -n 600 -o out/o.npy --labels out/l.txt",
];

/// Number of moments, from the beginning to the end, at which each is killed.
const N_MOMENTS: u32 = 6;

fn start(folder: &Path, line: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    let command = command.current_dir(folder).args(line.split(' '));
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// The outputs; temporary files are left out.
fn outputs(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder.join("out")).unwrap().map(|entry| entry.unwrap());
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
    let lasting = named.filter(|(name, _)| !name.starts_with(".similis-"));
    lasting.map(|(name, path)| (name, fs::read(path).unwrap())).collect()
}

fn empty(folder: &Path) {
    let _ = fs::remove_dir_all(folder.join("out"));
    fs::create_dir(folder.join("out")).unwrap();
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    let row = |i: u64| format!("{},{}\n", i * 2_654_435_761 % 9973, i * 40_503 % 9967);
    let rows: Vec<String> = (0..500).map(row).collect();
    fs::write(folder.path().join("in/points.csv"), rows.concat()).unwrap();
    fs::write(folder.path().join("in/few.csv"), rows[..60].concat()).unwrap();
    folder
}

#[test]
fn a_run_that_is_killed_leaves_the_old_files_or_the_new_ones() {
    let folder = folder();
    let mut n_old = 0;
    for line in COMMANDS {
        empty(folder.path());
        let begun = Instant::now();
        assert!(start(folder.path(), line).wait().unwrap().success(), "{line}");
        let whole = begun.elapsed();
        let new = outputs(folder.path());
        for moment in 0..N_MOMENTS {
            empty(folder.path());
            new.keys().for_each(|name| fs::write(folder.path().join("out").join(name), "old").unwrap());
            let mut run = start(folder.path(), line);
            std::thread::sleep(Duration::from_nanos(1) + whole * moment / (N_MOMENTS - 1));
            run.kill().unwrap();
            run.wait().unwrap();
            let found = outputs(folder.path());
            assert!(found.keys().eq(new.keys()), "{line}: {:?}", found.keys());
            let is_whole = |name: &String| found[name] == b"old" || found[name] == new[name];
            assert!(found.keys().all(is_whole), "{line}, moment {moment}");
            n_old += usize::from(found.values().all(|content| content == b"old"));
        }
    }
    // At the first moment nothing can have been written.
    assert!(n_old >= COMMANDS.len(), "{n_old}");
}
