//! Fits of the points that are not noise, as fits of all points.

use crate::error::Error;
use crate::input::Dissimilarity;
use crate::input::labels::Labels;
use crate::latent_graph::fit::{ClassLink, LatentGraphFit};
use crate::latent_graph::predict::Predictor;
use crate::latent_graph::settings::inference::ScoreSettings;

impl LatentGraphFit {
    /// The fit of the points that are not noise as one of all: noise points have the label of the cluster that they would most probably
    /// join.
    pub(crate) fn extended_to_noise(
        self,
        found: &[Option<usize>],
        observed: &Dissimilarity<'_>,
        scoring: &ScoreSettings,
    ) -> Result<Self, Error> {
        let n_points = found.len();
        let kept: Vec<usize> = (0..n_points).filter(|&i| found[i].is_some()).collect();
        let labels: Vec<usize> = found.iter().flatten().copied().collect();
        let predictor = Predictor::new(observed, found, scoring, true)?;
        let noise: Vec<usize> = (0..n_points).filter(|&i| found[i].is_none()).collect();
        let joined = predictor.likeliest_clusters(observed, &noise)?;
        let likeliest = |i: usize| noise.binary_search(&i).map_or(0, |at| joined[at]);
        let classes = predictor.n_classes();
        let all: Vec<usize> = (0..n_points).map(|i| found[i].unwrap_or_else(|| likeliest(i))).collect();
        // Among all points the order of first appearance may differ from that among the kept ones.
        let numbered = Labels::new(&all);
        let mut new_name = vec![0; classes];
        all.iter().zip(numbered.as_slice()).for_each(|(&old, &new)| new_name[old] = new);
        let kept_name = Labels::new(&labels);
        let mut of_kept = vec![0; classes];
        labels.iter().zip(kept_name.as_slice()).for_each(|(&old, &name)| of_kept[name] = new_name[old]);
        Ok(renamed(self, &of_kept, &kept, numbered, n_points))
    }
}

/// A fit of kept points as one of all: clusters and points get their own numbers back.
fn renamed(
    fit: LatentGraphFit,
    new_class: &[usize],
    kept: &[usize],
    labels: Labels,
    n_points: usize,
) -> LatentGraphFit {
    let mut scales = vec![0.0; new_class.len()];
    let mut spreads = vec![0.0; new_class.len()];
    for (old, &new) in new_class.iter().enumerate() {
        (scales[new], spreads[new]) = (fit.scales[old], fit.spreads[old]);
    }
    let link = |link: &ClassLink| ClassLink {
        from: kept[link.from],
        to: kept[link.to],
        class: new_class[link.class],
        length: link.length,
    };
    let mut is_kept = vec![false; n_points];
    kept.iter().for_each(|&i| is_kept[i] = true);
    let mut graph: Vec<ClassLink> = fit.graph.iter().map(link).collect();
    graph.sort_by_key(|link| link.class);
    let noise = (0..n_points).filter(|&i| !is_kept[i]).collect();
    LatentGraphFit { labels, noise, graph, scales, spreads, ..fit }
}
