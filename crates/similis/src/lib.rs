//! similis
pub mod linalg;
pub mod observer;
pub mod parallel;
pub mod random;
pub mod termination;
