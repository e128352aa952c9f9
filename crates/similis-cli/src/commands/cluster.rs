//! `similis cluster`: a file in, labels and a picture out.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Value, json};
use similis::latent_feature::LatentFeatureFit;
use similis::settings::Named;
use similis::{LatentFeature, NClusters, Termination, parallel};

use super::print;
use crate::args::{ClusterArgs, Input};
use crate::error::Error;
use crate::input::{Observed, read};
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
    progress::watch_interrupts();
    parallel::with_threads(args.run.threads, || {
        let started = Instant::now();
        let memory_limit = memory::limit(args.run.memory_limit);
        let observed = read(&args.input, memory_limit)?;
        let settings = args.latent_feature(memory_limit);
        let bar = Bar::new(args.run.quiet);
        let fit = settings.fit_observed(&observed.pairs, &bar);
        bar.finish();
        let fit = fit.map_err(|source| Error::Content { path: args.input.path.clone(), source })?;
        write_answer(args, &observed, &settings, &fit)?;
        if !args.run.quiet {
            eprint!("{}", summary(args, &observed, &fit, started.elapsed().as_secs_f64()));
        }
        Ok(if fit.ended == Termination::Cancelled { INTERRUPTED_EXIT.into() } else { ExitCode::SUCCESS })
    })
}

fn write_answer(
    args: &ClusterArgs,
    observed: &Observed,
    settings: &LatentFeature,
    fit: &LatentFeatureFit,
) -> Result<(), Error> {
    if let Some(path) = &args.plot {
        write_bytes(path, picture(args, observed, fit).as_bytes())?;
    }
    let labels: Vec<i64> = fit.labels.as_slice().iter().map(|&label| label as i64).collect();
    match &args.output {
        Some(path) => write_labels(path, &labels, &details(args, settings, observed, fit)),
        None => print(&labels_txt(&labels)),
    }
}

/// Everything that was set and learned, but the labels.
fn details(
    args: &ClusterArgs,
    settings: &LatentFeature,
    observed: &Observed,
    fit: &LatentFeatureFit,
) -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "input": args.input.path.display().to_string(),
        "settings": settings_json(args, settings, observed),
        "seed": settings.seed,
        "n_points": fit.labels.n_points(),
        "n_clusters": fit.labels.n_clusters(),
        "sizes": fit.labels.sizes(),
        "log_joint": fit.log_joint.total(),
        "gamma": fit.gamma,
        "eigenvalues": fit.eigenvalues,
        "staying_probability": fit.staying.overall,
        "isolated": fit.isolated,
        "n_components": fit.n_components,
        "ended": fit.ended.to_string(),
    })
}

fn settings_json(args: &ClusterArgs, settings: &LatentFeature, observed: &Observed) -> Value {
    json!({
        "input": input_name(observed.input),
        "metric": args.input.metric().name(),
        "model": "latent_feature",
        "n_clusters": settings.n_clusters.to_string(),
        "normalised": settings.normalised,
        "variant": settings.variant.name(),
        "affinity": settings.affinity.name(),
        "gamma": settings.gamma.to_string(),
        "affinity_neighbours": settings.affinity_neighbours,
        "n_features": settings.n_features.to_string(),
        "grouping": settings.grouping.name(),
        "covariance": settings.covariance.name(),
        "feature_inference": settings.feature_inference.name(),
        "psi_floor": settings.psi_floor,
        "n_restarts": settings.n_restarts,
    })
}

fn input_name(input: Input) -> &'static str {
    match input {
        Input::Points => "points",
        Input::Distances => "distances",
        Input::Similarities => "similarities",
        Input::Edges => "edges",
    }
}

