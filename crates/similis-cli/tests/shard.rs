//! Points in many files: the labels of one file, for any cells, any number of workers, and after kills at any moment.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use similis::Metric;
use similis::evaluate::shapes::{Shape, draw};

/// More points than are searched one by one.
const N_POINTS: usize = 20_600;

fn similis(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    command.current_dir(folder).args(line.split(' ').filter(|word| !word.is_empty())).output().unwrap()
}

fn succeeds(folder: &Path, line: &str) -> Output {
    let output = similis(folder, line);
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// What a command that is a mistake says.
fn mistake(folder: &Path, line: &str) -> String {
    let output = similis(folder, line);
    assert_eq!(output.status.code(), Some(2), "{line}");
    String::from_utf8(output.stderr).unwrap()
}

fn text(rows: &[[f64; 2]]) -> String {
    let row = |row: &[f64; 2]| format!("{},{}\n", row[0], row[1]);
    format!("x,y\n{}", rows.iter().map(row).collect::<String>())
}

/// A folder with points in one file and in shards of unlike sizes.
fn folder(rows: &[[f64; 2]], n_shards: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("points")).unwrap();
    fs::write(folder.path().join("all.csv"), text(rows)).unwrap();
    for shard in 0..n_shards {
        let start = |shard: usize| rows.len() * shard * shard / (n_shards * n_shards);
        let own = &rows[start(shard)..start(shard + 1)];
        fs::write(folder.path().join(format!("points/{shard}.csv")), text(own)).unwrap();
    }
    folder
}

fn blobs(n: usize) -> Vec<[f64; 2]> {
    let drawn = draw(Shape::FiveBlobs, n, 3).unwrap();
    let mut rows: Vec<[f64; 2]> = (0..n).map(|i| [drawn.points.row(i)[0], drawn.points.row(i)[1]]).collect();
    // Some rows stand there twice.
    let copies: Vec<[f64; 2]> = rows.iter().step_by(70).copied().collect();
    rows.extend(copies);
    rows
}

/// The labels of a file, in the order of its rows.
fn labels(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().to_owned()).collect()
}

/// The labels of all shards, in their order.
fn of_shards(folder: &Path, n_shards: usize) -> Vec<String> {
    (0..n_shards).flat_map(|shard| labels(&folder.join(format!("{shard}.csv")))).collect()
}

#[test]
fn labels_of_shards_are_those_of_one_file() {
    let folder = folder(&blobs(N_POINTS), 4);
    let own = folder.path();
    succeeds(own, "cluster all.csv --input points -q -o all-labels.csv");
    let expected = labels(&own.join("all-labels.csv"));
    for (n_cells, threads) in [(1, 2), (5, 1), (23, 2)] {
        let line = format!("shard cluster points -o labels --n-cells {n_cells} --threads {threads} -q");
        succeeds(own, &line);
        assert_eq!(of_shards(&own.join("labels"), 4), expected, "{n_cells} cells");
        // The work folder is gone with the end of the work.
        assert!(!own.join("labels.work").exists());
        fs::remove_dir_all(own.join("labels")).unwrap();
    }
}

#[test]
fn few_points_and_other_metrics_are_clustered_as_in_one_file() {
    let rows = blobs(400);
    for metric in [Metric::Manhattan, Metric::Haversine, Metric::Cosine] {
        let name = similis::settings::Named::name(metric);
        let rows: Vec<[f64; 2]> = rows.iter().map(|row| [0.01 * row[0] + 0.1, 0.02 * row[1] + 0.2]).collect();
        let folder = folder(&rows, 3);
        let line = format!("cluster all.csv --input points -q --metric {name} -k 3 -o all-labels.csv");
        succeeds(folder.path(), &line);
        succeeds(folder.path(), &format!("shard cluster points -o labels --metric {name} -k 3 -q"));
        assert_eq!(
            of_shards(&folder.path().join("labels"), 3),
            labels(&folder.path().join("all-labels.csv"))
        );
    }
}

#[test]
fn haversine_and_three_columns_of_many_points_too() {
    let drawn = draw(Shape::FiveBlobs, N_POINTS, 9).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path();
    fs::create_dir(own.join("points")).unwrap();
    let line = |i: usize| {
        let row = drawn.points.row(i);
        format!("{},{}\n", 0.02 * row[0], 0.05 * row[1])
    };
    let all: Vec<String> = (0..N_POINTS).map(line).collect();
    fs::write(own.join("all.csv"), all.concat()).unwrap();
    for (shard, part) in all.chunks(N_POINTS.div_ceil(3)).enumerate() {
        fs::write(own.join(format!("points/{shard}.csv")), part.concat()).unwrap();
    }
    succeeds(own, "cluster all.csv --input points --metric haversine -k 5 -q -o all-labels.csv");
    succeeds(own, "shard cluster points --metric haversine -k 5 -q -o labels --n-cells 7");
    assert_eq!(of_shards(&own.join("labels"), 3), labels(&own.join("all-labels.csv")));
}

