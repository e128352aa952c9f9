//! Panels as pictures, all on one sheet, and the table of agreements.

use std::fmt::Write as _;

use similis::Labels;
use similis::settings::Named;

use super::{Drawn, Found, OTHER_MODELS};
use crate::compare::aligned;
use crate::plot::{ContactSheet, Detail, Link, Scatter, Strip, contact_sheet_svg, scatter_svg};
use crate::report::fixed;

/// One panel of a figure.
#[derive(Debug)]
pub struct Panel<'a> {
    /// The figure, such as `figure-2`.
    pub figure: &'static str,
    /// The letter of the panel.
    pub letter: char,
    /// The points.
    pub drawn: &'a Drawn,
    /// What was found in them.
    pub found: Found,
}

impl Panel<'_> {
    /// The name of the panel's files, without an extension.
    pub fn name(&self) -> String {
        let dash = if self.figure.ends_with(|last: char| last.is_ascii_digit()) { "" } else { "-" };
        format!("{}{dash}{}-{}", self.figure, self.letter, self.drawn.shape.name().replace('_', "-"))
    }

    /// Returns the panel as an SVG document.
    pub fn svg(&self, detail: Detail) -> String {
        let Self { letter, drawn, found, .. } = self;
        let column = |k: usize| -> Vec<f64> {
            drawn.sample.points.as_slice().iter().skip(k).step_by(2).copied().collect()
        };
        let (x, y, labels) = (column(0), column(1), aligned(&found.labels, &by_size(&drawn.sample.labels)));
        let links: Vec<Link> = found.graph.iter().map(|link| Link { from: link.from, to: link.to }).collect();
        let (shape, agreement) = (drawn.shape_words(), fixed(found.agreement, 2));
        let bare = detail == Detail::Bare;
        let (title, note) = if bare {
            (format!("({letter}) {shape}\nARI {agreement}"), String::new())
        } else {
            let note = format!("similis {}, seed {}", env!("CARGO_PKG_VERSION"), drawn.seed);
            (format!("({letter}) {shape}: ARI {agreement}, {}", found.words), note)
        };
        let (title, note) = (title.as_str(), note.as_str());
        let scatter = Scatter {
            x: &x,
            y: &y,
            labels: &labels,
            title,
            links: &links,
            note,
            detail,
            ..Scatter::default()
        };
        scatter_svg(&scatter)
    }
}

/// The classes in the order of their sizes, so that the dense one looks the same in every panel.
fn by_size(labels: &Labels) -> Vec<usize> {
    let sizes = labels.sizes();
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&class| std::cmp::Reverse(sizes[class]));
    let rank = |class: usize| order.iter().position(|&other| other == class).unwrap_or(class);
    labels.as_slice().iter().map(|&class| rank(class)).collect()
}

/// Returns the panels of the paper's figures on one sheet, a strip for each figure.
pub fn contact_sheet(panels: &[Panel<'_>]) -> String {
    sheet(panels, "The figures of Rosales & Frey (2003), made again on shapes like theirs", 5)
}

/// Returns the panels of the other models on one sheet: for each model a strip by the paper's algorithm and one by search.
pub fn sheet_of_models(panels: &[Panel<'_>]) -> String {
    sheet(panels, "The paper's other models: its own algorithm and the search", 9)
}

fn sheet(panels: &[Panel<'_>], title: &str, n_columns: usize) -> String {
    let strip = |of: &[Panel<'_>]| Strip {
        title: heading(of[0].figure),
        pictures: of.iter().map(|panel| panel.svg(Detail::Bare)).collect(),
    };
    let strips: Vec<Strip> = panels.chunk_by(|a, b| a.figure == b.figure).map(strip).collect();
    contact_sheet_svg(&ContactSheet {
        title,
        strips: &strips,
        n_columns,
        note: "ARI: the adjusted Rand index with the classes that the points were drawn from; dotted: the graph of the class with \
               the greatest scale",
    })
}

fn heading(figure: &str) -> String {
    let of_figure = match figure {
        "figure-2" => "Figure 2: spectral clustering, the best gamma by the tightness of clusters",
        "figure-4" => "Figure 4: latent graphs, by search",
        "figure-4-as-printed" => {
            "Figure 4, to the letter: Gaussian lengths, the algorithm box, the best of 10 random starts"
        }
        _ => {
            "Figure 5: K-neighbour prior, the best K by the truth (two panels); exponential likelihood (the last)"
        }
    };
    OTHER_MODELS.iter().find_map(|model| model.heading(figure)).unwrap_or_else(|| of_figure.to_owned())
}

/// Returns the agreements as a Markdown table: a row for each shape, a column for each figure that has all of them.
pub fn table(panels: &[Panel<'_>]) -> String {
    let of =
        |figure: &str| -> Vec<&Panel<'_>> { panels.iter().filter(|panel| panel.figure == figure).collect() };
    let columns = [of("figure-2"), of("figure-4-as-printed"), of("figure-4")];
    let mut text =
        "| shape | spectral, best gamma | `--preset paper` | search |\n|---|---|---|---|\n".to_owned();
    let mut sums = [0.0; 3];
    for (row, panel) in columns[0].iter().enumerate() {
        let _ = write!(text, "| ({}) {} |", panel.letter, panel.drawn.shape_words());
        for (column, sum) in columns.iter().zip(&mut sums) {
            let agreement = column.get(row).map_or(f64::NAN, |panel| panel.found.agreement);
            *sum += agreement;
            let _ = write!(text, " {} |", fixed(agreement, 2));
        }
        text.push('\n');
    }
    let means = sums.map(|sum| fixed(sum / columns[0].len() as f64, 2));
    let _ = writeln!(text, "| mean | {} |", means.join(" | "));
    text
}
