//! `similis predict`: a saved model and new items in, labels out.

use std::process::ExitCode;

use serde_json::json;
use similis::error::check_memory;
use similis::input::{MeasuredPoints, SparsePoints};
use similis::latent_graph::outlier_scores;
use similis::run::parallel;
use similis::{Dissimilarity, Points, Prediction, Predictor};

use super::cluster::check_not_over;
use super::wanted::{Destination, destination};
use super::{print, say};
use crate::args::{Input, NewInput, PredictArgs};
use crate::error::{Error, Excerpt};
use crate::io::label_table::LabelTable;
use crate::io::model::SavedModel;
use crate::io::output::{LabelsFormat, check_labels_path, labels_txt, write_bytes, write_labels};
use crate::io::predictions::{check_probabilities, numbered, probabilities_bytes};
use crate::io::sparse::Compressed;
use crate::io::write::{Column, Data};
use crate::io::{self, Content, Request, Table};
use crate::memory;
use crate::terminal::tell;

/// Runs the command.
///
/// # Errors
///
/// Every [`Error`]; nothing is then written.
pub fn run(args: &PredictArgs) -> Result<ExitCode, Error> {
    let columns = args.probabilities || args.scores;
    let destination = destination(args.output.as_ref(), args.output_format, columns);
    if let Some((path, format)) = &destination {
        check_labels_path(path, *format)?;
        if args.probabilities {
            check_probabilities(path, *format)?;
        }
        if args.scores && matches!(LabelsFormat::of(path, *format)?, LabelsFormat::Txt | LabelsFormat::Npy) {
            return Err(Error::NoRoom { flag: "--scores", path: path.clone() });
        }
    }
    check_not_over(&[Some(&args.model), Some(&args.path)], &[args.output.as_ref()])?;
    parallel::with_threads(args.work.threads, || {
        let memory_limit = memory::limit(args.work.memory_limit);
        let model = SavedModel::read(&args.model, memory_limit)?;
        let input = kind(args, &model);
        let mut items = read(args, &model, input, memory_limit)?;
        let mut ids = None;
        if let Items::Table(table) = &mut items {
            say(&table.notes, args.work.quiet);
            ids = table.ids.take();
        }
        let found = predict(args, model, input, items, memory_limit)?;
        write(args, destination.as_ref(), &found, ids.as_deref())?;
        if !args.work.quiet {
            tell(&summary(args, &found, input));
        }
        Ok(ExitCode::SUCCESS)
    })
}

fn kind(args: &PredictArgs, model: &SavedModel) -> NewInput {
    let usual = if model.parts.n_dimensions().is_some() { NewInput::Points } else { NewInput::Distances };
    args.input.unwrap_or(usual)
}

/// Where new items belong, and how dense the model's own points lie, each left out: `None` for a model of distances, and for very
/// many points unless scores are asked for.
struct Found {
    new: Prediction,
    own: Option<Vec<f64>>,
}

impl Found {
    fn new(new: Prediction, predictor: &Predictor, wants_scores: bool) -> Self {
        let compared = wants_scores || predictor.n_points() <= MOST_COMPARED;
        Self { new, own: if compared { own_densities(predictor) } else { None } }
    }

    /// How far out of the ordinary each item is, from 0 to 1.
    fn scores(&self) -> Option<Vec<f64>> {
        self.own.as_ref().map(|own| outlier_scores(&self.new.log_density, own))
    }
}

/// New items as they were read.
enum Items {
    Table(Table),
    Sparse(Compressed),
}

/// Reads the new items: the columns that were chosen, or those of the model's names, or all.
fn read(
    args: &PredictArgs,
    model: &SavedModel,
    input: NewInput,
    memory_limit: Option<u64>,
) -> Result<Items, Error> {
    let names = model.columns.as_deref().filter(|_| input == NewInput::Points && args.columns.is_none());
    let Some(names) = names else { return read_columns(args, None, memory_limit) };
    match read_columns(args, Some(names), memory_limit) {
        // A file without a header has the columns in the model's order.
        Err(Error::NoColumn { .. }) if !super::is_standard(&args.path) => {}
        other => return other,
    }
    let items = read_columns(args, None, memory_limit)?;
    match &items {
        Items::Table(Table { names: Some(given), .. }) => Err(Error::NewColumnNames {
            path: args.path.clone(),
            given: Excerpt::new(given.join(", ").as_bytes()),
            wanted: Excerpt::new(names.join(", ").as_bytes()),
        }),
        _ => Ok(items),
    }
}

fn read_columns(
    args: &PredictArgs,
    names: Option<&[String]>,
    memory_limit: Option<u64>,
) -> Result<Items, Error> {
    let content = io::read(&Request {
        path: &args.path,
        format: args.format,
        array: args.array.as_deref(),
        missing: false,
        choice: &args.choice(names),
        // Rows of distances are a table too: nothing in it is square or symmetric.
        input: Some(Input::Points),
        edge_values: None,
        memory_limit,
    })?;
    match content {
        Content::Table(table) => Ok(Items::Table(table)),
        Content::Sparse(matrix) => Ok(Items::Sparse(matrix)),
        Content::Edges(_) => Err(Error::Empty { path: args.path.clone() }),
    }
}

