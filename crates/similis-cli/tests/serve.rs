//! Who may speak to the page: every refusal over real sockets, and the ways to start that are refused.
#![cfg(feature = "serve")]
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// `similis serve` on a copy of an input, until it is dropped.
struct Served {
    child: Child,
    port: u16,
    token: String,
    folder: tempfile::TempDir,
}

impl Served {
    fn new(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("points.csv");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/thirty-points.csv");
        std::fs::copy(source, &input).unwrap();
        Self::of(&input, arguments, folder)
    }

    fn of(input: &Path, arguments: &[&str], folder: tempfile::TempDir) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
        command.arg("serve").arg(input).args(["--no-open", "-k", "2"]).args(arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let link = lines.map(Result::unwrap).find_map(|line| line.strip_prefix("open ").map(str::to_owned));
        let link = link.expect("the command prints a link");
        let (place, token) = link.split_once("/#token=").unwrap();
        let port = place.rsplit_once(':').unwrap().1.parse().unwrap();
        Self { child, port, token: token.to_owned(), folder }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    /// Sends bytes and returns the whole answer.
    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // A server that refuses early may stop reading.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Sends a request whose headers may have `PORT` in them; returns the status and the answer.
    fn ask(&self, line: &str, headers: &[&str], body: &str) -> (u16, String) {
        let mut text = format!("{line} HTTP/1.1\r\n");
        for header in headers {
            let _ = write!(text, "{}\r\n", header.replace("PORT", &self.port.to_string()));
        }
        if !body.is_empty() {
            let _ = write!(text, "Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        }
        let answer = self.raw(format!("{text}\r\n{body}").as_bytes());
        (status(&answer), answer)
    }

    /// Swaps the token for the cookie, as a header.
    fn cookie(&self) -> String {
        let (status, answer) =
            self.ask("POST /api/session", &[HOST, ORIGIN], &format!("{{\"token\": \"{}\"}}", self.token));
        assert_eq!(status, 204, "{answer}");
        let cookie = answer.lines().find_map(|line| line.strip_prefix("Set-Cookie: ")).unwrap();
        assert!(cookie.contains("; HttpOnly; SameSite=Strict"), "{cookie}");
        assert!(cookie.starts_with(&format!("similis_{}=", self.port)), "{cookie}");
        format!("Cookie: {}", cookie.split_once(';').unwrap().0)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const HOST: &str = "Host: 127.0.0.1:PORT";
const ORIGIN: &str = "Origin: http://127.0.0.1:PORT";

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

#[test]
fn without_the_cookie_nothing_of_the_data_is_told() {
    let served = Served::new(&[]);
    for route in [
        "/api/meta",
        "/api/places",
        "/api/state",
        "/api/answer",
        "/api/labels.csv",
        "/api/page.html",
        "/api/item?at=0",
        "/api/levels",
        "/api/links",
        "/api/together",
        "/api/rows?of=0",
        "/api/names",
    ] {
        assert_eq!(served.ask(&format!("GET {route}"), &[HOST], "").0, 401, "{route}");
        let wrong = format!("Cookie: similis_{}={}", served.port, "0".repeat(64));
        assert_eq!(served.ask(&format!("GET {route}"), &[HOST, &wrong], "").0, 401, "{route}");
    }
    assert_eq!(served.ask("POST /api/choose", &[HOST, ORIGIN], "{}").0, 401);
    for public in ["/", "/app.js", "/app.css"] {
        let (status, answer) = served.ask(&format!("GET {public}"), &[HOST], "");
        assert_eq!(status, 200);
        assert!(!answer.contains("points.csv") && !answer.contains("Access-Control"), "{public}");
    }
}

#[test]
fn a_token_is_swapped_once_and_the_cookie_opens_the_page() {
    let served = Served::new(&[]);
    let swap = |token: &str| {
        served.ask("POST /api/session", &[HOST, ORIGIN], &format!("{{\"token\": \"{token}\"}}")).0
    };
    assert_eq!(swap(&"0".repeat(64)), 403);
    assert_eq!(swap(""), 403);
    let cookie = served.cookie();
    assert_eq!(swap(&served.token), 403, "a token that was used");
    let (status, answer) = served.ask("GET /api/meta", &[HOST, &cookie], "");
    assert_eq!(status, 200);
    assert!(answer.contains("points.csv"), "{answer}");
    for header in [
        "Content-Security-Policy: default-src 'self';",
        "X-Content-Type-Options: nosniff",
        "X-Frame-Options: DENY",
        "Cross-Origin-Resource-Policy: same-origin",
        "Cache-Control: no-store",
    ] {
        assert!(answer.contains(header), "{header}");
    }
    assert!(!answer.contains("unsafe-inline"), "{answer}");
}

#[test]
fn other_hosts_and_origins_are_refused_before_anything_else() {
    let served = Served::new(&[]);
    let cookie = served.cookie();
    let get = |headers: &[&str]| served.ask("GET /api/meta", &[&[cookie.as_str()], headers].concat(), "").0;
    assert_eq!(get(&[HOST]), 200);
    assert_eq!(get(&["Host: localhost:PORT"]), 200);
    assert_eq!(get(&["Host: [::1]:PORT"]), 200);
    for host in [
        "Host: evil.example:PORT",
        "Host: 127.0.0.1",
        "Host: 127.0.0.1:1",
        "Host: localhost.evil.example:PORT",
        "Host: 0.0.0.0:PORT",
    ] {
        assert_eq!(get(&[host]), 421, "{host}");
    }
    assert_eq!(get(&[]), 421, "no Host");
    assert_eq!(get(&[HOST, "Host: evil.example"]), 421, "two of them");
    assert_eq!(get(&[HOST, "Origin: http://evil.example"]), 403);
    for site in ["cross-site", "same-site", "none"] {
        assert_eq!(get(&[HOST, &format!("Sec-Fetch-Site: {site}")]), 403, "{site}");
    }
    assert_eq!(get(&[HOST, "Sec-Fetch-Site: same-origin"]), 200);
    let open = |site: &str| {
        served.ask("GET /", &[HOST, &format!("Sec-Fetch-Site: {site}"), "Sec-Fetch-Mode: navigate"], "").0
    };
    assert_eq!((open("none"), open("cross-site")), (200, 403));
    assert_eq!(served.ask("GET /nothing", &["Host: evil.example"], "").0, 421, "before routing");
}

#[test]
fn a_post_needs_its_origin_json_and_the_cookie() {
    let served = Served::new(&[]);
    let cookie = served.cookie();
    let post = |headers: &[&str], body: &str| {
        served.ask("POST /api/choose", &[&[HOST, cookie.as_str()], headers].concat(), body).0
    };
    assert_eq!(post(&[ORIGIN], "{\"n_clusters\": \"3\"}"), 200);
    assert_eq!(post(&[], "{}"), 403, "no Origin");
    assert_eq!(post(&["Origin: null"], "{}"), 403);
    assert_eq!(post(&["Origin: http://evil.example"], "{}"), 403);
    assert_eq!(post(&["Origin: https://127.0.0.1:PORT"], "{}"), 403, "another scheme");
    assert_eq!(post(&["Origin: http://127.0.0.1:1"], "{}"), 403, "another port");
    assert_eq!(post(&[ORIGIN, "Sec-Fetch-Site: cross-site"], "{}"), 403);
    assert_eq!(post(&[ORIGIN, "Content-Type: text/plain", "Content-Length: 0"], ""), 415, "what forms send");
    assert_eq!(post(&[ORIGIN], "{"), 400, "no JSON");
    assert_eq!(post(&[ORIGIN], "{\"n_clusters\": \"many\"}"), 400);
}

#[test]
fn there_are_no_web_sockets_and_no_other_methods_or_routes() {
    let served = Served::new(&[]);
    let cookie = served.cookie();
    let ask =
        |line: &str, headers: &[&str]| served.ask(line, &[&[HOST, cookie.as_str()], headers].concat(), "").0;
    let upgrade = [
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    ];
    assert_eq!(ask("GET /api/state", &upgrade), 400);
    assert_eq!(ask("GET /api/state", &[&upgrade[..], &["Origin: http://evil.example"]].concat()), 400);
    assert_eq!(ask("DELETE /api/meta", &[]), 405);
    assert_eq!(ask("PUT /", &[]), 405);
    assert_eq!(ask("GET /api/choose", &[]), 405);
    assert_eq!(ask("OPTIONS /api/choose", &["Access-Control-Request-Method: POST"]), 405);
    for path in [
        "/nothing",
        "/api",
        "/api/",
        "/points.csv",
        "/../points.csv",
        "/..%2fpoints.csv",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/app.js/../../Cargo.toml",
        "//etc/passwd",
    ] {
        assert_eq!(ask(&format!("GET {path}"), &[]), 404, "{path}");
    }
    assert_eq!(ask("GET /api/picture?kind=../../etc/passwd", &[]), 404);
    assert_eq!(ask("GET /api/column?at=99", &[]), 404);
    assert_eq!(ask("GET /api/item?at=30", &[]), 404);
    assert_eq!(ask("GET /api/rows?of=0,29", &[]), 200);
    assert_eq!(ask("GET /api/rows?of=0,30", &[]), 404);
    assert_eq!(ask("GET /api/rows?of=0,x", &[]), 404);
    assert_eq!(ask(&format!("GET /api/rows?of={}", vec!["1"; 201].join(",")), &[]), 404);
}

#[test]
fn what_is_too_long_too_slow_or_no_request_is_refused_and_the_server_lives() {
    let served = Served::new(&[]);
    let cookie = served.cookie();
    let long = "Content-Length: 99999999";
    assert_eq!(served.ask("POST /api/choose", &[HOST, ORIGIN, &cookie, long], "").0, 413);
    assert_eq!(served.ask("GET /", &[HOST, &format!("A: {}", "a".repeat(40_000))], "").0, 431);
    let chunked = ["Transfer-Encoding: chunked", HOST, ORIGIN, &cookie];
    assert_eq!(served.ask("POST /api/choose", &chunked, "").0, 411);
    assert_eq!(status(&served.raw(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n")), 400, "TLS");
    assert_eq!(status(&served.raw(b"GET / HTTP/1.1 extra\r\n\r\n")), 400);
    let started = Instant::now();
    let mut slow = served.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    let mut answer = String::new();
    let _ = slow.read_to_string(&mut answer);
    assert_eq!(status(&answer), 408, "{answer}");
    assert!(started.elapsed() < Duration::from_secs(25), "{:?}", started.elapsed());
    assert_eq!(served.ask("GET /api/meta", &[HOST, &cookie], "").0, 200);
}

#[test]
fn two_pages_have_their_own_cookies() {
    let (first, second) = (Served::new(&[]), Served::new(&[]));
    assert_ne!(first.port, second.port);
    let cookie = first.cookie();
    assert_eq!(second.ask("GET /api/meta", &[HOST, &cookie], "").0, 401);
    let renamed = cookie.replace(&first.port.to_string(), &second.port.to_string());
    assert_eq!(second.ask("GET /api/meta", &[HOST, &renamed], "").0, 401);
    assert_eq!(
        second.ask("POST /api/session", &[HOST, ORIGIN], &format!("{{\"token\": \"{}\"}}", first.token)).0,
        403
    );
}

#[test]
fn only_this_machine_is_listened_to() {
    let served = Served::new(&[]);
    let listening = std::fs::read_to_string("/proc/net/tcp").unwrap_or_default();
    let port = format!(":{:04X} ", served.port);
    let local: Vec<&str> = listening.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    let own: Vec<&&str> = local.iter().filter(|place| format!("{place} ").ends_with(&port)).collect();
    if cfg!(target_os = "linux") {
        assert!(!own.is_empty() && own.iter().all(|place| place.starts_with("0100007F")), "{own:?}");
    }
}

fn refused(arguments: &[&str]) -> String {
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/thirty-points.csv");
    let mut command = Command::new(env!("CARGO_BIN_EXE_similis"));
    let run = command.arg("serve").arg(input).arg("--no-open").args(arguments).output().unwrap();
    assert_eq!(run.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(run.stderr).unwrap()
}

#[test]
fn an_address_for_others_needs_a_long_token_and_wrong_flags_are_told() {
    let open = refused(&["--host", "0.0.0.0"]);
    assert!(open.contains("--token TEXT") && open.contains("not encrypted"), "{open}");
    assert!(refused(&["--host", "::"]).contains("--token"));
    assert!(refused(&["--host", "0.0.0.0", "--token", "short"]).contains("at least 16 characters, got 5"));
    assert!(refused(&["--host", "localhost"]).contains("--host"));
    assert!(refused(&["--output", "labels.csv"]).contains("--output has no place here"));
    assert!(refused(&["--export", "page.pdf"]).contains(".html"));
    let served = Served::new(&[]);
    let taken = refused(&["--port", &served.port.to_string()]);
    assert!(taken.contains("give another --port"), "{taken}");
}

#[test]
fn a_token_of_the_user_opens_the_page_to_others_by_address_and_not_by_name() {
    let served = Served::new(&["--host", "0.0.0.0", "--token", "a password, quite long"]);
    assert_eq!(served.token, "TOKEN", "the password is not printed");
    let swap = |host: &str| {
        let (host, origin) = (format!("Host: {host}:PORT"), format!("Origin: http://{host}:PORT"));
        served.ask("POST /api/session", &[&host, &origin], "{\"token\": \"a password, quite long\"}").0
    };
    assert_eq!((swap("127.0.0.1"), swap("127.0.0.1"), swap("192.0.2.7")), (204, 204, 204));
    assert_eq!(swap("evil.example"), 421);
}

/// Waits for a file of the saved state.
fn saved(folder: &Path) -> Vec<PathBuf> {
    let files = || std::fs::read_dir(folder.join("points.csv.similis")).into_iter().flatten().flatten();
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let found: Vec<PathBuf> = files()
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
            .collect();
        if !found.is_empty() || Instant::now() > end {
            return found;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn corrections_are_saved_whole_beside_the_input_and_at_most_ten_versions_stay() {
    let mut served = Served::new(&[]);
    let cookie = served.cookie();
    let input = served.folder.path().join("points.csv");
    let before = std::fs::read(&input).unwrap();
    let post =
        |route: &str, body: &str| served.ask(&format!("POST /api/{route}"), &[HOST, ORIGIN, &cookie], body).0;
    assert_eq!(post("correct", "{\"kind\": \"together\", \"items\": [0, 29]}"), 200);
    assert_eq!(post("correct", "{\"kind\": \"together\", \"items\": [0, 30]}"), 400, "no such item");
    assert!(!saved(served.folder.path()).is_empty());
    served.child.kill().unwrap();
    served.child.wait().unwrap();
    for file in saved(served.folder.path()) {
        let state: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        assert_eq!(state["corrections"][0]["items"], serde_json::json!([0, 29]));
    }
    assert_eq!(std::fs::read(&input).unwrap(), before);
    // Twelve older versions and one that is damaged: the newest whole one is taken up, ten stay.
    let folder = input.with_file_name("points.csv.similis");
    let newest = saved(served.folder.path()).into_iter().max().unwrap();
    for version in 100..112 {
        std::fs::copy(&newest, folder.join(format!("page-{version:06}.json"))).unwrap();
    }
    std::fs::write(folder.join("page-000112.json"), "{\"half").unwrap();
    let again = Served::of(&input, &[], tempfile::tempdir().unwrap());
    let cookie = again.cookie();
    let said = again.ask("GET /api/corrections", &[HOST, &cookie], "").1;
    assert!(said.contains("\"must_link\":[[0,29]]"), "{said}");
    assert_eq!(again.ask("POST /api/undo", &[HOST, ORIGIN, &cookie], "{}").0, 200);
    let end = Instant::now() + Duration::from_secs(30);
    while saved(served.folder.path()).len() != 10 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(saved(served.folder.path()).len(), 10);
}
