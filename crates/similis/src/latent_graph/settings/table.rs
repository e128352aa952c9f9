//! The table of the latent graph model's settings.

use crate::error::{Error, SettingError};
use crate::graph::lengths::Support;
use crate::latent_graph::model::background::Background;
use crate::latent_graph::model::likelihood::Likelihood;
use crate::latent_graph::model::prior::{GraphPrior, SizePrior};
use crate::latent_graph::model::scale::{ScalePrior, ScaleUpdates};
use crate::latent_graph::settings::LatentGraph;
use crate::latent_graph::settings::inference::{
    Inference, Loss, Noise, PaperSettings, Sampling, Scales, Score, SearchParts, SearchSettings,
};
use crate::settings::Named;
use crate::settings::table::{Kind, Need, Setting, Value, count, names, number, optional};

/// The setting applies to the search only.
const SEARCH: Need = Need { setting: "inference", one_of: &["search"] };

/// The setting applies to the paper's algorithm only.
const PAPER: Need = Need { setting: "inference", one_of: &["paper"] };

/// The setting applies to posterior sampling only.
const SAMPLE: Need = Need { setting: "inference", one_of: &["sample"] };

/// The setting applies to the score by the minimum spanning tree only.
const BEST_TREE: Need = Need { setting: "score", one_of: &["best_tree"] };

/// The setting applies to varying scales only.
const VARYING: Need = Need { setting: "scales", one_of: &["varying"] };

type Row = Setting<LatentGraph>;

