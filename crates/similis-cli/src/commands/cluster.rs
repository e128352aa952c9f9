//! `similis cluster`: a file in, labels and a picture out.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Map, Value, json};
use similis::auto::Model;
use similis::settings::Named;
use similis::{NClusters, Termination, parallel};

use super::{print, say};
use crate::answer::Answer;
use crate::args::{ClusterArgs, Input};
use crate::error::Error;
use crate::input::{Observed, read, read_known_labels};
use crate::io::output::{check_labels_path, check_picture_path, labels_txt, write_bytes, write_labels};
use crate::memory;
use crate::plot::{Scatter, scatter_svg};
use crate::progress::{self, Bar, INTERRUPTED_EXIT};
use crate::projection::plane;

/// Runs the command.
///
/// # Errors
///
/// Every [`Error`]; nothing is then written.
pub fn run(args: &ClusterArgs) -> Result<ExitCode, Error> {
    args.output.as_deref().map_or(Ok(()), check_labels_path)?;
    args.plot.as_deref().map_or(Ok(()), check_picture_path)?;
    check_outputs(args)?;
    progress::watch_interrupts();
    parallel::with_threads(args.run.work.threads, || {
        let started = Instant::now();
        let memory_limit = memory::limit(args.run.work.memory_limit);
        let observed = read(&args.input, memory_limit)?;
        say(&observed.notes, args.run.work.quiet);
        let answer = fit(args, &observed, memory_limit)?;
        write_answer(args, &observed, &answer)?;
        if !args.run.work.quiet {
            eprint!("{}", summary(args, &observed, &answer, started.elapsed().as_secs_f64()));
        }
        let cancelled = answer.ended() == Termination::Cancelled;
        Ok(if cancelled { INTERRUPTED_EXIT.into() } else { ExitCode::SUCCESS })
    })
}

/// Neither the input nor the other output may be written over.
fn check_outputs(args: &ClusterArgs) -> Result<(), Error> {
    let files =
        [Some(&args.input.path), args.known_labels.as_ref(), args.output.as_ref(), args.plot.as_ref()];
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    for (at, path) in files.iter().enumerate().skip(2) {
        let Some(path) = path else { continue };
        if files[..at].iter().flatten().any(|other| real(other) == real(path)) {
            return Err(Error::Overwrite { path: (*path).clone() });
        }
    }
    Ok(())
}

/// Fits the model that the arguments ask for.
fn fit(args: &ClusterArgs, observed: &Observed, memory_limit: Option<u64>) -> Result<Answer, Error> {
    let known = args.known_labels.as_deref().map_or(Ok(Vec::new()), read_known_labels)?;
    let bar = Bar::new(args.run.work.quiet);
    let auto = args.auto(memory_limit);
    let answer = match args.chosen(&auto, &observed.pairs, &known) {
        Model::LatentGraph => {
            let fit = auto.graph.fit_observed(&observed.pairs, &known, &bar);
            fit.map(|fit| Answer::Graph(auto.graph, Box::new(fit)))
        }
        Model::LatentFeature if args.preset.is_some() => return Err(Error::PresetModel),
        Model::LatentFeature if !known.is_empty() => return Err(Error::KnownLabelsModel),
        Model::LatentFeature => {
            let fit = auto.feature.fit_observed(&observed.pairs, &bar);
            fit.map(|fit| Answer::Feature(auto.feature, Box::new(fit)))
        }
    };
    bar.finish();
    answer.map_err(|source| wrong(args, source))
}

fn wrong(args: &ClusterArgs, source: similis::Error) -> Error {
    Error::Content { path: args.input.path.clone(), source }
}

fn write_answer(args: &ClusterArgs, observed: &Observed, answer: &Answer) -> Result<(), Error> {
    // Drawn before anything is written: a picture that cannot be drawn must not leave half an answer.
    let picture = match &args.plot {
        Some(_) => Some(picture(args, observed, answer)?),
        None => None,
    };
    let labels: Vec<i64> = answer.labels().as_slice().iter().map(|&label| label as i64).collect();
    match &args.output {
        Some(path) => write_labels(path, &labels, observed.ids.as_deref(), &details(args, observed, answer))?,
        None => print(&labels_txt(&labels))?,
    }
    match (&args.plot, picture) {
        (Some(path), Some(picture)) => write_bytes(path, picture.as_bytes()),
        _ => Ok(()),
    }
}

