//! How well clusters agree with classes that are known.

use serde_json::{Value, json};
use similis::Labels;
use similis::evaluate::{adjusted_mutual_information, adjusted_rand_index};

/// How alike the clusters and the known classes are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Adjusted Rand index: 1 for equal partitions, about 0 for unrelated ones.
    pub adjusted_rand_index: f64,
    /// Adjusted mutual information: the same, of information instead of pairs.
    pub adjusted_mutual_information: f64,
    /// How many points have a known class.
    pub n_compared: usize,
    /// How many classes there are.
    pub n_classes: usize,
}

/// Whether a field names a class: empty ones, NA and NaN do not.
pub fn is_known(class: &str) -> bool {
    !(class.is_empty() || class.eq_ignore_ascii_case("na") || class.eq_ignore_ascii_case("nan"))
}

impl Agreement {
    /// Compares the clusters of the points whose class is known; `None` if there is none.
    pub fn of(labels: &Labels, classes: &[String]) -> Option<Self> {
        let pairs = labels.as_slice().iter().zip(classes).filter(|(_, class)| is_known(class));
        let (found, given): (Vec<usize>, Vec<&String>) = pairs.map(|(&label, class)| (label, class)).unzip();
        let (found, given) = (Labels::new(&found), Labels::new(&given));
        if found.n_points() == 0 {
            return None;
        }
        Some(Self {
            adjusted_rand_index: adjusted_rand_index(&found, &given).ok()?,
            adjusted_mutual_information: adjusted_mutual_information(&found, &given).ok()?,
            n_compared: found.n_points(),
            n_classes: given.n_clusters(),
        })
    }

    /// The same as JSON.
    pub fn json(self) -> Value {
        json!({
            "adjusted_rand_index": self.adjusted_rand_index,
            "adjusted_mutual_information": self.adjusted_mutual_information,
            "n_compared": self.n_compared,
            "n_classes": self.n_classes,
        })
    }
}

impl std::fmt::Display for Agreement {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "agreement with the {} known classes of {} points: adjusted Rand index {:.3}, adjusted mutual information {:.3}",
            self.n_classes, self.n_compared, self.adjusted_rand_index, self.adjusted_mutual_information
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn only_points_of_known_class_count() {
        let labels = Labels::new(&[0, 0, 1, 1, 2]);
        let agreement = Agreement::of(&labels, &classes(&["u", "u", "v", "v", ""])).unwrap();
        assert_eq!((agreement.adjusted_rand_index, agreement.adjusted_mutual_information), (1.0, 1.0));
        assert_eq!((agreement.n_compared, agreement.n_classes), (4, 2));
        let crossed = Agreement::of(&labels, &classes(&["u", "v", "u", "v", "NA"])).unwrap();
        assert!(crossed.adjusted_rand_index < 0.0);
        assert_eq!(Agreement::of(&labels, &classes(&["", "", "NA", "NaN", ""])), None);
    }
}