impl LatentGraph {
    /// Every setting, in the order in which they are set: the inference comes before its own settings.
    pub const SETTINGS: &'static [Row] = &[
        Row::new(
            "n_clusters",
            Kind::NumberOrWord("M|LEAST-MOST|auto"),
            "Number of clusters: a number, a range such as 2-8, or auto, by score.",
            |model| Value::Word(model.n_clusters.to_string()),
            |model, text| text.parse().map(|n_clusters| model.n_clusters = n_clusters),
        )
        .of_any_model(),
        Row::new(
            "likelihood",
            Kind::Word(names::<Likelihood>),
            "The family of link lengths under the inference paper and sample, and of the reported scales and log joint. The \
             score of the search has exponential lengths with --shape; with gaussian, the paper's algorithm goes on from there.",
            |model| Value::name(model.likelihood),
            |model, text| Named::named(text).map(|likelihood| model.likelihood = likelihood),
        ),
        Row::new(
            "graph_prior",
            Kind::Word(names::<GraphPrior>),
            "Which graphs a cluster may have.",
            |model| Value::name(model.graph_prior),
            |model, text| Named::named(text).map(|prior| model.graph_prior = prior),
        ),
        Row::new(
            "prior_neighbours",
            Kind::Count("K"),
            "How many neighbours every point has under the graph prior k-neighbours.",
            |model| Value::count(model.prior_neighbours),
            |model, text| count("prior_neighbours", text).map(|k| model.prior_neighbours = k),
        )
        .needs(&[Need { setting: "graph_prior", one_of: &["k_neighbours"] }])
        .of_any_model(),
        Row::new(
            "support",
            Kind::Word(names::<Support>),
            "Which pairs may be links. Default: complete up to 2,000 points; nearest above, where the posterior is \
             sampled, and where graphs are connected; given for edges.",
            |model| model.support.map_or(Value::Automatic, Value::name),
            |model, text| optional(text, Named::named).map(|support| model.support = support),
        ),
        Row::new(
            "support_neighbours",
            Kind::Count("K"),
            "How many neighbours the support nearest has.",
            |model| Value::count(model.support_neighbours),
            |model, text| count("support_neighbours", text).map(|k| model.support_neighbours = k),
        )
        .needs(&[Need { setting: "support", one_of: &["nearest"] }])
        .of_any_model(),
        Row::new(
            "background",
            Kind::Word(names::<Background>),
            "How the background is found. Under the search it changes the reported scales and log joint, not the labels.",
            |model| Value::name(model.background),
            |model, text| Named::named(text).map(|background| model.background = background),
        ),
        Row::new(
            "scale_prior",
            Kind::Word(names::<ScalePrior>),
            "Prior on cluster scales. Under the search it changes the reported scales and log joint, not the labels.",
            |model| Value::name(model.scale_prior),
            |model, text| Named::named(text).map(|prior| model.scale_prior = prior),
        ),
        Row::new(
            "typical_length",
            Kind::Number("LENGTH"),
            "Mean link length under the weak prior on scales. Default: the mean link of the minimum spanning tree. Under the \
             search it changes the reported scales and log joint, not the labels.",
            |model| model.typical_length.map_or(Value::Automatic, Value::Number),
            |model, text| {
                let length = optional(text, |text| number("typical_length", text));
                length.map(|length| model.typical_length = length)
            },
        )
        .needs(&[Need { setting: "scale_prior", one_of: &["weak"] }]),
        Row::new(
            "size_prior",
            Kind::Word(names::<SizePrior>),
            "How probable the sizes of clusters are. Default: dirichlet, but constant for connected graphs and for k-neighbours with \
             exponential lengths.",
            |model| model.size_prior.map_or(Value::Automatic, Value::name),
            |model, text| optional(text, Named::named).map(|prior| model.size_prior = prior),
        ),
        Row::new(
            "inference",
            Kind::Word(names::<Inference>),
            "How the answer is looked for. Default: search, or paper where the likelihood is gaussian or the graphs are not \
             trees; sample draws from the posterior and says how sure the answer is.",
            |model| model.inference.map_or(Value::Automatic, Value::name),
            |model, text| optional(text, Inference::named).map(|inference| model.infer_by(inference)),
        ),
        Row::new(
            "scale_updates",
            Kind::Word(names::<ScaleUpdates>),
            "Which graphs the paper's algorithm learns scales from: the best one, or all trees.",
            |model| Value::name(model.paper_settings().scale_updates),
            |model, text| in_paper(model, Named::named(text), |paper, updates| paper.scale_updates = updates),
        )
        .needs(&[PAPER]),
        Row::new(
            "n_restarts",
            Kind::Count("N"),
            "Number of random starts of the paper's algorithm; the most probable answer wins.",
            |model| Value::count(model.paper_settings().n_restarts),
            |model, text| in_paper(model, restarts(text), |paper, n| paper.n_restarts = n),
        )
        .needs(&[PAPER])
        .of_any_model(),
        Row::new(
            "noise",
            Kind::Word(names::<Noise>),
            "Whether points may belong to no cluster; they are labelled -1.",
            |model| Value::name(model.search_settings().noise),
            set_noise,
        )
        .needs(&[SEARCH]),
        Row::new(
            "score",
            Kind::Word(names::<Score>),
            "How the search weighs the trees of a cluster.",
            |model| Value::name(model.search_settings().score),
            |model, text| in_search(model, Named::named(text), |search, score| search.score = score),
        )
        .needs(&[SEARCH])
        // `score` is a method of scikit-learn's estimators.
        .python("tree_score"),
        Row::new(
            "scales",
            Kind::Word(names::<Scales>),
            "Whether scales may vary within a cluster, in the search.",
            |model| Value::name(model.search_settings().scales),
            |model, text| in_search(model, Named::named(text), |search, scales| search.scales = scales),
        )
        .needs(&[SEARCH, BEST_TREE]),
        Row::new(
            "step",
            Kind::Number("TAU"),
            "Standard deviation of the change of the log scale from a point to its neighbour, in the score. Default: the mean \
             over several.",
            |model| model.search_settings().step.map_or(Value::Automatic, Value::Number),
            |model, text| {
                let step = optional(text, |text| number("step", text));
                in_search(model, step, |search, step| search.step = step)
            },
        )
        .needs(&[SEARCH, BEST_TREE, VARYING]),
        Row::new(
            "shape",
            Kind::Number("M"),
            "The shape of link lengths in the score: 1 is exponential, 2 the distance of neighbours in the plane.",
            |model| Value::Number(model.search_settings().shape),
            |model, text| in_search(model, number("shape", text), |search, shape| search.shape = shape),
        )
        .needs(&[SEARCH]),
        Row::new(
            "walk_weight",
            Kind::Number("WEIGHT"),
            "How much the random walk counts in the score.",
            |model| Value::Number(model.search_settings().walk_weight),
            |model, text| {
                in_search(model, number("walk_weight", text), |search, weight| search.walk_weight = weight)
            },
        )
        .needs(&[SEARCH]),
        Row::new(
            "valley_weight",
            Kind::Number("WEIGHT"),
            "How much valleys of the density inside clusters count in the score.",
            |model| Value::Number(model.search_settings().valley_weight),
            |model, text| {
                in_search(model, number("valley_weight", text), |search, weight| search.valley_weight = weight)
            },
        )
        .needs(&[SEARCH, BEST_TREE, VARYING]),
        Row::new(
            "without",
            Kind::Words(SearchParts::NAMES),
            "Parts of the search to leave out, to measure what they contribute.",
            |model| Value::Word(left_out(model.search_settings().parts)),
            |model, text| in_search(model, parts(text), |search, parts| search.parts = parts),
        )
        .needs(&[SEARCH])
        .hidden(),
        Row::new(
            "n_chains",
            Kind::Count("N"),
            "Number of chains of the inference sample, each from another start.",
            |model| Value::count(model.sampling().n_chains),
            |model, text| in_sampling(model, count("n_chains", text), |sampling, n| sampling.n_chains = n),
        )
        .needs(&[SAMPLE]),
        Row::new(
            "n_sweeps",
            Kind::Count("N"),
            "Number of sweeps of each chain, as many moves as there are points.",
            |model| Value::count(model.sampling().n_sweeps),
            |model, text| in_sampling(model, count("n_sweeps", text), |sampling, n| sampling.n_sweeps = n),
        )
        .needs(&[SAMPLE]),
        Row::new(
            "burn_in",
            Kind::Number("PART"),
            "Fraction of sweeps discarded as warm-up.",
            |model| Value::Number(model.sampling().burn_in),
            |model, text| in_sampling(model, number("burn_in", text), |sampling, part| sampling.burn_in = part),
        )
        .needs(&[SAMPLE]),
        Row::new(
            "n_samples",
            Kind::Count("N"),
            "Maximum number of draws that are kept of all chains.",
            |model| Value::count(model.sampling().n_samples),
            |model, text| in_sampling(model, count("n_samples", text), |sampling, n| sampling.n_samples = n),
        )
        .needs(&[SAMPLE]),
        Row::new(
            "loss",
            Kind::Word(names::<Loss>),
            "Loss that the reported labels minimise over the posterior samples.",
            |model| Value::name(model.sampling().loss),
            |model, text| in_sampling(model, Named::named(text), |sampling, loss| sampling.loss = loss),
        )
        .needs(&[SAMPLE]),
        Row::new(
            "min_size",
            Kind::Count("N"),
            "Fewest points of a cluster.",
            |model| Value::count(model.min_size),
            |model, text| count("min_size", text).map(|size| model.min_size = size),
        )
        .of_any_model(),
        Row::new(
            "max_size",
            Kind::Count("N"),
            "Most points of a cluster. Default: any number.",
            |model| model.max_size.map_or(Value::Automatic, Value::count),
            |model, text| {
                optional(text, |text| count("max_size", text)).map(|size| model.max_size = size)
            },
        )
        .of_any_model(),
        Row::new(
            "seed",
            Kind::Count("SEED"),
            "Random seed: the same seed gives the same answer.",
            |model| Value::Count(model.seed),
            |model, text| count("seed", text).map(|seed| model.seed = seed),
        )
        .of_any_model()
        .python("random_state"),
        Row::new(
            "memory_limit",
            Kind::Count("BYTES"),
            "Most bytes that the input and the work may take together; a fit that would take more is refused.",
            |model| model.memory_limit.map_or(Value::Automatic, Value::Count),
            |model, text| {
                optional(text, |text| count("memory_limit", text)).map(|limit| model.memory_limit = limit)
            },
        )
        .of_run(),
    ];

    /// Chooses an inference; one that is in use already keeps its settings.
    fn infer_by(&mut self, inference: Option<Inference>) {
        let now = self.inference();
        let same = |named: Inference| std::mem::discriminant(&named) == std::mem::discriminant(&now);
        self.inference = inference.map(|named| if same(named) { now } else { named });
    }

    /// Stores changed settings of the inference in use; defaults leave `inference` unset.
    fn change(&mut self, change: impl FnOnce(&mut Inference)) {
        let mut inference = self.inference();
        change(&mut inference);
        if inference != self.inference() {
            self.inference = Some(inference);
        }
    }
}