/// Rows of 16 columns, some of them equal: blobs, and even noise in the other columns.
fn wide_rows(n: usize) -> Vec<String> {
    let blobs = draw(Shape::FiveBlobs, n, 3).unwrap();
    let mut state = 7u64;
    let mut noise = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        1.5 * (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut row = |i: usize| {
        let mut own = blobs.points.row(i).to_vec();
        own.extend((0..14).map(|_| noise()));
        own.iter().map(f64::to_string).collect::<Vec<_>>().join(",") + "\n"
    };
    let mut rows: Vec<String> = (0..n).map(&mut row).collect();
    let copies: Vec<String> = rows.iter().step_by(90).cloned().collect();
    rows.extend(copies);
    rows
}

/// Writes rows into shards.
fn in_shards(folder: &Path, rows: &[String], n_shards: usize) {
    fs::create_dir(folder).unwrap();
    for (shard, part) in rows.chunks(rows.len().div_ceil(n_shards)).enumerate() {
        fs::write(folder.join(format!("{shard}.csv")), part.concat()).unwrap();
    }
}

#[test]
fn in_many_columns_one_group_has_the_labels_of_one_file() {
    let rows = wide_rows(N_POINTS);
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path();
    fs::write(own.join("all.csv"), rows.concat()).unwrap();
    in_shards(&own.join("points"), &rows, 3);
    // Lists of all pairs, and lists that may miss neighbours; a cluster that lists do not connect, too.
    for (flags, cells) in [("-k 5", ""), ("-k 40 --metric manhattan", "--n-cells 1")] {
        succeeds(own, &format!("cluster all.csv --input points -q {flags} -o all-labels.csv"));
        succeeds(own, &format!("shard cluster points {flags} -q -o labels {cells} --work work"));
        assert_eq!(of_shards(&own.join("labels"), 3), labels(&own.join("all-labels.csv")), "{flags}");
        // So few points have one group, whatever the number of cells.
        assert!(own.join("work/near/0.bin").exists() && !own.join("work/near/1.bin").exists());
        assert_eq!(own.join("work/cells/1.bin").exists(), cells.is_empty());
        fs::remove_dir_all(own.join("labels")).unwrap();
        fs::remove_dir_all(own.join("work")).unwrap();
    }
}

#[test]
fn in_many_columns_several_groups_have_the_same_labels_whoever_runs_them() {
    let rows = wide_rows(N_POINTS);
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path();
    in_shards(&own.join("one"), &rows, 1);
    in_shards(&own.join("five"), &rows, 5);
    let shard = |points: &str, threads: usize| {
        let line = format!("shard cluster {points} -k 5 -o {points}-labels --n-cells 40 --threads {threads}");
        let line = format!("{line} --work {points}-work");
        let said = String::from_utf8(succeeds(own, &line).stderr).unwrap();
        let answer = fs::read_to_string(own.join(format!("{points}-work/answer.json"))).unwrap();
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        (said, answer)
    };
    let (said, one) = shard("one", 1);
    let (_, five) = shard("five", 2);
    let expected = labels(&own.join("one-labels/0.csv"));
    assert_eq!(of_shards(&own.join("five-labels"), 5), expected);
    for name in ["scales", "spreads", "log_joint", "proven", "sizes"] {
        assert_eq!(one[name], five[name], "{name}");
    }
    // What may have been missed is said.
    let proven = one["proven"].as_f64().unwrap();
    assert!((0.7..1.0).contains(&proven), "{proven}");
    assert!(said.contains("of the listed neighbours are proven to be the nearest"), "{said}");
    // Nearly the clusters of one file.
    fs::write(own.join("all.csv"), rows.concat()).unwrap();
    succeeds(own, "cluster all.csv --input points -k 5 -q -o all-labels.csv");
    let whole = labels(&own.join("all-labels.csv"));
    let n_same = whole.iter().zip(&expected).filter(|(a, b)| a == b).count();
    assert!(n_same * 100 > 98 * whole.len(), "{n_same} of {}", whole.len());
}

/// Every file of a work folder that jobs wrote, with the time of its last change.
fn made(work: &Path) -> BTreeMap<String, std::time::SystemTime> {
    let mut files = BTreeMap::new();
    let mut folders = vec![work.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.path().to_string_lossy().into_owned();
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if entry.path().extension().is_some_and(|ending| ending == "bin") {
                files.insert(name, entry.metadata().unwrap().modified().unwrap());
            }
        }
    }
    files
}