/// The clusters as a picture: points where there are any, features otherwise.
fn picture(args: &ClusterArgs, observed: &Observed, fit: &LatentFeatureFit) -> String {
    let points = observed.pairs.points().map(similis::distance::MeasuredPoints::points);
    let (rows, n_columns) = match points {
        Some(points) => (points.as_slice(), points.n_dimensions()),
        None => (fit.embedding.as_slice(), fit.embedding.n_columns()),
    };
    let projection = plane(rows, n_columns);
    let what = if points.is_some() { "points" } else { "features" };
    let name = |k: usize| match &observed.names {
        Some(names) if points.is_some() && n_columns <= 2 => names.get(k).cloned().unwrap_or_default(),
        _ if n_columns > 2 => format!("principal component {} of the {what}", k + 1),
        _ if k >= n_columns => "row".to_owned(),
        _ => format!("column {k} of the {what}"),
    };
    let mut note = format!("similis {}, latent features, seed {}", env!("CARGO_PKG_VERSION"), args.run.seed);
    if n_columns > 2 {
        let _ = write!(
            note,
            "; the plane shows {:.0}% of the variance of {n_columns} {what}' columns",
            100.0 * projection.shown
        );
    }
    scatter_svg(&Scatter {
        x: &projection.x,
        y: &projection.y,
        labels: fit.labels.as_slice(),
        title: &format!("{}: {}", file_name(&args.input.path), clusters(fit.labels.n_clusters())),
        x_name: &name(0),
        y_name: &name(1),
        links: &[],
        note: &note,
    })
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn clusters(n: usize) -> String {
    if n == 1 { "1 cluster".to_owned() } else { format!("{n} clusters") }
}

/// What a person wants to know, in a few lines.
fn summary(args: &ClusterArgs, observed: &Observed, fit: &LatentFeatureFit, seconds: f64) -> String {
    let path = args.input.path.display();
    let input = input_name(observed.input);
    let guessed = if observed.guessed { " (guessed; --input says otherwise)" } else { "" };
    let by = if args.n_clusters == NClusters::Auto { ", by the largest gap between eigenvalues" } else { "" };
    let mut lines = vec![
        format!("{path}: {} read as {input}{guessed}", fit.labels.n_points()),
        format!("{}{by}; sizes {}", clusters(fit.labels.n_clusters()), sizes(&fit.labels.sizes())),
    ];
    if let Some(gamma) = fit.gamma {
        let n_tried = fit.gamma_trials.len();
        let tried = if n_tried > 1 { format!(", the tightest of {n_tried}") } else { String::new() };
        lines.push(format!("scale gamma {gamma:.6}{tried}"));
    }
    let (log_joint, staying) = (fit.log_joint.total(), fit.staying.overall);
    lines.push(format!(
        "log joint {log_joint:.3}; a random walk stays in its cluster with probability {staying:.4}"
    ));
    lines.extend(warnings(fit));
    lines.push(format!("{} in {seconds:.2} s", fit.ended));
    lines.join("\n") + "\n"
}

/// What a person should know before using the answer.
fn warnings(fit: &LatentFeatureFit) -> Vec<String> {
    let mut warnings = Vec::new();
    if !fit.isolated.is_empty() {
        let n = fit.isolated.len();
        warnings
            .push(format!("warning: {n} points are similar to no other point; their cluster means nothing"));
    }
    if fit.n_components > fit.labels.n_clusters() {
        let n = fit.n_components;
        warnings.push(format!(
            "note: the affinity graph falls into {n} parts, more than clusters; try more --affinity-neighbours"
        ));
    }
    if fit.n_negative > 0 {
        let n = fit.n_negative;
        warnings.push(format!("note: {n} features have negative eigenvalues and were set to 0 in the model"));
    }
    warnings
}

/// The sizes, cut where there are many.
fn sizes(sizes: &[usize]) -> String {
    const SHOWN: usize = 12;
    let listed: Vec<String> = sizes.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = if sizes.len() > SHOWN { format!(" and {} more", sizes.len() - SHOWN) } else { String::new() };
    listed.join(", ") + &more
}
