//! The order in which points in parts are numbered: that of all points in one place.

use std::cmp::Ordering;

use crate::graph::canonical::{curve::Curve, rows};
use crate::graph::parts::cell::has_boxes;
use crate::input::metric::Metric;
use crate::run::parallel;

/// The order of prepared rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// Along a space-filling curve: near points have near numbers.
    Along(Curve),
    /// By the coordinates, one after the other, where boxes are of no use.
    ByCoordinates,
}

impl Order {
    /// Returns the order of prepared rows in the box with these corners.
    pub fn new(metric: Metric, low: &[f64], high: &[f64]) -> Self {
        if has_boxes(metric, low.len()) { Self::Along(Curve::new(low, high)) } else { Self::ByCoordinates }
    }

    /// Compares two rows; equal are only equal rows.
    pub fn compare(&self, first: &[f64], second: &[f64]) -> Ordering {
        match self {
            Self::Along(curve) => curve.compare(first, second),
            Self::ByCoordinates => rows::compare(first, second),
        }
    }

    /// The numbers of rows in this order; equal rows in the order of their numbers.
    pub fn sorted(&self, values: &[f64], n_dimensions: usize) -> Vec<u32> {
        match self {
            Self::Along(curve) => curve.order(values),
            Self::ByCoordinates => {
                let row = |i: u32| &values[i as usize * n_dimensions..][..n_dimensions];
                let mut order: Vec<u32> = (0..(values.len() / n_dimensions) as u32).collect();
                parallel::sort_by(&mut order, |&a, &b| rows::compare(row(a), row(b)).then(a.cmp(&b)));
                order
            }
        }
    }
}
