//! The better model for what was observed.

use crate::constraints::side_information::SideInformation;
use crate::error::Error;
use crate::input::labels::Labels;
use crate::input::{Dissimilarity, Quantity};
use crate::latent_feature::{LatentFeature, LatentFeatureFit};
use crate::latent_graph::LatentGraph;
use crate::latent_graph::fit::LatentGraphFit;
use crate::run::observer::{Observer, Silent};
use crate::run::termination::Termination;
use crate::settings::Named;
use crate::settings::n_clusters::NClusters;
use crate::settings::table::{Idle, Need, Setting, Value, row};

/// Which model explains the similarities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Latent features: spectral clustering and beyond.
    LatentFeature,
    /// Latent graphs: each cluster has its own scale.
    LatentGraph,
}

impl Named for Model {
    const SETTING: &'static str = "model";
    const VALUES: &'static [(&'static str, Self)] =
        &[("latent_feature", Self::LatentFeature), ("latent_graph", Self::LatentGraph)];
}

/// The settings of both models, one of which is fitted: see [`Auto::choose`].
///
/// ```
/// use similis::{Auto, Dissimilarity, Metric, NClusters, Points};
/// let points = Points::new(vec![0.0, 0.1, 0.2, 0.3, 5.0, 6.0, 7.0, 8.0], 8, 1)?;
/// let pairs = Dissimilarity::from_points(points, Metric::Euclidean)?;
/// let auto = Auto::new(NClusters::Exactly(2));
/// assert_eq!(auto.fit(&pairs, &[])?.labels().as_slice(), [0, 0, 0, 0, 1, 1, 1, 1]);
/// # Ok::<(), similis::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Auto {
    /// The latent graph model's settings.
    pub graph: LatentGraph,
    /// The latent feature model's settings.
    pub feature: LatentFeature,
}

/// The fit of the model that was chosen.
#[derive(Clone, Debug)]
pub enum AutoFit {
    /// Of latent features.
    Feature(Box<LatentFeatureFit>),
    /// Of latent graphs.
    Graph(Box<LatentGraphFit>),
}

impl AutoFit {
    /// The cluster of each point.
    pub fn labels(&self) -> &Labels {
        match self {
            Self::Feature(fit) => &fit.labels,
            Self::Graph(fit) => &fit.labels,
        }
    }

    /// The cluster of each point; `None` for noise.
    pub fn labels_or_noise(&self) -> Vec<Option<usize>> {
        match self {
            Self::Feature(fit) => fit.labels.as_slice().iter().copied().map(Some).collect(),
            Self::Graph(fit) => fit.labels_or_noise(),
        }
    }

    /// Why the work stopped.
    pub fn ended(&self) -> Termination {
        match self {
            Self::Feature(fit) => fit.ended,
            Self::Graph(fit) => fit.ended,
        }
    }

    /// The log joint; those of two models are of different data and never compared.
    pub fn log_joint(&self) -> f64 {
        match self {
            Self::Feature(fit) => fit.log_joint.total(),
            Self::Graph(fit) => fit.log_joint.total(),
        }
    }
}

/// A line: the clusters and their sizes, the log joint, and how the fit ended.
impl std::fmt::Display for AutoFit {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Feature(fit) => {
                write!(out, "{}; log joint {:.3}; {}", fit.labels, fit.log_joint.total(), fit.ended)
            }
            Self::Graph(fit) => fit.fmt(out),
        }
    }
}

impl Auto {
    /// Returns the default settings with this number of clusters for both models.
    pub fn new(n_clusters: NClusters) -> Self {
        Self {
            graph: LatentGraph { n_clusters, ..LatentGraph::default() },
            feature: LatentFeature { n_clusters, ..LatentFeature::default() },
        }
    }

    /// Returns the model that is fitted.
    ///
    /// Latent graphs for distances, latent features for similarities and for distances of
    /// [mixed columns](Dissimilarity::of_mixed_columns); but a setting that is not the default, and has an effect,
    /// names the model whose table it is in ([`LatentGraph::SETTINGS`], [`LatentFeature::SETTINGS`]), latent graphs first.
    /// Settings that both models have, and numbers of neighbours of latent graphs, name none. Both take side information.
    pub fn choose(&self, observed: &Dissimilarity<'_>) -> Model {
        self.choose_given(observed, &|_| false)
    }

