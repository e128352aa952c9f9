//! As much of HTTP/1.1 as a page on this machine needs: one request a connection, everything limited.
//!
//! There is no keep-alive, no chunked request, no upgrade: what is not needed cannot be misused.

use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

/// Maximum size of a request's line and headers, in bytes; browsers send about 1 kB.
const MOST_HEAD: usize = 16 * 1024;

/// Maximum size of a request's body, in bytes: a selection of a million items as numbers.
pub(super) const MOST_BODY: usize = 16 * 1024 * 1024;

/// A client that has not sent its request after this time is refused.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// A request.
#[derive(Debug, Default)]
pub(super) struct Request {
    pub(super) method: String,
    /// The path, without the query.
    pub(super) path: String,
    /// What follows the question mark.
    pub(super) query: String,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// A request that came by other means than a socket; its body is JSON.
    pub(super) fn new(method: &str, target: &str, body: Vec<u8>) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
        Self { method: method.to_owned(), path: path.to_owned(), query: query.to_owned(), headers, body }
    }

    /// The only value of a header; nothing where it is missing or comes twice.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(own, _)| own.eq_ignore_ascii_case(name));
        let value = found.next().map(|(_, value)| value.as_str());
        value.filter(|_| found.next().is_none())
    }

    /// Whether a header is there, once or more.
    pub(super) fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name))
    }

    /// The value of a cookie.
    pub(super) fn cookie(&self, name: &str) -> Option<&str> {
        let pairs = self.header("cookie")?.split(';').filter_map(|pair| pair.trim().split_once('='));
        pairs.into_iter().find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// A value of the query, decoded.
    pub(super) fn parameter(&self, name: &str) -> Option<String> {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(own, _)| *own == name).map(|(_, value)| decoded(value))
    }

    /// A whole number of the query.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.parameter(name)?.parse().ok()
    }
}

/// Text of a query, its percent escapes undone.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|byte| (*byte as char).to_digit(16));
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                plain.push((16 * high + low) as u8);
                at += 2;
            }
            (b'+', ..) => plain.push(b' '),
            (byte, ..) => plain.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// A response, before its headers.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) body: Vec<u8>,
    /// Headers beside those that every response has.
    pub(super) headers: Vec<(&'static str, String)>,
}

impl Response {
    pub(super) fn new(status: u16, kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, kind, body: body.into(), headers: Vec::new() }
    }

    pub(super) fn text(status: u16, words: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", format!("{words}\n"))
    }

    pub(super) fn json(value: &serde_json::Value) -> Self {
        Self::new(200, "application/json", value.to_string())
    }

    /// The response with one more header.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// What every response says: scripts, styles and requests of this server alone, in no frame, kept in no cache.
const EVERY: &str = "Content-Security-Policy: default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
     Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
     Cross-Origin-Opener-Policy: same-origin\r\nCache-Control: no-store\r\nConnection: close\r\n";

/// Writes a response; `HEAD` has no body.
pub(super) fn write(out: &mut impl Write, response: &Response, with_body: bool) -> io::Result<()> {
    let Response { status, kind, body, headers } = response;
    let mut head = format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{EVERY}",
        reason(*status),
        body.len()
    );
    for (name, value) in headers {
        let _ = write!(head, "{name}: {}\r\n", value.replace(['\r', '\n'], " "));
    }
    out.write_all(head.as_bytes())?;
    out.write_all(b"\r\n")?;
    if with_body {
        out.write_all(body)?;
    }
    out.flush()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Error",
    }
}

/// Reads a request, its head before `deadline`; `accept` judges the head before the body is read.
///
/// # Errors
///
/// The response that says why it is refused.
pub(super) fn read(
    stream: &mut impl Read,
    deadline: Instant,
    accept: impl FnOnce(&Request) -> Result<(), Response>,
) -> Result<Request, Response> {
    let (head, rest) = read_head(stream, deadline)?;
    let mut request = parse(&head).ok_or_else(|| Response::text(400, "this is no HTTP/1.1 request"))?;
    accept(&request)?;
    let length = body_length(&request)?;
    request.body = rest;
    if request.body.len() > length {
        return Err(Response::text(400, "there is more than Content-Length says"));
    }
    fill(stream, &mut request.body, length, deadline + PATIENCE)?;
    Ok(request)
}

