//! Numbers: linear algebra, exponentials, the incomplete gamma function.

pub(crate) mod exponential;
pub(crate) mod gamma;
pub mod linalg;