    /// As [`Auto::choose`], where a setting for which `given` holds names its model even if its value is the default.
    pub fn choose_given(&self, observed: &Dissimilarity<'_>, given: &dyn Fn(&str) -> bool) -> Model {
        let graph = !self.named_by(Model::LatentGraph, given).is_empty();
        let feature = !self.named_by(Model::LatentFeature, given).is_empty();
        let distances = observed.quantity() == Quantity::Distances;
        let suits = distances && !observed.is_of_mixed_columns();
        if graph || (suits && !feature) { Model::LatentGraph } else { Model::LatentFeature }
    }

    /// Returns the settings that name a model in [`Auto::choose_given`].
    pub fn named_by(&self, model: Model, given: &dyn Fn(&str) -> bool) -> Vec<&'static str> {
        match model {
            Model::LatentGraph => naming(LatentGraph::SETTINGS, &self.graph, given),
            Model::LatentFeature => naming(LatentFeature::SETTINGS, &self.feature, given),
        }
    }

    /// Returns the settings for which `given` holds and that do not affect the answer of the model, each with the reason.
    pub fn idle(
        &self,
        model: Model,
        observed: &Dissimilarity<'_>,
        given: &dyn Fn(&str) -> bool,
    ) -> Vec<Idle> {
        match model {
            Model::LatentGraph => {
                let actual = |name: &str| self.graph.actual(name, observed);
                let others = others(LatentFeature::SETTINGS, LatentGraph::SETTINGS, model, given);
                others.chain(unmet(LatentGraph::SETTINGS, given, &actual)).collect()
            }
            Model::LatentFeature => {
                let actual = |name: &str| self.feature.actual(name, observed);
                let others = others(LatentGraph::SETTINGS, LatentFeature::SETTINGS, model, given);
                others.chain(unmet(LatentFeature::SETTINGS, given, &actual)).collect()
            }
        }
    }

    /// Returns the fit of the model that [`Auto::choose`] names.
    ///
    /// # Errors
    ///
    /// Those of [`LatentGraph::fit`] or of [`LatentFeature::fit`].
    pub fn fit(
        &self,
        observed: &Dissimilarity<'_>,
        side: impl Into<SideInformation>,
    ) -> Result<AutoFit, Error> {
        self.fit_observed(observed, side, &Silent)
    }

    /// As [`Auto::fit`], watched by `observer`.
    ///
    /// # Errors
    ///
    /// Those of [`Auto::fit`].
    pub fn fit_observed(
        &self,
        observed: &Dissimilarity<'_>,
        side: impl Into<SideInformation>,
        observer: &dyn Observer,
    ) -> Result<AutoFit, Error> {
        match self.choose(observed) {
            Model::LatentGraph => {
                let fit = self.graph.fit_observed(observed, side, observer)?;
                Ok(AutoFit::Graph(Box::new(fit)))
            }
            Model::LatentFeature => {
                Ok(AutoFit::Feature(Box::new(self.feature.fit_observed(observed, side, observer)?)))
            }
        }
    }
}

/// The settings that name the model: given or not the default, and with an effect on that model.
fn naming<M: Default>(
    rows: &'static [Setting<M>],
    model: &M,
    given: &dyn Fn(&str) -> bool,
) -> Vec<&'static str> {
    let own = |name: &str| row(rows, name).ok().and_then(|row| word(&row.get(model)));
    let named = |row: &Setting<M>| given(row.name) || row.get(model) != row.default();
    let names = rows.iter().filter(|row| row.names_model && named(row) && row.unmet(&own).is_none());
    names.map(|row| row.name).collect()
}

/// A word; what is automatic may be any.
fn word(value: &Value) -> Option<String> {
    (*value != Value::Automatic).then(|| value.to_string())
}

/// The settings that were given and whose conditions do not hold.
fn unmet<M>(
    rows: &'static [Setting<M>],
    given: &dyn Fn(&str) -> bool,
    actual: &dyn Fn(&str) -> Option<String>,
) -> impl Iterator<Item = Idle> {
    rows.iter().filter(|row| given(row.name)).filter_map(|row| row.unmet(actual))
}

/// The settings that were given and that only the other model has.
fn others<A, B>(
    rows: &'static [Setting<A>],
    own: &'static [Setting<B>],
    model: Model,
    given: &dyn Fn(&str) -> bool,
) -> impl Iterator<Item = Idle> {
    let need = match model {
        Model::LatentGraph => Need { setting: Model::SETTING, one_of: &["latent_feature"] },
        Model::LatentFeature => Need { setting: Model::SETTING, one_of: &["latent_graph"] },
    };
    let foreign = move |row: &&Setting<A>| own.iter().all(|known| known.name != row.name);
    let idle = move |row: &Setting<A>| Idle { setting: row.name, need, actual: model.name().to_owned() };
    rows.iter().filter(|row| given(row.name)).filter(foreign).map(idle)
}

