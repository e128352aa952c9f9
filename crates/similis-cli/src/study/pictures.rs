//! The charts of a study.

use similis::evaluate::adjusted_rand_index;
use similis::graph::single_linkage;
use similis::latent_graph::{
    Inference, LatentGraphFit, Likelihood, LinkLengths, NumberScore, Posterior, Proposal,
};
use similis::{LatentFeatureFit, LatentGraph, Quantity, Silent};

use super::{PictureKind, Study};
use crate::answer::{Answer, mixing, proposal_name};
use crate::plot::{
    Bar, Bars, Chains, ClassLengths, Curve, Dendrogram, Fitted, HeatMap, Lengths, MOST_NAMED, bars_svg,
    chains_svg, curve_svg, dendrogram_svg, few_digits, heat_map_svg, lengths_svg,
};
use crate::report::fixed;

/// A picture with its words, for the report.
pub(crate) struct Picture {
    pub(crate) kind: PictureKind,
    pub(crate) caption: &'static str,
    pub(crate) svg: String,
}

/// Maximum number of partitions that are drawn. Not tuned.
const MOST_CANDIDATES: usize = 12;

impl Study<'_> {
    /// All charts that this answer has, with their captions.
    pub(crate) fn charts(&self) -> Vec<Picture> {
        use PictureKind::{
            Candidates, CoAssignment, Eigenvalues, Lengths, Matrix, Modes, Numbers, Scales, Trace,
        };
        let chart = |kind| Some(Picture { kind, caption: caption(kind), svg: self.chart(kind)? });
        // The report has a dendrogram where its items can be named.
        let few = self.answer.labels().n_points() <= MOST_NAMED;
        [Matrix, CoAssignment, Scales, Lengths, Trace, Numbers, Modes, Candidates, Eigenvalues]
            .into_iter()
            .chain(few.then_some(PictureKind::Dendrogram))
            .filter_map(chart)
            .collect()
    }

    /// A chart, if this answer has it.
    pub(super) fn chart(&self, kind: PictureKind) -> Option<String> {
        match (kind, self.answer) {
            (PictureKind::Matrix, _) => Some(self.matrix()),
            (PictureKind::Dendrogram, _) => self.dendrogram(),
            (PictureKind::Levels, _) => self.tree_of_levels(),
            (PictureKind::Scales, Answer::Graph(_, fit)) => Some(self.scales(fit)),
            (PictureKind::Lengths, Answer::Graph(settings, fit)) => self.lengths(fit, settings),
            (PictureKind::Candidates, Answer::Graph(_, fit)) => self.candidates(&fit.proposals),
            (PictureKind::Numbers, Answer::Graph(_, fit)) => self.numbers(fit),
            (PictureKind::Modes, Answer::Graph(_, fit)) => self.modes(fit),
            (PictureKind::Eigenvalues, Answer::Feature(_, fit)) => Some(self.eigenvalues(fit)),
            (PictureKind::CoAssignment, Answer::Graph(_, fit)) => {
                fit.posterior.as_ref().map(|posterior| self.co_assignment(posterior))
            }
            (PictureKind::Trace, Answer::Graph(_, fit)) => match &fit.posterior {
                Some(posterior) => Some(self.chains(posterior)),
                None => self.trace(&fit.trace, "log joint"),
            },
            (PictureKind::Trace, Answer::Feature(_, fit)) => self.trace(&fit.trace, "objective"),
            _ => None,
        }
    }

    fn matrix(&self) -> String {
        let similar = self.pairs.quantity() == Quantity::Similarities;
        heat_map_svg(&HeatMap {
            title: self.heading("Pairs, ordered by cluster"),
            labels: self.answer.labels().as_slice(),
            order: &order(self.answer),
            value: &|i, j| self.pairs.pair(i, j),
            name: if similar { "similarity" } else { "distance" },
            great_is_dark: similar,
            names: self.item_names,
            note: &self.small_print(),
        })
    }

    /// The dendrogram of distances that join all items; `None` of others.
    fn dendrogram(&self) -> Option<String> {
        let merges = single_linkage(self.pairs, &Silent).ok()?;
        let note = format!(
            "single linkage: groups are joined at the shortest distance between them; {}",
            self.small_print()
        );
        Some(dendrogram_svg(&Dendrogram {
            title: self.heading("Dendrogram, coloured by cluster"),
            merges: &merges,
            labels: &self.answer.labels_or_noise(),
            names: self.item_names,
            height_name: "distance",
            note: &note,
        }))
    }

    fn co_assignment(&self, posterior: &Posterior) -> String {
        let n_points = self.answer.labels().n_points();
        heat_map_svg(&HeatMap {
            title: self.heading("How probable it is that two items share a cluster"),
            labels: self.answer.labels().as_slice(),
            order: &order(self.answer),
            value: &|i, j| posterior.co_assignment.pair(n_points, i, j),
            name: "probability",
            great_is_dark: true,
            names: self.item_names,
            note: &self.small_print(),
        })
    }

    fn chains(&self, posterior: &Posterior) -> String {
        let note = format!(
            "pale: warm-up, the first {} sweeps; {}; {}",
            posterior.burn_in,
            mixing(posterior),
            self.small_print()
        );
        chains_svg(&Chains {
            title: self.heading("The log joint of every chain"),
            y_name: "log joint",
            lines: &posterior.traces,
            burn_in: posterior.burn_in,
            note: &note,
        })
    }

    fn scales(&self, fit: &LatentGraphFit) -> String {
        let gaussian = matches!(fit.background, LinkLengths::Gaussian { .. });
        let bar = |(label, (&scale, &spread)): (usize, (&f64, &f64))| Bar {
            name: format!("cluster {label}"),
            value: scale.abs(),
            words: if gaussian {
                format!("{}, spread {}", few_digits(scale), few_digits(spread))
            } else {
                few_digits(scale)
            },
            label: Some(label),
        };
        let bars: Vec<Bar> = fit.scales.iter().zip(&fit.spreads).enumerate().map(bar).collect();
        let note = format!(
            "the typical length of a link in each cluster; of all pairs it is {}; {}",
            few_digits(fit.background.scale()),
            self.small_print()
        );
        bars_svg(&Bars {
            title: self.heading("Learned scales"),
            bars: &bars,
            line: None,
            longest: None,
            note: &note,
        })
    }

    fn lengths(&self, fit: &LatentGraphFit, settings: &LatentGraph) -> Option<String> {
        let class = |label: usize| {
            let (scale, spread) = (fit.scales[label], fit.spreads[label]);
            let own = fit.graph.iter().filter(|link| link.class == label);
            let lengths: Vec<f64> = own.map(|link| link.length).collect();
            let fitted = match (settings.inference(), settings.likelihood) {
                // What decides is drawn: the search compares partitions by its score.
                (Inference::Search(search), _) => Fitted::by_score(&lengths, search.shape),
                (_, Likelihood::Exponential) => Fitted::Model(LinkLengths::Exponential { scale }),
                (_, Likelihood::Gaussian) => Fitted::Model(LinkLengths::Gaussian { scale, spread }),
            };
            ClassLengths { label, lengths, scale, fitted }
        };
        let classes: Vec<ClassLengths> = (0..fit.scales.len()).map(class).collect();
        let any = classes.iter().any(|class| class.lengths.iter().any(|length| length.is_finite()));
        let note = self.small_print();
        any.then(|| {
            lengths_svg(&Lengths { title: self.heading("Lengths of links"), classes: &classes, note: &note })
        })
    }

    fn trace(&self, values: &[f64], y_name: &str) -> Option<String> {
        let title = format!("The {y_name}, pass by pass");
        let note = self.small_print();
        let curve =
            Curve { title: self.heading(&title), x_name: "pass", y_name, values, first: 0, note: &note };
        (values.len() > 1).then(|| curve_svg(&curve))
    }

    fn candidates(&self, proposals: &[Proposal]) -> Option<String> {
        let best = proposals.first()?;
        let bar = |(rank, proposal): (usize, &Proposal)| {
            let behind = best.score.total() - proposal.score.total();
            let agreement = adjusted_rand_index(&best.labels, &proposal.labels).unwrap_or(0.0);
            let words = match rank {
                0 => "the answer".to_owned(),
                _ => format!("{behind:.1} (ARI {})", fixed(agreement, 2)),
            };
            Bar { name: proposal_name(proposal), value: behind, words, label: (rank == 0).then_some(0) }
        };
        let possible = proposals.iter().filter(|proposal| proposal.score.total().is_finite());
        let bars: Vec<Bar> = possible.take(MOST_CANDIDATES).enumerate().map(bar).collect();
        let note = format!(
            "how far the score of each partition is below the best, in nats; {} {} considered; {}",
            proposals.len(),
            if proposals.len() == 1 { "was" } else { "were" },
            self.small_print()
        );
        Some(bars_svg(&Bars {
            title: self.heading("The answer and its runners-up"),
            bars: &bars,
            line: None,
            longest: None,
            note: &note,
        }))
    }

    fn numbers(&self, fit: &LatentGraphFit) -> Option<String> {
        let greatest = fit.numbers.iter().map(NumberScore::total).reduce(f64::max)?;
        let answer = fit.labels.n_clusters();
        let shown = near_the_best(&fit.numbers, answer);
        let bar = |row: &&NumberScore| {
            let behind = greatest - row.total();
            let mark = if row.searched { "" } else { " *" };
            let words = if row.n_clusters == answer && behind > 0.0 {
                format!("{behind:.1}: the answer")
            } else if row.n_clusters == answer {
                "the answer".to_owned()
            } else {
                format!("{behind:.1}{mark}")
            };
            let label = (row.n_clusters == answer).then_some(0);
            Bar { name: row.n_clusters.to_string(), value: behind, words, label }
        };
        let bars: Vec<Bar> = shown.iter().map(bar).collect();
        // The differences that matter: the second best but one, and at least 10 nats.
        let mut behind: Vec<f64> = bars.iter().map(|bar| bar.value).collect();
        behind.sort_by(f64::total_cmp);
        let longest = 3.0 * behind.get(2).copied().unwrap_or(0.0).max(10.0 / 3.0);
        let some = match fit.numbers.len() - shown.len() {
            0 => String::new(),
            n => format!("{n} numbers with lower scores are left out; "),
        };
        let estimated = if shown.iter().any(|row| !row.searched) { "*: by linkage alone; " } else { "" };
        let note = format!(
            "how far the score of each number of clusters is below the best, in nats; {estimated}{some}{}",
            self.small_print()
        );
        let title = self.heading("How many clusters: score below the best, in nats");
        Some(bars_svg(&Bars { title, bars: &bars, line: None, longest: Some(longest), note: &note }))
    }

    fn eigenvalues(&self, fit: &LatentFeatureFit) -> String {
        let note = format!(
            "a cluster that nothing joins to the others gives an eigenvalue of 1; {}",
            self.small_print()
        );
        curve_svg(&Curve {
            title: self.heading("Eigenvalues of the normalised similarities"),
            x_name: "rank",
            y_name: "eigenvalue",
            values: &fit.eigenvalues,
            first: 1,
            note: &note,
        })
    }
}

