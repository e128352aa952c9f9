//! What the points of each cluster are like, column by column.

use serde_json::{Value, json};
use similis::Points;

use crate::input::Standard;

/// Standard deviations from the mean of all points from which on a column sets a cluster apart: half of one is a medium effect
/// (Cohen). Not tuned.
const APART: f64 = 0.5;

/// Maximum number of columns in a sentence on a cluster. Not tuned.
const MOST_NAMED: usize = 3;

/// Maximum number of columns of a cluster in JSON: those that set it apart most. Not tuned.
const MOST_IN_JSON: usize = 20;

/// One column of the points of one cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnProfile {
    /// The column, counted from 0.
    pub column: usize,
    /// The mean of the cluster; of a column of zeros and ones the share of ones.
    pub mean: f64,
    /// The standard deviation within the cluster.
    pub deviation: f64,
    /// The mean of all points.
    pub overall: f64,
    /// How far the cluster's mean is above that of all points, in standard deviations of all points; 0 in a constant column.
    pub difference: f64,
}

/// What the points of one cluster are like.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The cluster.
    pub label: usize,
    /// How many points it has.
    pub size: usize,
    /// The columns, in their order.
    pub columns: Vec<ColumnProfile>,
}

/// Returns the profile of each cluster; points that are noise count in none, and not among all points.
///
/// `standards` says how columns were shifted and scaled, if they were: profiles are in the units of before.
pub fn profiles(
    points: &Points<'_>,
    labels: &[Option<usize>],
    n_clusters: usize,
    standards: Option<&[Standard]>,
) -> Vec<Profile> {
    let n_columns = points.n_dimensions();
    let original = |value: f64, column: usize| match standards.and_then(|standards| standards.get(column)) {
        Some(standard) => standard.back(value),
        None => value,
    };
    let mut all = vec![Moments::default(); n_columns];
    let mut own = vec![vec![Moments::default(); n_columns]; n_clusters];
    for (i, label) in labels.iter().enumerate() {
        let Some(label) = *label else { continue };
        for (column, &value) in points.row(i).iter().enumerate() {
            let value = original(value, column);
            all[column].add(value);
            own[label][column].add(value);
        }
    }
    let profile = |(label, moments): (usize, Vec<Moments>)| Profile {
        label,
        size: moments.first().map_or(0, |moments| moments.n),
        columns: moments.iter().zip(&all).enumerate().map(|(at, (own, all))| own.beside(all, at)).collect(),
    };
    own.into_iter().enumerate().map(profile).collect()
}

/// Mean and variance of numbers that come one after the other (Welford).
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    n: usize,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, value: f64) {
        self.n += 1;
        let before = value - self.mean;
        self.mean += before / self.n as f64;
        self.squares += before * (value - self.mean);
    }

    fn deviation(&self) -> f64 {
        if self.n > 0 { (self.squares / self.n as f64).max(0.0).sqrt() } else { 0.0 }
    }

    fn beside(&self, all: &Self, column: usize) -> ColumnProfile {
        let spread = all.deviation();
        // Below this a column is constant but for rounding.
        let varies = spread > 1e-12 * all.mean.abs();
        let difference = if varies { (self.mean - all.mean) / spread } else { 0.0 };
        let (mean, deviation, overall) = (self.mean, self.deviation(), all.mean);
        ColumnProfile { column, mean, deviation, overall, difference }
    }
}

impl Profile {
    /// The columns by how much they set the cluster apart, most first.
    pub fn telling(&self) -> Vec<ColumnProfile> {
        let mut columns = self.columns.clone();
        columns.sort_by(|a, b| b.difference.abs().total_cmp(&a.difference.abs()));
        columns
    }

    /// What sets the cluster apart, in words: the columns whose mean is at least half a standard deviation from that of all.
    pub fn in_words(&self, name: &dyn Fn(usize) -> String) -> String {
        let apart = self.telling().into_iter().filter(|column| column.difference.abs() >= APART);
        let words = |column: ColumnProfile| {
            let high = if column.difference > 0.0 { "high" } else { "low" };
            format!("{high} {}", name(column.column))
        };
        let words: Vec<String> = apart.take(MOST_NAMED).map(words).collect();
        if words.is_empty() { "near the mean of all".to_owned() } else { words.join(", ") }
    }

