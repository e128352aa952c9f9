//! What a model found, whichever it was: its labels, its picture, its words.

mod json;
mod number;
mod posterior;
mod runners_up;

use similis::latent_graph::{Inference, LinkLengths, Noise, NumberScore, ScoreSettings};
use similis::{
    Dissimilarity, Error, LatentFeature, LatentFeatureFit, LatentGraph, LatentGraphFit, NClusters,
    PredictorParts, Termination,
};

use crate::plot::Link;
pub(crate) use runners_up::proposal_name;
use runners_up::{close_number, close_rival, proposal_lines};

pub(crate) use self::posterior::mixing;

/// The fit of one of the models, with the settings it was made by.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Latent features.
    Feature(LatentFeature, Box<LatentFeatureFit>),
    /// Latent graphs.
    Graph(LatentGraph, Box<LatentGraphFit>),
}

impl Answer {
    /// The cluster of each point.
    pub fn labels(&self) -> &similis::Labels {
        match self {
            Self::Feature(_, fit) => &fit.labels,
            Self::Graph(_, fit) => &fit.labels,
        }
    }

    /// The points that belong to no cluster, in rising order.
    pub fn noise(&self) -> &[usize] {
        match self {
            Self::Feature(..) => &[],
            Self::Graph(_, fit) => &fit.noise,
        }
    }

    /// The cluster of each point; `None` for noise.
    pub fn labels_or_noise(&self) -> Vec<Option<usize>> {
        let mut labels: Vec<Option<usize>> = self.labels().as_slice().iter().copied().map(Some).collect();
        self.noise().iter().for_each(|&i| labels[i] = None);
        labels
    }

    /// The number of points of each cluster, noise not counted.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = self.labels().sizes();
        self.noise().iter().for_each(|&i| sizes[self.labels().as_slice()[i]] -= 1);
        sizes
    }

    /// The predictor of new items, which also gives leave-one-out probabilities.
    ///
    /// # Errors
    ///
    /// Those of [`PredictorParts::new`].
    pub fn predictor(&self, observed: &Dissimilarity<'_>) -> Result<PredictorParts, Error> {
        let (settings, noise) = match self {
            Self::Feature(..) => (ScoreSettings::default(), false),
            Self::Graph(graph, _) => (graph.score_settings(), may_be_noise(graph)),
        };
        PredictorParts::new(observed, &self.labels_or_noise(), &settings, noise)
    }

    /// How sure the answer is, where the posterior was sampled.
    pub fn posterior(&self) -> Option<&similis::latent_graph::Posterior> {
        match self {
            Self::Feature(..) => None,
            Self::Graph(_, fit) => fit.posterior.as_ref(),
        }
    }

    /// Why the work ended.
    pub fn ended(&self) -> Termination {
        match self {
            Self::Feature(_, fit) => fit.ended,
            Self::Graph(_, fit) => fit.ended,
        }
    }

    /// The model in words.
    pub fn model(&self) -> &'static str {
        match self {
            Self::Feature(..) => "latent features",
            Self::Graph(..) => "latent graph",
        }
    }

    /// The learned scale of each cluster; empty where the model has none.
    pub fn scales(&self) -> &[f64] {
        match self {
            Self::Feature(..) => &[],
            Self::Graph(_, fit) => &fit.scales,
        }
    }

    /// The random seed.
    pub fn seed(&self) -> u64 {
        match self {
            Self::Feature(settings, _) => settings.seed,
            Self::Graph(settings, _) => settings.seed,
        }
    }

    /// The links of the latent graph, for the picture.
    pub fn links(&self) -> Vec<Link> {
        match self {
            Self::Feature(..) => Vec::new(),
            Self::Graph(_, fit) => {
                fit.graph.iter().map(|link| Link { from: link.from, to: link.to }).collect()
            }
        }
    }

    /// Whether the number of clusters was to be chosen, but the work ended before one number was searched.
    pub fn number_is_provisional(&self) -> bool {
        match self {
            Self::Feature(settings, fit) => {
                let given = matches!(settings.n_clusters, NClusters::Exactly(_));
                !given && fit.ended == Termination::Cancelled
            }
            Self::Graph(_, fit) => fit.number_is_provisional(),
        }
    }

    /// Number of items of the sample that this is the answer of, where the work was cut short before the neighbours of all were
    /// known.
    pub fn cut_to(&self) -> Option<usize> {
        match self {
            Self::Feature(..) => None,
            Self::Graph(_, fit) => fit.cut_to,
        }
    }

    /// Warnings and notes, one per line.
    pub fn warnings(&self) -> Vec<String> {
        let provisional = self.number_is_provisional().then(|| self.provisional_warning());
        let others = match self {
            Self::Feature(_, fit) => feature_warnings(fit),
            Self::Graph(settings, fit) => graph_warnings(settings, fit),
        };
        provisional.into_iter().chain(others).collect()
    }

    fn provisional_warning(&self) -> String {
        let n = self.labels().n_clusters();
        let how = match self {
            Self::Feature(..) => "a guess by eigenvalues that have not converged".to_owned(),
            Self::Graph(_, fit) => {
                let end = |row: Option<&NumberScore>| row.map_or(n, |row| row.n_clusters);
                let (first, last) = (end(fit.numbers.first()), end(fit.numbers.last()));
                format!("a quick choice from {first}..{last} by linkage")
            }
        };
        format!(
            "warning: the number of clusters was not searched, because the work was cut short: {n} is {how}; allow more time, or \
             give --n-clusters"
        )
    }

    /// The lines of the summary.
    pub fn lines(&self) -> Vec<String> {
        match self {
            Self::Feature(_, fit) => feature_lines(fit),
            Self::Graph(_, fit) => graph_lines(fit),
        }
    }
}

