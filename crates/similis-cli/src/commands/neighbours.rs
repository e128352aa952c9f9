//! `similis neighbours`: the nearest neighbours of every point.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::json;
use similis::graph::{Neighbours, Search};
use similis::run::parallel;

use super::{check_csv_output, item, read_as, say, write_table};
use crate::args::NeighboursArgs;
use crate::error::Error;
use crate::input::{Observed, read};
use crate::memory;
use crate::terminal::tell;

/// Runs the command.
///
/// # Errors
///
/// Every [`Error`]; nothing is then written.
pub fn run(args: &NeighboursArgs) -> Result<ExitCode, Error> {
    check_csv_output(&args.input, args.table.output.as_ref())?;
    if args.n_neighbours == 0 {
        return Err(Error::NoNeighbours);
    }
    parallel::with_threads(args.work.threads, || {
        let observed = read(&args.input, memory::limit(args.work.memory_limit))?;
        say(&observed.notes, args.work.quiet);
        let started = Instant::now();
        let search = Search { exact: args.exact, seed: args.seed };
        let found = search.nearest_neighbours(&observed.pairs, args.n_neighbours);
        let seconds = started.elapsed().as_secs_f64();
        let (n_pairs, exact) = (found.n_pairs(), found.is_exact());
        let summary = json!({"pairs": n_pairs, "exact": exact, "seconds": seconds});
        write_table(&args.table, || csv(&found, &observed), &summary)?;
        if !args.work.quiet {
            let how = if exact { "none missed" } else { "a few may be missed: --exact misses none" };
            let what = read_as(&args.input, &observed);
            tell(&format!("{what}; {n_pairs} neighbours, {how}, in {seconds:.2} s\n"));
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// A header and a line for each neighbour of each point, nearest first: what `--input edges` reads.
fn csv(found: &Neighbours, observed: &Observed) -> String {
    let mut text = format!("i,j,{}\n", observed.pairs.quantity());
    for i in 0..found.n_points() {
        for (j, value) in found.of(i) {
            let _ = writeln!(text, "{},{},{value}", item(observed, i), item(observed, j));
        }
    }
    text
}
