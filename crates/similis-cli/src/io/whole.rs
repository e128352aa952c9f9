//! Files written whole or not at all: first temporary files beside them, then, when all are whole, renames.
//!
//! A file that is replaced keeps its permissions and, where the system allows it, its owner. A symbolic link stays, and what
//! it points to is replaced.

use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::{Builder, NamedTempFile};

use super::faults::{Stepped, step};
use super::format::is_gzipped;
use super::source::STANDARD_INPUT;
use crate::error::Error;

/// The name of standard output on the command line.
pub const STANDARD_OUTPUT: &str = STANDARD_INPUT;

/// What the name of a temporary file begins with.
const PREFIX: &str = ".similis-";

/// Age from which a temporary file is left over from a run that was killed. A file that is being written changes all the
/// time, so a day is far beyond what any run needs.
const LEFT_OVER: Duration = Duration::from_secs(24 * 60 * 60);

/// Most symbolic links that are followed one after another, as in Linux.
const MOST_LINKS: usize = 40;

/// The outputs of a run: each is written to a temporary file, then all of them get their names.
#[derive(Debug, Default)]
pub struct Outputs {
    written: Vec<Written>,
    /// What goes to devices and pipes, which have no temporary file.
    streamed: Vec<(PathBuf, Vec<u8>)>,
}

/// A temporary file that is whole, and the name that it will have.
#[derive(Debug)]
struct Written {
    file: NamedTempFile,
    listed: Unfinished,
    path: PathBuf,
}

impl Outputs {
    /// Adds a file; see [`Outputs::add_with`].
    ///
    /// # Errors
    ///
    /// Those of [`Outputs::add_with`].
    pub fn add(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        self.add_with(path, |out| out.write_all(bytes))
    }

