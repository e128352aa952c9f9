//! Where the items of a graph lie in a picture: neighbours close together, everything else apart.
//!
//! Each component is laid out separately, by forces: edges attract by the logarithm of their length, items repel one another by
//! their degrees (the edge-repulsion LinLog model of Noack, 2007, in which clusters lie apart). The start is the layout of a
//! coarser graph, in which pairs of neighbours are one item. Chance has no part in it.

mod forces;
mod tree;

use similis::SparseMatrix;

use self::forces::Graph;
use crate::projection::Projection;

/// Room between two components, in units of the distance between items.
const GAP: f64 = 1.5;

/// Returns where the items of a graph lie; `weight` says how strongly an edge of this value attracts.
pub fn layout(graph: &SparseMatrix<'_>, weight: &dyn Fn(f64) -> f64) -> Projection {
    let n = graph.n_points();
    let mut edges: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n];
    for i in 0..n {
        edges[i] = graph.row(i).filter(|&(j, _)| j != i).map(|(j, value)| (j, weight(value))).collect();
    }
    let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
    let parts: Vec<Part> = components(&edges).into_iter().map(|members| Part::new(members, &edges)).collect();
    for (part, [left, top]) in parts.iter().zip(packed(&parts)) {
        for (&item, place) in part.members.iter().zip(&part.places) {
            x[item] = left + part.radius + place[0];
            y[item] = -(top + part.radius + place[1]);
        }
    }
    Projection { x, y, shown: 1.0 }
}

/// The items of each component, the largest first.
fn components(edges: &[Vec<(usize, f64)>]) -> Vec<Vec<usize>> {
    let mut seen = vec![false; edges.len()];
    let mut found: Vec<Vec<usize>> = Vec::new();
    for first in 0..edges.len() {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let mut members = vec![first];
        let mut at = 0;
        while at < members.len() {
            for &(j, _) in &edges[members[at]] {
                if !std::mem::replace(&mut seen[j], true) {
                    members.push(j);
                }
            }
            at += 1;
        }
        members.sort_unstable();
        found.push(members);
    }
    found.sort_by_key(|members| (std::cmp::Reverse(members.len()), members[0]));
    found
}

/// A component, laid out about its middle.
struct Part {
    members: Vec<usize>,
    places: Vec<[f64; 2]>,
    radius: f64,
}

impl Part {
    fn new(members: Vec<usize>, edges: &[Vec<(usize, f64)>]) -> Self {
        let own = |item: usize| members.binary_search(&item).unwrap_or_default();
        let rows = members.iter().map(|&i| edges[i].iter().map(|&(j, weight)| (own(j), weight)).collect());
        let mut places = Graph::new(rows.collect()).places();
        let n = places.len() as f64;
        let middle =
            places.iter().fold([0.0, 0.0], |sum, place| [sum[0] + place[0] / n, sum[1] + place[1] / n]);
        places.iter_mut().for_each(|place| *place = [place[0] - middle[0], place[1] - middle[1]]);
        // An area for each component that goes with its number of items.
        let radius = n.sqrt();
        let farthest = places.iter().map(|place| place[0].hypot(place[1])).fold(0.0, f64::max);
        let scale = if farthest > 0.0 { radius / farthest } else { 1.0 };
        places.iter_mut().for_each(|place| *place = place.map(|at| at * scale));
        Self { members, places, radius }
    }
}

/// Returns the left and upper corner of each component's square: rows of squares, one below the other.
fn packed(parts: &[Part]) -> Vec<[f64; 2]> {
    let side = |part: &Part| 2.0 * part.radius + GAP;
    let area: f64 = parts.iter().map(|part| side(part).powi(2)).sum();
    let width = (1.4 * area.sqrt()).max(parts.first().map_or(0.0, side));
    let (mut left, mut top, mut height) = (0.0, 0.0, 0.0_f64);
    parts
        .iter()
        .map(|part| {
            if left + side(part) > width + 1e-9 {
                (left, top, height) = (0.0, top + height, 0.0);
            }
            let corner = [left, top];
            left += side(part);
            height = height.max(side(part));
            corner
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups of items, all joined within a group, and groups joined in a chain if asked for.
    fn groups(n_groups: usize, size: usize, joined: bool) -> SparseMatrix<'static> {
        let mut edges = Vec::new();
        for group in 0..n_groups {
            let first = group * size;
            for i in first..first + size {
                edges.extend((i + 1..first + size).map(|j| (i, j, 1.0)));
            }
            if joined && group > 0 {
                edges.push((first - 1, first, 1.0));
            }
        }
        SparseMatrix::from_edges(n_groups * size, &edges).unwrap()
    }

    fn apart(plane: &Projection, i: usize, j: usize) -> f64 {
        (plane.x[i] - plane.x[j]).hypot(plane.y[i] - plane.y[j])
    }

    #[test]
    fn items_of_a_group_lie_together_and_groups_apart() {
        for joined in [true, false] {
            let plane = layout(&groups(4, 12, joined), &|value| value);
            let within = (0..48).map(|i| apart(&plane, i, i / 12 * 12)).fold(0.0, f64::max);
            let between = (1..4).map(|group| apart(&plane, 6, 12 * group + 6)).fold(f64::INFINITY, f64::min);
            assert!(between > 1.2 * within, "joined {joined}: {between} and {within}");
        }
    }

    #[test]
    fn components_do_not_overlap_and_items_without_edges_have_places() {
        let edges = [(0, 1, 1.0), (1, 2, 1.0), (3, 4, 1.0)];
        let plane = layout(&SparseMatrix::from_edges(7, &edges).unwrap(), &|value| value);
        assert!(plane.x.iter().chain(&plane.y).all(|at| at.is_finite()));
        for (i, j) in [(0, 3), (1, 5), (5, 6), (4, 6)] {
            assert!(apart(&plane, i, j) > 0.5, "{i} {j}");
        }
        assert_eq!(layout(&SparseMatrix::from_edges(7, &edges).unwrap(), &|value| value), plane);
    }
}
