//! Where each item lies in a picture.

use std::sync::atomic::{AtomicUsize, Ordering};

use similis::latent_feature::Variant;
use similis::{
    Dissimilarity, Error, LatentFeature, NClusters, Observer, Points, Quantity, SparseMatrix, Termination,
};

use crate::layout::layout;
use crate::projection::{Projection, plane, scaled};

/// Number of products with the matrix, eight vectors at a time, after which eigenvectors are drawn as they are: those of a long path
/// need hundreds of thousands, those of other graphs some hundreds. Not tuned.
const MOST_PRODUCTS: usize = 1_000;

/// The same where the search for clusters was ended early, by its time limit or by a signal. Not tuned.
const PRODUCTS_IN_HASTE: usize = 50;

/// Ends a search after a number of products, which is the same on every machine, as a time would not be.
struct Patience {
    n_products: AtomicUsize,
    most: usize,
}

impl Observer for Patience {
    fn cancelled(&self) -> bool {
        self.n_products.fetch_add(1, Ordering::Relaxed) >= self.most
    }
}

/// Maximum number of items that are placed by forces; more take minutes. Not tuned.
const MOST_BY_FORCES: usize = 50_000;

/// The same where the search for clusters was ended early. Not tuned: a second or less.
const MOST_BY_FORCES_IN_HASTE: usize = 2_000;

/// Where items lie, and what that means.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) projection: Projection,
    /// What the axes show.
    pub(crate) names: [String; 2],
    /// What is not shown, for the small print; may be empty.
    pub(crate) note: String,
}

/// Returns the plane in which items are drawn.
///
/// Points as they are, or in the plane of their principal components; distances by classical scaling; graphs by forces along
/// their edges; whatever else by the second and third eigenvector of the random walk, which are sought for a shorter time
/// `in_haste`.
pub(crate) fn placed(
    pairs: &Dissimilarity<'_>,
    points: Option<&Points<'_>>,
    column_names: &[String],
    (seed, in_haste): (u64, bool),
) -> Result<Placed, Error> {
    let most_by_forces = if in_haste { MOST_BY_FORCES_IN_HASTE } else { MOST_BY_FORCES };
    match points {
        Some(points) => Ok(by_points(points, column_names)),
        None => match scaled(pairs) {
            Some(projection) => Ok(by_distances(projection)),
            None => match pairs.sparse().filter(|graph| graph.n_points() <= most_by_forces) {
                Some(graph) => Ok(by_forces(pairs.quantity(), graph)),
                None => by_random_walk(pairs, seed, in_haste),
            },
        },
    }
}

fn by_points(points: &Points<'_>, column_names: &[String]) -> Placed {
    let n_columns = points.n_dimensions();
    let projection = plane(points.as_slice(), n_columns);
    let name = |k: usize| match column_names.get(k) {
        _ if n_columns > 2 => format!("principal component {}", k + 1),
        _ if k >= n_columns => "row".to_owned(),
        Some(name) => name.clone(),
        None => format!("column {}", k + 1),
    };
    let shown = 100.0 * projection.shown;
    let note = if n_columns > 2 {
        format!("; the plane shows {shown:.0}% of the variance of the {n_columns} columns")
    } else {
        String::new()
    };
    Placed { names: [name(0), name(1)], projection, note }
}

fn by_distances(projection: Projection) -> Placed {
    let name = |k: usize| format!("coordinate {k} from the distances");
    let shown = 100.0 * projection.shown;
    let note = format!("; placed by classical scaling, which shows {shown:.0}% of the squared distances");
    Placed { projection, names: [name(1), name(2)], note }
}

/// Neighbours close together, each component separately.
fn by_forces(quantity: Quantity, graph: &SparseMatrix<'_>) -> Placed {
    let values = || graph.values().iter().copied().filter(|value| *value > 0.0);
    let n_values = values().count().max(1) as f64;
    let mean = (values().sum::<f64>() / n_values).max(f64::MIN_POSITIVE);
    let weight = |value: f64| match quantity {
        Quantity::Similarities => (value / mean).clamp(0.0, 100.0),
        // Half the distance attracts twice as much; distances near 0 do not outweigh all others.
        Quantity::Distances => mean / value.max(0.05 * mean),
    };
    let note =
        "; placed by forces along the edges, each component separately: only closeness counts".to_owned();
    Placed { projection: layout(graph, &weight), names: [String::new(), String::new()], note }
}

