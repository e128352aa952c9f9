//! The least number of clusters that the random walk leaves.

use crate::latent_feature::LatentFeature;
use crate::latent_graph::context::Context;
use crate::latent_graph::context::sample::Sample;
use crate::plan::Plan;
use crate::run::observer::{Observer, Quiet};

/// How many times greater an escape rate is than the one before, at most, where nothing separates the points: along a line the rates
/// are as 1, 4, 9, .., more than in a cloud, a square or a disc. Not proved for every shape: `docs/evidence/number-and-noise.md` has draws.
const MOST_WITHOUT_CLUSTERS: f64 = 4.0;

/// Returns the least number of clusters that the random walk leaves: 1, unless its escape rates rise by more than chance and shape
/// explain.
///
/// A walk over the 10 nearest neighbours forgets where it began at the rates $1 - \lambda_k$. It leaves M clusters slowly and
/// forgets its place inside them quickly, so that the rate rises behind the M-th: by how much says how separate they are. A
/// cloud, a ring or a line has rates that rise too, but in the limit by a factor of 4 at most (Neumann eigenvalues of an interval).
/// What the trees cannot see in many dimensions, or among a few distinct values, the walk sees: where no single border is
/// sharp, but few links lead out.
pub(crate) fn least_number(context: &Context<'_>, observer: &dyn Observer) -> usize {
    let n = context.n_points();
    if !Plan::escapes(n) || context.observed.sparse().is_some() || observer.cancelled() {
        return 1;
    }
    let size = Plan::n_for_escapes(n);
    let gap = if size == n {
        LatentFeature::gap_by_neighbours(context.observed, &Quiet(observer))
    } else {
        let some = context.observed.restricted(&Sample::new(&context.tree, n, size).members);
        some.and_then(|some| LatentFeature::gap_by_neighbours(&some, &Quiet(observer)))
    };
    match gap {
        Ok(gap) if gap.ratio > MOST_WITHOUT_CLUSTERS => gap.above,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Dissimilarity;
    use crate::input::metric::Metric;
    use crate::input::points::Points;
    use crate::run::observer::Silent;
    use crate::run::random::{Random, stream};
    use rand::RngExt;
    use rand_distr::StandardNormal;

    fn least(values: Vec<f64>, n_dimensions: usize) -> usize {
        let n_points = values.len() / n_dimensions;
        let points = Points::new(values, n_points, n_dimensions).unwrap();
        let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
        least_number(&Context::new(&observed, &Silent), &Silent)
    }

    fn normal(random: &mut Random) -> f64 {
        random.sample(StandardNormal)
    }

    #[test]
    fn nothing_is_ruled_out_where_nothing_separates_the_points() {
        for seed in 0..4 {
            let mut random = stream(seed, 0);
            for n in [100, 400] {
                let line: Vec<f64> = (0..n).map(|_| random.random_range(0.0..1.0)).collect();
                assert_eq!(least(line, 1), 1, "line, seed {seed}");
                let square: Vec<f64> = (0..2 * n).map(|_| random.random_range(0.0..1.0)).collect();
                assert_eq!(least(square, 2), 1, "square, seed {seed}");
                for n_dimensions in [2, 5, 20] {
                    let cloud = (0..n * n_dimensions).map(|_| normal(&mut random)).collect();
                    assert_eq!(least(cloud, n_dimensions), 1, "cloud, seed {seed}");
                }
                let turn = |angle: f64| [angle.cos(), angle.sin()];
                let ring =
                    (0..n).flat_map(|_| turn(random.random_range(0.0..std::f64::consts::TAU))).collect();
                assert_eq!(least(ring, 2), 1, "ring, seed {seed}");
            }
        }
    }

    #[test]
    fn classes_in_twenty_columns_of_zeros_and_ones_are_counted() {
        for seed in 0..4 {
            let mut random = stream(seed, 1);
            let often: Vec<f64> =
                (0..60).map(|_| if random.random_range(0.0..1.0) < 0.5 { 0.15 } else { 0.85 }).collect();
            let value = |at: usize, random: &mut Random| {
                let class = at / 20 % 3;
                f64::from(u8::from(random.random_range(0.0..1.0) < often[20 * class + at % 20]))
            };
            let values: Vec<f64> = (0..240 * 20).map(|at| value(at, &mut random)).collect();
            assert_eq!(least(values, 20), 3, "seed {seed}");
        }
    }

    #[test]
    fn many_points_are_looked_at_by_a_subsample() {
        let mut random = stream(7, 2);
        let place = |at: usize, random: &mut Random| {
            normal(random) + if at.is_multiple_of(2) { 9.0 * (at / 2 % 3) as f64 } else { 0.0 }
        };
        let values: Vec<f64> = (0..2 * 4_000).map(|at| place(at, &mut random)).collect();
        assert_eq!(least(values, 2), 3);
    }
}
