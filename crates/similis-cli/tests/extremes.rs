//! Every flag of every command with values that nobody means: an answer or a refusal, and no file that was not asked for.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::CommandFactory;
use similis_cli::args::Cli;

/// A call of each command that works, without the flags under test.
const CALLS: [(&str, &str); 11] = [
    ("cluster", "p.csv"),
    ("compare", "p.csv --variants search"),
    ("convert", "p.csv o.npy"),
    ("embed", "p.csv"),
    ("generate", "two-rings"),
    ("linkage", "p.csv"),
    ("neighbours", "p.csv"),
    ("predict", "m.similis p.csv"),
    ("sample", "latent-graph"),
    ("score", "p.csv --labels l.txt"),
    ("tree", "p.csv"),
];

/// What is given to each flag.
const VALUES: [&str; 6] = ["0", "-1", "NaN", "1e308", "18446744073709551615", "\u{202e}"];

/// Flags that take a value, and are not part of the call.
fn flags(command: &str, call: &str) -> Vec<String> {
    let cli = Cli::command();
    let own = cli.find_subcommand(command).unwrap();
    let valued = own.get_arguments().filter(|flag| flag.get_action().takes_values());
    let long = valued.filter_map(|flag| flag.get_long()).map(|flag| format!("--{flag}"));
    long.filter(|flag| !call.contains(flag.as_str())).collect()
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn every_flag_of_every_command_takes_or_refuses_extreme_values() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p.csv"), "x,y\n0,0\n0,1\n1,0\n9,9\n9,8\n8,9\n").unwrap();
    fs::write(folder.path().join("l.txt"), "0\n0\n0\n1\n1\n1\n").unwrap();
    let similis = |line: &str, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
        let command = command.current_dir(&folder).args(line.split(' ')).args(more);
        command.stdin(Stdio::null()).output().unwrap()
    };
    assert!(similis("cluster p.csv -k 2 -q -o l.txt --save-model m.similis", &[]).status.success());
    let mut n_refused = 0;
    for (command, call) in CALLS {
        for flag in flags(command, call) {
            for value in VALUES {
                let run = similis(&format!("{command} {call} --quiet"), &[&format!("{flag}={value}")]);
                let said = String::from_utf8_lossy(&run.stderr);
                let code = run.status.code();
                assert!(matches!(code, Some(0 | 2 | 3)), "{command} {flag}={value}: {code:?}: {said}");
                assert!(code != Some(2) || said.contains("error: "), "{command} {flag}={value}: {said}");
                n_refused += usize::from(code == Some(2));
            }
        }
        // Files that a flag names may be there, but none that are half.
        assert!(names(folder.path()).iter().all(|name| !name.starts_with(".similis-")), "{command}");
    }
    assert!(n_refused > 500, "{n_refused}");
}