fn read_head(stream: &mut impl Read, deadline: Instant) -> Result<(Vec<u8>, Vec<u8>), Response> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let rest = bytes.split_off(end + 4);
            return Ok((bytes, rest));
        }
        if bytes.len() > MOST_HEAD {
            return Err(Response::text(431, "the headers are longer than 16 kB"));
        }
        let length = bytes.len() + 1;
        // As much as there is, at least one byte more.
        fill_some(stream, &mut bytes, (MOST_HEAD + 1).max(length), deadline)?;
    }
}

/// Reads until `bytes` has `length`.
fn fill(
    stream: &mut impl Read,
    bytes: &mut Vec<u8>,
    length: usize,
    deadline: Instant,
) -> Result<(), Response> {
    while bytes.len() < length {
        fill_some(stream, bytes, length, deadline)?;
    }
    Ok(())
}

/// Reads once, up to `most` bytes in all.
fn fill_some(
    stream: &mut impl Read,
    bytes: &mut Vec<u8>,
    most: usize,
    deadline: Instant,
) -> Result<(), Response> {
    let slow = || Response::text(408, "the request was not sent in time");
    let mut piece = [0; 16 * 1024];
    let room = piece.len().min(most - bytes.len());
    if Instant::now() >= deadline {
        return Err(slow());
    }
    match stream.read(&mut piece[..room]) {
        Ok(0) => Err(Response::text(400, "the request ends early")),
        Ok(n) => {
            bytes.extend_from_slice(&piece[..n]);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        Err(_) => Err(slow()),
    }
}

fn parse(head: &[u8]) -> Option<Request> {
    let head = std::str::from_utf8(head).ok()?;
    let mut lines = head.trim_end_matches("\r\n").split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, target, version) = (first.next()?, first.next()?, first.next()?);
    if first.next().is_some() || !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return None;
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let header = |line: &str| {
        let (name, value) = line.split_once(':')?;
        let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic());
        plain.then(|| (name.to_owned(), value.trim().to_owned()))
    };
    let headers: Option<Vec<(String, String)>> = lines.map(header).collect();
    Some(Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        headers: headers?,
        body: Vec::new(),
    })
}

fn body_length(request: &Request) -> Result<usize, Response> {
    if request.has("transfer-encoding") {
        return Err(Response::text(411, "a body needs a Content-Length"));
    }
    if !request.has("content-length") {
        return Ok(0);
    }
    let wrong = || Response::text(400, "Content-Length must be one whole number");
    let length = request.header("content-length").ok_or_else(wrong)?;
    let length: usize = length.parse().map_err(|_| wrong())?;
    if length > MOST_BODY {
        return Err(Response::text(413, "a body has at most 16 MB"));
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Result<Request, u16> {
        let deadline = Instant::now() + PATIENCE;
        read(&mut text.as_bytes(), deadline, |_| Ok(())).map_err(|response| response.status)
    }

    #[test]
    fn a_request_has_a_method_a_path_a_query_headers_and_a_body() {
        let request = read_all(
            "POST /api/a?q=a%20b+c&n=7 HTTP/1.1\r\nHost: x\r\nCookie: a=1; b=2\r\nContent-Length: 2\r\n\r\nhi",
        );
        let request = request.unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/api/a"));
        assert_eq!((request.parameter("q").as_deref(), request.number("n")), (Some("a b c"), Some(7)));
        assert_eq!((request.header("HOST"), request.cookie("b")), (Some("x"), Some("2")));
        assert_eq!(request.body, b"hi");
    }

    #[test]
    fn what_is_no_request_is_refused() {
        assert_eq!(read_all("GET / HTTP/1.1\r\nHost: x\r\n").unwrap_err(), 400);
        assert_eq!(read_all("GET http://a/ HTTP/1.1\r\n\r\n").unwrap_err(), 400);
        assert_eq!(read_all("GET / HTTP/2\r\n\r\n").unwrap_err(), 400);
        assert_eq!(read_all("GET / HTTP/1.1\r\nno colon\r\n\r\n").unwrap_err(), 400);
        assert_eq!(read_all("POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n").unwrap_err(), 413);
        assert_eq!(read_all("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n").unwrap_err(), 400);
        assert_eq!(
            read_all("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").unwrap_err(),
            411
        );
        let long = format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "a".repeat(MOST_HEAD));
        assert_eq!(read_all(&long).unwrap_err(), 431);
    }

    #[test]
    fn a_header_that_comes_twice_has_no_value() {
        let request = read_all("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").unwrap();
        assert_eq!((request.header("host"), request.has("host")), (None, true));
    }
}