/// Maximum number of rows of the chart of numbers. Not tuned.
const MOST_NUMBERS: usize = 12;

/// Returns the numbers with the best scores, the answer among them, in rising order.
fn near_the_best(numbers: &[NumberScore], answer: usize) -> Vec<&NumberScore> {
    let mut shown: Vec<&NumberScore> = numbers.iter().collect();
    shown.sort_by(|a, b| {
        let last = |row: &NumberScore| row.n_clusters != answer;
        last(a).cmp(&last(b)).then(b.total().total_cmp(&a.total()))
    });
    shown.truncate(MOST_NUMBERS);
    shown.sort_by_key(|row| row.n_clusters);
    shown
}

/// The items, cluster after cluster; neighbours in the graph that was found come one after the other.
pub(crate) fn order(answer: &Answer) -> Vec<usize> {
    let labels = answer.labels().as_slice();
    let mut neighbours = vec![Vec::new(); labels.len()];
    for link in answer.links() {
        neighbours[link.from].push(link.to);
        neighbours[link.to].push(link.from);
    }
    let mut by_cluster: Vec<usize> = (0..labels.len()).collect();
    by_cluster.sort_by_key(|&i| labels[i]);
    let mut visited = vec![false; labels.len()];
    let mut order = Vec::with_capacity(labels.len());
    for first in by_cluster {
        if !visited[first] {
            // The last of a walk is far out: the walk from there follows the tree from end to end.
            let far = walk(first, &neighbours, &mut visited.clone()).last().copied().unwrap_or(first);
            order.extend(walk(far, &neighbours, &mut visited));
        }
    }
    order
}

