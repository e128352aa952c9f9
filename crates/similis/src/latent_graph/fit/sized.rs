//! Fits whose clusters have bounds on their sizes.
//!
//! The search knows no bounds. Of the partitions that it found, those into the best few numbers of clusters among them, each is
//! changed at its borders until it obeys ([`SizeBounds`]); the best of these is the answer.

use crate::constraints::Constraints;
use crate::constraints::side_information::SideInformation;
use crate::constraints::sizes::{Borders, SizeBounds};
use crate::error::{ConstraintError, Error, SettingError};
use crate::input::labels::Labels;
use crate::input::{Dissimilarity, Quantity};
use crate::latent_graph::LatentGraph;
use crate::latent_graph::context::Context;
use crate::latent_graph::fit::LatentGraphFit;
use crate::latent_graph::search::number::{NumberScore, NumberScorer};
use crate::latent_graph::settings::inference::{Inference, Noise};
use crate::run::observer::Observer;
use crate::run::parallel;
use crate::settings::n_clusters::NClusters;

/// Number of partitions into the same number of clusters that are made to obey. Not tuned.
const N_TRIED: usize = 4;

impl LatentGraph {
    /// The best fit that obeys the bounds.
    pub(crate) fn fit_sized(
        &self,
        bounds: SizeBounds,
        observed: &Dissimilarity<'_>,
        side: &SideInformation,
        observer: &dyn Observer,
    ) -> Result<LatentGraphFit, Error> {
        match self.inference() {
            Inference::Sample(_) => {
                return Err(Error::Settings(SettingError::SizesOf { purpose: "inference = sample" }));
            }
            Inference::Search(search) if search.noise == Noise::Background => {
                return Err(Error::Settings(SettingError::SizesOf { purpose: "noise = background" }));
            }
            _ => {}
        }
        let n_clusters = bounds.allowed(self.n_clusters, observed.n_points())?;
        let free = Self { n_clusters, min_size: 1, max_size: None, ..*self };
        let found = free.fit_free(observed, side.clone(), observer)?;
        if bounds.hold(&found.labels.sizes()) {
            return Ok(found);
        }
        let constraints = Constraints::new(side, observed.n_points())?;
        let borders = Borders::new(observed, observer);
        let mut tried: Vec<Labels> = vec![found.labels.clone()];
        tried.extend(found.proposals.iter().take(N_TRIED).map(|proposal| proposal.labels.clone()));
        tried.extend(found.numbers.iter().map(NumberScore::labels));
        let obeying = parallel::map(tried.len(), |at| {
            bounds.made_to_obey(&tried[at], n_clusters, &constraints, &borders)
        });
        let mut different: Vec<Labels> = Vec::new();
        for labels in obeying.into_iter().flatten() {
            if !different.contains(&labels) {
                different.push(labels);
            }
        }
        let best = self.best_of(different, observed, side, observer);
        let labels = best.ok_or(Error::Constraints(ConstraintError::SizesNotMet))?;
        let known: Vec<Option<usize>> = labels.as_slice().iter().copied().map(Some).collect();
        let given = Self { n_clusters: NClusters::Exactly(labels.n_clusters()), ..free };
        let fit = given.fit_free(observed, known.into(), observer)?;
        let numbers = found.numbers.into_iter().filter(|row| bounds.hold(&row.labels().sizes())).collect();
        Ok(LatentGraphFit { numbers, modes: found.modes, ..fit })
    }

    /// The partition with the greatest score of the number; of similarities, which have none, the first.
    fn best_of(
        &self,
        partitions: Vec<Labels>,
        observed: &Dissimilarity<'_>,
        side: &SideInformation,
        observer: &dyn Observer,
    ) -> Option<Labels> {
        if observed.quantity() == Quantity::Similarities || partitions.len() < 2 {
            return partitions.into_iter().next();
        }
        let context = Context::planned(observed, &self.plan(observed), observer).joining();
        let context = context.weighted(&side.weights);
        let scorer = NumberScorer::new(self.score_settings(), &context);
        let score = |labels: &Labels| scorer.score(labels.as_slice(), false).total();
        let scored = partitions.into_iter().map(|labels| (score(&labels), labels));
        scored.reduce(|best, other| if other.0 > best.0 { other } else { best }).map(|(_, labels)| labels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::shapes::{Shape, draw};
    use crate::input::metric::Metric;
    use crate::latent_graph::settings::inference::{PaperSettings, SearchSettings};
    use proptest::prelude::*;

    fn blobs(n: usize, seed: u64) -> Dissimilarity<'static> {
        let drawn = draw(Shape::FiveBlobs, n, seed).unwrap();
        Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn sizes_are_never_broken_in_any_inference(
            seed in 0u64..100, least in 1usize..20, more in 0usize..40, exactly in any::<bool>(), paper in any::<bool>(),
        ) {
            let observed = blobs(80, seed);
            let max_size = Some(least + 10 + more);
            let inference = if paper {
                Inference::Paper(PaperSettings { n_restarts: 2, ..PaperSettings::default() })
            } else {
                Inference::Search(SearchSettings::default())
            };
            let n_clusters = if exactly { NClusters::Exactly(4) } else { NClusters::Auto };
            let inference = Some(inference);
            let model = LatentGraph { n_clusters, inference, min_size: least, max_size, ..LatentGraph::default() };
            match model.fit(&observed, &[]) {
                Ok(fit) => {
                    let sizes = fit.labels.sizes();
                    prop_assert!(sizes.iter().all(|size| (least..=least + 10 + more).contains(size)), "{sizes:?}");
                    prop_assert!(!exactly || sizes.len() == 4);
                }
                // Four clusters of at most 11 to 18 points do not hold 80.
                Err(error) => prop_assert!(exactly && 4 * (least + 10 + more) < 80, "{error}"),
            }
        }
    }

    #[test]
    fn bounds_that_hold_change_nothing_and_small_clusters_are_absorbed() {
        let observed = blobs(200, 3);
        let free = LatentGraph::default().fit(&observed, &[]).unwrap();
        let same = LatentGraph { min_size: 10, ..LatentGraph::default() }.fit(&observed, &[]).unwrap();
        assert_eq!(same.labels, free.labels);
        let few = LatentGraph { min_size: 90, ..LatentGraph::default() }.fit(&observed, &[]).unwrap();
        assert!(few.labels.sizes().iter().all(|&size| size >= 90), "{}", few.labels);
        let many = LatentGraph { max_size: Some(15), ..LatentGraph::default() }.fit(&observed, &[]).unwrap();
        assert!(many.labels.sizes().iter().all(|&size| size <= 15), "{}", many.labels);
        assert_eq!(many.graph.len(), 200 - many.labels.n_clusters());
    }

    #[test]
    fn what_cannot_be_is_answered_clearly() {
        let observed = blobs(50, 1);
        let words = |model: LatentGraph| model.fit(&observed, &[]).unwrap_err().to_string();
        let model = LatentGraph { min_size: 30, max_size: Some(20), ..LatentGraph::default() };
        assert!(words(model).contains("min_size 30 and max_size 20"));
        let model = LatentGraph { min_size: 20, n_clusters: NClusters::Exactly(4), ..LatentGraph::default() };
        assert!(words(model).contains("1 to 2 clusters, but n_clusters is 4"), "{}", words(model));
        let search = SearchSettings { noise: Noise::Background, ..SearchSettings::default() };
        let noise = Some(Inference::Search(search));
        let model = LatentGraph { min_size: 20, inference: noise, ..LatentGraph::default() };
        assert!(words(model).contains("noise = background"));
    }
}
