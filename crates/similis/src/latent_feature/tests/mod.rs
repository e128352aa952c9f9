mod inference;
mod joint;

use crate::error::{InputError, SettingError};
use std::f64::consts::{PI, TAU};

use proptest::prelude::*;
use rand::RngExt;

use super::*;
use crate::affinity::matrix::SimilarityMatrix;
use crate::evaluate::agreement::adjusted_rand_index;
use crate::input::sparse::SparseMatrix;
use crate::input::{Checks, Quantity};
use crate::latent_feature::likelihood::residual;
use crate::numeric::linalg::top_eigenpairs::TopEigenpairs;
use crate::run::parallel::with_threads;
use crate::run::random::{Random, stream};

fn dense(values: Vec<f64>) -> SimilarityMatrix<'static> {
    let n_points = values.len().isqrt();
    SimilarityMatrix::Dense { values: values.into(), n_points }
}

/// A symmetric matrix of n points with entries between 0 and 1.
fn random_matrix(n: usize, random: &mut Random) -> Vec<f64> {
    let mut values = vec![0.0; n * n];
    for i in 0..n {
        for j in i..n {
            let entry: f64 = random.random();
            values[i * n + j] = entry;
            values[j * n + i] = entry;
        }
    }
    values
}

fn similarities(values: Vec<f64>) -> Dissimilarity<'static> {
    let n = values.len().isqrt();
    Dissimilarity::from_square(values, [n, n], Quantity::Similarities, Checks::default()).unwrap()
}

fn rows(values: &[f64], width: usize) -> Features {
    Features::from_rows(values.to_vec(), values.len() / width, width)
}

fn two_classes() -> GaussianConditionals {
    let classes =
        vec![Gaussian::new(vec![1.0], vec![1.0]).unwrap(), Gaussian::new(vec![1.5], vec![4.0]).unwrap()];
    GaussianConditionals { noise: 0.5, classes }
}

/// Another choice for Eq. (2): similarities with heavier tails.
struct LaplaceConditionals(GaussianConditionals);

impl Conditionals for LaplaceConditionals {
    fn n_classes(&self) -> usize {
        self.0.n_classes()
    }

    fn log_similarity(&self, similarity: f64, first: &[f64], second: &[f64]) -> f64 {
        let inner: f64 = first.iter().zip(second).map(|(x, y)| x * y).sum();
        -(2f64.ln()) - (similarity - inner).abs()
    }

    fn log_feature(&self, feature: &[f64], cluster: usize) -> f64 {
        self.0.log_feature(feature, cluster)
    }

    fn draw_similarity(&self, first: &[f64], second: &[f64], random: &mut Random) -> f64 {
        let inner: f64 = first.iter().zip(second).map(|(x, y)| x * y).sum();
        let side = if random.random::<bool>() { 1.0 } else { -1.0 };
        inner - side * (1.0 - random.random::<f64>()).ln()
    }

    fn draw_feature(&self, cluster: usize, random: &mut Random) -> Vec<f64> {
        self.0.draw_feature(cluster, random)
    }
}

fn identity(t: usize) -> Vec<f64> {
    (0..t * t).map(|at| f64::from(u8::from(at % (t + 1) == 0))).collect()
}

