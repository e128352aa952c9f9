//! Linear algebra: greatest eigenpairs of large symmetric matrices, and small dense solves.
//!
//! [`TopEigenpairs`] finds the greatest eigenvalues of anything that can multiply a block of vectors
//! ([`SymmetricOperator`]); [`full_eigenpairs`] decomposes a small dense matrix; [`cholesky`] and
//! [`solve_positive_definite`] serve the tiny systems of the models.
//!
//! Every sum runs over pieces of fixed length and every decomposition on one thread, so the results have the same bits
//! for any number of threads. The crate behind the products and decompositions is named in this module only.

pub(crate) mod basis;
pub(crate) mod chebyshev;
pub(crate) mod decomposition;
pub(crate) mod krylov;
pub(crate) mod operator;
pub(crate) mod positive_definite;
pub(crate) mod product;
pub(crate) mod projection;
pub(crate) mod renumbered;
pub(crate) mod top_eigenpairs;

pub use decomposition::full_eigenpairs;
pub use operator::{DenseOperator, SparseOperator, SymmetricOperator};
pub use positive_definite::{cholesky, cholesky_in_place, solve_positive_definite, solve_with_factor};
pub use renumbered::Renumbered;
pub use top_eigenpairs::{Eigenpairs, KnownEigenvectors, TopEigenpairs};

#[cfg(test)]
mod tests;
