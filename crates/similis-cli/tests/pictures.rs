//! Pictures, the report and the summary as a user meets them.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn testdata(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name).to_str().unwrap().to_owned()
}

fn similis(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_similis")).args(arguments).output().unwrap()
}

/// Clusters a file of `testdata`; standard error of a run that must succeed.
fn clustered(name: &str, arguments: &[&str]) -> String {
    let data = testdata(name);
    let run = similis(&[&["cluster", &data, "--n-clusters", "2"][..], arguments].concat());
    let message = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success(), "{arguments:?}: {message}");
    message
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }
}

#[test]
fn a_picture_is_svg_png_or_pdf_as_its_name_says() {
    let folder = Folder::new();
    for (name, wanted) in
        [("a.svg", &b"<svg"[..]), ("a.png", b"\x89PNG"), ("A.PNG", b"\x89PNG"), ("a.pdf", b"%PDF-1.7")]
    {
        clustered("two-scales.csv", &["--plot", &folder.text(name), "-q"]);
        let bytes = fs::read(folder.path(name)).unwrap();
        assert!(bytes.starts_with(wanted), "{name}");
    }
    let run = similis(&["cluster", &testdata("two-scales.csv"), "--plot", &folder.text("a.jpg")]);
    assert_eq!(run.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&run.stderr).contains("must end in .svg, .png or .pdf"));
}

#[test]
fn a_picture_has_the_title_and_the_width_that_were_asked_for() {
    let folder = Folder::new();
    let path = folder.text("a.svg");
    for kind in ["scatter", "matrix", "scales", "dendrogram"] {
        let flags =
            ["--plot", &path, "--plot-kind", kind, "--plot-title", "Rings & co", "--plot-width", "900", "-q"];
        clustered("two-scales.csv", &flags);
        let svg = fs::read_to_string(&path).unwrap();
        assert!(svg.contains(">Rings &amp; co</text>") && svg.contains(" width=\"900\" height="), "{kind}");
    }
    let run = similis(&["cluster", &testdata("two-scales.csv"), "--plot", &path, "--plot-width", "0"]);
    assert_eq!(run.status.code(), Some(2));
}

#[test]
fn every_kind_of_picture_is_drawn_where_the_answer_has_it() {
    let folder = Folder::new();
    let path = folder.text("a.svg");
    let kind = |kind: &str, model: &[&str]| {
        let data = testdata("two-scales.csv");
        let common = ["cluster", &data, "-k", "2", "-q", "--plot", &path, "--plot-kind", kind];
        let _ = fs::remove_file(&path);
        let run = similis(&[&common[..], model].concat());
        match run.status.code() {
            Some(0) => fs::read_to_string(&path).unwrap().starts_with("<svg"),
            Some(2) => {
                assert!(String::from_utf8_lossy(&run.stderr).contains("take another kind"), "{kind}");
                assert!(run.stdout.is_empty());
                Path::new(&path).exists()
            }
            code => panic!("{kind}: {code:?}"),
        }
    };
    let paper = &["--inference", "paper", "--n-restarts", "2"][..];
    let feature = &["--model", "latent-feature"][..];
    for (name, by_search, by_paper, by_feature) in [
        ("scatter", true, true, true),
        ("matrix", true, true, true),
        ("scales", true, true, false),
        ("lengths", true, true, false),
        ("trace", false, true, false),
        ("candidates", true, false, false),
        ("eigenvalues", false, false, true),
        ("dendrogram", true, true, true),
    ] {
        assert_eq!(kind(name, &[]), by_search, "{name}");
        assert_eq!(kind(name, paper), by_paper, "{name}");
        assert_eq!(kind(name, feature), by_feature, "{name}");
    }
}

/// The lines of a picture whose colour is a dark grey, such as `#333`.
fn dark_greys(svg: &str) -> Vec<String> {
    let colours = svg.split("stroke=\"#").skip(1).filter_map(|rest| rest.split('"').next());
    let is_dark = |colour: &&str| {
        let parts: Vec<&[u8]> = colour.as_bytes().chunks(colour.len() / 3).collect();
        parts.iter().all(|part| *part == parts[0]) && parts[0][0] < b'4'
    };
    colours.filter(is_dark).map(|colour| format!("[stroke=\"#{colour}\"]")).collect()
}

#[test]
fn every_dark_line_is_light_on_a_dark_page() {
    let folder = Folder::new();
    let (path, page) = (folder.text("a.svg"), folder.text("r.html"));
    let (search, sample) =
        (&["--noise", "background"][..], &["--inference", "sample", "--n-sweeps", "9"][..]);
    for (kind, flags) in [
        ("scatter", search),
        ("outliers", &[]),
        ("peaks", &[]),
        ("edges", &[]),
        ("dendrogram", &[]),
        ("levels", &[]),
        ("lengths", &[]),
        ("modes", &[]),
        ("uncertainty", sample),
    ] {
        let common = ["-q", "--plot", &path, "--plot-kind", kind, "--report", &page];
        clustered("two-scales.csv", &[&common[..], flags].concat());
        let (svg, html) = (fs::read_to_string(&path).unwrap(), fs::read_to_string(&page).unwrap());
        let (_, dark) = html.split_once("@media screen and (prefers-color-scheme: dark)").unwrap();
        let (dark, _) = dark.split_once("\n}").unwrap();
        let greys = dark_greys(&svg);
        assert!(greys.iter().all(|grey| dark.contains(grey)), "{kind}: {greys:?}");
    }
}

