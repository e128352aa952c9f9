//! Which items are clustered again.

use std::path::PathBuf;

use clap::Args;

/// Clusters of an earlier answer that are clustered again; all other items keep their labels.
#[derive(Debug, Args)]
#[command(next_help_heading = "Clusters")]
pub struct WithinArgs {
    /// Cluster only the items that --labels gives these labels, such as 3 or 0,4 (-1: noise), as if they were alone. All others keep
    /// theirs; new clusters get numbers that no other item has.
    #[arg(
        long,
        value_name = "LABELS",
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "labels",
        conflicts_with_all = ["known_labels", "must_link", "cannot_link", "ask", "probabilities", "with_input", "save_model", "levels", "scores"]
    )]
    pub within: Vec<i64>,

    /// The labels that --within speaks of: numbers, one a line or in the column label, as --output writes them.
    #[arg(long, value_name = "FILE", requires = "within")]
    pub labels: Option<PathBuf>,
}
