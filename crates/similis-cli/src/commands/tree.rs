//! `similis tree`: the minimum spanning tree.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::json;
use similis::latent_graph::Link;
use similis::run::parallel;
use similis::{Quantity, minimum_spanning_tree};

use super::linkage::is_newick;
use super::{check_csv_output, item, read_as, say, write_table};
use crate::args::TreeArgs;
use crate::error::Error;
use crate::input::{Observed, read};
use crate::memory;
use crate::progress::Bar;
use crate::terminal::tell;

/// Runs the command.
///
/// # Errors
///
/// Every [`Error`]; nothing is then written.
pub fn run(args: &TreeArgs) -> Result<ExitCode, Error> {
    check_csv_output(&args.input, args.table.output.as_ref()).map_err(towards_linkage)?;
    parallel::with_threads(args.work.threads, || {
        let observed = read(&args.input, memory::limit(args.work.memory_limit))?;
        say(&observed.notes, args.work.quiet);
        let bar = Bar::new(args.work.quiet);
        let started = Instant::now();
        let tree = minimum_spanning_tree(&observed.pairs, &bar);
        let seconds = started.elapsed().as_secs_f64();
        bar.finish();
        let weight: f64 = tree.iter().map(|link| link.length).sum();
        let summary = json!({"weight": weight, "seconds": seconds});
        write_table(&args.table, || csv(&tree, &observed), &summary)?;
        let n_parts = observed.pairs.n_points() - tree.len();
        if n_parts > 1 {
            tell(&format!("note: the graph of observed pairs has {n_parts} components: a tree for each\n"));
        }
        if !args.work.quiet {
            let (what, n_links) = (read_as(&args.input, &observed), tree.len());
            let plural = if n_links == 1 { "" } else { "s" };
            tell(&format!("{what}; {n_links} link{plural} of weight {weight:.6} in {seconds:.2} s\n"));
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// Names the command that writes the tree as a dendrogram where that was asked for by the ending.
fn towards_linkage(error: Error) -> Error {
    match error {
        Error::OutputKind { path, .. } if is_newick(&path) => {
            Error::OutputKind { path, known: ".csv (similis linkage writes Newick)" }
        }
        other => other,
    }
}

/// A header and a line for each link, in the order of the tree.
fn csv(tree: &[Link], observed: &Observed) -> String {
    let value = if observed.pairs.quantity() == Quantity::Similarities { "similarity" } else { "length" };
    let mut text = format!("from,to,{value}\n");
    for link in tree {
        let (from, to) = (item(observed, link.from), item(observed, link.to));
        let _ = writeln!(text, "{from},{to},{}", link.length);
    }
    text
}
