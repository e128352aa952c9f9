//! Numbers of clusters near the least, where there are very many: of one linkage, each looked at by what it joins.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::graph::disjoint_sets::DisjointSets;
use crate::graph::grouped::{Grouped, points_of_clusters};
use crate::graph::link::Link;
use crate::input::labels::Labels;
use crate::latent_graph::search::number::{NumberScore, NumberScorer, RowPartition};
use crate::latent_graph::search::score::walk::Walked;
use crate::latent_graph::search::score::{ClassEvidence, Sized};
use crate::latent_graph::search::starts::linkage::Linkage;

/// A fine partition of a linkage, and what joins its clusters.
///
/// The cuts of a linkage into M, M + 1, .. clusters differ by one merge each. Of a million clusters all but a few are those of
/// the finest cut: only the others are looked at again.
pub(crate) struct Joined<'a, 's> {
    scorer: &'a NumberScorer<'s>,
    /// The cluster of each point.
    fine: Labels,
    /// The same, for the rows.
    representatives: Arc<Vec<u32>>,
    sized: Sized,
    walked: Walked,
    /// The fine clusters that are joined, first to last.
    merges: Vec<[usize; 2]>,
    /// The points of those.
    members: BTreeMap<usize, Vec<usize>>,
    /// The links of the minimum spanning tree of all points among those.
    links: Vec<Link>,
}

impl<'a, 's> Joined<'a, 's> {
    /// The cut of a linkage into `n_fine` clusters, to be joined until `least` are left.
    pub(crate) fn new(scorer: &'a NumberScorer<'s>, linkage: &Linkage, [least, n_fine]: [usize; 2]) -> Self {
        let fine = linkage.cut(n_fine);
        let cluster = |i: usize| fine.as_slice()[i];
        let merges: Vec<[usize; 2]> = linkage
            .merges_from(n_fine)
            .take(n_fine.saturating_sub(least))
            .map(|link| [cluster(link.from), cluster(link.to)])
            .collect();
        let points = points_of_clusters(fine.as_slice());
        let members: BTreeMap<usize, Vec<usize>> =
            merges.iter().flatten().map(|&one| (one, points.of(one).to_vec())).collect();
        let is_near = |link: &&Link| [link.from, link.to].iter().all(|&i| members.contains_key(&cluster(i)));
        let links = scorer.context.tree.iter().filter(is_near).copied().collect();
        Self {
            sized: scorer.scorer().sized(fine.as_slice(), |_| None),
            walked: scorer.scorer().walked_in(fine.as_slice()),
            representatives: Arc::new(fine.as_slice().iter().map(|&own| own as u32).collect()),
            scorer,
            merges,
            members,
            links,
            fine,
        }
    }

    /// Number of clusters of the finest partition.
    pub(crate) fn n_fine(&self) -> usize {
        self.fine.n_clusters()
    }

    /// The score of the cut into `n_clusters`, from the least to the finest.
    pub(crate) fn row(&self, n_clusters: usize) -> NumberScore {
        let labels = self.labels(n_clusters);
        let cluster = |fine: usize| labels.as_slice()[fine];
        let touched = self.members.keys().map(|&fine| (cluster(fine), fine));
        let parts = Grouped::new(labels.n_clusters(), touched);
        let mut walked = self.walked.joined(labels.as_slice(), labels.n_clusters());
        let mut own = BTreeMap::new();
        for joined in (0..labels.n_clusters()).filter(|&at| parts.of(at).len() > 1) {
            let members = self.members(parts.of(joined));
            walked.inside[joined] = self.n_inside(&members, |i| cluster(self.fine.as_slice()[i]) == joined);
            own.insert(joined, self.evidence(&members));
        }
        let mut sizes = vec![0; labels.n_clusters()];
        let mut evidences: Vec<Option<&ClassEvidence>> = vec![None; sizes.len()];
        for (fine, (&size, evidence)) in self.sized.sizes.iter().zip(&self.sized.evidences).enumerate() {
            sizes[cluster(fine)] += size;
            evidences[cluster(fine)] = Some(own.get(&cluster(fine)).unwrap_or(evidence));
        }
        let evidences: Vec<&ClassEvidence> = evidences.into_iter().flatten().collect();
        let leaving = walked.staying().into_iter().map(|stay| 1.0 - stay).sum();
        let valleys = self.scorer.scorer().valleys(|i| cluster(self.fine.as_slice()[i]));
        let row = NumberScore { valleys, ..self.scorer.sum(&sizes, &evidences, leaving) };
        let representatives = Some(Arc::clone(&self.representatives));
        NumberScore { partition: RowPartition { labels, representatives }, ..row }
    }

    /// The cluster of each fine cluster, where there are `n_clusters`.
    fn labels(&self, n_clusters: usize) -> Labels {
        let mut sets = DisjointSets::new(self.n_fine());
        for &[from, to] in self.merges.iter().take(self.n_fine().saturating_sub(n_clusters)) {
            sets.join(from, to);
        }
        Labels::of_numbers(&(0..self.n_fine()).map(|fine| sets.root(fine)).collect::<Vec<_>>())
    }

    /// The points of some fine clusters, in rising order.
    fn members(&self, fine: &[usize]) -> Vec<usize> {
        let mut members: Vec<usize> =
            fine.iter().filter_map(|one| self.members.get(one)).flatten().copied().collect();
        members.sort_unstable();
        members
    }

    /// Twice the number of steps of the walk that stay among the points of a cluster.
    fn n_inside(&self, members: &[usize], is_inside: impl Fn(usize) -> bool) -> f64 {
        let scorer = self.scorer.scorer();
        let steps = members.iter().flat_map(|&i| scorer.walked(i)).filter(|&j| is_inside(j));
        2.0 * steps.count() as f64
    }

    fn evidence(&self, members: &[usize]) -> ClassEvidence {
        let inside = |i: usize| members.binary_search(&i).is_ok();
        let links = || self.links.iter().filter(|link| inside(link.from) && inside(link.to));
        self.scorer.scorer().class(members, || {
            let links: Vec<Link> = links().filter(|link| link.length.is_finite()).copied().collect();
            Some(self.scorer.scorer().trees().grown(members, links, |i| members.binary_search(&i).ok()))
        })
    }
}
