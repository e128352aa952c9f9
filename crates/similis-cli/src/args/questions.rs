//! Whether questions about pairs are asked.

use clap::Args;

/// Questions about pairs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Clusters")]
pub struct QuestionArgs {
    /// After the fit, ask whether two items share a cluster, and fit again with each answer: y, n, or q to end. The pairs are those
    /// whose answer settles most.
    #[arg(long)]
    pub ask: bool,
}
