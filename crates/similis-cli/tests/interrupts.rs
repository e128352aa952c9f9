//! Runs that are ended early leave a whole answer or none, and nothing else.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const N_POINTS: usize = 3000;

const N_CONVERTED: usize = 1500;

fn similis(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped());
    command
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
fn ctrl_c_at_any_time_leaves_a_whole_answer_or_none() {
    let folder = tempfile::tempdir().unwrap();
    write_points(&folder.path().join("points.csv"), N_POINTS);
    let begun = Instant::now();
    assert!(similis(folder.path()).args(CLUSTER).output().unwrap().status.success());
    let whole = begun.elapsed();
    assert!(has_answer(folder.path()));
    for part in 0..20 {
        let run = similis(folder.path()).args(CLUSTER).spawn().unwrap();
        std::thread::sleep(whole.mul_f64(f64::from(part * part) / 400.0));
        Command::new("kill").args(["-INT", &run.id().to_string()]).stderr(Stdio::null()).status().unwrap();
        let ended = run.wait_with_output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        let answered = has_answer(folder.path());
        match ended.status.code() {
            // The run was over before it was interrupted, or its answer was found.
            Some(0) => assert!(answered, "{said}"),
            Some(130) => assert_eq!(answered, said.contains("best answer so far"), "{said}"),
            // Interrupted before the program had begun.
            other => assert!(other.is_none() && part == 0 && !answered, "{other:?}: {said}"),
        }
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

#[test]
fn a_conversion_that_is_interrupted_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    write_points(&folder.path().join("points.csv"), N_CONVERTED);
    let mut n_midway = 0;
    for part in 0..20 {
        let mut run = similis(folder.path())
            .args(["convert", "points.csv", "matrix.csv", "--to", "matrix"])
            .spawn()
            .unwrap();
        // A temporary file shows that it is being written.
        let begun = Instant::now();
        while files(folder.path()).len() < 2 && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(10 * part));
        Command::new("kill").args(["-INT", &run.id().to_string()]).stderr(Stdio::null()).status().unwrap();
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