/// Everything that was set and learned, but the labels.
fn details(args: &ClusterArgs, observed: &Observed, answer: &Answer) -> Value {
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
        "sizes": labels.sizes(),
        "ended": answer.ended().to_string(),
    });
    let entries: Map<String, Value> =
        common.as_object().cloned().into_iter().flatten().chain(answer.learned()).collect();
    Value::Object(entries)
}

pub(super) fn input_name(input: Input) -> &'static str {
    match input {
        Input::Points => "points",
        Input::Distances => "distances",
        Input::Similarities => "similarities",
        Input::Edges => "edges",
    }
}

/// The clusters as a picture: points where there are any, features otherwise.
fn picture(args: &ClusterArgs, observed: &Observed, answer: &Answer) -> Result<String, Error> {
    let measured = observed.pairs.points().map(similis::distance::MeasuredPoints::points);
    let points = observed.original.as_ref().or(measured);
    let features = match points {
        Some(_) => None,
        None => Some(answer.features(&observed.pairs).map_err(|source| wrong(args, source))?),
    };
    let (rows, n_columns, what) = match (&features, points) {
        (Some(features), _) => (features.as_slice(), features.n_columns(), "features"),
        (None, Some(points)) => (points.as_slice(), points.n_dimensions(), "points"),
        (None, None) => (&[][..], 0, "points"),
    };
    let projection = plane(rows, n_columns);
    let name = |k: usize| match &observed.names {
        Some(names) if features.is_none() && n_columns <= 2 => names.get(k).cloned().unwrap_or_default(),
        _ if n_columns > 2 => format!("principal component {} of the {what}", k + 1),
        _ if k >= n_columns => "row".to_owned(),
        _ => format!("column {k} of the {what}"),
    };
    let version = env!("CARGO_PKG_VERSION");
    let mut note = format!("similis {version}, {}, seed {}", answer.model(), args.run.seed);
    if n_columns > 2 {
        let shown = 100.0 * projection.shown;
        let _ = write!(
            note,
            "; the plane shows {shown:.0}% of the variance of the {n_columns} columns of the {what}"
        );
    }
    let n_clusters = answer.labels().n_clusters();
    Ok(scatter_svg(&Scatter {
        x: &projection.x,
        y: &projection.y,
        labels: answer.labels().as_slice(),
        title: &format!("{}: {}", file_name(&args.input.path), clusters(n_clusters)),
        x_name: &name(0),
        y_name: &name(1),
        links: &answer.links(),
        note: &note,
    }))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn clusters(n: usize) -> String {
    if n == 1 { "1 cluster".to_owned() } else { format!("{n} clusters") }
}

/// What a person wants to know, in a few lines.
fn summary(args: &ClusterArgs, observed: &Observed, answer: &Answer, seconds: f64) -> String {
    let path = args.input.path.display();
    let labels = answer.labels();
    let (n_points, input) = (labels.n_points(), input_name(observed.input));
    let guessed = if observed.guessed { " (guessed; --input says otherwise)" } else { "" };
    let by = if args.n_clusters == NClusters::Auto { ", by the largest gap between eigenvalues" } else { "" };
    let mut lines = vec![
        format!("{path}: {n_points} read as {input}{guessed}; model {}", answer.model()),
        format!("{}{by}; sizes {}", clusters(labels.n_clusters()), sizes(&labels.sizes())),
    ];
    lines.extend(answer.lines());
    lines.push(format!("{} in {seconds:.2} s", answer.ended()));
    lines.join("\n") + "\n"
}

/// The sizes, cut where there are many.
fn sizes(sizes: &[usize]) -> String {
    const SHOWN: usize = 12;
    let listed: Vec<String> = sizes.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = if sizes.len() > SHOWN { format!(" and {} more", sizes.len() - SHOWN) } else { String::new() };
    listed.join(", ") + &more
}
