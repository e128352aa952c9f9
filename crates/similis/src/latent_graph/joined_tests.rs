//! Graphs in more parts than clusters.

use rand::RngExt;

use super::lengths::Lengths;
use super::score::Scorer;
use super::*;
use crate::dissimilarity::{Checks, SparseMatrix};
use crate::random::Random;
use crate::{Labels, Silent};

/// A graph of a few components, some of them single points.
fn graph(n_points: usize, random: &mut Random) -> Dissimilarity<'static> {
    let part: Vec<usize> = (0..n_points).map(|_| random.random_range(0..4)).collect();
    let mut edges = Vec::new();
    for i in 0..n_points {
        for j in 0..i {
            if part[i] == part[j] && part[i] > 0 && random.random_bool(0.7) {
                edges.push((i, j, (part[i] * part[i]) as f64 * random.random_range(0.2..2.0)));
            }
        }
    }
    let matrix = SparseMatrix::from_edges(n_points, &edges).unwrap();
    Dissimilarity::from_sparse(matrix, Quantity::Distances, Checks::default()).unwrap()
}

/// All partitions of so many points.
fn partitions(n_points: usize) -> Vec<Labels> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..n_points {
        all = all
            .into_iter()
            .flat_map(|labels| {
                let n_classes = labels.iter().max().map_or(0, |&last| last + 1);
                (0..=n_classes).map(move |class| [&labels[..], &[class]].concat())
            })
            .collect();
    }
    all.iter().map(|labels| Labels::new(labels)).collect()
}

fn exactly(n_clusters: usize) -> LatentGraph {
    LatentGraph { n_clusters: NClusters::Exactly(n_clusters), ..LatentGraph::default() }
}

#[test]
fn the_search_finds_the_best_of_all_partitions_of_small_graphs() {
    let mut random = stream(21, 0);
    let (mut n_right, mut n_all) = (0, 0);
    for _ in 0..60 {
        let observed = graph(7, &mut random);
        let n_parts = Lengths::given(&observed).n_parts();
        let ground = Ground::new(&observed, &Silent).joining();
        let scorer = Scorer::new(ScoreSettings::default(), &ground);
        let all: Vec<(Labels, f64)> =
            partitions(7).into_iter().map(|labels| { let s = scorer.score(labels.as_slice()).total(); (labels, s) }).collect();
        for n_clusters in 1..n_parts {
            let fit = exactly(n_clusters).fit(&observed, &[]).unwrap();
            let found = scorer.score(fit.labels.as_slice()).total();
            let own = all.iter().filter(|(labels, _)| labels.n_clusters() == n_clusters);
            let best = own.fold(f64::NEG_INFINITY, |best, (_, score)| best.max(*score));
            assert!(found <= best + 1e-9 && found.is_finite());
            n_all += 1;
            n_right += usize::from(found > best - 1e-9);
            if found < best - 1e-9 {
                let b = all.iter().find(|(l, s)| l.n_clusters() == n_clusters && *s == best).unwrap();
                println!("{n_clusters} of {n_parts}: {found} {:?} best {best} {:?}", fit.labels.as_slice(), b.0.as_slice());
            }
        }
    }
    println!("{n_right} of {n_all}");
    assert!(n_right * 10 > n_all * 9);
}
