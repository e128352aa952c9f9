//! Runs that are ended early leave a whole answer or none, and nothing else.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const N_POINTS: usize = 3000;

const N_CONVERTED: usize = 1500;

/// The signals that end a run with an answer. Of those that close a terminal only Linux tells whether they count.
const SIGNALS: &[&str] = if cfg!(target_os = "linux") { &["INT", "TERM", "HUP"] } else { &["INT", "TERM"] };

/// The command, with its signals as they are in a terminal: in the background, or under `nohup`, some are ignored.
fn similis(folder: &Path) -> Command {
    with_signals(folder, "--default-signal")
}

fn with_signals(folder: &Path, how: &str) -> Command {
    let program = env!("CARGO_BIN_EXE_similis");
    let mut command = Command::new(if cfg!(target_os = "linux") { "env" } else { program });
    if cfg!(target_os = "linux") {
        command.arg(format!("{how}=HUP")).arg(program);
    }
    command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn send(signal: &str, process: u32) {
    let (signal, process) = (format!("-{signal}"), process.to_string());
    Command::new("kill").args([signal, process]).stderr(Stdio::null()).status().unwrap();
}

/// Waits until there is a temporary file, which shows that an output is being written.
fn await_temporary(folder: &Path) {
    let begun = Instant::now();
    while files(folder).len() < 2 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn write_points(path: &Path, n_points: usize) {
    let points = (0..n_points as u64).fold(String::new(), |all, i| {
        all + &format!("{},{}\n", i.wrapping_mul(2_654_435_761) % 9973, i.wrapping_mul(40_503) % 9967)
    });
    fs::write(path, points).unwrap();
}

/// The files of a folder, in order.
fn files(folder: &Path) -> Vec<String> {
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

/// Whether there is an answer in the folder; it has every label then, and nothing lies beside it.
fn has_answer(folder: &Path) -> bool {
    let names = files(folder);
    if names == ["points.csv"] {
        return false;
    }
    assert_eq!(names, ["labels.txt", "points.csv"]);
    let text = fs::read_to_string(folder.join("labels.txt")).unwrap();
    assert!(
        text.ends_with('\n') && text.lines().all(|label| label.parse::<usize>().is_ok_and(|label| label < 3))
    );
    assert_eq!(text.lines().count(), N_POINTS);
    fs::remove_file(folder.join("labels.txt")).unwrap();
    true
}

const CLUSTER: [&str; 8] =
    ["cluster", "points.csv", "-k", "3", "-o", "labels.txt", "--model", "latent-graph"];

#[test]
fn a_signal_at_any_time_leaves_a_whole_answer_or_none() {
    let folder = tempfile::tempdir().unwrap();
    write_points(&folder.path().join("points.csv"), N_POINTS);
    let begun = Instant::now();
    assert!(similis(folder.path()).args(CLUSTER).output().unwrap().status.success());
    let whole = begun.elapsed();
    assert!(has_answer(folder.path()));
    for (part, signal) in (0..21).zip(SIGNALS.iter().cycle()) {
        let run = similis(folder.path()).args(CLUSTER).spawn().unwrap();
        std::thread::sleep(whole.mul_f64(f64::from(part * part) / 441.0));
        send(signal, run.id());
        let ended = run.wait_with_output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        let answered = has_answer(folder.path());
        match ended.status.code() {
            // The run was over before it was interrupted, or its answer was found.
            Some(0) => assert!(answered, "{said}"),
            Some(130) => assert_eq!(answered, said.contains("best answer so far"), "{said}"),
            // Interrupted before the program had begun.
            other => assert!(other.is_none() && !answered, "{signal}: {other:?}: {said}"),
        }
    }
}

#[test]
fn a_second_signal_to_terminate_does_not_cost_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    write_points(&folder.path().join("points.csv"), N_POINTS);
    let mut waited = Duration::from_millis(50);
    loop {
        let mut run = similis(folder.path()).args(CLUSTER).spawn().unwrap();
        std::thread::sleep(waited);
        send("TERM", run.id());
        let mut said = BufReader::new(run.stderr.take().unwrap());
        let mut first = String::new();
        said.read_line(&mut first).unwrap();
        if !first.contains("best answer so far") {
            // Too early: the program had not begun to search.
            assert!(waited < Duration::from_secs(10), "{first}");
            waited *= 2;
            run.wait().unwrap();
            has_answer(folder.path());
            continue;
        }
        send("TERM", run.id());
        said.read_to_string(&mut first).unwrap();
        assert_eq!(run.wait().unwrap().code(), Some(130), "{first}");
        assert!(has_answer(folder.path()), "{first}");
        break;
    }
}

#[test]
fn a_time_limit_of_any_length_leaves_a_whole_answer() {
    let folder = tempfile::tempdir().unwrap();
    write_points(&folder.path().join("points.csv"), N_POINTS);
    for part in 0..20 {
        let seconds = 1e-9 + 0.001 * f64::from(part * part);
        let ended = similis(folder.path())
            .args(CLUSTER)
            .args(["--time-limit", &seconds.to_string()])
            .output()
            .unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(ended.status.success(), "{said}");
        assert!(has_answer(folder.path()), "{said}");
        assert!(part > 0 || said.contains("stopped at the time limit, best answer so far"), "{said}");
    }
}

const CONVERT: [&str; 5] = ["convert", "points.csv", "matrix.csv", "--to", "matrix"];

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_that_closes_does_not_end_a_run_under_nohup() {
    let folder = tempfile::tempdir().unwrap();
    write_points(&folder.path().join("points.csv"), N_CONVERTED);
    let mut run = with_signals(folder.path(), "--ignore-signal").args(CONVERT).spawn().unwrap();
    await_temporary(folder.path());
    send("HUP", run.id());
    assert_eq!(run.wait().unwrap().code(), Some(0));
    assert_eq!(files(folder.path()), ["matrix.csv", "points.csv"]);
}

#[test]
fn a_conversion_that_is_interrupted_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    write_points(&folder.path().join("points.csv"), N_CONVERTED);
    let mut n_midway = 0;
    let at_once = [SIGNALS, &["QUIT"]].concat();
    for (part, signal) in (0..20).zip(at_once.iter().cycle()) {
        let mut run = similis(folder.path()).args(CONVERT).spawn().unwrap();
        await_temporary(folder.path());
        std::thread::sleep(Duration::from_millis(10 * part));
        send(signal, run.id());
        let code = run.wait().unwrap().code();
        let names = files(folder.path());
        if names == ["points.csv"] {
            assert_eq!(code, Some(130));
            n_midway += 1;
        } else {
            assert_eq!(names, ["matrix.csv", "points.csv"]);
            let matrix = fs::read_to_string(folder.path().join("matrix.csv")).unwrap();
            assert_eq!(matrix.lines().count(), N_CONVERTED);
            fs::remove_file(folder.path().join("matrix.csv")).unwrap();
        }
    }
    assert!(n_midway > 0);
}
