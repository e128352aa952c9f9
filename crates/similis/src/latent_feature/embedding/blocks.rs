//! The number of clusters of a graph: blocks of nodes with more edges among themselves than chance gives.

use std::fmt;

use crate::affinity::matrix::SimilarityMatrix;
use crate::error::Error;
use crate::input::sparse::SparseMatrix;
use crate::input::{Dissimilarity, Quantity};
use crate::latent_feature::LatentFeature;
use crate::latent_feature::inference::{MOST_BY_GAP, find_spectrum};
use crate::plan::crossover::{may_have_blocks, may_have_many_blocks};
use crate::run::observer::Observer;
use crate::settings::n_clusters::NClusters;

/// Largest number of blocks that is looked for in a component. Not tuned.
const MOST_BLOCKS: usize = 100;

/// What the eigenvalues of one component say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blocks {
    /// So many blocks; one where all eigenvalues but the first are what chance gives.
    Are(usize),
    /// Beyond chance, but without an end: the nodes lie along something, as neighbours in space do.
    Unclear,
}

/// What decided the number of clusters of latent features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberBy {
    /// It was given.
    Given,
    /// The largest gap between eigenvalues.
    Gap,
    /// The blocks of a graph: groups of nodes with more edges among themselves than chance gives.
    Blocks,
    /// The connected components of the affinity graph: each is a cluster.
    Components,
}

impl NumberBy {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Gap => "gap",
            Self::Blocks => "blocks",
            Self::Components => "components",
        }
    }
}

impl fmt::Display for NumberBy {
    /// Writes what the number of clusters is "that of"; nothing where it was given.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Given => "",
            Self::Gap => "the largest gap between eigenvalues",
            Self::Blocks => "blocks of the graph, with more edges inside than chance gives",
            Self::Components => "the components of the graph",
        })
    }
}

/// Whether what was observed is a graph whose edges are similarities.
pub(in crate::latent_feature) fn is_graph(observed: &Dissimilarity<'_>) -> bool {
    observed.quantity() == Quantity::Similarities && observed.sparse().is_some()
}

/// Returns the number of clusters of a graph, the blocks of all components together; a component that has none is one cluster.
/// `None` where there is one component, and its blocks are unclear.
///
/// Nodes that are linked by chance have eigenvalues of the normalised matrix up to
///
/// $$ \lambda^* = \frac{2}{\sqrt{c}}, \qquad c = \frac{1}{n} \sum_i \frac{(\sum_j w_{ij})^2}{\sum_j w_{ij}^2} $$
///
/// where c is the mean number of edges of a node (of edges of unlike weights a smaller one), and M blocks have M above it (Nadakuditi &
/// Newman, 2012). Neighbours in space have ever more, without a gap at the end: where the rate $1 - \lambda_k$ does not rise most
/// behind the last eigenvalue above $\lambda^*$, there are no blocks.
pub(in crate::latent_feature) fn n_blocks(
    settings: &LatentFeature,
    affinity: &SimilarityMatrix<'_>,
    observer: &dyn Observer,
) -> Result<Option<usize>, Error> {
    let components = affinity.components();
    let n_components = components.iter().max().map_or(0, |last| last + 1);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); n_components];
    components.iter().enumerate().for_each(|(i, &component)| members[component].push(i));
    let mut total = 0;
    for members in members {
        let blocks = if may_have_blocks(members.len()) {
            blocks_of(settings, &restricted(affinity, &members), observer)?
        } else {
            Blocks::Unclear
        };
        total += match blocks {
            Blocks::Are(n) => n,
            Blocks::Unclear if n_components == 1 => return Ok(None),
            Blocks::Unclear => 1,
        };
    }
    Ok(Some(total))
}

