//! `similis cluster`: a file in, labels, pictures and a report out.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Value, json};
use similis::auto::Model;
use similis::run::parallel;
use similis::settings::Named;
use similis::{Auto, SideInformation, Termination};

use super::beside::{self, Beside};
use super::saved::{Kept, kept};
use super::side::Side;
use super::within::Within;
use super::{ask, foreseen, is_standard, read_as, say, unused, wanted};
use crate::agreement::Agreement;
use crate::answer::Answer;
use crate::args::models::dashed;
use crate::args::{ClusterArgs, Input};
use crate::error::Error;
use crate::input::{Observed, read};
use crate::io::label_table::LabelTable;
use crate::io::output::{
    LabelsFormat, Outputs, STANDARD_OUTPUT, check_destination, check_labels_path, check_picture_path,
    check_report_path, is_same_file, labels_bytes, labels_txt, picture_bytes,
};
use crate::io::predictions::{check_probabilities, numbered, probabilities_bytes};
use crate::memory;
use crate::progress::{self, Bar, INCOMPLETE_EXIT, INTERRUPTED_EXIT};
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
        let all = read(&args.input, memory_limit)?;
        let within = Within::read(args, &all)?;
        let observed = match &within {
            Some(within) => within.part(all).map_err(|source| wrong(args, source))?,
            None => all,
        };
        say(&observed.notes, args.run.work.quiet);
        let bar = Bar::limited(args.run.work.quiet, args.time_limit, started).telling_phases(args.verbose);
        bar.done("reading");
        let auto = args.auto(memory_limit).map_err(|source| wrong(args, source))?;
        let model = args.chosen(&auto, &observed.pairs);
        wanted::check_picture(args, observed.pairs.quantity(), &auto, model)?;
        say(&foreseen::note(args, &observed.pairs, (&auto, model)), args.run.work.quiet);
        let answer = fit(args, &observed, (&auto, model), &bar)?;
        bar.done("end of the fit");
        let mut notes = unused::notes(args, &observed, &auto, &answer);
        notes.splice(0..0, model_note(args, &auto, model, &observed));
        say(&notes, args.run.work.quiet);
        let name = file_name(&args.input.path);
        let mut study = study(args, &observed, &answer, &name, &bar)?;
        study.notes.extend(notes);
        study.seconds = Some(started.elapsed().as_secs_f64());
        let kept = Kept { within, ..kept(args, &observed, &study)? };
        let complete = write_answer(args, &observed, &study, &kept)?;
        bar.done("pictures and files");
        summarise(args, &observed, &study, (&bar, started));
        let cancelled = answer.ended() == Termination::Cancelled && !bar.out_of_time();
        Ok(if cancelled {
            INTERRUPTED_EXIT.into()
        } else if !complete || answer.number_is_provisional() || answer.cut_to().is_some() {
            INCOMPLETE_EXIT.into()
        } else {
            ExitCode::SUCCESS
        })
    })
}

/// Prints the summary, unless that is not wanted.
fn summarise(args: &ClusterArgs, observed: &Observed, study: &Study<'_>, (bar, started): (&Bar, Instant)) {
    if args.run.work.quiet {
        return;
    }
    let read = format!("{}; model {}", read_as(&args.input, observed), study.answer.model());
    tell(&summary::text(study, &read, started.elapsed().as_secs_f64()));
    if !prints_labels(args) && destination(args).is_none() {
        tell("labels: add --output FILE to write them, or --output - to print them\n");
    }
    if args.verbose {
        tell(&summary::more(study, &bar.phases()));
    }
}

/// Where the labels go, if that was said.
fn destination(args: &ClusterArgs) -> Option<wanted::Destination> {
    if args.more.json {
        return Some((STANDARD_OUTPUT.into(), Some(LabelsFormat::Json)));
    }
    let columns = args.probabilities || args.with_input || args.more.scores || args.more.levels.is_some();
    wanted::destination(args.output.as_ref(), args.output_format, columns)
}

/// Whether labels are printed without being asked for: to a file or a pipe, but not to a terminal, where they hide the summary.
fn prints_labels(args: &ClusterArgs) -> bool {
    args.run.work.quiet || !std::io::stdout().is_terminal()
}

