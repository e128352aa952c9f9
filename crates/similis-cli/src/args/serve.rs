//! Arguments of `similis serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

use super::ClusterArgs;

const EXAMPLES: &str = "Examples:
  similis serve testdata/two-scales.csv --n-clusters 2 --export page.html

Without --export the page is served until Ctrl-C, and its link is printed and opened.";

/// Arguments of `similis serve`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ServeArgs {
    /// What is read, and the settings that the page begins with.
    #[command(flatten)]
    pub cluster: ClusterArgs,

    /// Port of the page; 0 takes a free one.
    #[arg(long, default_value_t = 0, value_name = "N", help_heading = "Page")]
    pub port: u16,

    /// Address to listen on. Any other than that of this machine itself needs --token.
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS", help_heading = "Page")]
    pub host: IpAddr,

    /// A password for the page, at least 16 characters, instead of the links that work once.
    #[arg(long, value_name = "TEXT", help_heading = "Page")]
    pub token: Option<String>,

    /// Do not open a browser; print the link.
    #[arg(long, help_heading = "Page")]
    pub no_open: bool,

    /// Write the page with its answer as one .html file that needs no server, and end.
    #[arg(long, value_name = "FILE", help_heading = "Page")]
    pub export: Option<PathBuf>,
}