fn by_random_walk(pairs: &Dissimilarity<'_>, seed: u64, in_haste: bool) -> Result<Placed, Error> {
    let n_features = pairs.n_points().min(3);
    let model = LatentFeature {
        n_clusters: NClusters::Exactly(n_features),
        // Similarities may be negative: taken as they are, they can always be drawn.
        normalised: pairs.quantity() == Quantity::Similarities && has_negative(pairs),
        seed,
        ..LatentFeature::default()
    };
    let most = if in_haste { PRODUCTS_IN_HASTE } else { MOST_PRODUCTS };
    let spectrum = model.spectrum(pairs, &Patience { n_products: AtomicUsize::new(0), most })?;
    let rough = spectrum.eigenpairs.ended != Termination::Converged;
    let features = spectrum.features(n_features, Variant::MeilaShi);
    // The first is the same for all.
    let column = |k: usize| -> Vec<f64> {
        let values = features.as_slice().chunks(n_features);
        values.map(|row| row.get(k).copied().unwrap_or_default()).collect()
    };
    let projection = Projection { x: column(1), y: column(2), shown: 1.0 };
    let name = |words: &str| format!("{words} eigenvector of the random walk");
    let roughly = if rough { "roughly " } else { "" };
    let note = format!("; placed {roughly}by eigenvectors, not by coordinates");
    Ok(Placed { projection, names: [name("second"), name("third")], note })
}

fn has_negative(pairs: &Dissimilarity<'_>) -> bool {
    (0..pairs.n_points()).any(|i| {
        let mut negative = false;
        pairs.for_each_pair(i, |_, value| negative |= value < 0.0);
        negative
    })
}

#[cfg(test)]
mod tests {
    use similis::Checks;
    use similis::input::SparseMatrix;

    use super::*;

    /// A graph whose edges are all of length 1.
    fn graph(n_points: usize, edges: &[(usize, usize)]) -> Dissimilarity<'static> {
        let mut edges: Vec<(usize, usize, f64)> = edges.iter().map(|&(i, j)| (i, j, 1.0)).collect();
        edges.sort_by_key(|&(i, j, _)| (i, j));
        edges.dedup();
        let matrix = SparseMatrix::from_edges(n_points, &edges).unwrap();
        Dissimilarity::from_sparse(matrix, Quantity::Distances, Checks::default()).unwrap()
    }

    #[test]
    fn a_graph_is_placed_by_forces_unless_there_is_no_time() {
        let n = MOST_BY_FORCES_IN_HASTE + 1;
        let path: Vec<(usize, usize)> = (1..n).map(|i| (i - 1, i)).collect();
        let note = |in_haste: bool| placed(&graph(n, &path), None, &[], (0, in_haste)).unwrap().note;
        assert!(note(false).contains("placed by forces"), "{}", note(false));
        assert!(note(true).contains("eigenvectors"), "{}", note(true));
    }

    #[test]
    fn eigenvectors_of_a_long_path_are_rough_and_those_of_other_graphs_are_not() {
        let n = 8000;
        let path: Vec<(usize, usize)> = (1..n).map(|i| (i - 1, i)).collect();
        let placed = |edges: &[(usize, usize)]| by_random_walk(&graph(n, edges), 0, false).unwrap();
        let rough = placed(&path);
        assert!(rough.note.contains("placed roughly by eigenvectors"), "{}", rough.note);
        assert!(rough.projection.x.iter().chain(&rough.projection.y).all(|place| place.is_finite()));
        // Every node beside five that chance chose.
        let far = |i: usize, k: usize| (i * 7919 + k * 104_729 + i * i * 31 + 13) % n;
        let mixed = (0..n).flat_map(|i| (0..5).map(move |k| (i, far(i, k))));
        let mixed: Vec<(usize, usize)> = mixed.filter(|(i, j)| i < j).chain(path).collect();
        assert!(placed(&mixed).note.contains("placed by eigenvectors"), "{}", placed(&mixed).note);
    }
}
