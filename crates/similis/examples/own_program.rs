//! A program of one's own: items and a distance between them, points of single precision, a limit, and what comes back.
//! `cargo run --release --example own_program`; `tests/own_program.rs` runs it too.
#![allow(clippy::print_stdout)]

use std::sync::atomic::{AtomicUsize, Ordering};

use similis::evaluate::shapes::edit_distance;
use similis::{
    Auto, AutoFit, Dissimilarity, Error, Metric, NClusters, Observer, Points, Predictor, PredictorParts,
    Progress, Termination,
};

/// Clusters words into two families by how many letters must change to make one of another.
///
/// # Errors
///
/// Those of the library: without words there is nothing to cluster.
pub fn families(words: &[&str]) -> Result<AutoFit, Error> {
    let distance = |i: usize, j: usize| edit_distance(words[i], words[j]) as f64;
    let pairs = Dissimilarity::from_fn(words.len(), distance)?;
    Auto::new(NClusters::Exactly(2)).fit(&pairs, &[])
}

/// Cancels after a number of progress reports: a program might look at a clock, or at a button.
#[derive(Debug)]
pub struct Patience(AtomicUsize);

impl Patience {
    /// Patience for some reports.
    pub fn new(n_reports: usize) -> Self {
        Self(AtomicUsize::new(n_reports))
    }
}

impl Observer for Patience {
    fn progress(&self, _progress: Progress) {
        let relaxed = Ordering::Relaxed;
        let _ = self.0.fetch_update(relaxed, relaxed, |left| left.checked_sub(1));
    }

    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

/// Clusters rows of two `f32` columns, and says to which cluster a new row belongs.
///
/// # Errors
///
/// Those of the library.
pub fn of_new_row(rows: &[[f32; 2]], new: [f64; 2], patience: &Patience) -> Result<(AutoFit, usize), Error> {
    let points = Points::from_f32(rows.as_flattened(), rows.len(), 2)?;
    let pairs = Dissimilarity::from_points(points, Metric::Euclidean)?;
    let auto = Auto::new(NClusters::Exactly(2));
    let fit = auto.fit_observed(&pairs, &[], patience)?;
    let scoring = auto.graph.score_settings();
    let parts = PredictorParts::new(&pairs, &fit.labels_or_noise(), &scoring, false)?;
    let found = Predictor::try_from(parts)?.predict_points(&Points::new(new.to_vec(), 1, 2)?)?;
    let cluster = found.row(0).iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(at, _)| at);
    Ok((fit, cluster))
}

/// Two rows of points, one of them ten times as dense.
pub fn two_rows() -> Vec<[f32; 2]> {
    let dense = (0..40).map(|i| [0.05 * i as f32, 0.0]);
    dense.chain((0..20).map(|i| [0.5 * i as f32, 4.0])).collect()
}

fn main() -> Result<(), Error> {
    let words = ["karin", "karim", "carin", "karina", "telescope", "telescopes", "telescoped"];
    let fit = families(&words)?;
    println!("{}", fit.labels());
    words.iter().zip(fit.labels().as_slice()).for_each(|(word, label)| println!("{label}  {word}"));
    if let Err(error) = families(&[]) {
        println!("without words: {error}");
    }
    let (fit, cluster) = of_new_row(&two_rows(), [1.1, 0.3], &Patience::new(usize::MAX))?;
    println!("{}; a new row at (1.1, 0.3) belongs to cluster {cluster}", fit.labels());
    let (fit, _) = of_new_row(&two_rows(), [1.1, 0.3], &Patience::new(3))?;
    let early = fit.ended() == Termination::Cancelled;
    println!("without patience: {}, {}", fit.labels(), if early { "cut short" } else { "in time" });
    Ok(())
}
