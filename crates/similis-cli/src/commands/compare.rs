//! `similis compare`: both models and their variants on the user's data.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Value, json};
use similis::run::parallel;
use similis::{Labels, LatentFeature};

use super::cluster::{check_not_over, command_line, file_name};
use super::{read_as, say};
use crate::agreement::is_known;
use crate::args::CompareArgs;
use crate::compare::{Comparison, Data, Outcome, Shown, Variant, compare, report, sheet};
use crate::error::Error;
use crate::input::{Observed, read, read_known_labels};
use crate::io::output::{Outputs, STANDARD_OUTPUT, check_picture_path, check_report_path, picture_bytes};
use crate::memory;
use crate::progress::{self, Bar, INTERRUPTED_EXIT};
use crate::report::fixed;
use crate::terminal::tell;

/// Runs the command.
///
/// # Errors
///
/// Every [`Error`]; nothing is then written.
pub fn run(args: &CompareArgs) -> Result<ExitCode, Error> {
    let started = Instant::now();
    args.plot.as_deref().map_or(Ok(()), check_picture_path)?;
    args.report.as_deref().map_or(Ok(()), check_report_path)?;
    check_not_over(
        &[Some(&args.input.path), args.labels.as_ref()],
        &[args.plot.as_ref(), args.report.as_ref()],
    )?;
    progress::watch_interrupts();
    parallel::with_threads(args.run.work.threads, || {
        let memory_limit = memory::limit(args.run.work.memory_limit);
        let observed = read(&args.input, memory_limit)?;
        say(&observed.notes, args.run.work.quiet);
        let truth = truth(args, &observed, memory_limit)?;
        let data = Data { pairs: &observed.pairs, truth: &truth, memory_limit };
        let bar = Bar::limited(args.run.work.quiet, args.time_limit, started);
        let compared = compare(&data, &variants(args, &observed, memory_limit), &bar);
        bar.finish();
        let wrong = |source| Error::Content { path: args.input.path.clone(), source };
        let comparison = compared.map_err(wrong)?;
        write(args, &observed, &comparison, data)?;
        if !args.run.work.quiet {
            let ended = match (progress::interrupted(), bar.out_of_time()) {
                (true, _) => "stopped early",
                (_, true) => "stopped at the time limit",
                _ => "done",
            };
            let (read, seconds) = (read_as(&args.input, &observed), started.elapsed().as_secs_f64());
            tell(&format!("{read}; {ended} in {seconds:.2} s\n"));
        }
        Ok(if progress::interrupted() { INTERRUPTED_EXIT.into() } else { ExitCode::SUCCESS })
    })
}

/// The variants that were asked for, or all that suit what was observed and are not slow.
fn variants(args: &CompareArgs, observed: &Observed, memory_limit: Option<u64>) -> Vec<Variant> {
    let base = LatentFeature {
        n_clusters: args.n_clusters,
        n_restarts: args.run.n_restarts,
        seed: args.run.seed,
        memory_limit,
        ..LatentFeature::default()
    };
    let names: Vec<&str> = match &args.variants[..] {
        [] => crate::compare::VARIANTS.to_vec(),
        asked => asked.iter().map(String::as_str).collect(),
    };
    let all = names.into_iter().filter_map(|name| Variant::named(name, &base));
    if !args.variants.is_empty() {
        return all.collect();
    }
    let (slow, others): (Vec<Variant>, Vec<Variant>) = all
        .filter(|variant| variant.suits(&observed.pairs))
        .partition(|variant| variant.is_slow(&observed.pairs));
    if !slow.is_empty() {
        let names: Vec<&str> = slow.iter().map(|variant| variant.name).collect();
        let note = format!(
            "left out, too slow for this many points: {}; --variants includes them",
            names.join(", ")
        );
        say(&[note], args.run.work.quiet);
    }
    others
}

