//! The listening sockets, and a thread for each connection.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::guard::Guard;
use super::http::{self, PATIENCE, Response};
use super::routes;
use super::session::Session;
use crate::error::Error;

/// Maximum number of connections at once: a browser opens six. More are refused.
const MOST_CONNECTIONS: usize = 64;

/// A client that takes no bytes for this long is left.
const WRITE_PATIENCE: Duration = Duration::from_secs(60);

/// Sockets that listen, and who may speak to them.
#[derive(Debug)]
pub(super) struct Server {
    listeners: Vec<TcpListener>,
    guard: Arc<Guard>,
    address: SocketAddr,
    lasting: bool,
}

impl Server {
    /// Listens on `host`, and for this machine itself also on the other of 127.0.0.1 and ::1.
    ///
    /// # Errors
    ///
    /// [`Error::ServePort`] if the port cannot be had.
    pub(super) fn bind(host: IpAddr, port: u16, token: Option<String>) -> Result<Self, Error> {
        let unserved = |source: io::Error| Error::ServePort { host, port, source };
        let first = TcpListener::bind((host, port)).map_err(unserved)?;
        let address = first.local_addr().map_err(unserved)?;
        let other =
            if host.is_ipv4() { IpAddr::V6(Ipv6Addr::LOCALHOST) } else { IpAddr::V4([127, 0, 0, 1].into()) };
        // Where there is no IPv6, or the port is taken there, the page has one address.
        let second = host.is_loopback().then(|| TcpListener::bind((other, address.port())).ok()).flatten();
        let lasting = token.is_some();
        let guard = Guard::new(address.port(), !host.is_loopback(), token)
            .map_err(|source| unserved(io::Error::other(source.to_string())))?;
        let listeners = std::iter::once(first).chain(second).collect();
        Ok(Self { listeners, guard: Arc::new(guard), address, lasting })
    }

    /// A link that opens the page; without a token of the user's own it works once.
    pub(super) fn link(&self) -> Result<String, Error> {
        let host = match self.address.ip() {
            ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
            IpAddr::V6(ip) => format!("[{ip}]"),
            IpAddr::V4(ip) => ip.to_string(),
        };
        let port = self.address.port();
        if self.lasting {
            return Ok(format!("http://{host}:{port}/#token=TOKEN"));
        }
        let token = self.guard.token().map_err(|source| Error::ServePort {
            host: self.address.ip(),
            port,
            source: io::Error::other(source.to_string()),
        })?;
        Ok(format!("http://{host}:{port}/#token={token}"))
    }

    /// Answers requests from now on, in threads of their own.
    pub(super) fn start(self, session: &Arc<Session>) {
        let busy = Arc::new(AtomicUsize::new(0));
        for listener in self.listeners {
            let (session, guard, busy) = (Arc::clone(session), Arc::clone(&self.guard), Arc::clone(&busy));
            thread::spawn(move || listen(&listener, &session, &guard, &busy));
        }
    }
}

fn listen(listener: &TcpListener, session: &Arc<Session>, guard: &Arc<Guard>, busy: &Arc<AtomicUsize>) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Too many open files, perhaps: a moment later there may be fewer.
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        if busy.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS {
            let _ = http::write(&mut &stream, &Response::text(503, "too many connections"), true);
            busy.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let (session, guard, own) = (Arc::clone(session), Arc::clone(guard), Arc::clone(busy));
        let answer = move || {
            let _ = converse(&stream, &session, &guard);
            own.fetch_sub(1, Ordering::SeqCst);
        };
        if thread::Builder::new().spawn(answer).is_err() {
            busy.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Reads one request and answers it.
fn converse(stream: &TcpStream, session: &Session, guard: &Guard) -> io::Result<()> {
    // The limit of one read: the deadline of the whole request is looked at after each.
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(WRITE_PATIENCE))?;
    stream.set_nodelay(true)?;
    let read = http::read(&mut &*stream, Instant::now() + PATIENCE, |request| guard.check_origin(request));
    let (response, with_body) = match read {
        Ok(request) => (routes::answer(session, guard, &request), request.method != "HEAD"),
        Err(refused) => (refused, true),
    };
    http::write(&mut &*stream, &response, with_body)?;
    stream.shutdown(std::net::Shutdown::Write)?;
    drain(stream)
}

/// Reads what a refused client still sends, for a moment: a connection closed on unread bytes loses the answer.
fn drain(stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_millis(200)))?;
    let deadline = Instant::now() + Duration::from_secs(1);
    let mut piece = [0; 16 * 1024];
    while Instant::now() < deadline {
        match io::Read::read(&mut &*stream, &mut piece) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    Ok(())
}

/// Opens a link in the user's browser; where that fails, the printed link is left.
pub(super) fn open_browser(link: &str) {
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let quiet = || Stdio::null();
    let started =
        Command::new(program).args(before).arg(link).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
    if let Ok(mut child) = started {
        thread::spawn(move || child.wait());
    }
}
