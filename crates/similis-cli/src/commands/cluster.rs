//! `similis cluster`: a file in, labels, pictures and a report out.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Map, Value, json};
use similis::auto::Model;
use similis::run::parallel;
use similis::settings::Named;
use similis::{Auto, NClusters, Termination};

use super::saved::{Kept, kept};
use super::side::Side;
use super::{is_standard, say, unused};
use crate::agreement::Agreement;
use crate::answer::Answer;
use crate::args::{ClusterArgs, Input};
use crate::error::Error;
use crate::input::{Observed, read};
use crate::io::output::{
    Outputs, STANDARD_OUTPUT, check_destination, check_labels_path, check_picture_path, check_report_path,
    is_same_file, labels_bytes, labels_txt, picture_bytes,
};
use crate::io::predictions::{check_probabilities, probabilities_bytes};
use crate::memory;
use crate::progress::{self, Bar, INTERRUPTED_EXIT};
use crate::report;
use crate::study::Study;
use crate::summary;
use crate::terminal::tell;

/// Runs the command.
///
/// # Errors
///
/// Every [`Error`]; nothing is then written.
pub fn run(args: &ClusterArgs) -> Result<ExitCode, Error> {
    let started = Instant::now();
    check_outputs(args)?;
    progress::watch_interrupts();
    parallel::with_threads(args.run.work.threads, || {
        let memory_limit = memory::limit(args.run.work.memory_limit);
        let observed = read(&args.input, memory_limit)?;
        say(&observed.notes, args.run.work.quiet);
        let bar = Bar::limited(args.run.work.quiet, args.time_limit, started);
        let auto = args.auto(memory_limit).map_err(|source| wrong(args, source))?;
        let answer = fit(args, &observed, &auto, &bar)?;
        say(&unused::notes(args, &observed, &auto, &answer), args.run.work.quiet);
        let name = file_name(&args.input.path);
        let study = study(args, &observed, &answer, &name, &bar)?;
        write_answer(args, &observed, &study, &kept(args, &observed, &study)?)?;
        if !args.run.work.quiet {
            let seconds = started.elapsed().as_secs_f64();
            tell(&summary::text(&study, &read_in_words(args, &observed, &answer), seconds));
            if args.verbose {
                tell(&summary::more(&study, &bar.phases()));
            }
        }
        let cancelled = answer.ended() == Termination::Cancelled && !bar.out_of_time();
        Ok(if cancelled { INTERRUPTED_EXIT.into() } else { ExitCode::SUCCESS })
    })
}

/// Checks before a long run that all that was asked for can later be written.
fn check_outputs(args: &ClusterArgs) -> Result<(), Error> {
    args.output.as_deref().map_or(Ok(()), |path| check_labels_path(path, args.output_format))?;
    if let Some(path) = args.output.as_deref().filter(|_| args.probabilities) {
        check_probabilities(path, args.output_format)?;
    }
    args.plot.as_deref().map_or(Ok(()), check_picture_path)?;
    args.report.as_deref().map_or(Ok(()), check_report_path)?;
    args.save_model.as_deref().map_or(Ok(()), check_destination)?;
    check_not_over(
        &[
            Some(&args.input.path),
            args.known_labels.as_ref(),
            args.must_link.as_ref(),
            args.cannot_link.as_ref(),
        ],
        &[args.output.as_ref(), args.plot.as_ref(), args.report.as_ref(), args.save_model.as_ref()],
    )
}

/// Neither an input nor another output may be written over.
pub(super) fn check_not_over(inputs: &[Option<&PathBuf>], outputs: &[Option<&PathBuf>]) -> Result<(), Error> {
    let files = [inputs, outputs].concat();
    for (at, path) in files.iter().enumerate().skip(inputs.len()) {
        let Some(path) = path.filter(|path| !is_standard(path)) else { continue };
        if files[..at].iter().flatten().any(|other| is_same_file(other, path)) {
            return Err(Error::Overwrite { path: (*path).clone() });
        }
    }
    Ok(())
}

/// Fits the model that the arguments ask for.
fn fit(args: &ClusterArgs, observed: &Observed, auto: &Auto, bar: &Bar) -> Result<Answer, Error> {
    let listed = Side::read(args, observed)?;
    let side = listed.information();
    let answer = match args.chosen(auto, &observed.pairs) {
        Model::LatentGraph => {
            let fit = auto.graph.fit_observed(&observed.pairs, side, bar);
            fit.map(|fit| Answer::Graph(auto.graph, Box::new(fit)))
        }
        Model::LatentFeature if args.preset.is_some() => return Err(Error::PresetModel),
        Model::LatentFeature => {
            let fit = auto.feature.fit_observed(&observed.pairs, side, bar);
            fit.map(|fit| Answer::Feature(auto.feature, Box::new(fit)))
        }
    };
    bar.finish();
    answer.map_err(|source| match source.rows_of_pairs() {
        [] => wrong(args, source),
        rows => {
            let ids = observed.ids.as_deref().unwrap_or_default();
            let names = rows.iter().filter_map(|&row| Some((row, ids.get(row)?.clone()))).collect();
            let places = listed.places(&source);
            Error::Pairs { source, names, places }
        }
    })
}

