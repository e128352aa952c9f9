//! `similis sample`: draws from the two generative models.

use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;
use similis::latent_feature::{Gaussian, GaussianConditionals, PairTerms, sample};
use similis::latent_graph::{Likelihood, LinkLengths, Sampler};
use similis::{Checks, Dissimilarity, Quantity, SimilarityMatrix};

use super::cluster::check_not_over;
use super::convert::output_format;
use super::is_standard;
use crate::args::{SampleArgs, Sampled};
use crate::error::Error;
use crate::io::STANDARD_INPUT;
use crate::io::output::{Outputs, check_labels_path, labels_bytes};
use crate::io::write::{Rows, Sheet, add, write};
use crate::memory;
use crate::terminal::tell;
use similis::error::check_memory;

/// Runs the command.
///
/// # Errors
///
/// Every [`Error`]; nothing is then written.
pub fn run(args: &SampleArgs) -> Result<ExitCode, Error> {
    let path = args.output.output.as_deref().unwrap_or(Path::new(STANDARD_INPUT));
    let format = output_format(path, args.output.output_format)?;
    args.labels.as_deref().map_or(Ok(()), |path| check_labels_path(path, None))?;
    check_not_over(&[], &[args.labels.as_ref(), args.output.output.as_ref()])?;
    let needed = (args.n_points as u64).saturating_pow(2).saturating_mul(16);
    check_memory(needed, memory::limit(None), "a matrix of that many points", "draw fewer with --n-points")?;
    let drawn = match args.model {
        Sampled::LatentGraph => of_graphs(args)?,
        Sampled::LatentFeature => of_features(args)?,
    };
    let pairs = &drawn.pairs;
    let n = pairs.n_points();
    let row = |i: usize| (0..n).map(|j| pairs.pair(i, j).unwrap_or(0.0)).collect::<Vec<f64>>();
    let rows = Rows { n_rows: n, n_columns: n, row: &row, names: None, ids: None, classes: None };
    let mut outputs = Outputs::default();
    if let Some(labels) = &args.labels {
        outputs.add(labels, &labels_bytes(labels, None, &drawn.classes, None, &Value::Null)?)?;
    }
    if is_standard(path) {
        write(path, format, &Sheet::Matrix(rows))?;
    } else {
        add(&mut outputs, path, format, &Sheet::Matrix(rows))?;
    }
    outputs.finish()?;
    if !args.output.quiet {
        let quantity = if pairs.quantity() == Quantity::Distances { "distances" } else { "similarities" };
        // Similarities of features may be negative: they are used as they are.
        let as_they_are = if args.model == Sampled::LatentFeature { " --normalised" } else { "" };
        tell(&format!("{quantity} of {n} points; read them with --input {quantity}{as_they_are}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

/// What was drawn: the class of each point, and a matrix.
struct Drawn {
    classes: Vec<i64>,
    pairs: Dissimilarity<'static>,
}

fn of_graphs(args: &SampleArgs) -> Result<Drawn, Error> {
    for (setting, given) in [("background", args.background), ("relative-spread", args.relative_spread)] {
        positive(setting, given)?;
    }
    args.class_scales.iter().try_for_each(|&scale| positive("class-scales", scale))?;
    let lengths = |scale: f64| match args.likelihood {
        Likelihood::Exponential => LinkLengths::Exponential { scale },
        Likelihood::Gaussian => LinkLengths::Gaussian { scale, spread: scale * args.relative_spread },
    };
    let sampler = Sampler {
        classes: args.class_scales.iter().map(|&scale| lengths(scale)).collect(),
        background: lengths(args.background),
        graph_prior: args.graph_prior,
        prior_neighbours: args.prior_neighbours,
    };
    at_least_two(args.n_points)?;
    let drawn = sampler.draw(args.n_points, args.seed)?;
    let quantity = drawn.observed()?.quantity();
    let pairs = Dissimilarity::from_condensed(drawn.lengths, quantity, Checks::default())?;
    Ok(Drawn { classes: drawn.classes.iter().map(|&class| class as i64).collect(), pairs })
}

/// Class c has the mean feature 1 in place c and 0 elsewhere.
fn of_features(args: &SampleArgs) -> Result<Drawn, Error> {
    for (setting, given) in [("spread", args.spread), ("noise", args.noise)] {
        positive(setting, given)?;
    }
    let t = args.n_clusters;
    if !(1..=args.n_points).contains(&t) {
        return Err(similis::Error::Settings(similis::error::SettingError::NClusters {
            given: t,
            n_points: args.n_points,
        })
        .into());
    }
    let unit = |class: usize| (0..t).map(|k| f64::from(u8::from(k == class))).collect::<Vec<f64>>();
    let variances: Vec<f64> = (0..t).flat_map(unit).map(|one| one * args.spread * args.spread).collect();
    let classes: Option<Vec<Gaussian>> =
        (0..t).map(|class| Gaussian::new(unit(class), variances.clone())).collect();
    let Some(classes) = classes else {
        return Err(Error::NotPositive { setting: "spread", given: args.spread });
    };
    let model = GaussianConditionals { noise: args.noise * args.noise, classes };
    let drawn = sample(&model, args.n_points, PairTerms::UpperAndDiagonal, args.seed)?;
    let SimilarityMatrix::Dense { values, n_points } = drawn.matrix else {
        return Err(similis::Error::Input(similis::error::InputError::NoPoints).into());
    };
    let pairs = Dissimilarity::from_square(
        values.into_owned(),
        [n_points, n_points],
        Quantity::Similarities,
        Checks::default(),
    )?;
    Ok(Drawn { classes: drawn.classes.iter().map(|&class| class as i64).collect(), pairs })
}

fn positive(setting: &'static str, given: f64) -> Result<(), Error> {
    if given.is_finite() && given > 0.0 { Ok(()) } else { Err(Error::NotPositive { setting, given }) }
}

fn at_least_two(given: usize) -> Result<(), Error> {
    if given >= 2 { Ok(()) } else { Err(Error::TooFewPoints { given }) }
}
