//! `similis generate`: points whose clusters people see at once.

use std::path::Path;
use std::process::ExitCode;

use similis::error::check_memory;
use similis::evaluate::shapes::{ShapeSample, draw};

use super::convert::output_format;
use crate::args::GenerateArgs;
use crate::error::Error;
use crate::io::write::{Rows, Sheet, keeps_names, write};
use crate::io::{Format, STANDARD_INPUT};
use crate::memory;
use crate::terminal::tell;

/// Runs the command.
///
/// # Errors
///
/// Every [`Error`]; nothing is then written.
pub fn run(args: &GenerateArgs) -> Result<ExitCode, Error> {
    let path = args.output.output.as_deref().unwrap_or(Path::new(STANDARD_INPUT));
    let format = output_format(path, args.output.output_format)?;
    // A point, its class, and the class as it is written.
    let needed = (args.n_points as u64).saturating_mul(96);
    check_memory(needed, memory::limit(None), "that many points", "draw fewer with --n-points")?;
    let drawn = draw(args.shape, args.n_points, args.seed)?;
    write_sample(args, path, format, &drawn)?;
    if !args.output.quiet {
        let (n, sizes) = (drawn.points.n_points(), drawn.labels.sizes());
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        tell(&format!("{n} points in {} classes; sizes {}\n", sizes.len(), sizes.join(", ")));
    }
    Ok(ExitCode::SUCCESS)
}

/// The class is a column `label`, the last; a bare array has it as a number.
fn write_sample(args: &GenerateArgs, path: &Path, format: Format, drawn: &ShapeSample) -> Result<(), Error> {
    let labels = drawn.labels.as_slice();
    let classes: Vec<String> = labels.iter().map(ToString::to_string).collect();
    let names = ["x", "y", "label"].map(str::to_owned);
    let bare = !keeps_names(format) && !args.no_labels;
    let row = |i: usize| {
        let class = bare.then(|| labels[i] as f64);
        drawn.points.row(i).iter().copied().chain(class).collect::<Vec<f64>>()
    };
    let n_columns = if bare { 3 } else { 2 };
    let sheet = Sheet::Points(Rows {
        n_rows: drawn.points.n_points(),
        n_columns,
        row: &row,
        names: Some(&names[..n_columns]),
        ids: None,
        classes: (!bare && !args.no_labels).then_some(&classes[..]),
    });
    write(path, format, &sheet)
}
