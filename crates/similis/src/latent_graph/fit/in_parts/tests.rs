use std::ops::Range;

use super::*;
use crate::evaluate::shapes::{Shape, draw};
use crate::graph::parts::{Cell, CellLists, Curve, Growth, Seeking, Way, insert};
use crate::input::labels::Labels;
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::run::observer::Silent;
use crate::settings::n_clusters::NClusters;

/// Points in cells, in memory; equal rows are one point.
struct InMemory {
    cells: Vec<Cell>,
    /// For each point the rows that it stands for.
    rows: Vec<Vec<usize>>,
    lists: Vec<(f64, u32)>,
    last: Vec<f64>,
}

impl InMemory {
    fn new(points: &Points<'_>, n_cells: usize) -> Self {
        let d = points.n_dimensions();
        let order = Curve::around(points.as_slice(), d).order(points.as_slice());
        let mut rows: Vec<Vec<usize>> = Vec::new();
        for i in order.into_iter().map(|i| i as usize) {
            match rows.last_mut().filter(|last| points.row(last[0]) == points.row(i)) {
                Some(last) => last.push(i),
                None => rows.push(vec![i]),
            }
        }
        let n = rows.len();
        let cell = |at: usize| {
            let own = at * n / n_cells..(at + 1) * n / n_cells;
            let values: Vec<f64> =
                rows[own.clone()].iter().flat_map(|rows| points.row(rows[0]).to_vec()).collect();
            let some = Points::new(values, own.len(), d).unwrap();
            Cell::new(own.start, MeasuredPoints::new(some, Metric::Euclidean).unwrap()).unwrap()
        };
        let cells: Vec<Cell> = (0..n_cells).map(cell).collect();
        Self { cells, rows, lists: Vec::new(), last: Vec::new() }
    }

    /// Makes the lists; returns the tree.
    fn tree(&mut self) -> Vec<Ranked> {
        let mut links = Vec::new();
        for cell in &self.cells {
            let mut lists = CellLists::within(cell, LatentGraph::n_listed_in_parts());
            for other in &self.cells {
                if lists.needs(&other.outline()) {
                    lists.look_in(other);
                }
            }
            let lists = lists.into_entries();
            self.lists.extend_from_slice(lists.all());
            links.extend(lists.forest());
            self.last.extend(lists.last());
        }
        sort(&mut links);
        let growth = Growth::new(links.into_iter(), self.last.clone());
        self.grown(growth, None)
    }

    fn grown(&self, mut growth: Growth, class: Option<&[u32]>) -> Vec<Ranked> {
        while !growth.is_complete() {
            let limits = growth.limits();
            let component = growth.components().to_vec();
            let limit: Vec<f64> = component.iter().map(|&own| limits[own as usize]).collect();
            let ways: Vec<Way> =
                self.cells.iter().flat_map(|cell| self.ways(cell, &component, &limit, class)).collect();
            growth.join(ways.into_iter());
        }
        growth.into_tree()
    }

    fn ways(&self, cell: &Cell, component: &[u32], limit: &[f64], class: Option<&[u32]>) -> Vec<Way> {
        let of = |cell: &Cell| cell.first..cell.first + cell.n_points();
        let mut seeking = Seeking::new(cell, &component[of(cell)], &limit[of(cell)], &self.last[of(cell)]);
        if let Some(class) = class {
            seeking = seeking.in_classes(&class[of(cell)]);
        }
        for other in self.cells.iter().filter(|_| !limit.is_empty()) {
            if seeking.needs(&other.outline(), None) {
                seeking.look_in(other, &component[of(other)], class.map(|class| &class[of(other)]));
            }
        }
        seeking.ways()
    }

    /// The labels of the rows.
    fn labels(&self, labels: &[u32]) -> Labels {
        let mut own = vec![0; self.rows.iter().map(Vec::len).sum()];
        self.rows.iter().zip(labels).for_each(|(rows, &label)| rows.iter().for_each(|&i| own[i] = label));
        Labels::new(&own)
    }
}

impl Parts for InMemory {
    fn n_points(&self) -> usize {
        self.rows.len()
    }

    fn rows(&self, points: &[usize]) -> Option<MeasuredPoints<'static>> {
        let row = |&i: &usize| {
            let cell = self.cells.iter().rfind(|cell| cell.first <= i)?;
            Some(cell.points.points().row(i - cell.first).to_vec())
        };
        let rows: Option<Vec<Vec<f64>>> = points.iter().map(row).collect();
        let points = Points::new(rows?.concat(), points.len(), 2).ok()?;
        MeasuredPoints::new(points, Metric::Euclidean).ok()
    }

    fn weights(&self, points: &[usize]) -> Option<Vec<f64>> {
        let any_equal = self.rows.iter().any(|rows| rows.len() > 1);
        Some(if any_equal { points.iter().map(|&i| self.rows[i].len() as f64).collect() } else { Vec::new() })
    }

    fn lists(&self, points: Range<usize>) -> Option<Vec<(f64, u32)>> {
        let k = LatentGraph::n_listed_in_parts();
        Some(self.lists[points.start * k..points.end * k].to_vec())
    }
}

