//! Cells: consecutive points along the curve, and outlines that tell how far away they are.

use crate::error::{Error, InputError};
use crate::graph::neighbours::kd_tree::{KdTree, on_unit_sphere};
use crate::graph::neighbours::reduced::{Reduced, box_to_box};
use crate::graph::neighbours::row_search::{key, serves_rows};
use crate::input::metric::{MeasuredPoints, Metric};
use crate::plan::crossover;
use crate::settings::Named;

/// Number of boxes in the outline of a cell. Not tuned: consecutive points may lie on both sides of a large gap of the curve,
/// so that one box would be too large.
const N_BOXES: usize = 64;

/// Some consecutive points.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The number of its first point.
    pub first: usize,
    /// Its points.
    pub points: MeasuredPoints<'static>,
}

/// Boxes around runs of a cell's points: low corner, then high corner.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// The number of the cell's first point.
    pub first: usize,
    /// Number of points.
    pub n_points: usize,
    /// The boxes, in the order of the points.
    pub boxes: Vec<Vec<f64>>,
}

impl Cell {
    /// Returns the cell of these points.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] where boxes are of no use for the metric or the number of dimensions.
    pub fn new(first: usize, points: MeasuredPoints<'static>) -> Result<Self, Error> {
        if has_boxes(points.metric(), points.points().n_dimensions()) {
            return Ok(Self { first, points });
        }
        Err(Error::Input(InputError::NoParts { metric: points.metric().name() }))
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.points.n_points()
    }

    /// The boxes around its points.
    pub fn outline(&self) -> Outline {
        let boxes = runs(self.n_points()).map(|run| self.surround(run)).collect();
        Outline { first: self.first, n_points: self.n_points(), boxes }
    }

    /// The box around some of its points.
    pub(crate) fn surround(&self, places: std::ops::Range<usize>) -> Vec<f64> {
        let d =
            if self.points.metric() == Metric::Haversine { 3 } else { self.points.points().n_dimensions() };
        let (mut low, mut high) = (vec![f64::INFINITY; d], vec![f64::NEG_INFINITY; d]);
        for i in places {
            self.with_place(i, |place| {
                for (k, &x) in place.iter().enumerate() {
                    low[k] = low[k].min(x);
                    high[k] = high[k].max(x);
                }
            });
        }
        low.append(&mut high);
        low
    }

    /// Calls `visit` with the coordinates of a point that boxes are measured in.
    fn with_place<T>(&self, i: usize, visit: impl FnOnce(&[f64]) -> T) -> T {
        let row = self.points.points().row(i);
        match self.points.metric() {
            Metric::Haversine => visit(&on_unit_sphere(row)),
            _ => visit(row),
        }
    }

    /// The reduced distance that surely reaches as far as a distance; negative for a negative one.
    pub(crate) fn reach(&self, distance: f64) -> f64 {
        match distance {
            f64::INFINITY => f64::INFINITY,
            _ if distance < 0.0 => -1.0,
            _ => self.reduced().above(key(&self.points, distance)),
        }
    }

    /// The tree of its points, leaves holding consecutive ones.
    pub(crate) fn tree(&self) -> Option<KdTree<'_>> {
        KdTree::in_order(&self.points)
    }

    pub(crate) fn reduced(&self) -> Reduced {
        // A cell is made only of points whose metric is reduced to something.
        Reduced::of(self.points.metric()).unwrap_or(Reduced::Squares)
    }
}

impl Outline {
    /// What no reduced distance from a box to this cell is below.
    pub(crate) fn bound(&self, reduced: Reduced, from: &[f64]) -> f64 {
        let d = from.len() / 2;
        let to = |corners: &Vec<f64>| box_to_box(reduced, from.split_at(d), corners.split_at(d));
        self.boxes.iter().map(to).fold(f64::INFINITY, f64::min)
    }
}

/// Whether points of this metric can lie in parts.
pub(crate) fn serves(metric: Metric) -> bool {
    serves_rows(metric)
}

/// Whether boxes tell which cells of points of this metric and number of dimensions are near: of others, lists are made within
/// groups ([`groups`](crate::graph::parts::groups)).
pub fn has_boxes(metric: Metric, n_dimensions: usize) -> bool {
    serves_rows(metric) && (metric == Metric::Haversine || crossover::few_dimensions(n_dimensions))
}

/// The runs of consecutive places that have a box each.
pub(crate) fn runs(n_points: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let n_runs = N_BOXES.min(n_points);
    (0..n_runs).map(move |at| at * n_points / n_runs..(at + 1) * n_points / n_runs)
}
