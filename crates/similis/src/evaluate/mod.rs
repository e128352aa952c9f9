//! How good a partition is: agreement with known labels, typical points, and labelled shapes to try methods on.

pub(crate) mod agreement;
pub(crate) mod medoids;
pub mod shapes;

pub use agreement::{adjusted_mutual_information, adjusted_rand_index};
pub use medoids::*;
