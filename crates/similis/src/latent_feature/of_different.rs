//! Fits of the different points: equal ones are one point with a weight, and a weight of w is w equal points.
//!
//! Equal rows would be each other's nearest neighbours, and a graph of nearest neighbours would fall apart at them. So they are one
//! point, and its affinities count as often as there are copies.

use crate::affinity::random_walk::Staying;
use crate::constraints::seen::Seen;
use crate::constraints::side_information::SideInformation;
use crate::error::Error;
use crate::input::Dissimilarity;
use crate::latent_feature::features::Features;
use crate::latent_feature::likelihood::GaussianConditionals;
use crate::latent_feature::{FeatureInference, LatentFeature, LatentFeatureFit, NFeatures};
use crate::run::observer::Observer;
use crate::settings::n_clusters::NClusters;

impl LatentFeature {
    /// The fit without bounds on sizes: of the different points, where equal ones need not be parted.
    pub(super) fn fit_different(
        &self,
        observed: &Dissimilarity<'_>,
        side: &SideInformation,
        observer: &dyn Observer,
    ) -> Result<LatentFeatureFit, Error> {
        let Some(seen) = self.seen(observed, side) else { return self.fit_free(observed, side, observer) };
        let n = seen.firsts.len();
        let n_clusters = match self.n_clusters {
            NClusters::Between(least, most) => NClusters::Between(least, most.min(n)),
            other => other,
        };
        let n_features = match self.n_features {
            NFeatures::Exactly(t) => NFeatures::Exactly(t.min(n)),
            other => other,
        };
        let of_seen = SideInformation { weights: seen.weights.clone(), ..SideInformation::default() };
        let of_different = Self { n_clusters, n_features, ..*self };
        let found = of_different.fit_free(&observed.restricted(&seen.firsts)?, &of_seen, observer)?;
        Ok(extended(found, &seen))
    }

    /// The points that a fit sees, if they are fewer than all; `None` where equal points may have to be parted, and for joint
    /// inference.
    fn seen(&self, observed: &Dissimilarity<'_>, side: &SideInformation) -> Option<Seen> {
        if !side.is_empty() || self.feature_inference == FeatureInference::Joint {
            return None;
        }
        let seen = Seen::new(observed, &side.weights)?;
        let least = self.n_clusters.bounds(observed.n_points()).0;
        (least <= seen.firsts.len()).then_some(seen)
    }
}

/// What was found of the points that are seen, of all.
fn extended(fit: LatentFeatureFit, seen: &Seen) -> LatentFeatureFit {
    let labels = seen.labels(&fit.labels);
    let classes = seen.classes(&fit.labels, &labels);
    let memberships = fit.memberships.map(|rows| {
        let own = rows.rows_at(&seen.place);
        let values = (0..own.n_rows()).flat_map(|i| classes.iter().map(move |&class| (i, class)));
        let values = values.map(|(i, class)| own.row(i)[class]).collect();
        Features::from_rows(values, own.n_rows(), classes.len())
    });
    let is_isolated = |&i: &usize| fit.isolated.binary_search(&(seen.place[i] as usize)).is_ok();
    LatentFeatureFit {
        embedding: fit.embedding.rows_at(&seen.place),
        features: fit.features.rows_at(&seen.place),
        conditionals: GaussianConditionals {
            noise: fit.conditionals.noise,
            classes: classes.iter().map(|&class| fit.conditionals.classes[class].clone()).collect(),
        },
        memberships,
        staying: Staying {
            per_cluster: classes.iter().map(|&class| fit.staying.per_cluster[class]).collect(),
            overall: fit.staying.overall,
        },
        isolated: (0..seen.place.len()).filter(is_isolated).collect(),
        labels,
        ..fit
    }
}
