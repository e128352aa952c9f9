//! The paper's model of section 3, a file an equation.
//!
//! [`likelihood`]: Eq. (7) and (8). [`prior`]: Eq. (9) and (10). [`joint`]: Eq. (5), (6), (11) and (14). [`scale`]: Eq. (12)
//! and (13). [`background`]: Eq. (17) and (18). [`draw`]: samples, Figure 3.

pub(crate) mod background;
pub(crate) mod draw;
pub(crate) mod joint;
pub(crate) mod likelihood;
pub(crate) mod prior;
pub(crate) mod scale;
