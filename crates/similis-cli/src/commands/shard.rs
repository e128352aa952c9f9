//! `similis shard`: points in many files, job by job.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use similis::run::parallel;

use crate::args::{ShardArgs, ShardClusterArgs, ShardCommand, ShardMeans};
use crate::error::Error;
use crate::progress::{self, Bar, INTERRUPTED_EXIT};
use crate::shard::{self, Driver, Step, Work};
use crate::terminal::tell;

/// Flags of `shard cluster` that are none of its plan.
const MEANS: [&str; 3] = ["--threads", "--quiet", "-q"];

/// Runs the command.
///
/// # Errors
///
/// Every [`Error`]; what was done before stays done.
pub fn run(args: &ShardArgs) -> Result<ExitCode, Error> {
    match &args.command {
        ShardCommand::Cluster(args) => cluster(args),
        ShardCommand::Plan(_) => {
            let work = shard::plan(&planned())?;
            let n = work.shards.len();
            tell(&format!("{}: {n} shard{}\n", work.folder.display(), if n == 1 { "" } else { "s" }));
            say_next(&work)
        }
        ShardCommand::Run(args) => match args.part {
            None => drive(Work::open(&args.work)?, &args.means),
            part => watched(&args.means, |bar| {
                let n_run = shard::run_pending(&Work::open(&args.work)?, part, bar)?;
                tell(&format!("{n_run} job{} run\n", if n_run == 1 { "" } else { "s" }));
                Ok(ExitCode::SUCCESS)
            }),
        },
        ShardCommand::Merge(args) => watched(&args.means, |bar| {
            let driver = Driver::new(Work::open(&args.work)?)?;
            shard::merge(driver.work(), bar)?;
            say_next(driver.work())
        }),
        ShardCommand::Labels(args) => {
            let work = Work::open(&args.work)?;
            match work.step()? {
                Step::Labels | Step::Done => drive(work, &args.means),
                step => Err(Error::NotYetLabels { step: step.name(), path: work.folder }),
            }
        }
        ShardCommand::Status(args) => say_next(&Work::open(&args.work)?),
    }
}

/// Plans and runs everything here.
fn cluster(args: &ShardClusterArgs) -> Result<ExitCode, Error> {
    let folder = args.plan.work_folder();
    let asked = planned();
    // A run that was interrupted goes on, if the same was asked.
    let work = match Work::open(&folder) {
        Ok(work) if work.was_asked(&asked) => work,
        _ => shard::plan(&asked)?,
    };
    let exit = drive(work, &args.means)?;
    if exit == ExitCode::SUCCESS && args.plan.work.is_none() {
        std::fs::remove_dir_all(&folder).map_err(|source| Error::Write { path: folder, source })?;
    }
    Ok(exit)
}

/// The arguments of a plan, as they were given.
fn planned() -> Vec<OsString> {
    let mut given = std::env::args_os().skip(3).peekable();
    let mut kept = Vec::new();
    while let Some(argument) = given.next() {
        let text = argument.to_string_lossy().into_owned();
        if text.starts_with("--threads=") {
            continue;
        }
        match MEANS.iter().position(|flag| *flag == text) {
            Some(0) => drop(given.next()),
            Some(_) => {}
            None => kept.push(argument),
        }
    }
    kept
}

fn watched(
    means: &ShardMeans,
    work: impl FnOnce(&Bar) -> Result<ExitCode, Error> + Send,
) -> Result<ExitCode, Error> {
    progress::watch_interrupts();
    let bar = Bar::new(means.quiet);
    let exit = parallel::with_threads(means.threads, || work(&bar));
    bar.finish();
    exit
}

/// Runs everything that is left.
fn drive(work: Work, means: &ShardMeans) -> Result<ExitCode, Error> {
    let started = Instant::now();
    let driver = Driver::new(work)?;
    let work = driver.work();
    watched(means, |bar| {
        if shard::run_all(&driver, means.quiet, bar)? {
            if !means.quiet {
                tell(&shard::summary(work)?);
                tell(&format!(
                    "in {:.2} s; labels: {}\n",
                    started.elapsed().as_secs_f64(),
                    work.output.display()
                ));
            }
            return Ok(ExitCode::SUCCESS);
        }
        tell(&format!("interrupted: similis shard run {} goes on from here\n", work.folder.display()));
        Ok(INTERRUPTED_EXIT.into())
    })
}

/// Says what comes next.
fn say_next(work: &Work) -> Result<ExitCode, Error> {
    let (step, n_jobs, n_pending) = (work.step()?, work.jobs()?.len(), work.pending()?.len());
    let folder: &Path = &work.folder;
    let folder = folder.display();
    tell(&match (step, n_pending) {
        (Step::Done, _) => format!("done; labels: {}\n", work.output.display()),
        (_, 0) => {
            format!("step {}: all {n_jobs} jobs are done; next: similis shard merge {folder}\n", step.name())
        }
        _ => format!(
            "step {}: {n_pending} of {n_jobs} jobs are left; next: similis shard run {folder}\n",
            step.name()
        ),
    });
    Ok(ExitCode::SUCCESS)
}