/// Returns all that can be reached from `first`, depth first.
fn walk(first: usize, neighbours: &[Vec<usize>], visited: &mut [bool]) -> Vec<usize> {
    let mut reached = Vec::new();
    let mut next = vec![first];
    while let Some(i) = next.pop() {
        if !std::mem::replace(&mut visited[i], true) {
            reached.push(i);
            next.extend(neighbours[i].iter().filter(|&&j| !visited[j]));
        }
    }
    reached
}

const DENDROGRAM: &str =
    "Which items are joined at which distance. Colours are the clusters; grey lines join clusters.";

const EIGENVALUES: &str = "The number of clusters shows as the number of eigenvalues before the largest gap.";

const LENGTHS: &str = "How long the links of each cluster are, and the density that was fitted to them. Where bars and line differ much, \
     the cluster may have more than one scale.";

pub(crate) fn caption(kind: PictureKind) -> &'static str {
    match kind {
        PictureKind::Scatter => {
            "Every item, its cluster by colour and symbol. Dotted: the links of the graph that was found."
        }
        PictureKind::Matrix => {
            "Every pair, the items of a cluster side by side: dark blocks on the diagonal are clusters whose items are \
             alike."
        }
        PictureKind::Scales => {
            "How far apart neighbours are in each cluster: what \u{201c}alike\u{201d} means there."
        }
        PictureKind::Lengths => LENGTHS,
        PictureKind::Trace => {
            "The quantity that the algorithm maximises, pass by pass; for posterior sampling the trace of each chain: chains \
             that overlap have converged."
        }
        PictureKind::CoAssignment => {
            "Every pair, the items of a cluster side by side: dark where two items share a cluster in nearly all draws from the \
             posterior. Shades between say how sure that is."
        }
        PictureKind::Edges => {
            "Every link that a tree may have, as thick as it is probable given clusters and scales."
        }
        PictureKind::Uncertainty => {
            "Ringed: items whose cluster is in doubt, by the entropy of their memberships; the thicker the more."
        }
        PictureKind::Candidates => {
            "Other partitions that were considered. One with nearly the same score and a low ARI is another way to see the \
             data."
        }
        PictureKind::Numbers => {
            "The score of the best partition into each number of clusters. A small difference is nearly as good an answer."
        }
        PictureKind::Modes => super::modes::CAPTION,
        PictureKind::Peaks => super::modes::MAP_CAPTION,
        PictureKind::Dendrogram => DENDROGRAM,
        PictureKind::Levels => super::levels::CAPTION,
        PictureKind::Outliers => super::outliers::CAPTION,
        PictureKind::Eigenvalues => EIGENVALUES,
    }
}
