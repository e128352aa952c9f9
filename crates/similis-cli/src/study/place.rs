//! Where each item lies in a picture.

use similis::latent_feature::Variant;
use similis::{Dissimilarity, Error, LatentFeature, NClusters, Points, Quantity, Silent, SparseMatrix};

use crate::layout::layout;
use crate::projection::{Projection, plane, scaled};

/// Maximum number of items that are placed by forces; more take minutes. Not tuned.
const MOST_BY_FORCES: usize = 50_000;

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
/// their edges; whatever else by the second and third eigenvector of the random walk.
pub(crate) fn placed(
    pairs: &Dissimilarity<'_>,
    points: Option<&Points<'_>>,
    column_names: &[String],
    seed: u64,
) -> Result<Placed, Error> {
    match points {
        Some(points) => Ok(by_points(points, column_names)),
        None => match scaled(pairs) {
            Some(projection) => Ok(by_distances(projection)),
            None => match pairs.sparse().filter(|graph| graph.n_points() <= MOST_BY_FORCES) {
                Some(graph) => Ok(by_forces(pairs.quantity(), graph)),
                None => by_random_walk(pairs, seed),
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

fn by_random_walk(pairs: &Dissimilarity<'_>, seed: u64) -> Result<Placed, Error> {
    let n_features = pairs.n_points().min(3);
    let model = LatentFeature {
        n_clusters: NClusters::Exactly(n_features),
        // Similarities may be negative: taken as they are, they can always be drawn.
        normalised: pairs.quantity() == Quantity::Similarities && has_negative(pairs),
        seed,
        ..LatentFeature::default()
    };
    let features = model.spectrum(pairs, &Silent)?.features(n_features, Variant::MeilaShi);
    // The first is the same for all.
    let column = |k: usize| -> Vec<f64> {
        let values = features.as_slice().chunks(n_features);
        values.map(|row| row.get(k).copied().unwrap_or_default()).collect()
    };
    let projection = Projection { x: column(1), y: column(2), shown: 1.0 };
    let name = |words: &str| format!("{words} eigenvector of the random walk");
    let note = "; placed by eigenvectors, not by coordinates".to_owned();
    Ok(Placed { projection, names: [name("second"), name("third")], note })
}

fn has_negative(pairs: &Dissimilarity<'_>) -> bool {
    (0..pairs.n_points()).any(|i| {
        let mut negative = false;
        pairs.for_each_pair(i, |_, value| negative |= value < 0.0);
        negative
    })
}