/// All eigenpairs by Jacobi's rotations: eigenvalues falling, eigenvectors as rows.
fn jacobi(values: &[f64]) -> Vec<(f64, Vec<f64>)> {
    let n = values.len().isqrt();
    let (mut a, mut v) = (values.to_vec(), identity(n));
    for _ in 0..100 {
        for p in 0..n {
            for q in p + 1..n {
                if a[p * n + q].abs() < 1e-300 {
                    continue;
                }
                let theta = 0.5 * (2.0 * a[p * n + q]).atan2(a[q * n + q] - a[p * n + p]);
                let (s, c) = theta.sin_cos();
                for k in 0..n {
                    let (x, y) = (a[k * n + p], a[k * n + q]);
                    (a[k * n + p], a[k * n + q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p * n + k], a[q * n + k]);
                    (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y);
                    let (x, y) = (v[p * n + k], v[q * n + k]);
                    (v[p * n + k], v[q * n + k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let mut pairs: Vec<(f64, Vec<f64>)> =
        (0..n).map(|k| (a[k * n + k], v[k * n..(k + 1) * n].to_vec())).collect();
    pairs.sort_by(|x, y| y.0.total_cmp(&x.0));
    pairs
}

/// Features that minimise Eq. (4), found by gradient descent from a random start.
fn minimiser_of_eq_4(values: &[f64], t: usize, random: &mut Random) -> Vec<f64> {
    let n = values.len().isqrt();
    let mut features: Vec<f64> = (0..n * t).map(|_| random.random::<f64>() - 0.5).collect();
    let norm: f64 = values.iter().map(|x| x * x).sum::<f64>().sqrt();
    for _ in 0..200_000 {
        let mut gradient = vec![0.0; n * t];
        for i in 0..n {
            for j in 0..n {
                let inner: f64 = (0..t).map(|k| features[i * t + k] * features[j * t + k]).sum();
                let residual = inner - values[i * n + j];
                (0..t).for_each(|k| gradient[i * t + k] += residual * features[j * t + k]);
            }
        }
        features.iter_mut().zip(&gradient).for_each(|(x, g)| *x -= 0.1 / norm * g);
        if gradient.iter().all(|g| g.abs() < 1e-12) {
            break;
        }
    }
    features
}

/// The features a textbook describes, by a full decomposition.
fn textbook(values: &[f64], t: usize, variant: Variant) -> Option<Features> {
    let n = values.len().isqrt();
    let mut affinity = values.to_vec();
    if variant == Variant::NgJordanWeiss {
        (0..n).for_each(|i| affinity[i * n + i] = 0.0);
    }
    let degree: Vec<f64> = (0..n).map(|i| affinity[i * n..(i + 1) * n].iter().sum()).collect();
    let normalised: Vec<f64> =
        (0..n * n).map(|at| affinity[at] / (degree[at / n] * degree[at % n]).sqrt()).collect();
    let pairs = jacobi(&normalised);
    let alone = (1..=t).all(|k| k == n || pairs[k - 1].0 - pairs[k].0 > 1e-3);
    let entry = |i: usize, k: usize| match variant {
        Variant::Lemma1 => pairs[k].0.max(0.0).sqrt() * pairs[k].1[i],
        Variant::NgJordanWeiss => pairs[k].1[i],
        Variant::MeilaShi => pairs[k].1[i] / degree[i].sqrt(),
    };
    let mut features: Vec<f64> =
        (0..n).flat_map(|i| (0..t).map(move |k| (i, k))).map(|(i, k)| entry(i, k)).collect();
    if variant == Variant::NgJordanWeiss {
        for row in features.chunks_mut(t) {
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            row.iter_mut().for_each(|x| *x /= length);
        }
    }
    alone.then(|| rows(&features, t))
}

fn distortion(features: &Features, labels: &[usize], n_clusters: usize) -> f64 {
    let centres = kmeans::means(features, labels, n_clusters);
    (0..features.n_rows()).map(|i| kmeans::squared_distance(features.row(i), centres.row(labels[i]))).sum()
}

/// The least distortion over all groupings into exactly `n_clusters` clusters.
fn exhaustive(features: &Features, n_clusters: usize) -> f64 {
    let n = features.n_rows();
    (0..n_clusters.pow(n as u32))
        .map(|code| (0..n).map(|i| code / n_clusters.pow(i as u32) % n_clusters).collect::<Vec<usize>>())
        .filter(|labels| Labels::new(labels).n_clusters() == n_clusters)
        .map(|labels| distortion(features, &labels, n_clusters))
        .fold(f64::INFINITY, f64::min)
}

/// Classes whose means lie four spreads and more apart.
fn apart(covariance: Covariance) -> GaussianConditionals {
    let spread = 0.1;
    let psi = match covariance {
        Covariance::Full => vec![spread * spread, 0.004, 0.004, spread * spread],
        _ => vec![spread * spread, 0.0, 0.0, spread * spread],
    };
    let means = [[0.9, 0.1], [0.1, 0.9], [0.8, 0.8]];
    let classes = means.map(|mean| Gaussian::new(mean.to_vec(), psi.clone()).unwrap()).into();
    GaussianConditionals { noise: 0.01, classes }
}

/// Paths of three points each, the second link of each three times as similar as the first: no two degrees in one are alike.
fn paths(n_paths: usize) -> Dissimilarity<'static> {
    let links = |at: usize| [(3 * at, 3 * at + 1, 0.2), (3 * at + 1, 3 * at + 2, 0.6)];
    let edges: Vec<(usize, usize, f64)> = (0..n_paths).flat_map(links).collect();
    let matrix = SparseMatrix::from_edges(3 * n_paths, &edges).unwrap();
    Dissimilarity::from_sparse(matrix, Quantity::Similarities, Checks::default()).unwrap()
}
