//! `similis linkage`: the single-linkage dendrogram.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::json;
use similis::graph::single_linkage;
use similis::run::parallel;

use super::cluster::check_not_over;
use super::{is_standard, print, read_as, say};
use crate::args::{LinkageArgs, LinkageFormat};
use crate::error::Error;
use crate::input::read;
use crate::io::format::extension;
use crate::io::output::{check_destination, write_bytes};
use crate::linkage::{csv, newick};
use crate::memory;
use crate::progress::Bar;
use crate::terminal::tell;

/// Runs the command.
///
/// # Errors
///
/// Every [`Error`]; nothing is then written.
pub fn run(args: &LinkageArgs) -> Result<ExitCode, Error> {
    let format = format(args)?;
    check_not_over(&[Some(&args.input.path)], &[args.output.as_ref()])?;
    parallel::with_threads(args.work.threads, || {
        let observed = read(&args.input, memory::limit(args.work.memory_limit))?;
        say(&observed.notes, args.work.quiet);
        let bar = Bar::new(args.work.quiet);
        let started = Instant::now();
        let merges = single_linkage(&observed.pairs, &bar)
            .map_err(|source| Error::Content { path: args.input.path.clone(), source })?;
        let seconds = started.elapsed().as_secs_f64();
        bar.finish();
        let name = |i: usize| observed.ids.as_ref().map_or_else(|| i.to_string(), |ids| ids[i].clone());
        let text = || match format {
            LinkageFormat::Csv => csv(&merges),
            LinkageFormat::Newick => newick(&merges, observed.pairs.n_points(), &name),
        };
        match &args.output {
            Some(path) => write_bytes(path, text().as_bytes())?,
            None if args.json => {}
            None => print(&text())?,
        }
        let height = merges.last().map_or(0.0, |merge| merge.height);
        if args.json {
            print(&format!("{}\n", json!({"merges": merges.len(), "height": height, "seconds": seconds})))?;
        }
        if !args.work.quiet {
            let (what, n) = (read_as(&args.input, &observed), merges.len());
            let plural = if n == 1 { "" } else { "s" };
            tell(&format!("{what}; {n} merge{plural} up to height {height:.6} in {seconds:.2} s\n"));
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// Whether the name is that of a tree in Newick's form.
pub(super) fn is_newick(path: &Path) -> bool {
    matches!(extension(path).as_str(), "nwk" | "newick" | "tree" | "tre")
}

/// Returns the format that was given or that the name tells, checked before the work.
fn format(args: &LinkageArgs) -> Result<LinkageFormat, Error> {
    let file = args.output.as_deref().filter(|path| !is_standard(path));
    file.map_or(Ok(()), check_destination)?;
    if let Some(format) = args.output_format {
        return Ok(format);
    }
    let told = |path: &Path| match extension(path).as_str() {
        "csv" => Ok(LinkageFormat::Csv),
        _ if is_newick(path) => Ok(LinkageFormat::Newick),
        _ => Err(Error::OutputKind { path: path.into(), known: ".csv, .nwk, .newick, .tree or .tre" }),
    };
    file.map_or(Ok(LinkageFormat::Csv), told)
}