pub(super) fn wrong(args: &ClusterArgs, source: similis::Error) -> Error {
    Error::Content { path: args.input.path.clone(), source }
}

/// The answer with all that its pictures and words need.
fn study<'a>(
    args: &ClusterArgs,
    observed: &'a Observed,
    answer: &'a Answer,
    name: &'a str,
    bar: &Bar,
) -> Result<Study<'a>, Error> {
    let mut study = Study::new(name, &observed.pairs, answer).map_err(|source| wrong(args, source))?;
    study.points = observed.original.as_ref().or(study.points);
    study.column_names = observed.names.as_deref().unwrap_or_default();
    study.item_names = observed.ids.as_deref().unwrap_or_default();
    study.notes.clone_from(&observed.notes);
    if answer.ended() == Termination::Cancelled && bar.out_of_time() {
        study.ended = String::from("stopped at the time limit, best answer so far");
    }
    if !matches!(args.n_clusters, NClusters::Exactly(_)) && matches!(answer, Answer::Feature(..)) {
        study
            .remarks
            .push("the number of clusters is that of the largest gap between eigenvalues".to_owned());
    }
    study.remarks.extend(agreement(observed, answer).map(|agreement| agreement.to_string()));
    Ok(study)
}

fn write_answer(
    args: &ClusterArgs,
    observed: &Observed,
    study: &Study<'_>,
    kept: &Kept,
) -> Result<(), Error> {
    let mut outputs = Outputs::default();
    if let Some(path) = &args.plot {
        let svg = study.picture(args.plot_kind).map_err(|source| wrong(args, source))?;
        let svg = svg.ok_or(Error::NoPicture { kind: args.plot_kind.name() })?;
        outputs.add(path, &picture_bytes(path, svg)?)?;
    }
    if let Some(path) = &args.report {
        let html = report::html(study, &command_line()).map_err(|source| wrong(args, source))?;
        outputs.add(path, html.as_bytes())?;
    }
    if let (Some(path), Some(model)) = (&args.save_model, &kept.model) {
        outputs.add(path, model.text().as_bytes())?;
    }
    let labels: Vec<i64> = study
        .answer
        .labels_or_noise()
        .into_iter()
        .map(|label| label.map_or(-1, |label| label as i64))
        .collect();
    match &args.output {
        Some(path) => {
            let (ids, details) = (observed.ids.as_deref(), details(args, observed, study));
            outputs.add(
                path,
                &match &kept.memberships {
                    Some(found) => {
                        probabilities_bytes(path, args.output_format, (&labels, ids), found, &details)?
                    }
                    None => labels_bytes(path, args.output_format, &labels, ids, &details)?,
                },
            )?;
        }
        None => outputs.add(Path::new(STANDARD_OUTPUT), labels_txt(&labels).as_bytes())?,
    }
    outputs.finish()
}

/// This run as a line for the shell.
pub(super) fn command_line() -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "_-./:=,@%+".contains(character);
    let quoted = |word: String| {
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("similis".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Everything that was set and learned, but the labels.
fn details(args: &ClusterArgs, observed: &Observed, study: &Study<'_>) -> Value {
    let answer = study.answer;
    let labels = answer.labels();
    let common = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "input": {
            "path": args.input.path.display().to_string(),
            "read_as": input_name(observed.input),
            "metric": observed.pairs.points().map(|points| points.metric().name()),
            "conversion": args.input.conversion.map(Named::name),
            "symmetrise": args.input.symmetrise.name(),
            "missing": args.input.missing.name(),
        },
        "settings": answer.settings(),
        "seed": args.run.seed,
        "n_points": labels.n_points(),
        "n_clusters": labels.n_clusters(),
        "sizes": answer.sizes(),
        "medoids": study.medoids.iter().map(|medoid| medoid.point).collect::<Vec<_>>(),
        "medoids_exact": study.medoids.iter().all(|medoid| medoid.exact),
        "ended": study.ended,
        "agreement": agreement(observed, study.answer).map(Agreement::json),
    });
    let entries: Map<String, Value> =
        common.as_object().cloned().into_iter().flatten().chain(answer.learned()).collect();
    Value::Object(entries)
}

/// How the clusters agree with the classes of `--label-column`.
fn agreement(observed: &Observed, answer: &Answer) -> Option<Agreement> {
    Agreement::of(answer.labels(), observed.classes.as_deref()?)
}

pub(super) fn input_name(input: Input) -> &'static str {
    match input {
        Input::Points => "points",
        Input::Distances => "distances",
        Input::Similarities => "similarities",
        Input::Edges => "edges",
    }
}

pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What was read, in words.
fn read_in_words(args: &ClusterArgs, observed: &Observed, answer: &Answer) -> String {
    let guessed = if observed.guessed { " (guessed; --input says otherwise)" } else { "" };
    let (path, n, input) =
        (args.input.path.display(), answer.labels().n_points(), input_name(observed.input));
    format!("{path}: {n} read as {input}{guessed}; model {}", answer.model())
}
