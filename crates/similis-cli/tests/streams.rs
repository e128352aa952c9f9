//! Standard output and standard error that cannot be written, and names that would steer a terminal.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const POINTS: &str = "0,0\n0,1\n1,0\n50,50\n50,51\n51,50\n";

const LABELS: &str = "0\n0\n0\n1\n1\n1\n";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("points.csv"), POINTS).unwrap();
    folder
}

fn similis(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    command.current_dir(folder).args(arguments);
    command
}

fn run(folder: &TempDir, arguments: &[&str]) -> Output {
    similis(folder, arguments).output().unwrap()
}

/// A clustering that has a note and a summary to say.
const WITH_A_NOTE: [&str; 6] = ["cluster", "points.csv", "-k", "2", "--conversion", "one-minus"];

#[test]
fn the_note_is_there_where_it_can_be_written() {
    let folder = folder();
    let said = String::from_utf8(run(&folder, &WITH_A_NOTE).stderr).unwrap();
    assert!(said.contains("note: --conversion") && said.contains("2 clusters"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_error_does_not_cost_the_answer() {
    let folder = folder();
    for arguments in [&WITH_A_NOTE[..], &["cluster", "nowhere.csv"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ended = similis(&folder, arguments).stderr(full).output().unwrap();
        let (code, labels) = if arguments[1] == "points.csv" { (0, LABELS) } else { (2, "") };
        assert_eq!(ended.status.code(), Some(code), "{arguments:?}");
        assert_eq!(String::from_utf8(ended.stdout).unwrap(), labels);
    }
}

#[test]
fn a_reader_of_standard_error_that_left_does_not_cost_the_answer() {
    let folder = folder();
    let mut command = similis(&folder, &WITH_A_NOTE);
    let mut child = command.args(["-o", "labels.txt"]).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(fs::read_to_string(folder.path().join("labels.txt")).unwrap(), LABELS);
}

/// Wherever the limit lies, the run is done or refused; below it the system cannot start the program.
#[cfg(target_os = "linux")]
#[test]
fn too_little_address_space_is_told() {
    let folder = folder();
    let mut refused = 0;
    for kilobytes in (20_000..400_000).step_by(5_000) {
        let program = env!("CARGO_BIN_EXE_similis");
        let line = format!("ulimit -v {kilobytes}; exec {program} cluster points.csv -k 2 --threads 1");
        let ended = Command::new("sh").current_dir(&folder).args(["-c", &line]).output().unwrap();
        let (code, said) = (ended.status.code(), String::from_utf8_lossy(&ended.stderr));
        match code {
            Some(0) => assert!(refused > 0 && ended.stdout == LABELS.as_bytes(), "{kilobytes}"),
            Some(2) => {
                refused += 1;
                assert!(said.contains("ulimit -v") && said.contains("raise it"), "{kilobytes}: {said}");
            }
            _ => assert!(refused == 0 && code != Some(101), "{kilobytes}: {code:?}: {said}"),
        }
    }
    assert!(refused > 0);
}

/// An array of NumPy of another type than any that is read.
fn array(dtype: &str) -> Vec<u8> {
    let header = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': (1,), }}\n");
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), &[0; 8]].concat()
}

fn archive(names: &[&str]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in names {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(&array("<f8")).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn names_do_not_steer_the_terminal() {
    let folder = folder();
    let write = |name: &str, content: &[u8]| fs::write(folder.path().join(name), content).unwrap();
    let named: Vec<String> = POINTS.lines().map(|row| format!("\u{1b}]0;x\u{7}\u{9b}31m,{row}\n")).collect();
    write("named.csv", format!("name,x,y\n{}", named.concat()).as_bytes());
    write("two.npz", &archive(&["\u{1b}[31m", "b"]));
    write("type.npy", &array("<\u{1b}[2J"));
    #[cfg(unix)]
    write("file\u{1b}[31m.csv", POINTS.as_bytes());
    for arguments in [
        &["cluster", "named.csv", "--id-column", "name", "-k", "2"][..],
        &["cluster", "two.npz"],
        &["cluster", "type.npy"],
        #[cfg(unix)]
        &["cluster", "file\u{1b}[31m.csv", "-k", "2"],
        #[cfg(unix)]
        &["cluster", "none\u{1b}[31m.csv"],
    ] {
        let said = String::from_utf8(run(&folder, arguments).stderr).unwrap();
        let raw = |character: char| character.is_control() && character != '\n';
        assert!(said.contains("\\u{1b}") && !said.contains(raw), "{arguments:?}: {said:?}");
    }
}
