//! `similis serve`: a page on this machine that runs the engine, shows the answer and takes corrections.

mod choices;
mod corrections;
mod data;
mod embedded;
mod export;
mod guard;
mod http;
mod matching;
mod recipe;
mod routes;
mod save;
mod server;
mod session;
mod shown;
mod together;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use similis::run::parallel;

use self::corrections::Said;
use self::data::Data;
pub use self::embedded::{Opening, Page, Reply, SCRIPT, Showing};
use self::save::Saver;
use self::server::Server;
use self::session::Session;
use crate::args::{ClusterArgs, ServeArgs};
use crate::commands::{is_standard, say, side::Side};
use crate::error::Error;
use crate::input::read;
use crate::io::output::{check_report_path, write_bytes};
use crate::memory;
use crate::progress::{INTERRUPTED_EXIT, interrupted, watch_interrupts};
use crate::terminal::tell;

/// Time between two looks at whether there is something to save.
const SAVE_EVERY: Duration = Duration::from_secs(2);

/// Time between two looks at whether the program was asked to end.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Flags of `cluster` that the page has its own buttons for.
const OUTPUTS: [&str; 9] =
    ["output", "output_format", "json", "plot", "report", "save_model", "ask", "within", "labels"];

/// Runs the command.
///
/// # Errors
///
/// Every [`Error`]; no page is then served.
pub fn run(args: ServeArgs) -> Result<ExitCode, Error> {
    check(&args)?;
    let ServeArgs { cluster, port, host, token, no_open, export } = args;
    let started = Instant::now();
    let (threads, quiet) = (cluster.run.work.threads, cluster.run.work.quiet);
    let saver =
        (!is_standard(&cluster.input.path) && export.is_none()).then(|| Saver::new(&cluster.input.path));
    // Before the fit: a port that is taken is told at once.
    let server = if export.is_none() { Some(Server::bind(host, port, token)?) } else { None };
    let session = Arc::new(open(cluster)?);
    if let Some(saver) = &saver {
        restore(&session, saver, quiet);
    }
    watch_interrupts();
    let worker = {
        let session = Arc::clone(&session);
        thread::spawn(move || parallel::with_threads(threads, || session.work()))
    };
    let code = match (server, export) {
        (Some(server), _) => {
            tell_ready(&session, started, quiet);
            serve(&session, server, saver, no_open)
        }
        (None, Some(path)) => write_page(&session, &path),
        (None, None) => Ok(ExitCode::SUCCESS),
    };
    session.end();
    let _ = worker.join();
    code
}

/// Checks what can be wrong before anything is read.
fn check(args: &ServeArgs) -> Result<(), Error> {
    if let Some(flag) = OUTPUTS.into_iter().find(|flag| args.cluster.given.has(flag)) {
        return Err(Error::ServeOutput { flag: flag.replace('_', "-") });
    }
    if let Some(path) = &args.export {
        check_report_path(path)?;
    }
    match &args.token {
        None if !args.host.is_loopback() => Err(Error::ServeHost { host: args.host }),
        Some(token) if token.chars().count() < 16 => Err(Error::ServeToken { given: token.chars().count() }),
        _ => Ok(()),
    }
}

/// Reads the input and what is known of it, and places it.
fn open(args: ClusterArgs) -> Result<Session, Error> {
    let limit = memory::limit(args.run.work.memory_limit);
    let wrong = |path: &Path, source| Error::Content { path: path.into(), source };
    let observed = read(&args.input, limit)?;
    say(&observed.notes, args.run.work.quiet);
    args.auto(limit).map_err(|source| wrong(&args.input.path, source))?;
    let side = Side::read(&args, &observed)?.information();
    let labels = side.known_labels.iter().enumerate();
    let given = Said {
        labels: labels.filter_map(|(item, label)| Some((item, (*label)?.to_string()))).collect(),
        must_link: side.must_link,
        cannot_link: side.cannot_link,
        ..Said::default()
    };
    let name = args.input.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let data = Data::new(name, observed, args.run.seed).map_err(|source| wrong(&args.input.path, source))?;
    Ok(Session::new(data, args, given))
}

/// Takes up what was saved, and says so.
fn restore(session: &Session, saver: &Saver, quiet: bool) {
    let Some(saved) = saver.newest() else { return };
    let note = match session.restore(&saved) {
        Ok(n) => format!("the page is as it was left, with {n} correction{}", if n == 1 { "" } else { "s" }),
        Err(words) => format!("the page starts without its saved state: {words}"),
    };
    say(&[note], quiet);
}

fn tell_ready(session: &Session, started: Instant, quiet: bool) {
    if !quiet {
        let (name, read) = (&session.data.name, &session.data.described);
        tell(&format!("{name}: {read}; page ready in {:.2} s\n", started.elapsed().as_secs_f64()));
    }
}

/// Serves the page until the program is asked to end.
fn serve(
    session: &Arc<Session>,
    server: Server,
    mut saver: Option<Saver>,
    no_open: bool,
) -> Result<ExitCode, Error> {
    let link = server.link()?;
    tell(&format!("open {link}\nthe link works once, for one browser; Ctrl-C ends\n"));
    if !no_open {
        server::open_browser(&server.link()?);
    }
    server.start(session);
    let mut saved = Instant::now();
    while !interrupted() {
        thread::sleep(LOOK_EVERY);
        if saved.elapsed() >= SAVE_EVERY {
            saver.iter_mut().for_each(|saver| saver.save(session));
            saved = Instant::now();
        }
    }
    saver.iter_mut().for_each(|saver| saver.save(session));
    Ok(ExitCode::SUCCESS)
}

/// Fits, and writes the page as one file.
fn write_page(session: &Session, path: &Path) -> Result<ExitCode, Error> {
    let complete = session.settle(interrupted);
    if !complete {
        session.stop();
        session.settle(|| false);
    }
    let Some(shown) = session.shown() else { return Err(session.failure()) };
    let page = export::page(session, &shown)
        .map_err(|source| Error::Content { path: session.args.input.path.clone(), source })?;
    write_bytes(path, page.as_bytes())?;
    Ok(if complete { ExitCode::SUCCESS } else { INTERRUPTED_EXIT.into() })
}