fn predict(
    args: &PredictArgs,
    model: SavedModel,
    input: NewInput,
    items: Items,
    memory_limit: Option<u64>,
) -> Result<Found, Error> {
    let of_model = |source| Error::Content { path: args.model.clone(), source };
    let of_new = |source| Error::Content { path: args.path.clone(), source };
    check_memory(model.memory(), memory_limit, "the model", "raise --memory-limit").map_err(of_model)?;
    let table = match items {
        Items::Table(table) => table,
        Items::Sparse(Compressed { offsets, columns, values, n_columns })
            if input == NewInput::Points && model.standardise.is_none() =>
        {
            let predictor = Predictor::try_from(model.parts).map_err(of_model)?;
            let points = SparsePoints::new(&offsets, &columns, &values, n_columns);
            let found = points.and_then(|points| predictor.predict_sparse_points(&points)).map_err(of_new)?;
            return Ok(Found::new(found, &predictor, args.scores));
        }
        Items::Sparse(matrix) => {
            let (n_rows, n_columns) = (matrix.n_rows(), matrix.n_columns);
            return Err(Error::SparseTable { path: args.path.clone(), n_rows, n_columns });
        }
    };
    let (n_rows, n_columns) = (table.n_rows, table.n_columns);
    let values = table.values.into_f64();
    let values = if input == NewInput::Points { model.standardised(values) } else { values };
    let predictor = Predictor::try_from(model.parts).map_err(of_model)?;
    let found = match input {
        NewInput::Points => {
            Points::new(values, n_rows, n_columns).and_then(|points| predictor.predict_points(&points))
        }
        NewInput::Distances => predictor.predict_distances(&values, n_rows),
    };
    Ok(Found::new(found.map_err(of_new)?, &predictor, args.scores))
}

/// Maximum number of points of a model whose own densities are computed, to tell new items that are like none of them. Not tuned.
const MOST_COMPARED: usize = 20_000;

/// The log density of each point of the model, left out; `None` for a model of distances.
fn own_densities(predictor: &Predictor) -> Option<Vec<f64>> {
    let dense = |measured: &MeasuredPoints<'static>| {
        Dissimilarity::from_points(measured.points().clone(), measured.metric()).ok()
    };
    let sparse = predictor.parts().sparse_points.clone().map(Dissimilarity::from_measured_sparse);
    let pairs = sparse.or_else(|| predictor.parts().points.as_ref().and_then(dense))?;
    predictor.memberships(&pairs).ok().map(|own| own.log_density)
}

/// The columns that `--scores` asks for.
fn score_columns(found: &Found) -> Vec<Column<'_>> {
    let densities =
        Column { name: "log_density".into(), data: Data::Numbers((&found.new.log_density[..]).into()) };
    let scores = found
        .scores()
        .map(|scores| Column { name: "outlier_score".into(), data: Data::Numbers(scores.into()) });
    std::iter::once(densities).chain(scores).collect()
}

fn write(
    args: &PredictArgs,
    destination: Option<&Destination>,
    found: &Found,
    ids: Option<&[String]>,
) -> Result<(), Error> {
    let new = &found.new;
    let labels = numbered(&new.labels);
    let mut details = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "model": args.model.display().to_string(),
        "input": args.path.display().to_string(),
        "n_points": new.n_items(),
        "n_clusters": new.n_classes,
        "log_density": new.log_density,
    });
    if let Some(scores) = found.scores().filter(|_| args.scores) {
        details["outlier_scores"] = scores.into();
    }
    let Some((path, format)) = destination else { return print(&labels_txt(&labels)) };
    let prediction = args.probabilities.then_some(new);
    let more = if args.scores { score_columns(found) } else { Vec::new() };
    let table = LabelTable { id_name: "id", ids, labels: &labels, more, prediction, ..LabelTable::default() };
    match (table.bytes(path, *format)?, args.probabilities) {
        (Some(bytes), _) => write_bytes(path, &bytes),
        (None, true) => {
            write_bytes(path, &probabilities_bytes(path, *format, (&labels, ids), new, &details)?)
        }
        (None, false) => write_labels(path, *format, &labels, ids, &details),
    }
}

/// The summary: the number of items in each cluster, how many are uncertain, and how many are less like the model than any point
/// of its own.
fn summary(args: &PredictArgs, found: &Found, input: NewInput) -> String {
    const DOUBT: f64 = 0.9;
    let lowest = |own: &Vec<f64>| own.iter().copied().filter(|density| density.is_finite()).reduce(f64::min);
    let least = found.own.as_ref().and_then(lowest);
    let found = &found.new;
    let (model, path, n) = (args.model.display(), args.path.display(), found.n_items());
    let kind = match input {
        NewInput::Points => "points",
        NewInput::Distances => "distances",
    };
    let count = |label: Option<usize>| found.labels.iter().filter(|&&own| own == label).count();
    let mut sizes: Vec<String> =
        (0..found.n_classes).map(|class| format!("{} in {class}", count(Some(class)))).collect();
    if found.n_columns > found.n_classes {
        sizes.push(format!("{} noise", count(None)));
    }
    let sure = |i: &usize| found.row(*i).iter().any(|&probability| probability >= DOUBT);
    let doubtful = n - (0..n).filter(sure).count();
    let unlike = least.map_or_else(String::new, |least| {
        let n = found.log_density.iter().filter(|&&density| density < least).count();
        format!("; {n} like no cluster (less likely than every point of the model)")
    });
    let items = if n == 1 { "1 new item".to_owned() } else { format!("{n} new items") };
    format!(
        "{path}: {items} by {kind}, model {model}\n{}; {doubtful} uncertain (no cluster above {DOUBT}){unlike}\n",
        sizes.join(", ")
    )
}
