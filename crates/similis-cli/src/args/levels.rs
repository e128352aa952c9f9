//! What is written beside the labels: levels and scores.

use std::collections::BTreeSet;
use std::str::FromStr;

use clap::Args;

/// What is written beside the labels.
#[derive(Debug, Args)]
pub struct MoreArgs {
    /// Print all that was learned as JSON: short for --output - --output-format json.
    #[arg(long, conflicts_with_all = ["output", "output_format"], help_heading = "Output")]
    pub json: bool,

    /// Also write the partitions into these numbers of clusters, nested in each other, without searching again: 2,5,20 or 2-6. Columns
    /// level_2, .. in .csv, .tsv, .parquet and .arrow; in .json with their scores and the tree of the clusters.
    #[arg(long, value_name = "LIST", help_heading = "Output")]
    pub levels: Option<LevelList>,

    /// Also write how far out of the ordinary each point is: columns log_density and outlier_score (0 is ordinary, 1 is an
    /// outlier), in .json too.
    #[arg(long, help_heading = "Output")]
    pub scores: bool,
}

/// Most numbers in a list. A guard against a slip such as 2-20000000; not tuned.
const MOST: usize = 1000;

/// Numbers of clusters, rising, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelList(pub Vec<usize>);

impl FromStr for LevelList {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let wrong = || format!("must be numbers of clusters from 1, such as 2,5,20 or 2-6, got {given:?}");
        let number = |text: &str| text.trim().parse::<usize>().ok().filter(|&n| n > 0).ok_or_else(wrong);
        let mut numbers = BTreeSet::new();
        for part in given.split(',') {
            let (least, most) = match part.split_once('-') {
                Some((least, most)) => (number(least)?, number(most)?),
                None => (number(part)?, number(part)?),
            };
            if least > most {
                return Err(wrong());
            }
            if most - least >= MOST || numbers.len() > MOST {
                return Err(format!("must be at most {MOST} numbers of clusters, got {given:?}"));
            }
            numbers.extend(least..=most);
        }
        Ok(Self(numbers.into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_numbers_and_ranges() {
        let list = |text: &str| text.parse::<LevelList>().map(|list| list.0);
        assert_eq!(list("20,2, 5"), Ok(vec![2, 5, 20]));
        assert_eq!(list("3-5,4"), Ok(vec![3, 4, 5]));
        for wrong in ["", "0", "a", "5-2", "2,,3", "-3", "1-", "1-99999999999"] {
            assert!(list(wrong).is_err_and(|words| words.contains(wrong)), "{wrong}");
        }
    }
}
