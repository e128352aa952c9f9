//! What was found, in words.

use std::fmt::Write as _;

use super::work::{Work, read_json};
use crate::error::Error;

/// Most clusters that are listed.
const MOST_LISTED: usize = 20;

/// Returns the answer in a few lines: clusters with their sizes and scales.
///
/// # Errors
///
/// [`Error::Read`] if there is no answer yet.
pub fn summary(work: &Work) -> Result<String, Error> {
    let answer = read_json(&work.path("answer.json"))?;
    let number = |name: &str| answer[name].as_u64().unwrap_or(0);
    let (n_rows, n_points, n_clusters) = (number("n_rows"), number("n_points"), number("n_clusters"));
    let equal = if n_points < n_rows { format!(", {n_points} of them different") } else { String::new() };
    let plural = if n_clusters == 1 { "" } else { "s" };
    let mut text = format!("{n_rows} points{equal}; {n_clusters} cluster{plural}\n");
    let _ = writeln!(text, "{:>9} {:>12} {:>10} {:>10}", "cluster", "size", "scale", "spread");
    for cluster in 0..(n_clusters as usize).min(MOST_LISTED) {
        let size = answer["sizes"][cluster].as_u64().unwrap_or(0);
        let [scale, spread] =
            ["scales", "spreads"].map(|name| answer[name][cluster].as_f64().unwrap_or(f64::NAN));
        let _ = writeln!(text, "{cluster:>9} {size:>12} {scale:>10.4} {spread:>10.4}");
    }
    if let Some(proven) = answer["proven"].as_f64().filter(|&proven| proven < 1.0) {
        let percent = 100.0 * proven;
        let _ = writeln!(text, "{percent:.1}% of the listed neighbours are proven to be the nearest");
    }
    if n_clusters as usize > MOST_LISTED {
        let _ = writeln!(text, "      .. {} more", n_clusters as usize - MOST_LISTED);
    }
    Ok(text)
}
