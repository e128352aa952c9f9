//! Points in many files, clustered job by job: for data that one machine does not hold.
//!
//! A *work folder* holds everything between the shards that are read and the labels that are written. Its state names a step;
//! a step is a list of jobs, each of which reads files, writes one whole file, and gives the same bits whenever and wherever
//! it runs. Between steps one process, the driver, merges what the jobs wrote ([`merge()`]) and names the next step:
//!
//! 1. `scan`: a job for each shard reads it, checks it, and keeps its rows as binary numbers;
//! 2. `scatter`: a job for each shard sorts its rows along the space-filling curve, and so into cells;
//! 3. `cells`: a job for each cell gathers its rows; equal rows become one point;
//! 4. `lists`: a job for each cell lists the nearest neighbours of its points, in it and in the cells around it;
//! 5. `ways`: while the minimum spanning tree is not complete, a job for each cell looks for ways to other components;
//! 6. `labels`: a job for each shard writes the labels of its rows.
//!
//! What the bits are does not depend on the number of cells, nor on who runs the jobs: they are those of `similis cluster` on
//! all rows in one file.
//!
//! In more than 15 dimensions `groups` and `near` come before `lists`, and no `ways` after it: a job for each cell sorts its points
//! into overlapping groups, a job for each group lists neighbours within it, and `lists` keeps the nearest of what groups found.
//! With one group the bits are those of one file too; with several they depend on their number.

mod answer;
mod cells;
mod driver;
mod files;
mod groups;
mod jobs;
mod merge;
mod summary;
mod work;

pub use driver::{Driver, run_all, run_pending};
pub use jobs::{Job, run};
pub use merge::merge;
pub use summary::summary;
pub use work::{Step, Work, plan};