/// Puts a value into the settings of the search, if that is how the model infers.
fn in_search<T>(
    model: &mut LatentGraph,
    value: Result<T, Error>,
    put: fn(&mut SearchSettings, T),
) -> Result<(), Error> {
    let value = value?;
    model.change(|inference| {
        if let Inference::Search(search) = inference {
            put(search, value);
        }
    });
    Ok(())
}

/// Puts a value into the settings of the paper's algorithm, if that is how the model infers.
fn in_paper<T>(
    model: &mut LatentGraph,
    value: Result<T, Error>,
    put: fn(&mut PaperSettings, T),
) -> Result<(), Error> {
    let value = value?;
    model.change(|inference| {
        if let Inference::Paper(paper) = inference {
            put(paper, value);
        }
    });
    Ok(())
}

/// Puts a value into the settings of sampling, if that is how the model infers.
fn in_sampling<T>(
    model: &mut LatentGraph,
    value: Result<T, Error>,
    put: fn(&mut Sampling, T),
) -> Result<(), Error> {
    let value = value?;
    model.change(|inference| {
        if let Inference::Sample(sampling) = inference {
            put(sampling, value);
        }
    });
    Ok(())
}

/// Noise that is asked for and cannot be had is an error: dropped, it would change what labels mean.
fn set_noise(model: &mut LatentGraph, text: &str) -> Result<(), Error> {
    let noise = Noise::named(text)?;
    if noise == Noise::Background && !matches!(model.inference(), Inference::Search(_)) {
        return Err(Error::Settings(SettingError::NoiseInference));
    }
    in_search(model, Ok(noise), |search, noise| search.noise = noise)
}

/// Reads a number of restarts; none at all is a mistake also where the search does not use them.
fn restarts(text: &str) -> Result<usize, Error> {
    match count("n_restarts", text)? {
        0 => Err(Error::Settings(SettingError::NRestarts)),
        n_restarts => Ok(n_restarts),
    }
}

/// The parts that are left out, or `none`.
fn left_out(parts: SearchParts) -> String {
    let names = parts.left_out();
    if names.is_empty() { "none".to_owned() } else { names.join(",") }
}

/// Reads the parts that are left out.
fn parts(text: &str) -> Result<SearchParts, Error> {
    let names: Vec<String> = text.split(',').map(|name| name.trim().replace('-', "_")).collect();
    let names: Vec<String> = names.into_iter().filter(|name| !name.is_empty() && name != "none").collect();
    match names.iter().find(|name| !SearchParts::NAMES.contains(&&***name)) {
        None => Ok(SearchParts::without_named(&names)),
        Some(other) => Err(Error::Settings(SettingError::Setting {
            setting: "without",
            given: other.clone(),
            known: SearchParts::NAMES.to_vec(),
        })),
    }
}