impl LatentFeature {
    /// What a setting is for what was observed; `None` for a name that is not in the table.
    fn actual(&self, name: &str, observed: &Dissimilarity<'_>) -> Option<String> {
        match name {
            "input" => Some(quantity(observed)),
            _ => self.get(name).ok().map(|value| value.to_string()),
        }
    }
}

impl LatentGraph {
    /// What a setting is for what was observed: what is automatic is settled.
    fn actual(&self, name: &str, observed: &Dissimilarity<'_>) -> Option<String> {
        match name {
            "input" => Some(quantity(observed)),
            "inference" => Some(self.inference().name().to_owned()),
            "support" => Some(self.listed_support(observed).name().to_owned()),
            _ => self.get(name).ok().map(|value| value.to_string()),
        }
    }
}

fn quantity(observed: &Dissimilarity<'_>) -> String {
    let is_distance = observed.quantity() == Quantity::Distances;
    if is_distance { "distances" } else { "similarities" }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affinity::Affinity;
    use crate::input::Checks;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::latent_feature::gamma::Gamma;
    use crate::latent_graph::model::likelihood::Likelihood;

    fn line(n_points: usize) -> Dissimilarity<'static> {
        let places = (0..n_points).map(|i| i as f64).collect::<Vec<_>>();
        Dissimilarity::from_points(Points::new(places, n_points, 1).unwrap(), Metric::Euclidean).unwrap()
    }

    #[test]
    fn a_changed_setting_names_its_model_and_the_input_decides_otherwise() {
        let auto = Auto::default();
        let similarities =
            Dissimilarity::from_condensed(vec![0.5; 6], Quantity::Similarities, Checks::default()).unwrap();
        assert_eq!(auto.choose(&line(30_000)), Model::LatentGraph);
        assert_eq!(auto.choose(&similarities), Model::LatentFeature);
        let feature = LatentFeature { affinity: Affinity::Local, ..LatentFeature::default() };
        assert_eq!(Auto { feature, ..auto }.choose(&line(9)), Model::LatentFeature);
        // The default affinity has no scale, so a scale changes nothing.
        let gamma = LatentFeature { gamma: Gamma::Given(1.0), ..LatentFeature::default() };
        assert_eq!(Auto { feature: gamma, ..auto }.choose(&line(9)), Model::LatentGraph);
        let graph = LatentGraph { likelihood: Likelihood::Gaussian, ..LatentGraph::default() };
        assert_eq!(Auto { graph, feature }.choose(&similarities), Model::LatentGraph);
    }

    #[test]
    fn mixed_columns_are_explained_by_latent_features() {
        let (auto, mixed) = (Auto::default(), line(9).of_mixed_columns());
        assert_eq!(auto.choose(&mixed), Model::LatentFeature);
        let graph = LatentGraph { likelihood: Likelihood::Gaussian, ..LatentGraph::default() };
        assert_eq!(Auto { graph, ..auto }.choose(&mixed), Model::LatentGraph);
    }

    #[test]
    fn counts_and_seeds_name_no_model() {
        let n_clusters = NClusters::Exactly(2);
        let graph = LatentGraph { n_clusters, support_neighbours: 9, seed: 7, ..LatentGraph::default() };
        let memory_limit = Some(1 << 30);
        let feature =
            LatentFeature { n_clusters, n_restarts: 3, seed: 7, memory_limit, ..LatentFeature::default() };
        let auto = Auto { graph, feature };
        assert_eq!(auto.choose(&line(9)), Model::LatentGraph);
    }

    #[test]
    fn the_fit_is_that_of_the_chosen_model() {
        let observed = line(30);
        let n_clusters = NClusters::Exactly(3);
        let graph = LatentGraph { n_clusters, ..LatentGraph::default() };
        let feature = LatentFeature { n_clusters, ..LatentFeature::default() };
        let auto = Auto { graph, feature };
        let fit = auto.fit(&observed, &[]).unwrap();
        let direct = graph.fit(&observed, &[]).unwrap();
        assert!(matches!(&fit, AutoFit::Graph(fit) if fit.scales == direct.scales));
        assert_eq!((fit.labels(), fit.log_joint()), (&direct.labels, direct.log_joint.total()));
        let feature = LatentFeature { affinity: Affinity::Local, ..feature };
        let fit = Auto { graph, feature }.fit(&observed, &[]).unwrap();
        assert!(matches!(fit, AutoFit::Feature(_)));
        assert_eq!(fit.labels(), &feature.fit(&observed, &[]).unwrap().labels);
    }
}
