//! What the command does.

pub mod cluster;
pub mod embed;

use std::io::Write;
use std::path::Path;

use crate::error::Error;

/// Writes to standard output; a reader that has gone away (as `head` does) is no mistake.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(source) if source.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::Write { path: Path::new("standard output").into(), source })
        }
        _ => Ok(()),
    }
}
