//! Who may speak to the page: only this user's own browser, and no page of anyone else in it.

use std::fmt::Write as _;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use super::http::{Request, Response};

/// Where the page may be reached, and the secrets.
#[derive(Debug)]
pub(super) struct Guard {
    port: u16,
    /// Whether the page is served beyond this machine: then by any address of it.
    open: bool,
    /// The name of the session's cookie: by port, so that two pages do not disturb each other.
    pub(super) cookie: String,
    session: String,
    /// Tokens that can each be swapped for the cookie once.
    once: Mutex<Vec<String>>,
    /// A token that the user gave: a password, good for any number of times.
    lasting: Option<String>,
}

impl Guard {
    /// Returns the guard of a page on `port`; `lasting` is the token that the user gave.
    pub(super) fn new(port: u16, open: bool, lasting: Option<String>) -> Result<Self, getrandom::Error> {
        let session = secret()?;
        let cookie = format!("similis_{port}");
        Ok(Self { port, open, cookie, session, once: Mutex::default(), lasting })
    }

    /// Makes a token that can be swapped for the cookie once.
    pub(super) fn token(&self) -> Result<String, getrandom::Error> {
        let token = secret()?;
        self.once.lock().unwrap_or_else(PoisonError::into_inner).push(token.clone());
        Ok(token)
    }

    /// Judges where a request goes and where it comes from, before anything is looked up.
    pub(super) fn check_origin(&self, request: &Request) -> Result<(), Response> {
        let host = request.header("host").unwrap_or_default();
        if !self.is_own(host) {
            return Err(Response::text(
                421,
                "this page answers to localhost alone, by the port it was given; a tunnel must keep that port",
            ));
        }
        if request.has("upgrade") || request.method == "CONNECT" {
            return Err(Response::text(400, "this server has no WebSockets and no tunnels"));
        }
        let site = request.header("sec-fetch-site").unwrap_or("same-origin");
        let navigates = request.path == "/" && site == "none";
        if request.has("sec-fetch-site") && site != "same-origin" && !navigates {
            return Err(Response::text(
                403,
                "another site sent this; paste the address into the browser instead",
            ));
        }
        if request.has("origin") || request.method == "POST" {
            let own = request.header("origin").and_then(|origin| origin.strip_prefix("http://"));
            if own != Some(host) {
                return Err(Response::text(403, "the Origin must be this page"));
            }
        }
        Ok(())
    }

    /// Whether a `Host` header names this server.
    fn is_own(&self, host: &str) -> bool {
        let Some((name, port)) = host.rsplit_once(':') else { return false };
        if port != self.port.to_string() {
            return false;
        }
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        // The owner of a name could point it at this machine (DNS rebinding); an address cannot be pointed elsewhere.
        ["localhost", "127.0.0.1", "[::1]"].contains(&name) || (self.open && bare.parse::<IpAddr>().is_ok())
    }

    /// Whether a request has the session's cookie.
    pub(super) fn knows(&self, request: &Request) -> bool {
        request.cookie(&self.cookie).is_some_and(|given| same(given, &self.session))
    }

    /// Swaps a token for the cookie; a token that was used is worth nothing.
    pub(super) fn swap(&self, given: &str) -> Option<String> {
        let mut once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        let before = once.len();
        once.retain(|token| !same(token, given));
        let lasting = self.lasting.as_ref().is_some_and(|token| same(token, given));
        (once.len() < before || lasting)
            .then(|| format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie, self.session))
    }
}

/// 256 bits of the system's randomness in hexadecimal digits.
fn secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

/// Compares in a time that does not tell where texts differ.
fn same(given: &str, wanted: &str) -> bool {
    let differ = given.bytes().zip(wanted.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
    std::hint::black_box(differ) == 0 && given.len() == wanted.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_this_machine_with_the_port() {
        let guard = Guard::new(8000, false, None).unwrap();
        for own in ["localhost:8000", "127.0.0.1:8000", "[::1]:8000"] {
            assert!(guard.is_own(own), "{own}");
        }
        for other in [
            "localhost",
            "localhost:8001",
            "evil.example:8000",
            "127.0.0.1.evil.example:8000",
            "",
            "192.168.0.2:8000",
        ] {
            assert!(!guard.is_own(other), "{other}");
        }
        let open = Guard::new(8000, true, None).unwrap();
        assert!(open.is_own("192.168.0.2:8000") && open.is_own("[fe80::1]:8000"));
        assert!(!open.is_own("evil.example:8000"));
    }

    #[test]
    fn a_token_is_good_once_and_a_given_one_always() {
        let guard = Guard::new(8000, false, Some("a long password of the user".into())).unwrap();
        let (first, second) = (guard.token().unwrap(), guard.token().unwrap());
        assert_ne!(first, second);
        assert!(guard.swap("").is_none() && guard.swap(&first[1..]).is_none());
        assert!(guard.swap(&first).is_some());
        assert!(guard.swap(&first).is_none());
        assert!(guard.swap(&second).is_some());
        assert!((0..3).all(|_| guard.swap("a long password of the user").is_some()));
    }
}