#[test]
fn a_run_that_is_killed_goes_on_and_makes_nothing_twice() {
    let folder = folder(&blobs(N_POINTS), 5);
    let own = folder.path();
    succeeds(own, "shard plan points --work whole --output expected --n-cells 9");
    succeeds(own, "shard run whole -q");
    let expected = of_shards(&own.join("expected"), 5);
    succeeds(own, "shard plan points --work work --output labels --n-cells 9");
    let mut n_killed = 0;
    for moment in 1..=20 {
        let before = made(&own.join("work"));
        let mut run = Command::new(env!("CARGO_BIN_EXE_similis"));
        let run = run.current_dir(own).args(["shard", "run", "work", "-q"]).stderr(Stdio::null());
        let mut run = run.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(7 * moment));
        n_killed += usize::from(run.try_wait().unwrap().is_none());
        run.kill().unwrap();
        run.wait().unwrap();
        let after = made(&own.join("work"));
        // The driver may have been killed while it merged; what jobs wrote stays. Forests are whole with their lists.
        let by_jobs = ["/scan/", "/scatter/", "/cells/", "/lists/", "/forest/", "/last/"];
        let lists = |name: &str| name.replace("/forest/", "/lists/").replace("/last/", "/lists/");
        let is_whole = |name: &String| {
            by_jobs.iter().any(|part| name.contains(part)) && before.contains_key(&lists(name))
        };
        for (name, time) in before.iter().filter(|(name, _)| is_whole(name)) {
            assert_eq!(after.get(name), Some(time), "{name} was made twice");
        }
    }
    assert!(n_killed > 3);
    succeeds(own, "shard run work -q");
    assert_eq!(of_shards(&own.join("labels"), 5), expected);
}

#[test]
fn jobs_run_by_hand_in_parts() {
    let folder = folder(&blobs(N_POINTS), 3);
    let own = folder.path();
    succeeds(own, "shard plan points --work work --output labels --n-cells 4 -k 5");
    assert!(mistake(own, "shard plan points --work work --output labels").contains("new or empty"));
    assert!(mistake(own, "shard merge work").contains("3 jobs of this step must be run first"));
    assert!(mistake(own, "shard labels work").contains("labels come last"));
    for _ in 0..40 {
        for part in ["2/2", "1/2"] {
            succeeds(own, &format!("shard run work --part {part}"));
        }
        let next = succeeds(own, "shard merge work");
        if String::from_utf8(next.stderr).unwrap().starts_with("done") {
            break;
        }
    }
    succeeds(own, "shard labels work");
    succeeds(own, "cluster all.csv --input points -k 5 -q -o all-labels.csv");
    assert_eq!(of_shards(&own.join("labels"), 3), labels(&own.join("all-labels.csv")));
    let status = succeeds(own, "shard status work");
    assert!(String::from_utf8(status.stderr).unwrap().starts_with("done"));
}

#[test]
fn bad_shards_are_named_before_any_heavy_work() {
    let rows = blobs(60);
    let cases = [
        ("", "points/3.csv must hold at least one row"),
        ("x,z\n1,2\n", "every shard must have the columns of"),
        ("x,y,z\n1,2,3\n", "every shard must have the columns of"),
        ("x,y\n1,2\n1,2\n1,2\n1,2\n1,2\n1,NaN\n", "points/3.csv, line 7"),
        ("x,y\n1,2\n1,\"2\n", "points/3.csv, line 3"),
    ];
    for (content, words) in cases {
        let folder = folder(&rows, 3);
        fs::write(folder.path().join("points/3.csv"), content).unwrap();
        let said = mistake(folder.path(), "shard cluster points -o labels -q");
        assert!(said.contains(words), "{said}");
        assert!(!folder.path().join("labels.work/scatter").exists());
        assert!(!folder.path().join("labels").exists());
    }
    let folder = folder(&rows, 3);
    fs::write(folder.path().join("points/3.npy"), b"\x93NUMPY\x01\x00").unwrap();
    assert!(mistake(folder.path(), "shard cluster points -o labels -q").contains("3.npy"));
    fs::create_dir(folder.path().join("none")).unwrap();
    assert!(mistake(folder.path(), "shard cluster none -o others").contains("got none of these"));
    // A work folder that was left goes on only if the same is asked.
    assert!(mistake(folder.path(), "shard cluster points -k 2 -o labels -q").contains("new or empty"));
    for flag in
        ["--standardise", "--missing drop", "--noise background", "--metric minkowski", "--inference paper"]
    {
        let line = format!("shard plan points --work other --output labels {flag}");
        mistake(folder.path(), &line);
        assert!(!folder.path().join("other").exists(), "{flag}");
    }
}

#[test]
fn names_of_the_points_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path();
    fs::create_dir(own.join("points")).unwrap();
    for shard in 0..2 {
        let row = |i: usize| format!("item-{shard}-{i},{},{}\n", i % 10 + 50 * (i / 10), i);
        let rows: String = (0..20).map(row).collect();
        fs::write(own.join(format!("points/{shard}.csv")), format!("name,x,y\n{rows}")).unwrap();
    }
    succeeds(own, "shard cluster points --id-column name -k 2 -o labels -q");
    let text = fs::read_to_string(own.join("labels/1.csv")).unwrap();
    assert!(text.starts_with("name,label\nitem-1-0,0\n"), "{text}");
}

#[test]
fn a_second_driver_is_refused() {
    let folder = folder(&blobs(60), 2);
    let own = folder.path();
    succeeds(own, "shard plan points --work work --output labels -k 2");
    let lock = fs::File::options().create(true).append(true).open(own.join("work/driver.lock")).unwrap();
    lock.try_lock().unwrap();
    assert!(mistake(own, "shard run work").contains("another process drives"));
    assert!(mistake(own, "shard merge work").contains("another process drives"));
    drop(lock);
    succeeds(own, "shard run work -q");
}
