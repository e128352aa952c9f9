//! Every step of writing fails once, in every command: each file is then the old one or the new one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use clap::Parser;

use super::made::with_fault;
use crate::args::Cli;

const POINTS: &str = "0,0\n0,1\n1,0\n50,50\n50,51\n51,50\n";

/// A command line and its outputs; `FOLDER` is replaced.
const COMMANDS: [(&str, &[&str]); 13] = [
    (
        "cluster FOLDER/in.csv -k 2 -q -o FOLDER/l.csv --plot FOLDER/p.svg --report FOLDER/r.html --save-model FOLDER/m.similis",
        &["l.csv", "p.svg", "r.html", "m.similis"],
    ),
    ("cluster FOLDER/in.csv -k 2 -q -o FOLDER/l.json --plot FOLDER/p.png", &["l.json", "p.png"]),
    ("cluster FOLDER/in.csv -k 2 -q -o FOLDER/l.npy --model latent-feature", &["l.npy"]),
    ("compare FOLDER/in.csv -k 2 -q --report FOLDER/r.html", &["r.html"]),
    ("convert FOLDER/in.csv FOLDER/o.csv.gz --to matrix -q", &["o.csv.gz"]),
    ("convert FOLDER/in.csv FOLDER/o.npz --to edges -q", &["o.npz"]),
    ("convert FOLDER/in.csv FOLDER/o.mtx --to matrix -q", &["o.mtx"]),
    ("embed FOLDER/in.csv -q -o FOLDER/o.csv", &["o.csv"]),
    ("neighbours FOLDER/in.csv -k 2 -o FOLDER/o.csv", &["o.csv"]),
    ("predict FOLDER/model.similis FOLDER/in.csv -q -o FOLDER/o.csv", &["o.csv"]),
    ("tree FOLDER/in.csv -o FOLDER/o.csv", &["o.csv"]),
    ("generate half-moons -n 20 -o FOLDER/o.csv", &["o.csv"]),
    ("sample latent-graph -n 8 -o FOLDER/o.npy --labels FOLDER/l.txt", &["o.npy", "l.txt"]),
];

fn run(line: &str, folder: &Path) -> Result<(), String> {
    let line = line.replace("FOLDER", folder.to_str().unwrap());
    let cli = Cli::try_parse_from(std::iter::once("similis").chain(line.split(' '))).unwrap();
    crate::dispatch(cli.command).map(|_| ()).map_err(|error| error.to_string())
}

/// The files of a folder; numbers are left out of those that tell how long it took.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        let mut bytes = fs::read(entry.path()).unwrap();
        if name.ends_with("html") || name.ends_with("json") {
            bytes.retain(|byte| !(byte.is_ascii_digit() || b".e-".contains(byte)));
        }
        (name, bytes)
    };
    fs::read_dir(folder).unwrap().map(|entry| file(entry.unwrap())).collect()
}

#[test]
fn whatever_step_fails_every_file_is_the_old_one_or_the_new_one() {
    for (line, outputs) in COMMANDS {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("in.csv"), POINTS).unwrap();
        run("cluster FOLDER/in.csv -k 2 -q -o FOLDER/l.txt --save-model FOLDER/model.similis", folder.path())
            .unwrap();
        let old = || outputs.iter().for_each(|name| fs::write(folder.path().join(name), "old").unwrap());
        old();
        let before = files(folder.path());
        let (ended, n_steps) = with_fault(folder.path(), 0, || run(line, folder.path()));
        assert_eq!(ended, Ok(()), "{line}");
        let after = files(folder.path());
        // At least a temporary file, a write, a sync and a rename for each.
        assert!(n_steps >= 4 * outputs.len(), "{line}: {n_steps}");
        for fails in 1..=n_steps {
            old();
            let (ended, _) = with_fault(folder.path(), fails, || run(line, folder.path()));
            let message = ended.unwrap_err();
            assert!(message.contains("made by a test") && message.contains("must be writable"), "{message}");
            let found = files(folder.path());
            assert!(found.keys().eq(before.keys()), "{line}, step {fails}: {:?}", found.keys());
            let whole = |(name, bytes): (&String, &Vec<u8>)| *bytes == before[name] || *bytes == after[name];
            assert!(found.iter().all(whole), "{line}, step {fails}");
            // Before the first rename nothing has changed.
            assert!(fails > n_steps - outputs.len() || found == before, "{line}, step {fails}");
        }
    }
}