/// A note that a flag, and not the input, chose the model.
fn model_note(args: &ClusterArgs, auto: &Auto, model: Model, observed: &Observed) -> Option<String> {
    let usual = Auto::default().choose(&observed.pairs);
    if args.model != crate::args::Model::Auto || model == usual {
        return None;
    }
    let named = auto.named_by(model, &|name| args.given.has(name));
    let flags: Vec<String> = named.iter().map(|name| format!("--{}", dashed(name))).collect();
    let are = if flags.len() == 1 { "is one of its settings" } else { "are settings of it" };
    let (own, other) = match model {
        Model::LatentFeature => ("latent-feature", "latent-graph"),
        Model::LatentGraph => ("latent-graph", "latent-feature"),
    };
    Some(format!("model {own}, because {} {are}; for the default add --model {other}", flags.join(", ")))
}

/// Checks before a long run that all that was asked for can later be written.
fn check_outputs(args: &ClusterArgs) -> Result<(), Error> {
    if args.questions.ask && is_standard(&args.input.path) {
        return Err(Error::AskStandardInput);
    }
    if let Some((path, format)) = &destination(args) {
        check_labels_path(path, *format)?;
        if args.probabilities {
            check_probabilities(path, *format)?;
        }
        beside::check(args, path, *format)?;
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
            args.within.labels.as_ref(),
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

/// A fit that can be repeated with more side information.
pub(super) struct Fitting<'a> {
    pub(super) args: &'a ClusterArgs,
    pub(super) observed: &'a Observed,
    pub(super) models: (&'a Auto, Model),
    pub(super) bar: &'a Bar,
    listed: Side,
}

impl Fitting<'_> {
    /// Fits the model that the arguments ask for.
    pub(super) fn fit(&self, side: SideInformation) -> Result<Answer, Error> {
        let (args, observed, (auto, model)) = (self.args, self.observed, self.models);
        let answer = match model {
            Model::LatentGraph => {
                let fit = auto.graph.fit_observed(&observed.pairs, side, self.bar);
                fit.map(|fit| Answer::Graph(auto.graph, Box::new(fit)))
            }
            Model::LatentFeature if args.preset.is_some() => return Err(Error::PresetModel),
            Model::LatentFeature => {
                let fit = auto.feature.fit_observed(&observed.pairs, side, self.bar);
                fit.map(|fit| Answer::Feature(auto.feature, Box::new(fit)))
            }
        };
        self.bar.finish();
        answer.map_err(|source| match source.rows_of_pairs() {
            [] => wrong(args, source),
            rows => {
                let ids = observed.ids.as_deref().unwrap_or_default();
                let names = rows.iter().filter_map(|&row| Some((row, ids.get(row)?.clone()))).collect();
                let places = self.listed.places(&source);
                Error::Pairs { source, names, places }
            }
        })
    }
}

/// Fits the model, and where that is wanted asks about pairs and fits again.
fn fit(args: &ClusterArgs, observed: &Observed, models: (&Auto, Model), bar: &Bar) -> Result<Answer, Error> {
    let fitting = Fitting { args, observed, models, bar, listed: Side::read(args, observed)? };
    let side = fitting.listed.information();
    let answer = fitting.fit(side.clone())?;
    if args.questions.ask { ask::refine(&fitting, side, answer) } else { Ok(answer) }
}

pub(super) fn wrong(args: &ClusterArgs, source: similis::Error) -> Error {
    Error::Content { path: args.input.path.clone(), source }
}

/// The answer with all that its pictures and words need.
fn study<'a>(
    args: &'a ClusterArgs,
    observed: &'a Observed,
    answer: &'a Answer,
    name: &'a str,
    bar: &Bar,
) -> Result<Study<'a>, Error> {
    let mut study = Study::new(name, &observed.pairs, answer).map_err(|source| wrong(args, source))?;
    study.points = observed.original.as_ref().or(study.points);
    study.column_names = observed.names.as_deref().unwrap_or_default();
    study.item_names = observed.ids.as_deref().unwrap_or_default();
    study.standards = observed.standardise.as_deref();
    study.plot_title = args.plot_title.as_deref();
    study.notes.clone_from(&observed.notes);
    study.read = Some(observed.described());
    if answer.ended() == Termination::Cancelled && bar.out_of_time() {
        study.ended = String::from("stopped at the time limit, best answer so far");
    }
    study.remarks.extend(agreement(observed, answer).map(|agreement| agreement.to_string()));
    Ok(study)
}

