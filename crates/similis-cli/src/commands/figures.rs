//! `similis figures`: the paper's figures, made again.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use similis::evaluate::shapes::Shape;
use similis::run::parallel;
use similis::{Observer, Progress};

use crate::args::FiguresArgs;
use crate::error::Error;
use crate::figures::{
    Drawn, Found, OTHER_MODELS, Panel, SHAPES, contact_sheet, sheet_of_models, table, table_of_models,
};
use crate::io::output::{Outputs, STANDARD_OUTPUT};
use crate::plot::{Detail, png};
use crate::progress::Bar;
use crate::terminal::tell;

/// Which panels of Figure 5 there are: the shape, and whether the likelihood is exponential.
const FIGURE_5: [(Shape, bool); 3] =
    [(Shape::DenseRing, false), (Shape::CrossingLines, false), (Shape::DenseSpiral, true)];

/// Runs the command.
///
/// # Errors
///
/// Every [`Error`].
pub fn run(args: &FiguresArgs) -> Result<ExitCode, Error> {
    let started = Instant::now();
    fs::create_dir_all(&args.folder).map_err(|source| Error::Write { path: args.folder.clone(), source })?;
    parallel::with_threads(args.work.threads, || {
        let wrong = |source| Error::Figures { source };
        let bar = Bar::new(args.work.quiet);
        let drawn: Vec<Drawn> = SHAPES
            .iter()
            .map(|&shape| Drawn::new(shape, args.n_points, args.seed))
            .collect::<Result<_, _>>()
            .map_err(wrong)?;
        let panels = panels(&drawn, &bar).map_err(wrong)?;
        let others = panels_of_models(&drawn, &bar).map_err(wrong)?;
        bar.finish();
        write(args, &panels, &others)?;
        if !args.work.quiet {
            let (n, folder) = (panels.len() + others.len(), args.folder.display());
            let seconds = started.elapsed().as_secs_f64();
            tell(&format!(
                "{n} panels in {folder}, figures and models (.svg, .png) with all of them; {seconds:.1} s\n"
            ));
        }
        Ok(ExitCode::SUCCESS)
    })
}

type Method = fn(&Drawn) -> Result<Found, similis::Error>;

/// All panels, figure after figure.
fn panels<'a>(drawn: &'a [Drawn], observer: &dyn Observer) -> Result<Vec<Panel<'a>>, similis::Error> {
    let whole: [(&'static str, Method); 3] = [
        ("figure-2", Drawn::figure_2),
        ("figure-4", Drawn::figure_4),
        ("figure-4-as-printed", Drawn::figure_4_as_printed),
    ];
    let shapes = |(figure, method): (&'static str, Method)| {
        drawn.iter().zip('a'..).map(move |(drawn, letter)| (figure, letter, drawn, method))
    };
    let last = FIGURE_5.iter().zip('a'..).filter_map(|(&(shape, exponential), letter)| {
        let method: Method =
            if exponential { Drawn::figure_5_exponential } else { Drawn::figure_5_neighbours };
        drawn.iter().find(|drawn| drawn.shape == shape).map(|drawn| ("figure-5", letter, drawn, method))
    });
    let all: Vec<_> = whole.into_iter().flat_map(shapes).chain(last).collect();
    let mut panels = Vec::with_capacity(all.len());
    for (at, &(figure, letter, drawn, method)) in all.iter().enumerate() {
        observer.progress(Progress {
            phase: figure,
            fraction: at as f64 / all.len() as f64,
            log_joint: None,
        });
        panels.push(Panel { figure, letter, drawn, found: method(drawn)? });
    }
    Ok(panels)
}

/// The panels of the other models: each by the paper's algorithm, and by search.
fn panels_of_models<'a>(
    drawn: &'a [Drawn],
    observer: &dyn Observer,
) -> Result<Vec<Panel<'a>>, similis::Error> {
    let mut panels = Vec::with_capacity(2 * OTHER_MODELS.len() * drawn.len());
    for model in OTHER_MODELS {
        for (figure, inference) in model.figures() {
            for (drawn, letter) in drawn.iter().zip('a'..) {
                let fraction = panels.len() as f64 / panels.capacity() as f64;
                observer.progress(Progress { phase: figure, fraction, log_joint: None });
                panels.push(Panel { figure, letter, drawn, found: drawn.by_other(model, inference)? });
            }
        }
    }
    Ok(panels)
}

fn write(args: &FiguresArgs, panels: &[Panel<'_>], others: &[Panel<'_>]) -> Result<(), Error> {
    let mut outputs = Outputs::default();
    let mut picture = |name: &str, svg: &str| {
        outputs.add(&args.folder.join(format!("{name}.svg")), svg.as_bytes())?;
        outputs.add(&args.folder.join(format!("{name}.png")), &png(svg, None)?)
    };
    panels.iter().chain(others).try_for_each(|panel| picture(&panel.name(), &panel.svg(Detail::Compact)))?;
    picture("figures", &contact_sheet(panels))?;
    picture("models", &sheet_of_models(others))?;
    let (table, of_models) = (table(panels), table_of_models(others));
    outputs.add(&args.folder.join("agreement.md"), table.as_bytes())?;
    outputs.add(&args.folder.join("models.md"), of_models.as_bytes())?;
    outputs.add(Path::new(STANDARD_OUTPUT), format!("{table}\n{of_models}").as_bytes())?;
    outputs.finish()
}