/// Fits the points in one place and in parts.
fn compare(points: &Points<'static>, n_clusters: NClusters, n_cells: usize) {
    let model = LatentGraph { n_clusters, ..LatentGraph::default() };
    let observed = Dissimilarity::from_points(points.clone(), Metric::Euclidean).unwrap();
    let whole = model.fit(&observed, &[]).unwrap();
    let mut parts = InMemory::new(points, n_cells);
    let tree = parts.tree();
    let partition = model.partition_parts(&parts, &tree, &Silent).unwrap();
    let labels = parts.labels(&partition.labels);
    assert_eq!(labels, whole.labels);
    let certain = || tree.iter().filter(|link| partition.is_inside_open(link)).copied();
    let listed = links_of_open(&parts, certain(), &partition).unwrap();
    let growth = Growth::of_classes((partition.labels.clone(), partition.is_open.clone()), certain(), listed);
    let added = parts.grown(growth, Some(&partition.labels));
    let of_open = OpenTrees { added, left_out: Vec::new() };
    // The same, from all pairs of these clusters.
    let whole_trees = all_pairs_of_open(&parts, &partition).unwrap();
    assert_eq!(OpenTrees::new(whole_trees, &tree, &[], &partition), of_open);
    let fit = model.answer_parts(&parts, &tree, &partition, &of_open).unwrap();
    // Clusters are numbered by the rows in one place, along the curve in parts.
    let mut number = vec![0; whole.scales.len()];
    for (rows, &label) in parts.rows.iter().zip(&partition.labels) {
        number[whole.labels.as_slice()[rows[0]]] = label as usize;
    }
    let renumbered = |values: &[f64]| number.iter().map(|&at| values[at]).collect::<Vec<f64>>();
    assert_eq!(renumbered(&fit.scales), whole.scales);
    assert_eq!(renumbered(&fit.spreads), whole.spreads);
    assert_eq!((fit.background, fit.log_joint), (whole.background, whole.log_joint));
    assert_eq!(partition.of_sample.proposals[0].score.total(), whole.proposals[0].score.total());
}

#[test]
fn points_in_parts_have_the_answer_of_points_in_one_place() {
    let drawn = draw(Shape::Thinned, 22_000, 3).unwrap();
    compare(&drawn.points, NClusters::Exactly(2), 7);
}

#[test]
fn equal_rows_are_one_point_in_parts_too() {
    let drawn = draw(Shape::FiveBlobs, 21_000, 5).unwrap();
    let mut values = drawn.points.as_slice().to_vec();
    // Every 40th point stands there twice more.
    let copies: Vec<f64> = (0..21_000).step_by(40).flat_map(|i| drawn.points.row(i).to_vec()).collect();
    values.extend_from_slice(&copies);
    values.extend_from_slice(&copies);
    let n = values.len() / 2;
    compare(&Points::new(values, n, 2).unwrap(), NClusters::Auto, 3);
}

#[test]
fn clusters_that_lists_do_not_connect_have_the_tree_of_all_their_pairs() {
    let drawn = draw(Shape::FiveBlobs, 2_000, 5).unwrap();
    let mut parts = InMemory::new(&drawn.points, 6);
    let tree = parts.tree();
    let n = parts.n_points();
    // Five blobs that lists connect, and points of their own all over the place.
    let blob = |i: usize| drawn.labels.as_slice()[parts.rows[i][0]] as u32;
    let labels: Vec<u32> = (0..n).map(|i| if i % 97 == 5 { 5 } else { blob(i) }).collect();
    let (labels, sizes) = in_order(labels, 6);
    let (between, is_open) = joined(&parts, &tree, &labels, &sizes).unwrap();
    assert_eq!(is_open.iter().filter(|&&open| open).count(), 1);
    let of_sample = LatentGraph { n_clusters: NClusters::Exactly(1), ..LatentGraph::default() };
    let few = Dissimilarity::from_points(draw(Shape::FiveBlobs, 30, 1).unwrap().points, Metric::Euclidean);
    let of_sample = of_sample.fit(&few.unwrap(), &[]).unwrap();
    let partition =
        PartsPartition { labels, sizes, of_sample, members: Vec::new(), between, is_open: is_open.clone() };
    let mut found: Vec<Ranked> = tree.iter().filter(|link| partition.is_inside_open(link)).copied().collect();
    let listed = links_of_open(&parts, found.iter().copied(), &partition).unwrap();
    let classes = (partition.labels.clone(), is_open.clone());
    let growth = Growth::of_classes(classes, found.iter().copied(), listed);
    let added = parts.grown(growth, Some(&partition.labels));
    insert(&mut found, added.clone());
    let open = is_open.iter().position(|&open| open).unwrap();
    let members: Vec<usize> = (0..n).filter(|&i| partition.labels[i] as usize == open).collect();
    let own = Dissimilarity::from_measured(parts.rows(&members).unwrap());
    let expected: Vec<Ranked> = crate::minimum_spanning_tree(&own, &Silent)
        .iter()
        .map(|link| Ranked::new(link.length, members[link.from] as u32, members[link.to] as u32))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(all_pairs_of_open(&parts, &partition).unwrap(), expected);
    let of_open = OpenTrees { added, left_out: Vec::new() };
    let (lengths, starts) = lengths_of_clusters(&tree, &partition, &of_open);
    assert_eq!(
        lengths[starts[open]..starts[open + 1]],
        expected.iter().map(|link| link.length).collect::<Vec<_>>()
    );
    assert_eq!(starts[open + 1] - starts[open], members.len() - 1);
    assert!(lengths.iter().all(|&length| length > 0.0));
}
