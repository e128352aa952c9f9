//! The layout of one component.

use super::tree::Tree;

/// Number of items from which on no coarser graph is made.
const COARSEST: usize = 40;

/// Number of steps of the coarsest graph. Not tuned.
const FIRST_STEPS: usize = 200;

/// Number of steps of every finer graph. Not tuned.
const STEPS: usize = 40;

/// A connected graph: for each item its neighbours and how strongly they attract, and what it weighs.
pub(super) struct Graph {
    edges: Vec<Vec<(usize, f64)>>,
    mass: Vec<f64>,
}

impl Graph {
    /// Returns a graph in which an item weighs as much as its edges.
    pub(super) fn new(edges: Vec<Vec<(usize, f64)>>) -> Self {
        let mass =
            edges.iter().map(|row| row.iter().map(|&(_, weight)| weight).sum::<f64>().max(1e-9)).collect();
        Self { edges, mass }
    }

    /// Returns where each item lies: a graph of fewer items first, then step by step all.
    pub(super) fn places(&self) -> Vec<[f64; 2]> {
        let n = self.edges.len();
        let coarser = (n > COARSEST).then(|| self.coarser()).filter(|coarser| coarser.n_groups * 10 < n * 9);
        let Some(Coarser { group, graph, .. }) = coarser else {
            return self.moved(sunflower(n), FIRST_STEPS);
        };
        let rough = graph.places();
        // Twice the items need twice the area.
        let wider = (n as f64 / rough.len() as f64).sqrt();
        let near = sunflower(n);
        let spread = extent(&rough) / (rough.len() as f64).sqrt();
        let start = (0..n).map(|i| {
            let [x, y] = rough[group[i]];
            // Items of one group lie in different directions from its place.
            let [dx, dy] = unit(near[i]);
            [wider * x + 0.3 * spread * dx, wider * y + 0.3 * spread * dy]
        });
        self.moved(start.collect(), STEPS)
    }

    /// Moves items by the forces on them, ever less far.
    fn moved(&self, mut places: Vec<[f64; 2]>, n_steps: usize) -> Vec<[f64; 2]> {
        let n = places.len();
        if n < 2 {
            return places;
        }
        let mut reach = 0.1 * extent(&places).max(1e-9);
        // The strength of repulsion only sets the size of the picture.
        let total: f64 = self.mass.iter().sum();
        for _ in 0..n_steps {
            let tree = Tree::new(&places, &self.mass);
            let forces: Vec<[f64; 2]> = (0..n)
                .map(|i| {
                    let [mut x, mut y] = tree.repulsion(places[i], self.mass[i] / total);
                    for &(j, weight) in &self.edges[i] {
                        let (dx, dy) = (places[j][0] - places[i][0], places[j][1] - places[i][1]);
                        let length = dx.hypot(dy).max(1e-9);
                        let pull = weight * (1.0 + length).ln() / length;
                        (x, y) = (x + pull * dx, y + pull * dy);
                    }
                    [x, y]
                })
                .collect();
            for (place, force) in places.iter_mut().zip(forces) {
                let strength = force[0].hypot(force[1]);
                let step = if strength > 0.0 { reach.min(strength) / strength } else { 0.0 };
                *place = [place[0] + step * force[0], place[1] + step * force[1]];
            }
            reach *= 0.94;
        }
        places
    }

    /// Returns the graph in which each item is joined with the unjoined neighbour that attracts it most for its weight.
    fn coarser(&self) -> Coarser {
        let n = self.edges.len();
        let mut group = vec![usize::MAX; n];
        let mut by_degree: Vec<usize> = (0..n).collect();
        by_degree.sort_by_key(|&i| (self.edges[i].len(), i));
        let mut n_groups = 0;
        for i in by_degree {
            if group[i] != usize::MAX {
                continue;
            }
            group[i] = n_groups;
            let free = self.edges[i].iter().filter(|&&(j, _)| group[j] == usize::MAX);
            let attracts = |&(j, weight): &(usize, f64)| weight / self.mass[j];
            if let Some(&(j, _)) = free.max_by(|a, b| attracts(a).total_cmp(&attracts(b)).then(b.0.cmp(&a.0)))
            {
                group[j] = n_groups;
            }
            n_groups += 1;
        }
        let mut mass = vec![0.0; n_groups];
        let mut edges: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n_groups];
        for i in 0..n {
            mass[group[i]] += self.mass[i];
            let others = self.edges[i].iter().map(|&(j, weight)| (group[j], weight));
            edges[group[i]].extend(others.filter(|&(other, _)| other != group[i]));
        }
        edges.iter_mut().for_each(|row| *row = summed(std::mem::take(row)));
        Coarser { group, graph: Self { edges, mass }, n_groups }
    }
}

/// A graph of groups, and the group of each item.
struct Coarser {
    group: Vec<usize>,
    graph: Graph,
    n_groups: usize,
}

/// Returns the edges with those to the same item added up.
fn summed(mut row: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    row.sort_by_key(|&(to, _)| to);
    row.chunk_by(|a, b| a.0 == b.0)
        .map(|same| (same[0].0, same.iter().map(|&(_, weight)| weight).sum()))
        .collect()
}

/// Returns places that fill a disc evenly.
fn sunflower(n: usize) -> Vec<[f64; 2]> {
    // The golden angle.
    let turn = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..n)
        .map(|i| {
            let (radius, angle) = ((i as f64 + 0.5).sqrt(), turn * i as f64);
            [radius * angle.cos(), radius * angle.sin()]
        })
        .collect()
}

fn unit([x, y]: [f64; 2]) -> [f64; 2] {
    let length = x.hypot(y).max(1e-12);
    [x / length, y / length]
}

/// The longer side of the box around all places.
fn extent(places: &[[f64; 2]]) -> f64 {
    let side = |axis: usize| {
        let along = || places.iter().map(|place| place[axis]);
        along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
    };
    side(0).max(side(1)).max(0.0)
}
