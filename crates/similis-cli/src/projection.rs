//! Two coordinates for a picture.

use similis::numeric::linalg::full_eigenpairs;
use similis::{Dissimilarity, Quantity};

/// Where each point is drawn, and what the axes show.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// Horizontal coordinates.
    pub x: Vec<f64>,
    /// Vertical coordinates.
    pub y: Vec<f64>,
    /// The part of the variance that the picture shows: 1 if it shows all.
    pub shown: f64,
}

/// Returns the plane that shows most of the variance of `rows` (row after row, `n_columns` each).
///
/// Two columns are shown as they are; one is shown against the order of the rows.
pub fn plane(rows: &[f64], n_columns: usize) -> Projection {
    let n_rows = rows.len() / n_columns.max(1);
    let column = |k: usize| rows.iter().skip(k).step_by(n_columns.max(1)).copied().collect::<Vec<f64>>();
    match n_columns {
        0 => Projection { x: Vec::new(), y: Vec::new(), shown: 1.0 },
        1 => Projection { x: column(0), y: (0..n_rows).map(|i| i as f64).collect(), shown: 1.0 },
        2 => Projection { x: column(0), y: column(1), shown: 1.0 },
        _ => principal_plane(rows, n_columns),
    }
}

fn principal_plane(rows: &[f64], n_columns: usize) -> Projection {
    let n_rows = (rows.len() / n_columns) as f64;
    let mut mean = vec![0.0; n_columns];
    for row in rows.chunks(n_columns) {
        mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += x / n_rows);
    }
    let mut covariance = vec![0.0; n_columns * n_columns];
    for row in rows.chunks(n_columns) {
        for a in 0..n_columns {
            let scaled = (row[a] - mean[a]) / n_rows;
            for b in 0..n_columns {
                covariance[a * n_columns + b] += scaled * (row[b] - mean[b]);
            }
        }
    }
    let axes = full_eigenpairs(&covariance, n_columns);
    let along = |axis: usize| {
        let place = |row: &[f64]| {
            (0..n_columns).map(|k| (row[k] - mean[k]) * axes.vectors[k * n_columns + axis]).sum()
        };
        rows.chunks(n_columns).map(place).collect::<Vec<f64>>()
    };
    let all: f64 = axes.values.iter().sum();
    let shown = if all > 0.0 { (axes.values[0] + axes.values[1]) / all } else { 1.0 };
    Projection { x: along(0), y: along(1), shown }
}

/// Maximum number of landmarks, whose pairwise distances are used; other points are placed by their distances to them. Not
/// tuned.
const MOST_LANDMARKS: usize = 400;

/// Returns a plane in which points lie as far apart as their distances say, as well as a plane can: classical scaling.
///
/// `None` unless every pair that is looked at has a distance.
pub fn scaled(pairs: &Dissimilarity<'_>) -> Option<Projection> {
    let n_points = pairs.n_points();
    if pairs.quantity() != Quantity::Distances || n_points < 2 {
        return None;
    }
    let n = n_points.min(MOST_LANDMARKS);
    let landmarks: Vec<usize> = (0..n).map(|at| at * n_points / n).collect();
    let squares = |i: usize| -> Option<Vec<f64>> {
        landmarks.iter().map(|&j| pairs.pair(i, j).map(|distance| distance * distance)).collect()
    };
    let rows: Vec<Vec<f64>> = landmarks.iter().map(|&i| squares(i)).collect::<Option<_>>()?;
    let means: Vec<f64> = rows.iter().map(|row| row.iter().sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    let inner = |at: usize| -0.5 * (rows[at / n][at % n] - means[at / n] - means[at % n] + mean);
    let axes = full_eigenpairs(&(0..n * n).map(inner).collect::<Vec<f64>>(), n);
    // A point lies where its distances to the landmarks say (Gower).
    let along = |axis: usize| -> Option<Vec<f64>> {
        let scale = 0.5 / axes.values[axis].max(f64::MIN_POSITIVE).sqrt();
        let place = |i: usize| {
            let at = |(k, square): (usize, f64)| scale * (means[k] - square) * axes.vectors[k * n + axis];
            squares(i).map(|squares| squares.into_iter().enumerate().map(at).sum::<f64>())
        };
        (0..n_points).map(place).collect()
    };
    let positive: f64 = axes.values.iter().filter(|value| **value > 0.0).sum();
    let shown = axes.values.iter().take(2).map(|value| value.max(0.0)).sum::<f64>();
    Some(Projection {
        x: along(0)?,
        y: along(1)?,
        shown: if positive > 0.0 { shown / positive } else { 1.0 },
    })
}

#[cfg(test)]
mod tests {
    use similis::{Metric, Points};

    use super::*;

    #[test]
    fn scaling_gives_back_points_in_the_plane_but_for_turns() {
        // More points than landmarks, so that both ways to place one are taken.
        let n = MOST_LANDMARKS + 50;
        let rows: Vec<f64> = (0..n).flat_map(|i| [(i * 7 % 31) as f64, (i * i % 17) as f64]).collect();
        let points = Points::new(rows, n, 2).unwrap();
        let pairs = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
        let plane = scaled(&pairs).unwrap();
        assert!((plane.shown - 1.0).abs() < 1e-9);
        for (i, j) in [(0, 1), (5, 440), (449, 3), (100, 200)] {
            let drawn = (plane.x[i] - plane.x[j]).hypot(plane.y[i] - plane.y[j]);
            assert!((drawn - pairs.pair(i, j).unwrap()).abs() < 1e-6, "{i} {j}");
        }
    }

    #[test]
    fn a_plane_in_space_is_shown_whole() {
        // Points of the plane z = x + y, spread most along (1, 1, 2).
        let rows: Vec<f64> = (0..20)
            .flat_map(|i| {
                let (x, y) = (f64::from(i), f64::from(i * i % 7));
                [x, y, x + y]
            })
            .collect();
        let projection = plane(&rows, 3);
        assert!((projection.shown - 1.0).abs() < 1e-9);
        // Distances survive.
        let squared =
            |a: usize, b: usize| (0..3).map(|k| (rows[3 * a + k] - rows[3 * b + k]).powi(2)).sum::<f64>();
        let drawn = |a: usize, b: usize| {
            (projection.x[a] - projection.x[b]).powi(2) + (projection.y[a] - projection.y[b]).powi(2)
        };
        assert!((squared(3, 17) - drawn(3, 17)).abs() < 1e-8);
    }

    #[test]
    fn one_and_two_columns_are_shown_as_they_are() {
        assert_eq!(plane(&[5.0, 7.0], 1).y, [0.0, 1.0]);
        assert_eq!(plane(&[5.0, 7.0, 1.0, 2.0], 2).y, [7.0, 2.0]);
    }
}