#[test]
fn the_report_holds_everything_and_asks_nothing_of_the_network() {
    let folder = Folder::new();
    let report = folder.text("a report.html");
    let summary = clustered("two-scales.csv", &["--report", &report]);
    let html = fs::read_to_string(&report).unwrap();
    for id in ["scatter", "matrix", "scales", "lengths", "candidates"] {
        let (_, after) =
            html.split_once(&format!("<figure id=\"{id}\">")).unwrap_or_else(|| panic!("no {id}"));
        assert!(after.trim_start().starts_with("<svg"));
    }
    // What made the answer is said once, and not below every picture.
    assert_eq!(html.matches(concat!("similis ", env!("CARGO_PKG_VERSION"))).count(), 1);
    for id in ["classes", "profiles", "candidates", "learned", "settings"] {
        assert!(html.contains(&format!("<table id=\"{id}\">")), "{id}");
    }
    assert!(html.contains(&format!("--report '{report}'</pre>")), "the command is quoted for the shell");
    let medoid = summary.lines().find(|line| line.trim_start().starts_with("0 ")).unwrap();
    let medoid = medoid.split_whitespace().last().unwrap();
    assert!(html.contains(&format!("<td class=\"number\">{medoid}</td>")));
    for asks in ["http:", "https:", "src=", "@import", "url(", "<script"] {
        let found = html.replace("http://www.w3.org/2000/svg", "").contains(asks);
        assert!(!found, "{asks}");
    }
}

#[test]
fn a_file_cannot_put_marks_into_the_report() {
    let folder = Folder::new();
    let data = folder.path("a<b>&\"c\".csv");
    let rows = (0..20).fold("<i>x</i>,y\n".to_owned(), |mut text, i| {
        writeln!(text, "{},{}", i % 10, if i < 10 { 0 } else { 50 }).unwrap();
        text
    });
    fs::write(&data, rows).unwrap();
    let report = folder.text("r.html");
    let run = similis(&["cluster", data.to_str().unwrap(), "-k", "2", "-q", "--report", &report]);
    assert!(run.status.success());
    let html = fs::read_to_string(report).unwrap();
    assert!(!html.contains("a<b>") && !html.contains("<i>x"));
    assert!(html.contains("a&lt;b&gt;&amp;&quot;c&quot;.csv") && html.contains("&lt;i&gt;x"));
}

#[test]
fn the_summary_lists_clusters_and_verbose_says_what_took_how_long() {
    let short = clustered("two-scales.csv", &[]);
    assert!(
        short.contains("  cluster     size      scale     spread  medoid\n        0      228"),
        "{short}"
    );
    assert!(!short.contains("phases:"));
    let long = clustered("two-scales.csv", &["--verbose"]);
    assert!(long.contains("phases:") && long.contains(" s  local search"), "{long}");
    let paper = clustered("two-scales.csv", &["-v", "--inference", "paper", "--n-restarts", "1"]);
    assert!(paper.contains("trace:\n  pass    0: "), "{paper}");
    let feature = clustered("two-scales.csv", &["--model", "latent-feature"]);
    assert!(feature.contains("  cluster     size      stays  medoid\n"), "{feature}");
}

#[test]
fn a_time_limit_ends_with_the_best_answer_so_far_and_says_so() {
    let folder = Folder::new();
    let (data, json) = (folder.path("many.csv"), folder.text("a.json"));
    // Two irrational rotations fill the square evenly; a search of 4,000 points takes seconds.
    let point = |i: u32| [(f64::from(i) * 0.754_877_666).fract(), (f64::from(i) * 0.569_840_291).fract()];
    let rows = (0..4000).map(point).fold(String::new(), |mut text, [x, y]| {
        writeln!(text, "{x},{y}").unwrap();
        text
    });
    fs::write(&data, rows).unwrap();
    let limited = |limit: &str| {
        similis(&["cluster", data.to_str().unwrap(), "-k", "3", "-o", &json, "--time-limit", limit])
    };
    let run = limited("0.5");
    let message = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(0), "{message}");
    assert!(message.contains("stopped at the time limit, best answer so far in "), "{message}");
    let fit: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(fit["ended"], "stopped at the time limit, best answer so far");
    assert_eq!(fit["labels"].as_array().unwrap().len(), 4000);
    assert_eq!(fit["n_clusters"], 3);
    for wrong in ["0", "-1", "NaN", "soon", "1e999"] {
        let run = limited(wrong);
        assert_eq!(run.status.code(), Some(2), "{wrong}");
        assert!(String::from_utf8_lossy(&run.stderr).contains("a number of seconds above 0"), "{wrong}");
    }
}
