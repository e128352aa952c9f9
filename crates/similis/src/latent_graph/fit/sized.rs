//! Fits whose clusters have bounds on their sizes.
//!
//! The search knows no bounds. Of the partitions that it found, those into the best few numbers of clusters among them, each is
//! changed at its borders until it obeys ([`SizeBounds`]); the best of these is the answer. With noise, clusters that are too small are
//! noise where the number is open. Sampling draws partitions that obey.

use crate::constraints::Constraints;
use crate::constraints::side_information::SideInformation;
use crate::constraints::sizes::{Borders, SizeBounds};
use crate::error::{ConstraintError, Error};
use crate::input::labels::Labels;
use crate::input::{Dissimilarity, Quantity};
use crate::latent_graph::LatentGraph;
use crate::latent_graph::context::Context;
use crate::latent_graph::fit::LatentGraphFit;
use crate::latent_graph::search::number::{NumberScore, NumberScorer};
use crate::latent_graph::settings::inference::{Inference, Noise, SearchSettings};
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
        let n_clusters = bounds.allowed(self.n_clusters, observed.n_points())?;
        match self.inference() {
            Inference::Sample(_) => {
                return Self { n_clusters, ..*self }.fit_free(observed, side.clone(), observer);
            }
            Inference::Search(search) if search.noise == Noise::Background => {
                let free = Self { n_clusters, min_size: 1, max_size: None, ..*self };
                return free.fit_sized_with_noise(bounds, observed, side, observer);
            }
            _ => {}
        }
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

    /// The fit with noise whose clusters obey the bounds; noise has any size.
    fn fit_sized_with_noise(
        &self,
        bounds: SizeBounds,
        observed: &Dissimilarity<'_>,
        side: &SideInformation,
        observer: &dyn Observer,
    ) -> Result<LatentGraphFit, Error> {
        let found = self.fit_free(observed, side.clone(), observer)?;
        let constraints = Constraints::new(side, observed.n_points())?;
        let mut labels = found.labels_or_noise();
        if !matches!(self.n_clusters, NClusters::Exactly(_)) {
            labels = without_small(labels, bounds, &constraints);
        }
        let obeying =
            |labels: &[Option<usize>]| self.obeying_among(labels, bounds, (observed, side), observer);
        let obeying = match obeying(&labels)? {
            Some(obeying) => obeying,
            // Too many points are noise for clusters of these sizes.
            None => {
                obeying(&found.labels_with_all())?.ok_or(Error::Constraints(ConstraintError::SizesNotMet))?
            }
        };
        if obeying == found.labels_or_noise() {
            return Ok(found);
        }
        let kept: Vec<usize> = (0..obeying.len()).filter(|&i| obeying[i].is_some()).collect();
        let known: Vec<Option<usize>> = obeying.iter().filter(|label| label.is_some()).copied().collect();
        let n_clusters = NClusters::Exactly(n_classes(&obeying));
        let without_noise = SearchSettings { noise: Noise::None, ..self.search_settings() };
        let given = Self { n_clusters, inference: Some(Inference::Search(without_noise)), ..*self };
        let fit = given.fit_free(&observed.restricted(&kept)?, known.into(), observer)?;
        let fit = fit.extended_to_noise(&obeying, observed, &self.score_settings())?;
        let obeys = |row: &NumberScore| bounds.hold(&row.labels().sizes());
        let numbers = found.numbers.into_iter().filter(obeys).collect();
        Ok(LatentGraphFit { numbers, modes: found.modes, component_sizes: found.component_sizes, ..fit })
    }

    /// Labels whose clusters obey, noise as it is; `None` where that does not succeed.
    fn obeying_among(
        &self,
        labels: &[Option<usize>],
        bounds: SizeBounds,
        (observed, side): (&Dissimilarity<'_>, &SideInformation),
        observer: &dyn Observer,
    ) -> Result<Option<Vec<Option<usize>>>, Error> {
        let kept: Vec<usize> = (0..labels.len()).filter(|&i| labels[i].is_some()).collect();
        let names = Labels::new(&labels.iter().flatten().collect::<Vec<_>>());
        let names = if bounds.hold(&names.sizes()) {
            Some(names)
        } else {
            let observed = observed.restricted(&kept)?;
            let constraints = Constraints::new(&side.restricted(&kept), kept.len())?;
            let borders = Borders::new(&observed, observer);
            bounds.made_to_obey(&names, self.n_clusters, &constraints, &borders).into_iter().next()
        };
        Ok(names.map(|names| {
            let mut all = vec![None; labels.len()];
            kept.iter().zip(names.as_slice()).for_each(|(&i, &label)| all[i] = Some(label));
            all
        }))
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

impl LatentGraphFit {
    /// The cluster of each point, noise with the cluster that it would most probably join.
    fn labels_with_all(&self) -> Vec<Option<usize>> {
        self.labels.as_slice().iter().copied().map(Some).collect()
    }
}

/// Number of clusters of labels that name 0, 1, ..
fn n_classes(labels: &[Option<usize>]) -> usize {
    labels.iter().flatten().max().map_or(0, |&last| last + 1)
}

/// The labels where clusters that are too small are noise; those with constrained points stay, and so does the largest.
fn without_small(
    mut labels: Vec<Option<usize>>,
    bounds: SizeBounds,
    constraints: &Constraints,
) -> Vec<Option<usize>> {
    let mut sizes = vec![0; n_classes(&labels)];
    labels.iter().flatten().for_each(|&label| sizes[label] += 1);
    let mut stays: Vec<bool> = sizes.iter().map(|&size| size >= bounds.least).collect();
    if let Some(largest) = (0..sizes.len()).max_by_key(|&at| sizes[at]) {
        stays[largest] = true;
    }
    for (i, label) in labels.iter().enumerate() {
        if let Some(label) = label.filter(|_| constraints.is_bound(i)) {
            stays[label] = true;
        }
    }
    labels.iter_mut().for_each(|label| *label = label.filter(|&label| stays[label]));
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::shapes::{Shape, draw};
    use crate::input::metric::Metric;
    use crate::latent_graph::settings::inference::{PaperSettings, Sampling};
    use proptest::prelude::*;

    fn blobs(n: usize, seed: u64) -> Dissimilarity<'static> {
        let drawn = draw(Shape::FiveBlobs, n, seed).unwrap();
        Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn sizes_are_never_broken_in_any_inference(
            seed in 0u64..100, least in 1usize..20, more in 0usize..40, exactly in any::<bool>(), way in 0usize..4,
        ) {
            let observed = blobs(80, seed);
            let max_size = Some(least + 10 + more);
            let inference = match way {
                0 => Inference::Paper(PaperSettings { n_restarts: 2, ..PaperSettings::default() }),
                1 => Inference::Sample(Sampling { n_chains: 2, n_sweeps: 60, ..Sampling::default() }),
                2 => Inference::Search(SearchSettings { noise: Noise::Background, ..SearchSettings::default() }),
                _ => Inference::Search(SearchSettings::default()),
            };
            let n_clusters = if exactly { NClusters::Exactly(4) } else { NClusters::Auto };
            let inference = Some(inference);
            let model = LatentGraph { n_clusters, inference, min_size: least, max_size, ..LatentGraph::default() };
            match model.fit(&observed, &[]) {
                Ok(fit) => {
                    let clusters: Vec<usize> = fit.labels_or_noise().into_iter().flatten().collect();
                    let sizes = Labels::new(&clusters).sizes();
                    if let Some(posterior) = &fit.posterior {
                        let obey = |sizes: Vec<usize>| sizes.iter().all(|size| (least..=least + 10 + more).contains(size));
                        prop_assert!(posterior.samples.iter().all(|sample| obey(sample.sizes())));
                    }
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
    fn with_noise_small_clusters_are_noise() {
        let observed = blobs(200, 3);
        let search = SearchSettings { noise: Noise::Background, ..SearchSettings::default() };
        let free = LatentGraph { inference: Some(Inference::Search(search)), ..LatentGraph::default() };
        let found = free.fit(&observed, &[]).unwrap();
        let clusters: Vec<usize> = found.labels_or_noise().into_iter().flatten().collect();
        let mut sizes = Labels::new(&clusters).sizes();
        sizes.sort_unstable();
        let least = sizes[sizes.len() / 2];
        let fit = LatentGraph { min_size: least, ..free }.fit(&observed, &[]).unwrap();
        let n_kept: usize = sizes.iter().filter(|&&size| size >= least).sum();
        assert_eq!(fit.noise.len(), 200 - n_kept);
        assert_eq!(fit.labels.n_clusters(), sizes.iter().filter(|&&size| size >= least).count());
        assert_eq!(fit.scales.len(), fit.labels.n_clusters());
    }

    #[test]
    fn what_cannot_be_is_answered_clearly() {
        let observed = blobs(50, 1);
        let words = |model: LatentGraph| model.fit(&observed, &[]).unwrap_err().to_string();
        let model = LatentGraph { min_size: 30, max_size: Some(20), ..LatentGraph::default() };
        assert!(words(model).contains("min_size 30 and max_size 20"));
        let model = LatentGraph { min_size: 20, n_clusters: NClusters::Exactly(4), ..LatentGraph::default() };
        assert!(words(model).contains("1 to 2 clusters, but n_clusters is 4"), "{}", words(model));
    }
}
