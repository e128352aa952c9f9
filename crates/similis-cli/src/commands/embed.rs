//! `similis embed`: the features that spectral clustering groups.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::json;
use similis::latent_feature::{Features, NFeatures};
use similis::run::parallel;
use similis::{LatentFeature, NClusters, Termination};

use super::{check_csv_output, item, print, say};
use crate::args::EmbedArgs;
use crate::error::Error;
use crate::input::{Observed, read};
use crate::io::output::write_bytes;
use crate::memory;
use crate::progress::{self, Bar, INTERRUPTED_EXIT};

/// Runs the command.
///
/// # Errors
///
/// Every [`Error`]; nothing is then written.
pub fn run(args: &EmbedArgs) -> Result<ExitCode, Error> {
    check_csv_output(&args.input, args.output.as_ref())?;
    progress::watch_interrupts();
    parallel::with_threads(args.run.work.threads, || {
        let observed = read(&args.input, memory::limit(args.run.work.memory_limit))?;
        say(&observed.notes, args.run.work.quiet);
        let wrong = |source| Error::Content { path: args.input.path.clone(), source };
        let started = Instant::now();
        let embedding = embed(args, &observed).map_err(wrong)?;
        let seconds = started.elapsed().as_secs_f64();
        if let Some(path) = &args.output {
            write_bytes(path, csv(&embedding.features, &observed).as_bytes())?;
        } else if !args.json {
            print(&csv(&embedding.features, &observed))?;
        }
        if args.json {
            print(&format!("{}\n", json!({"seconds": seconds, "eigenvalues": embedding.eigenvalues})))?;
        }
        let cancelled = embedding.ended == Termination::Cancelled;
        Ok(if cancelled { INTERRUPTED_EXIT.into() } else { ExitCode::SUCCESS })
    })
}

/// Features and the eigenvalues behind them.
struct Embedding {
    features: Features,
    eigenvalues: Vec<f64>,
    ended: Termination,
}

fn embed(args: &EmbedArgs, observed: &Observed) -> Result<Embedding, similis::Error> {
    let settings = settings(args)?;
    let bar = Bar::new(args.run.work.quiet);
    let spectrum = settings.spectrum(&observed.pairs, &bar)?;
    bar.finish();
    let features = spectrum.features(args.n_features, settings.variant);
    Ok(Embedding { features, ended: spectrum.eigenpairs.ended, eigenvalues: spectrum.eigenpairs.values })
}

/// The model whose greedy features are wanted.
fn settings(args: &EmbedArgs) -> Result<LatentFeature, similis::Error> {
    Ok(LatentFeature {
        n_clusters: NClusters::Exactly(args.n_features),
        n_features: NFeatures::Exactly(args.n_features),
        n_restarts: args.run.n_restarts,
        seed: args.run.seed,
        memory_limit: memory::limit(args.run.work.memory_limit),
        ..LatentFeature::default().with(&args.affinity.given())?
    })
}

/// A header and a line for each point; numbers read back to the same bits.
fn csv(features: &Features, observed: &Observed) -> String {
    let names: Vec<String> = (0..features.n_columns()).map(|k| format!("feature{k}")).collect();
    let id = if observed.ids.is_some() { "id," } else { "" };
    let mut text = format!("{id}{}\n", names.join(","));
    for i in 0..features.n_rows() {
        let fields: Vec<String> = features.row(i).iter().map(ToString::to_string).collect();
        if observed.ids.is_some() {
            let _ = write!(text, "{},", item(observed, i));
        }
        let _ = writeln!(text, "{}", fields.join(","));
    }
    text
}
