//! Two coordinates for a picture.

use similis::linalg::full_eigenpairs;

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

#[cfg(test)]
mod tests {
    use super::*;

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