/// Whether the model lets points belong to no cluster.
fn may_be_noise(model: &LatentGraph) -> bool {
    matches!(model.inference(), Inference::Search(search) if search.noise == Noise::Background)
}

fn feature_lines(fit: &LatentFeatureFit) -> Vec<String> {
    let components = component_line("affinity graph", &fit.component_sizes, fit.isolated.len());
    let mut lines: Vec<String> = components.into_iter().collect();
    if let Some(gamma) = fit.gamma {
        let n_tried = fit.gamma_trials.len();
        let tried = if n_tried > 1 { format!(", the tightest of {n_tried}") } else { String::new() };
        lines.push(format!("scale gamma {}{tried}", readable(gamma)));
    }
    let (log_joint, staying) = (fit.log_joint.total(), fit.staying.overall);
    lines.push(format!(
        "log joint {log_joint:.3}; a random walk stays in its cluster with probability {staying:.4}"
    ));
    lines
}

fn feature_warnings(fit: &LatentFeatureFit) -> Vec<String> {
    let mut lines = Vec::new();
    if !fit.isolated.is_empty() {
        let n = fit.isolated.len();
        let (are, their) = if n == 1 { ("point is", "its") } else { ("points are", "their") };
        lines.push(format!("warning: {n} {are} similar to no other point; {their} cluster means nothing"));
    }
    if fit.n_components > fit.labels.n_clusters() {
        let n = fit.n_components;
        lines.push(format!(
            "note: the affinity graph has {n} components, more than clusters, so that some share one; ask for more clusters or, of points, \
             more --affinity-neighbours"
        ));
    }
    if fit.n_negative > 0 {
        let n = fit.n_negative;
        let have = if n == 1 {
            "feature has a negative eigenvalue and was"
        } else {
            "features have negative eigenvalues and were"
        };
        lines.push(format!("note: {n} {have} set to 0 in the model"));
    }
    lines
}

/// A number in a few digits, whatever its size.
fn readable(value: f64) -> String {
    if (1e-4..1e6).contains(&value.abs()) { format!("{value:.6}") } else { format!("{value:.5e}") }
}