/// The similarities among some points, in rising order.
fn restricted(affinity: &SimilarityMatrix<'_>, members: &[usize]) -> SparseMatrix<'static> {
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for &i in members {
        // All neighbours of a member are members: it is a component.
        for (j, value) in affinity.row(i) {
            if let Ok(at) = members.binary_search(&j) {
                columns.push(at as u32);
                values.push(value);
            }
        }
        offsets.push(columns.len());
    }
    SparseMatrix::from_sorted_rows(offsets, columns, values)
}

/// What the eigenvalues of a component say.
fn blocks_of(
    settings: &LatentFeature,
    graph: &SparseMatrix<'_>,
    observer: &dyn Observer,
) -> Result<Blocks, Error> {
    let by_chance = 2.0 / mean_number_of_edges(graph).sqrt();
    let n = graph.n_points();
    let more = if may_have_many_blocks(n) { MOST_BLOCKS } else { MOST_BY_GAP };
    for most in [MOST_BY_GAP, more] {
        let wanted = LatentFeature { n_clusters: NClusters::Exactly((most + 1).min(n)), ..*settings };
        let affinity = SimilarityMatrix::Sparse(graph.borrowed());
        let values = find_spectrum(&wanted, affinity, observer)?.eigenpairs.values;
        if values.last().is_some_and(|&last| last <= by_chance) {
            return Ok(blocks_among(&values, by_chance));
        }
    }
    Ok(Blocks::Unclear)
}

/// The number of edges of a node on average; edges of unlike weights count as fewer.
fn mean_number_of_edges(graph: &SparseMatrix<'_>) -> f64 {
    let of = |i: usize| {
        let (sum, squares) = graph
            .row(i)
            .filter(|&(j, _)| j != i)
            .fold((0.0, 0.0), |(sum, squares), (_, weight)| (sum + weight, squares + weight * weight));
        if squares > 0.0 { sum * sum / squares } else { 0.0 }
    };
    (0..graph.n_points()).map(of).sum::<f64>() / graph.n_points().max(1) as f64
}

/// What eigenvalues say, greatest first, of which the last is what chance gives.
fn blocks_among(values: &[f64], by_chance: f64) -> Blocks {
    let n_beyond = values.iter().filter(|&&value| value > by_chance).count();
    if n_beyond < 2 {
        return Blocks::Are(1);
    }
    let lowest = 0.01 * (1.0 - values[values.len() - 1]).max(1e-9);
    let rate = |k: usize| (1.0 - values[k]).max(lowest);
    let ratio = |above: usize| rate(above) / rate(above - 1);
    let ends = (2..n_beyond).all(|above| ratio(above) < ratio(n_beyond));
    if ends { Blocks::Are(n_beyond) } else { Blocks::Unclear }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::adjusted_rand_index;
    use crate::input::Checks;
    use crate::input::labels::Labels;
    use crate::run::observer::Silent;
    use crate::run::random::stream;
    use rand::RngExt;

    /// `n_edges` edges among nodes of the given blocks, of which this part is between any two nodes; blocks of unlike `world`
    /// are never joined.
    fn planted(
        blocks: &[usize],
        world: impl Fn(usize) -> usize,
        n_edges: usize,
        mixed: f64,
        seed: u64,
    ) -> Dissimilarity<'static> {
        let mut random = stream(seed, 0);
        let n = blocks.len();
        let mut edges = std::collections::BTreeMap::new();
        while edges.len() < n_edges {
            let (i, j) = (random.random_range(0..n), random.random_range(0..n));
            let anyone = random.random_range(0.0..1.0) < mixed;
            let together = blocks[i] == blocks[j] || (anyone && world(blocks[i]) == world(blocks[j]));
            if i < j && together {
                edges.insert((i, j), 1.0);
            }
        }
        let edges: Vec<(usize, usize, f64)> =
            edges.into_iter().map(|((i, j), value)| (i, j, value)).collect();
        graph(n, &edges)
    }

    fn graph(n: usize, edges: &[(usize, usize, f64)]) -> Dissimilarity<'static> {
        let matrix = SparseMatrix::from_edges(n, edges).unwrap();
        Dissimilarity::from_sparse(matrix, Quantity::Similarities, Checks::default()).unwrap()
    }

    fn number(observed: &Dissimilarity<'_>) -> Option<usize> {
        let affinity = SimilarityMatrix::observed(observed, None).unwrap();
        n_blocks(&LatentFeature::default(), &affinity, &Silent).unwrap()
    }

    #[test]
    fn blocks_are_counted_in_all_components_together() {
        let blocks: Vec<usize> = (0..2_000).map(|i| i % 40).collect();
        let graph = planted(&blocks, |block| block % 4, 20_000, 0.02, 3);
        assert_eq!(number(&graph), Some(40));
        let one = planted(&blocks, |_| 0, 20_000, 0.01, 4);
        assert_eq!(number(&one), Some(40));
        let fit = LatentFeature::default().fit(&graph, &[]).unwrap();
        assert!(adjusted_rand_index(&fit.labels, &Labels::new(&blocks)).unwrap() > 0.99);
    }

    #[test]
    fn edges_by_chance_are_one_cluster() {
        for seed in 0..5 {
            let graph = planted(&[0; 600], |_| 0, 600 * (3 + seed as usize * 3), 1.0, seed);
            let giant = SimilarityMatrix::observed(&graph, None).unwrap().components();
            let n_components = giant.iter().max().unwrap() + 1;
            assert_eq!(number(&graph), Some(n_components), "seed {seed}");
        }
    }

    #[test]
    fn neighbours_in_space_are_no_blocks() {
        // Every node is linked to the four next ones on a circle.
        let edges: Vec<(usize, usize, f64)> =
            (0..500).flat_map(|i| (1..5).map(move |step| (i, (i + step) % 500, 1.0))).collect();
        let circle = graph(500, &edges);
        assert_eq!(number(&circle), None);
    }

    #[test]
    fn eigenvalues_by_hand() {
        // Edges by chance reach 0.5: one, three, and no clear end.
        assert_eq!(blocks_among(&[1.0, 0.48, 0.45], 0.5), Blocks::Are(1));
        assert_eq!(blocks_among(&[1.0, 0.9, 0.88, 0.45, 0.44], 0.5), Blocks::Are(3));
        assert_eq!(blocks_among(&[1.0, 0.99, 0.9, 0.8, 0.7, 0.6, 0.49], 0.5), Blocks::Unclear);
    }
}
