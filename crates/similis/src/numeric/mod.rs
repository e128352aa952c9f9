//! Numbers: linear algebra, exponentials.

pub(crate) mod exponential;
pub mod linalg;