/// Maximum number of component sizes in the JSON output. Not tuned.
const MOST_COMPONENTS: usize = 10;

/// The sizes of the largest components.
fn largest(component_sizes: &[usize]) -> &[usize] {
    &component_sizes[..component_sizes.len().min(MOST_COMPONENTS)]
}

/// The components of a graph, unless it is connected.
fn component_line(what: &str, component_sizes: &[usize], n_isolated: usize) -> Option<String> {
    const MOST: usize = 3;
    let n = component_sizes.len();
    if n < 2 {
        return None;
    }
    let sizes: Vec<String> = component_sizes.iter().take(MOST).map(ToString::to_string).collect();
    let more = if n > MOST { ", .." } else { "" };
    let isolated = match n_isolated {
        0 => String::new(),
        1 => "; 1 point is isolated".to_owned(),
        n => format!("; {n} points are isolated"),
    };
    Some(format!("the {what} has {n} components, of {}{more} points{isolated}", sizes.join(", ")))
}

fn graph_lines(fit: &LatentGraphFit) -> Vec<String> {
    let components = component_line("graph of observed pairs", &fit.component_sizes, fit.n_isolated());
    components.into_iter().chain(joint_lines(fit)).collect()
}

fn joint_lines(fit: &LatentGraphFit) -> Vec<String> {
    let best = fit.log_joint.total();
    let background = format!("background scale {}", readable(fit.background.scale()));
    if let Some(first) = fit.proposals.first() {
        // Noise is no part of the score.
        let n_scored: usize = first.score.classes.iter().map(|class| class.size).sum();
        let is_sample = n_scored + fit.noise.len() < fit.labels.n_points();
        let of_many = fit.plan.is_some_and(|plan| plan.sample_size(1).is_some());
        let of = if of_many || fit.cut_to.is_some() { "a sample of" } else { "the" };
        let kind = if of == "the" { "different " } else { "" };
        let sample = if is_sample { format!(" (of {of} {n_scored} {kind}points)") } else { String::new() };
        let score = format!("log joint {best:.3}; score {:.3}{sample}", first.score.total());
        let mut lines = vec![background, score];
        lines.extend(number_line(fit));
        lines.extend(proposal_lines(&fit.proposals));
        return lines;
    }
    if let Some(posterior) = &fit.posterior {
        let mut lines = vec![background, format!("log joint {best:.3}")];
        lines.extend(posterior::lines(posterior));
        return lines;
    }
    let (n_best, n) = (n_best(fit), fit.restarts.len());
    let reached = if n > 1 { format!(", reached by {n_best} of {n} restarts") } else { String::new() };
    std::iter::once(background)
        .chain([format!("log joint {best:.3}{reached}")])
        .chain(number_line(fit))
        .collect()
}

/// The number of clusters, how sure it is, the best other numbers, and what decides against the first of them.
fn number_line(fit: &LatentGraphFit) -> Option<String> {
    const MOST: usize = 3;
    let answer = fit.numbers.iter().find(|row| row.n_clusters == fit.labels.n_clusters())?;
    let mut others: Vec<&NumberScore> =
        fit.numbers.iter().filter(|row| row.n_clusters != answer.n_clusters).collect();
    others.sort_by(|a, b| b.total().total_cmp(&a.total()));
    let words = |row: &&NumberScore| {
        let (behind, where_to) = match answer.total() - row.total() {
            behind if behind < 0.0 => (-behind, "higher"),
            behind => (behind, "lower"),
        };
        format!("k = {} scores {behind:.1} {where_to} (probability {:.2})", row.n_clusters, row.probability)
    };
    let words: Vec<String> = others.iter().take(MOST).map(words).collect();
    let (first, last) = (fit.numbers.first()?.n_clusters, fit.numbers.last()?.n_clusters);
    let rivals = if words.is_empty() { String::new() } else { format!("; {}", words.join(", ")) };
    let reason = others.first().map_or(String::new(), |next| format!("; {}", against(answer, next)));
    let probability = answer.probability;
    Some(format!(
        "k = {} chosen from {first}..{last} (probability {probability:.2}){rivals}{reason}",
        answer.n_clusters
    ))
}