    /// The profile as JSON, with the columns that set the cluster apart most.
    pub fn json(&self, name: &dyn Fn(usize) -> String) -> Value {
        let column = |column: ColumnProfile| {
            json!({
                "column": name(column.column),
                "mean": column.mean,
                "standard_deviation": column.deviation,
                "overall_mean": column.overall,
                "difference": column.difference,
            })
        };
        let columns: Vec<Value> = self.telling().into_iter().take(MOST_IN_JSON).map(column).collect();
        json!({"cluster": self.label, "size": self.size, "columns": columns})
    }
}

/// Returns the columns whose means differ most between clusters, most first: by the greatest difference of any cluster.
pub fn telling_columns(profiles: &[Profile], n: usize) -> Vec<usize> {
    let n_columns = profiles.first().map_or(0, |profile| profile.columns.len());
    let greatest = |column: usize| {
        profiles.iter().map(|profile| profile.columns[column].difference.abs()).fold(0.0, f64::max)
    };
    let mut columns: Vec<(usize, f64)> = (0..n_columns).map(|column| (column, greatest(column))).collect();
    columns.sort_by(|a, b| b.1.total_cmp(&a.1));
    columns.truncate(n);
    columns.into_iter().map(|(column, _)| column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two clusters and noise: the first column tells them apart, the second is a share, the third is constant.
    fn found(standards: Option<&[Standard]>) -> Vec<Profile> {
        let rows = [[1.0, 0.0, 5.0], [3.0, 1.0, 5.0], [9.0, 1.0, 5.0], [11.0, 1.0, 5.0], [900.0, 0.0, 5.0]];
        let points = Points::new(rows.concat(), 5, 3).unwrap();
        profiles(&points, &[Some(0), Some(0), Some(1), Some(1), None], 2, standards)
    }

    #[test]
    fn means_shares_and_differences_by_hand() {
        let [first, second] = &found(None)[..] else { panic!("two clusters") };
        let means = |profile: &Profile| profile.columns.iter().map(|column| column.mean).collect::<Vec<_>>();
        assert_eq!((means(first), means(second)), (vec![2.0, 0.5, 5.0], vec![10.0, 1.0, 5.0]));
        // All: mean 6, variance (25 + 9 + 9 + 25) / 4 = 17.
        assert!((first.columns[0].difference + 4.0 / 17.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!((first.columns[0].deviation, first.columns[0].overall), (1.0, 6.0));
        assert_eq!(first.columns[2].difference, 0.0);
        assert_eq!((first.size, second.size), (2, 2));
    }

    #[test]
    fn what_sets_a_cluster_apart_is_named_most_telling_first() {
        let name = |column: usize| ["age", "smokes", "floor"][column].to_owned();
        let found = found(None);
        assert_eq!(found[0].in_words(&name), "low age, low smokes");
        assert_eq!(found[1].in_words(&name), "high age, high smokes");
        assert_eq!(telling_columns(&found, 2), [0, 1]);
        let json = found[0].json(&name);
        assert_eq!(
            (&json["columns"][0]["column"], &json["columns"][1]["mean"]),
            (&"age".into(), &0.5.into())
        );
        let alone = Profile {
            columns: vec![ColumnProfile { difference: 0.1, ..found[0].columns[0] }],
            ..found[0].clone()
        };
        assert_eq!(alone.in_words(&name), "near the mean of all");
    }

    #[test]
    fn standardised_columns_are_told_in_their_own_units() {
        let standard = Standard { unit: 10.0, mean: 2.0, deviation: 0.5 };
        let found = found(Some(&[standard; 3]));
        // 2 standard deviations of 0.5 above 2, in units of 10.
        assert_eq!(found[0].columns[0].mean, 30.0);
    }
}