    /// Adds a file, by what `write` puts out; a name that ends in `.gz` is packed, and `-` is standard output.
    ///
    /// # Errors
    ///
    /// [`Error::OutputFolder`], [`Error::Folder`], [`Error::ReadOnly`] or [`Error::Write`] if it cannot be written; then no
    /// file has changed.
    pub fn add_with(
        &mut self,
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Error> {
        let unwritable = |source| Error::Write { path: path.into(), source };
        check_destination(path)?;
        if path == Path::new(STANDARD_OUTPUT) || is_special(path) {
            let mut bytes = Vec::new();
            packed(path, &mut bytes, write).map_err(unwritable)?;
            self.streamed.push((path.into(), bytes));
            return Ok(());
        }
        let written = Written::new(path, write).map_err(unwritable)?;
        self.written.push(written);
        Ok(())
    }

    /// Gives all files their names.
    ///
    /// # Errors
    ///
    /// [`Error::Write`] if a device or pipe cannot be written, and then no file has changed; or if a file cannot be renamed,
    /// which those before it then were.
    pub fn finish(self) -> Result<(), Error> {
        for (path, bytes) in &self.streamed {
            stream(path, bytes)?;
        }
        // What ends the process waits here until all files have their names.
        let all = unfinished();
        let mut done = Vec::new();
        let mut renamed = Ok(());
        for Written { file, listed, path } in self.written {
            done.push(listed);
            if renamed.is_ok() {
                let failed =
                    |error: tempfile::PersistError| Error::Write { path: path.clone(), source: error.error };
                renamed = match step(&path) {
                    Ok(()) => file.persist(&path).map(|_| ()).map_err(failed),
                    Err(source) => Err(Error::Write { path, source }),
                };
            }
        }
        drop(all);
        renamed
    }
}

impl Written {
    fn new(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Self> {
        let real = destination(path);
        let before = real.metadata().ok();
        let (mut file, listed) = Unfinished::begun(&real, before.as_ref())?;
        packed(path, &mut Stepped { path: &real, writer: file.as_file_mut() }, write)?;
        if let Some(before) = &before {
            keep_access(file.as_file(), before)?;
        }
        step(&real)?;
        sync(file.as_file())?;
        Ok(Self { file, listed, path: real })
    }
}

/// Waits until the file is on the disk: renamed before, it could be empty after a power cut.
fn sync(file: &File) -> io::Result<()> {
    match file.sync_all() {
        // Some file systems cannot.
        Err(source) if matches!(source.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        done => done,
    }
}

/// Gives a file the permissions, group and owner of the one that it replaces.
#[cfg(unix)]
fn keep_access(file: &File, before: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let (uid, gid) = (before.uid(), before.gid());
    let own = file.metadata()?;
    let kept = (own.uid(), own.gid()) == (uid, gid)
        || fchown(file, Some(uid), Some(gid)).or_else(|_| fchown(file, None, Some(gid))).is_ok();
    // What a group was allowed, another is not.
    let mode = before.mode() & if kept { 0o7777 } else { 0o7707 };
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn keep_access(_file: &File, _before: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Writes a file whole, replacing one that exists; a new one gets the permissions of any new file.
///
/// # Errors
///
/// [`Error::OutputFolder`], [`Error::Folder`], [`Error::ReadOnly`] or [`Error::Write`] if it cannot be written; then nothing
/// is left behind, and an existing file is as it was.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_with(path, |out| out.write_all(bytes))
}

/// Writes a file whole, as [`write_bytes`], by what `write` puts out; a name that ends in `.gz` is packed, and `-` is
/// standard output.
///
/// # Errors
///
/// Those of [`write_bytes`].
pub fn write_with(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let unwritable = |source| Error::Write { path: path.into(), source };
    if path == Path::new(STANDARD_OUTPUT) {
        return print_with(write);
    }
    check_destination(path)?;
    if is_special(path) {
        let mut device = OpenOptions::new().write(true).open(path).map_err(unwritable)?;
        return packed(path, &mut device, write).map_err(unwritable);
    }
    let mut outputs = Outputs::default();
    outputs.add_with(path, write)?;
    outputs.finish()
}

/// Writes to standard output, a device or a pipe.
fn stream(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if path == Path::new(STANDARD_OUTPUT) {
        return print_with(|out| out.write_all(bytes));
    }
    let written = OpenOptions::new().write(true).open(path).and_then(|mut device| device.write_all(bytes));
    written.map_err(|source| Error::Write { path: path.into(), source })
}

/// Writes to standard output; a reader that has gone away (as `head` does) is no mistake.
///
/// # Errors
///
/// [`Error::Write`].
pub fn print_with(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let mut out = BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(source) if source.kind() != ErrorKind::BrokenPipe => {
            Err(Error::Write { path: Path::new("standard output").into(), source })
        }
        _ => Ok(()),
    }
}

fn packed(
    path: &Path,
    file: &mut impl Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    if is_gzipped(path) {
        let mut packer = GzEncoder::new(&mut out, Compression::default());
        write(&mut packer)?;
        packer.finish()?;
    } else {
        write(&mut out)?;
    }
    out.flush()
}

/// The temporary files that are being written: what ends the process at once must remove them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lists a temporary file until it has its name.
#[derive(Debug)]
struct Unfinished(PathBuf);

impl Unfinished {
    /// A new temporary file beside `path`, which nobody may read who may not read the one that it replaces.
    fn begun(path: &Path, before: Option<&Metadata>) -> io::Result<(NamedTempFile, Self)> {
        let folder = folder(path);
        remove_left_over(folder);
        step(path)?;
        let mut all = unfinished();
        let file = builder(before).tempfile_in(folder)?;
        all.push(file.path().to_owned());
        let own = Self(file.path().to_owned());
        Ok((file, own))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        unfinished().retain(|path| *path != self.0);
    }
}

/// Removes the files that are half written, for a process that ends at once: no other is begun after it.
pub(crate) fn forget_unfinished() {
    let all = unfinished();
    for path in all.iter() {
        // It may be whole, and have its name, by now.
        let _ = std::fs::remove_file(path);
    }
    std::mem::forget(all);
}

/// Removes temporary files of runs that were killed long ago.
fn remove_left_over(folder: &Path) {
    let is_temporary = |name: &OsStr| {
        let ending = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        ending.is_some_and(|ending| {
            ending.len() == 6 && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    };
    let old = |metadata: &Metadata| {
        let age = metadata.modified().ok().and_then(|time| time.elapsed().ok());
        metadata.is_file() && age.is_some_and(|age| age > LEFT_OVER)
    };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_temporary(&entry.file_name()) && entry.metadata().is_ok_and(|metadata| old(&metadata)) {
            // If it cannot be removed, it stays.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn builder(before: Option<&Metadata>) -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The system takes the umask off this, as for every file a program makes.
        let mode = before.map_or(0o666, |before| before.permissions().mode() & 0o600);
        builder.permissions(std::fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = before;
    builder
}

/// Whether something other than a plain file is there, such as a device or a pipe: it is written to, not replaced.
pub(crate) fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file())
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The file that is written under a name: symbolic links are followed, and the folder has its one true name, whether or not
/// the file exists.
pub(crate) fn destination(path: &Path) -> PathBuf {
    if let Ok(found) = path.canonicalize() {
        return found;
    }
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let Ok(target) = path.read_link() else { break };
        path = folder(&path).join(target);
    }
    match (folder(&path).canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// Whether two names are of one file.
pub(crate) fn is_same_file(path: &Path, other: &Path) -> bool {
    destination(path) == destination(other)
}

/// Checks before a long run that a file can later be written.
pub(crate) fn check_destination(path: &Path) -> Result<(), Error> {
    if path == Path::new(STANDARD_OUTPUT) {
        return Ok(());
    }
    if path.is_dir() {
        return Err(Error::Folder { path: path.into() });
    }
    let real = destination(path);
    let folder = folder(&real);
    if !folder.is_dir() {
        return Err(Error::OutputFolder { path: path.into(), folder: self::folder(path).into() });
    }
    match path.metadata() {
        Ok(metadata) if metadata.is_file() && metadata.permissions().readonly() => {
            Err(Error::ReadOnly { path: path.into() })
        }
        // A file of someone else, in a folder where it could be replaced.
        Ok(metadata) if metadata.is_file() => match OpenOptions::new().write(true).open(path) {
            Err(source) => Err(Error::Write { path: path.into(), source }),
            Ok(_) => Ok(()),
        },
        _ => Ok(()),
    }
}