/// The true classes, from a column of the input or from a file; empty if neither was named.
fn truth(
    args: &CompareArgs,
    observed: &Observed,
    memory_limit: Option<u64>,
) -> Result<Vec<Option<usize>>, Error> {
    match (&args.labels, &observed.classes) {
        (Some(path), _) => read_known_labels(path, observed, memory_limit),
        (None, Some(classes)) => {
            let numbers = Labels::new(classes);
            let known = |(class, &number): (&String, &usize)| is_known(class).then_some(number);
            Ok(classes.iter().zip(numbers.as_slice()).map(known).collect())
        }
        (None, None) => Ok(Vec::new()),
    }
}

fn write(
    args: &CompareArgs,
    observed: &Observed,
    comparison: &Comparison,
    data: Data<'_>,
) -> Result<(), Error> {
    let wrong = |source| Error::Content { path: args.input.path.clone(), source };
    let (name, command) = (file_name(&args.input.path), command_line());
    let measured = observed.pairs.points().map(similis::input::MeasuredPoints::points);
    let points = observed.original.as_ref().or(measured);
    let shown = Shown { name: &name, data, points, command: &command };
    let mut outputs = Outputs::default();
    if let Some(path) = &args.plot {
        outputs.add(path, &picture_bytes(path, sheet(comparison, &shown).map_err(wrong)?, None)?)?;
    }
    if let Some(path) = &args.report {
        outputs.add(path, report(comparison, &shown).map_err(wrong)?.as_bytes())?;
    }
    let text = if args.json { format!("{}\n", details(comparison)) } else { table(comparison) };
    outputs.add(Path::new(STANDARD_OUTPUT), text.as_bytes())?;
    outputs.finish()
}

/// A line for each variant, then how well they agree with one another.
fn table(comparison: &Comparison) -> String {
    let has_truth = comparison.outcomes.iter().any(|outcome| outcome.truth.is_some());
    let truth = if has_truth { format!("{:>7}", "truth") } else { String::new() };
    let mut text =
        format!("  {:<20} {:>12} {:>7} {:>9}{truth} {:>9}\n", "variant", "score", "stays", "ARI", "seconds");
    for (at, outcome) in comparison.outcomes.iter().enumerate() {
        let best = if at == comparison.winner { "*" } else { " " };
        let agreement = cell(comparison.agreement[at][comparison.winner], 2);
        let truth = if has_truth { format!("{:>7}", cell(outcome.truth, 2)) } else { String::new() };
        let (score, stays) = (cell(outcome.score, 1), cell(outcome.staying, 4));
        let _ = writeln!(
            text,
            "{best} {:<20} {score:>12} {stays:>7} {agreement:>9}{truth} {:>9.2}",
            outcome.name, outcome.seconds
        );
    }
    comparison.outcomes.iter().filter_map(crate::compare::failure).for_each(|words| {
        let _ = writeln!(text, "  {words}");
    });
    text += "ARI of each two, in the same order:\n";
    for (row, outcome) in comparison.agreement.iter().zip(&comparison.outcomes) {
        let cells: Vec<String> = row.iter().map(|&value| format!("{:>6}", cell(value, 2))).collect();
        let _ = writeln!(text, "  {:<20}{}", outcome.name, cells.concat());
    }
    text
}

fn cell(value: Option<f64>, n_decimals: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| fixed(value, n_decimals))
}

/// Everything but the labels, as JSON.
fn details(comparison: &Comparison) -> Value {
    let variant = |(at, outcome): (usize, &Outcome)| {
        json!({
            "name": outcome.name,
            "settings": outcome.answer.as_ref().ok().map(crate::answer::Answer::settings),
            "error": outcome.answer.as_ref().err().map(ToString::to_string),
            "sizes": outcome.labels().map(Labels::sizes),
            "score": outcome.score,
            "staying_probability": outcome.staying,
            "agreement": comparison.agreement[at],
            "truth": outcome.truth,
            "ended": outcome.answer.as_ref().ok().map(|answer| answer.ended().to_string()),
            "seconds": outcome.seconds,
        })
    };
    json!({
        "winner": comparison.outcomes[comparison.winner].name,
        "variants": comparison.outcomes.iter().enumerate().map(variant).collect::<Vec<_>>(),
    })
}
