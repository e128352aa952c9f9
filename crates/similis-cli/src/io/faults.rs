//! Where writing may fail: every step passes here, so that tests can make any of them fail. In a build that is no test,
//! nothing happens.

use std::io::{self, Write};
use std::path::Path;

/// A step of writing `path`: a temporary file made, some bytes written, synced, renamed.
#[cfg_attr(not(test), expect(clippy::unnecessary_wraps, reason = "only tests make it fail"))]
pub(super) fn step(path: &Path) -> io::Result<()> {
    #[cfg(test)]
    made::step(path)?;
    #[cfg(not(test))]
    let _ = path;
    Ok(())
}

/// A writer whose every write is a step.
pub(super) struct Stepped<'a, W> {
    pub(super) path: &'a Path,
    pub(super) writer: W,
}

impl<W: Write> Write for Stepped<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        step(self.path)?;
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

#[cfg(test)]
mod made {
    use std::path::PathBuf;
    use std::sync::{Mutex, PoisonError};

    use super::{Path, io};

    /// Steps in a folder, and which of them fails.
    struct Watched {
        folder: PathBuf,
        n_steps: usize,
        fails: usize,
    }

    static WATCHED: Mutex<Vec<Watched>> = Mutex::new(Vec::new());

    pub(super) fn step(path: &Path) -> io::Result<()> {
        let mut all = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        for watched in all.iter_mut().filter(|watched| path.starts_with(&watched.folder)) {
            watched.n_steps += 1;
            if watched.n_steps == watched.fails {
                return Err(io::Error::other("made by a test"));
            }
        }
        Ok(())
    }

    /// Runs `work` while one step in `folder`, counted from 1, fails; how many steps there were.
    pub(super) fn with_fault<T>(folder: &Path, fails: usize, work: impl FnOnce() -> T) -> (T, usize) {
        let all = || WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = folder.canonicalize().unwrap();
        all().push(Watched { folder: folder.clone(), n_steps: 0, fails });
        let result = work();
        let mut all = all();
        let at = all.iter().position(|watched| watched.folder == folder).unwrap();
        (result, all.swap_remove(at).n_steps)
    }
}

#[cfg(test)]
mod tests;
