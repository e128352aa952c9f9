//! Inference by search.

use crate::constraints::Constraints;
use crate::error::Error;
use crate::graph::lengths::Lengths;
use crate::graph::link::Link;
use crate::input::labels::Labels;
use crate::latent_graph::LatentGraph;
use crate::latent_graph::context::Context;
use crate::latent_graph::context::cluster_trees::ClassTrees;
use crate::latent_graph::context::memory::Memory;
use crate::latent_graph::context::setup::n_tied_parts;
use crate::latent_graph::context::task::Range;
use crate::latent_graph::context::task::Task;
use crate::latent_graph::fit::{LatentGraphFit, best};
use crate::latent_graph::model::joint::Model;
use crate::latent_graph::model::prior::{GraphPrior, Prior};
use crate::latent_graph::paper::{Found, Run};
use crate::latent_graph::search::number::{Selected, Selection};
use crate::latent_graph::search::partition::Partition;
use crate::latent_graph::search::problem::Problem;
use crate::latent_graph::search::score::members;
use crate::latent_graph::search::starts::Sources;
use crate::latent_graph::search::{Effort, Scorers, Search, refines_score, report};
use crate::run::observer::Observer;
use crate::run::termination::Termination;

impl LatentGraph {
    /// Inference by a search of all points.
    pub(crate) fn search_all(&self, task: Task<'_>) -> Result<LatentGraphFit, Error> {
        let Task { observed, range, constraints, weights, observer } = task;
        let (plan, memory) = (self.plan(observed), Memory::new(self, observed));
        let context = Context::planned(observed, &plan, observer).weighted(weights);
        let lengths = self.joined(self.lengths_on(&context), range.most, constraints)?;
        let context = if lengths.joins() { context.joining() } else { context };
        let model = self.model(&lengths, &context.tree)?;
        let range = range_of_parts(range, n_tied_parts(&lengths, constraints), constraints);
        let plan = plan.of_many(range.least);
        let (sources, scoring) = (Sources::new(&context, &plan, observer), self.score_settings());
        let near = self.near_support(&context, &lengths);
        let problem = Problem {
            context: &context,
            support: near.as_ref().unwrap_or(&lengths),
            prior: Prior::new(GraphPrior::Tree, scoring.size_prior, 1, observed.n_points()),
            constraints,
            shape: scoring.shape,
            parts: self.search_settings().parts,
            plan,
        };
        let scorers = Scorers::new(scoring, &context);
        let search = |n_clusters: usize, effort: Effort, given: Vec<Partition>| {
            memory.check_search(n_clusters)?;
            let by_paper = self.paper_starts(&model, n_clusters, constraints, observer);
            let (problem, sources, scorers, seed) = (&problem, &sources, &scorers, self.seed);
            Search { problem, sources, scorers, n_clusters, effort, seed, by_paper, given, memory }
                .run(observer)
        };
        let Selected { proposals, numbers } = if range.least == range.most {
            Selected { proposals: search(range.least, Effort::Full, Vec::new())?, numbers: Vec::new() }
        } else {
            Selection::new(&problem, &sources, scoring, range).run(search, observer)?
        };
        // Unlisted pairs may be links, on request, but the score has no length for them.
        let Some(first) = proposals.first().filter(|first| first.score.total().is_finite()) else {
            return self.by_paper_algorithm(task, range.least);
        };
        let (fit, modes) = (self.answered(&context, &model, &first.labels, task)?, context.modes().listed());
        Ok(LatentGraphFit { proposals, numbers, modes, plan: Some(plan), ..fit })
    }

    /// The fit that has these labels: graph, scales, log joint.
    pub(crate) fn answered(
        &self,
        context: &Context<'_>,
        model: &Model<'_>,
        labels: &Labels,
        task: Task<'_>,
    ) -> Result<LatentGraphFit, Error> {
        let mut found = answer(model, labels, task.constraints, task.observer);
        if found.n_forbidden() > 0 && self.support.is_none() && context.observed.sparse().is_none() {
            found = self.answer_with_trees(context, labels, task)?;
        }
        let fit = best(vec![found], model.background)?;
        Ok(LatentGraphFit { component_sizes: model.lengths.part_sizes(), ..fit })
    }

    /// The near neighbours, among which local search looks for links where every pair may be one: a move costs the length of their
    /// lists then, and not the size of a cluster. Nothing where it raises the score itself, move by move: that must be exact.
    fn near_support<'a>(&self, context: &Context<'a>, lengths: &Lengths<'a>) -> Option<Lengths<'a>> {
        let wanted = lengths.is_complete() && !refines_score(&self.score_settings());
        let near =
            || Lengths::nearest_of(context.observed, &context.neighbours, context.n_listed, &context.tree);
        wanted.then(|| near().joining().with_tree(&context.tree))
    }

    /// The answer where the near neighbours do not connect every cluster: the links of the cluster trees, by which they were
    /// scored, are allowed too.
    fn answer_with_trees(
        &self,
        context: &Context<'_>,
        labels: &Labels,
        task: Task<'_>,
    ) -> Result<Found, Error> {
        let trees = ClassTrees::new(context);
        let own = members(labels.as_slice()).into_iter().flat_map(|members| trees.of(&members));
        let links: Vec<Link> = context.tree.iter().copied().chain(own).collect();
        let k = self.support_neighbours;
        let lengths = Lengths::nearest_of(context.observed, &context.neighbours, k, &links);
        let lengths = lengths.with_tree(&context.tree);
        let model = self.model(&lengths, &context.tree)?;
        Ok(answer(&model, labels, task.constraints, task.observer))
    }

    /// The final labels of the paper's algorithm, for a search that maximises the score itself.
    fn paper_starts(
        &self,
        model: &Model<'_>,
        n_clusters: usize,
        constraints: &Constraints,
        observer: &dyn Observer,
    ) -> Vec<Vec<usize>> {
        let wanted = refines_score(&self.score_settings())
            && self.search_settings().parts.has_all_starts()
            && self.plan(model.lengths.observed()).paper_starts;
        let runs = if wanted { self.restarts(model, n_clusters, constraints, observer) } else { Vec::new() };
        runs.into_iter().map(|run| run.labels).collect()
    }
}

/// The range of numbers: one cluster for each of `n_parts` components, as far as that many are allowed.
fn range_of_parts(range: Range, n_parts: usize, constraints: &Constraints) -> Range {
    let least = constraints.n_clusters_near(range.least.max(n_parts).min(range.most));
    Range { least, most: range.most.max(least), ..range }
}

/// Graph, scales and log joint of the labels that were found.
fn answer(model: &Model<'_>, labels: &Labels, constraints: &Constraints, observer: &dyn Observer) -> Found {
    let ended = if observer.cancelled() { Termination::Cancelled } else { Termination::Converged };
    report(observer, "answer", 0.0);
    let run = Run::from_labels(model, labels.as_slice(), labels.n_clusters(), constraints);
    let found = run.found_as_it_is(ended);
    report(observer, "answer", 1.0);
    found
}
