//! Outputs: whole or not at all, all or none, and with the permissions, owner and links that were there.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

const LABELS: &str = "0\n0\n0\n1\n1\n1\n";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("points.csv"), "0,0\n0,1\n1,0\n50,50\n50,51\n51,50\n").unwrap();
    folder
}

fn cluster(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    command.current_dir(folder).args(["cluster", "points.csv", "-k", "2"]).args(arguments).output().unwrap()
}

fn clustered(folder: &TempDir, arguments: &[&str]) {
    let run = cluster(folder, arguments);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

fn refusal(run: &Output) -> String {
    let message = String::from_utf8(run.stderr.clone()).unwrap();
    assert_eq!(run.status.code(), Some(2), "{message}");
    message
}

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

#[test]
fn an_output_keeps_permissions_and_owner() {
    let folder = folder();
    let path = folder.path().join("labels.txt");
    for mode in [0o600, 0o640, 0o666] {
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        // Only the superuser can give a file away; everyone else keeps their own.
        let given_away = chown(&path, Some(12_345), Some(23_456)).is_ok();
        let before = fs::metadata(&path).unwrap();
        assert_eq!(given_away, before.uid() == 12_345);
        clustered(&folder, &["-o", "labels.txt"]);
        let after = fs::metadata(&path).unwrap();
        assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
        assert_eq!(fs::read_to_string(&path).unwrap(), LABELS);
    }
}

#[test]
fn a_read_only_output_is_refused_and_stays() {
    let folder = folder();
    let path = folder.path().join("labels.txt");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let message = refusal(&cluster(&folder, &["-o", "labels.txt"]));
    assert!(message.contains("labels.txt") && message.contains("read-only"), "{message}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
}

#[test]
fn a_symbolic_link_stays_and_its_target_is_written() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("elsewhere")).unwrap();
    fs::write(path("elsewhere/old.txt"), "old").unwrap();
    symlink("elsewhere/old.txt", path("link.txt")).unwrap();
    symlink("elsewhere/new.txt", path("dangling.txt")).unwrap();
    for (link, target) in [("link.txt", "elsewhere/old.txt"), ("dangling.txt", "elsewhere/new.txt")] {
        clustered(&folder, &["-o", link]);
        assert!(path(link).is_symlink(), "{link}");
        assert_eq!(fs::read_to_string(path(target)).unwrap(), LABELS);
    }
    assert_eq!(names(&path("elsewhere")), ["new.txt", "old.txt"]);
}

#[test]
fn two_outputs_under_one_name_are_refused() {
    let folder = folder();
    symlink("a.svg", folder.path().join("link.svg")).unwrap();
    let absolute = folder.path().join("a.svg");
    for other in ["./a.svg", "../FOLDER/a.svg", "link.svg", absolute.to_str().unwrap()] {
        let name = folder.path().file_name().unwrap().to_str().unwrap();
        let other = other.replace("FOLDER", name);
        let message =
            refusal(&cluster(&folder, &["--plot", "a.svg", "-o", &other, "--output-format", "txt"]));
        assert!(message.contains("would be written over"), "{other}: {message}");
        assert_eq!(names(folder.path()), ["link.svg", "points.csv"]);
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    let run =
        command.current_dir(&folder).args(["sample", "latent-graph", "-o", "m.npy", "--labels", "./m.npy"]);
    assert!(refusal(&run.output().unwrap()).contains("would be written over"));
}

#[test]
fn all_outputs_are_written_or_none() {
    let folder = folder();
    let outputs = ["labels.csv", "model.similis", "picture.svg", "report.html"];
    for name in outputs {
        fs::write(folder.path().join(name), "old").unwrap();
    }
    let before = names(folder.path());
    let arguments = "-o labels.csv --save-model model.similis --plot picture.svg --report report.html";
    // A file may grow to 16 blocks of 512 bytes: the labels do, the report does not.
    let program = env!("CARGO_BIN_EXE_similis");
    let line = format!("ulimit -f 16; exec {program} cluster points.csv -k 2 {arguments}");
    let run = Command::new("sh").current_dir(&folder).args(["-c", &line]).output().unwrap();
    let message = refusal(&run);
    assert!(message.contains("must be writable") && message.contains("the disk"), "{message}");
    assert_eq!(names(folder.path()), before);
    for name in outputs {
        assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), "old", "{name}");
    }
    clustered(&folder, &arguments.split(' ').collect::<Vec<_>>());
    assert!(outputs.iter().all(|name| fs::read(folder.path().join(name)).unwrap() != b"old"));
}

#[cfg(target_os = "linux")]
#[test]
fn no_file_changes_where_labels_cannot_be_printed() {
    let folder = folder();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    let command = command.current_dir(&folder).args(["cluster", "points.csv", "-k", "2", "--plot", "p.svg"]);
    let message = refusal(&command.stdout(full).output().unwrap());
    assert!(message.contains("standard output must be writable"), "{message}");
    assert_eq!(names(folder.path()), ["points.csv"]);
}

#[test]
fn temporary_files_of_runs_that_were_killed_are_removed_after_a_day() {
    let folder = folder();
    let day = Duration::from_secs(24 * 60 * 60);
    for (name, age) in [
        (".similis-Ab12yz", day * 2),
        (".similis-Cd34wx", day / 2),
        (".similis-settings", day * 2),
        (".other-Ab12yz", day * 2),
    ] {
        let file = fs::File::create(folder.path().join(name)).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    }
    clustered(&folder, &["-o", "labels.txt"]);
    let expected = [".other-Ab12yz", ".similis-Cd34wx", ".similis-settings", "labels.txt", "points.csv"];
    assert_eq!(names(folder.path()), expected);
}

#[test]
fn names_that_look_like_formulas_are_written_as_they_are_or_behind_an_apostrophe() {
    let folder = folder();
    let named = "name,x,y\n=1+1,0,0\n+a,0,1\n@b,1,0\n\"=c,d\",50,50\n-1.5,50,51\n-e,51,50\n";
    fs::write(folder.path().join("points.csv"), named).unwrap();
    let rows = |arguments: &[&str]| {
        clustered(&folder, &[&["--id-column", "name", "-o", "l.csv"], arguments].concat());
        fs::read_to_string(folder.path().join("l.csv")).unwrap()
    };
    assert_eq!(rows(&[]), "name,label\n=1+1,0\n+a,0\n@b,0\n\"=c,d\",1\n-1.5,1\n-e,1\n");
    let protected = "name,label\n'=1+1,0\n'+a,0\n'@b,0\n\"'=c,d\",1\n-1.5,1\n'-e,1\n";
    assert_eq!(rows(&["--protect-formulas"]), protected);
}