/// Which term of the score decides most for the answer and against another number of clusters.
fn against(answer: &NumberScore, next: &NumberScore) -> String {
    let reasons = [
        (answer.side - next.side, "would break pairs that are probable"),
        (answer.valleys - next.valleys, "would join clusters with a valley of the density between them"),
        (answer.walk - next.walk, "would cut between close neighbours"),
        (
            answer.prior + answer.evidence - next.prior - next.evidence,
            "explains the lengths of links less well for its number of clusters",
        ),
    ];
    let most = reasons.iter().fold(&reasons[0], |most, one| if one.0 > most.0 { one } else { most });
    format!("k = {} {}", next.n_clusters, most.1)
}

fn graph_warnings(settings: &LatentGraph, fit: &LatentGraphFit) -> Vec<String> {
    let mut lines = Vec::new();
    let (best, n) = (fit.log_joint.total(), fit.restarts.len());
    if fit.proposals.is_empty() && n_best(fit) < n && n > 1 {
        lines.push(
            "note: the restarts disagree: the paper's algorithm often ends in a local optimum; try --n-restarts 50"
                .to_owned(),
        );
    }
    if fit.proposals.is_empty() && best == f64::NEG_INFINITY {
        lines.push("warning: a cluster is not connected in the support; use --support complete".to_owned());
    }
    lines.extend(fit.cut_to.map(|n_sampled| of_sample(fit, n_sampled)));
    lines.extend(settings.typical_length.and_then(|_| of_long_links(fit)));
    lines.extend(joins(fit));
    lines.extend(close_rival(&fit.proposals));
    lines.extend(close_number(fit));
    lines.extend(fit.posterior.as_ref().and_then(posterior::warnings));
    lines
}

/// A warning that the answer is that of a sample.
fn of_sample(fit: &LatentGraphFit, n_sampled: usize) -> String {
    format!(
        "warning: neighbours and spanning tree were cut short: this is the answer of an even sample of {n_sampled} of the {} items, \
         and each other item has the cluster of the nearest of them; scales and scores are those of the sample; allow more time",
        fit.labels.n_points()
    )
}

/// A warning that clusters are connected by their longest links: where a typical length that was given forces a scale above that of the
/// background, long links are the more probable ones.
fn of_long_links(fit: &LatentGraphFit) -> Option<String> {
    let LinkLengths::Exponential { scale } = fit.background else { return None };
    let longest = fit.scales.iter().copied().fold(0.0, f64::max);
    // Equal up to rounding where all distances are.
    (longest > 1.001 * scale).then(|| {
        format!(
            "warning: the scale {} is above that of the background, {}, so that clusters are linked by their longest pairs; give a shorter \
             --typical-length, or leave it out",
            readable(longest),
            readable(scale)
        )
    })
}

/// A note that some clusters are connected only by links that were not observed.
fn joins(fit: &LatentGraphFit) -> Option<String> {
    let (n_joins, n) = (fit.n_unobserved_links(), fit.n_components());
    (n_joins > 0 && n > 1).then(|| {
        format!(
            "note: {n_joins} link{} not observed: there are {n} components for {} clusters, and components that share a cluster \
             were joined by links of background density",
            if n_joins == 1 { " was" } else { "s were" },
            fit.labels.n_clusters()
        )
    })
}

/// How many restarts of the paper's algorithm reached the best log joint.
fn n_best(fit: &LatentGraphFit) -> usize {
    let best = fit.log_joint.total();
    fit.restarts.iter().filter(|&&restart| restart >= best - 1e-6 * best.abs()).count()
}