/// Writes all that was asked for, and returns whether it could be: a picture that this answer does not have is left out.
fn write_answer(
    args: &ClusterArgs,
    observed: &Observed,
    study: &Study<'_>,
    kept: &Kept,
) -> Result<bool, Error> {
    let mut outputs = Outputs::default();
    let svg = args.plot.as_ref().map(|_| study.picture(args.plot_kind));
    let svg = svg.transpose().map_err(|source| wrong(args, source))?.flatten();
    let complete = args.plot.is_none() || svg.is_some();
    if let (Some(path), Some(svg)) = (&args.plot, svg) {
        outputs.add(path, &picture_bytes(path, svg, args.plot_width)?)?;
    }
    if let Some(path) = args.plot.as_ref().filter(|_| !complete) {
        let kind = dashed(args.plot_kind.name());
        tell(&format!(
            "warning: {} is not drawn: this answer has nothing to show as --plot-kind {kind}\n",
            path.display()
        ));
    }
    if let Some(path) = &args.report {
        let html = report::html(study, &command_line()).map_err(|source| wrong(args, source))?;
        outputs.add(path, html.as_bytes())?;
    }
    if let (Some(path), Some(model)) = (&args.save_model, &kept.model) {
        outputs.add(path, model.text().as_bytes())?;
    }
    add_labels(args, observed, study, (kept, &mut outputs))?;
    outputs.finish()?;
    Ok(complete)
}

/// Adds the labels to the outputs, under the name that they go to.
fn add_labels(
    args: &ClusterArgs,
    observed: &Observed,
    study: &Study<'_>,
    (kept, outputs): (&Kept, &mut Outputs),
) -> Result<(), Error> {
    let own = study.answer.labels_or_noise();
    let labels = numbered(&kept.within.as_ref().map_or_else(|| own.clone(), |within| within.all(&own)));
    let Some((path, format)) = destination(args) else {
        let text = prints_labels(args).then(|| labels_txt(&labels));
        return text.map_or(Ok(()), |text| outputs.add(Path::new(STANDARD_OUTPUT), text.as_bytes()));
    };
    let ids = kept.within.as_ref().map_or(observed.ids.as_deref(), Within::ids);
    let beside = Beside::of(args, study)?;
    let table = LabelTable {
        id_name: args.input.id_name(),
        ids,
        input: if args.with_input { beside::input_columns(args, observed, study) } else { Vec::new() },
        labels: &labels,
        more: beside.columns(),
        prediction: kept.memberships.as_ref(),
    };
    if let Some(bytes) = table.bytes(&path, format)? {
        return outputs.add(&path, &bytes);
    }
    let mut details = beside.added_to(details(args, observed, study));
    if kept.within.is_some() {
        details["within"] = json!(args.within.within);
    }
    let bytes = match &kept.memberships {
        Some(found) => probabilities_bytes(&path, format, (&labels, ids), found, &details)?,
        None => labels_bytes(&path, format, &labels, ids, &details)?,
    };
    outputs.add(&path, &bytes)
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
    let warnings: Vec<String> = study.notes.iter().cloned().chain(study.warnings()).collect();
    let common = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "input": {
            "path": args.input.path.display().to_string(),
            "read_as": input_name(observed.input),
            "metric": observed.pairs.metric().map(Named::name),
            "conversion": args.input.conversion.map(Named::name),
            "symmetrise": args.input.symmetrise.name(),
            "missing": args.input.missing.name(),
            "n_columns": observed.n_columns(),
            "columns": observed.names,
            "standardise": observed.standardise.is_some(),
        },
        "settings": answer.settings(),
        "seed": args.run.seed,
        "n_points": labels.n_points(),
        "n_clusters": labels.n_clusters(),
        "sizes": answer.sizes(),
        "medoids": study.medoids.iter().map(|medoid| medoid.point).collect::<Vec<_>>(),
        "medoids_exact": study.medoids.iter().all(|medoid| medoid.exact),
        "profiles": study.profiles().iter().map(|profile| profile.json(&|k| study.column(k))).collect::<Vec<_>>(),
        "ended": study.ended,
        "seconds": study.seconds,
        "warnings": warnings,
        "agreement": agreement(observed, study.answer).map(Agreement::json),
    });
    let mut entries = answer.learned(&args.include);
    if let Value::Object(mut common) = common {
        entries.append(&mut common);
    }
    Value::Object(entries)
}

/// How the clusters agree with the classes of `--label-column`.
fn agreement(observed: &Observed, answer: &Answer) -> Option<Agreement> {
    Agreement::of(answer.labels(), observed.classes.as_deref()?)
}

pub(crate) fn input_name(input: Input) -> &'static str {
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
