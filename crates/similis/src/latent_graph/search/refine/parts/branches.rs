//! Both sides of every link of a cluster's tree: what the score's estimate needs of them, in time linear in points times clusters.

use crate::graph::neighbours::Neighbours;
use crate::graph::rooted::Walk;
use crate::latent_graph::search::score::varying::ScaleGrid;

/// What the estimate of the score needs of a set of points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    pub(super) size: usize,
    /// Observed links, and the sum of the powers of their lengths.
    pub(super) n_links: f64,
    pub(super) powers: f64,
    /// Steps of the walk that begin and end in the set, counted at both ends; and all steps at one of its points.
    pub(super) inside: f64,
    pub(super) touching: f64,
}

impl Sums {
    /// With one link more; `None` stands for a pair that is not observed.
    pub(super) fn with_link(self, power: Option<f64>) -> Self {
        let Some(power) = power else { return self };
        Self { n_links: self.n_links + 1.0, powers: self.powers + power, ..self }
    }

    pub(super) fn without_link(self, power: Option<f64>) -> Self {
        let Some(power) = power else { return self };
        Self { n_links: self.n_links - 1.0, powers: (self.powers - power).max(0.0), ..self }
    }

    /// Both sets together, with this number of steps of the walk between them.
    pub(super) fn plus(self, other: Self, between: f64) -> Self {
        Self {
            size: self.size + other.size,
            n_links: self.n_links + other.n_links,
            powers: self.powers + other.powers,
            inside: self.inside + other.inside + 2.0 * between,
            touching: self.touching + other.touching,
        }
    }

    /// What is left of a set without a part, with this number of steps of the walk between the two.
    pub(super) fn minus(self, part: Self, between: f64) -> Self {
        Self {
            size: self.size - part.size,
            n_links: self.n_links - part.n_links,
            powers: (self.powers - part.powers).max(0.0),
            inside: self.inside - part.inside - 2.0 * between,
            touching: self.touching - part.touching,
        }
    }
}

/// One side of a link of a cluster's tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Side {
    pub(super) sums: Sums,
    /// Steps of the walk to the other side.
    pub(super) across: f64,
    /// For each cluster but its own: steps of the walk to it, and the length of the shortest listed pair.
    pub(super) near: Vec<(f64, f64)>,
}

/// The tree of a cluster, its points in depth-first order: what lies below a link is a run of them.
#[derive(Debug)]
pub(super) struct Branches {
    /// The points, in depth-first order.
    pub(super) points: Vec<usize>,
    /// For each place in that order: how many points the branch holds that begins there, and its sums.
    sizes: Vec<usize>,
    sums: Vec<Sums>,
    /// The power of the length of the link above each place.
    pub(super) cuts: Vec<Option<f64>>,
    n_classes: usize,
    /// For each place and cluster: steps from the branch to the cluster.
    steps: Vec<f64>,
    /// For each place and cluster: the shortest listed pair from the points of the branch, from the points up to the place,
    /// and from those at the place and behind it.
    nearest: [Vec<f64>; 3],
}

/// What branches are made from.
pub(super) struct Around<'a> {
    pub(super) labels: &'a [usize],
    pub(super) n_classes: usize,
    /// The ends of the walk's steps from and to each point.
    pub(super) steps: &'a [Vec<usize>],
    pub(super) neighbours: &'a Neighbours,
    pub(super) grid: &'a ScaleGrid,
}

impl Branches {
    /// The branches of a cluster's tree (rising numbers of its points; `None` for a single point).
    pub(super) fn new(members: &[usize], walk: Option<&Walk>, around: &Around<'_>) -> Self {
        let places = walk.map_or_else(Places::of_one, Places::new);
        let (n, m) = (members.len(), around.n_classes);
        let cut = |&at: &usize| walk.and_then(|walk| around.grid.power(walk.up[at]));
        let mut found = Self {
            points: places.order.iter().map(|&at| members[at]).collect(),
            cuts: places.order.iter().map(cut).collect(),
            sizes: places.sizes.clone(),
            sums: vec![Sums { size: 1, ..Sums::default() }; n],
            n_classes: m,
            steps: vec![0.0; n * m],
            nearest: std::array::from_fn(|_| vec![f64::INFINITY; n * m]),
        };
        found.look_around(members, &places, around);
        found.look_along();
        found.gather(&places.parents);
        found
    }

    /// Fills in each place by itself.
    fn look_around(&mut self, members: &[usize], places: &Places, around: &Around<'_>) {
        let own = around.labels[members[0]];
        for place in 0..self.points.len() {
            let (i, row) = (self.points[place], place * self.n_classes);
            self.sums[place].touching = around.steps[i].len() as f64;
            for &j in &around.steps[i] {
                let class = around.labels[j];
                if class == own {
                    let other = members.binary_search(&j).map_or(place, |at| places.of[at]);
                    self.sums[places.joining(place, other)].inside += 1.0;
                } else {
                    self.steps[row + class] += 1.0;
                }
            }
            for (j, length) in around.neighbours.of(i) {
                let nearest = &mut self.nearest[0][row + around.labels[j]];
                *nearest = nearest.min(length);
            }
        }
    }

    /// Finds the shortest pairs of the points up to each place, and from each place on.
    fn look_along(&mut self) {
        let (n, m) = (self.points.len(), self.n_classes);
        let [own, up_to, behind] = &mut self.nearest;
        up_to.copy_from_slice(own);
        behind.copy_from_slice(own);
        (m..n * m).for_each(|at| up_to[at] = up_to[at].min(up_to[at - m]));
        (0..(n - 1) * m).rev().for_each(|at| behind[at] = behind[at].min(behind[at + m]));
    }

    /// Adds up what lies below every place.
    fn gather(&mut self, parents: &[usize]) {
        let (n, m) = (self.points.len(), self.n_classes);
        for place in (1..n).rev() {
            let above = parents[place];
            self.sums[above] = self.sums[above].plus(self.sums[place], 0.0).with_link(self.cuts[place]);
            for class in 0..m {
                self.steps[above * m + class] += self.steps[place * m + class];
                let below = self.nearest[0][place * m + class];
                let nearest = &mut self.nearest[0][above * m + class];
                *nearest = nearest.min(below);
            }
        }
    }

    /// The points of a branch, as a run of places.
    pub(super) fn run(&self, place: usize) -> std::ops::Range<usize> {
        place..place + self.sizes[place]
    }

    /// The whole cluster.
    pub(super) fn whole(&self) -> Side {
        self.below(0)
    }

    /// The branch that begins at a place.
    pub(super) fn below(&self, place: usize) -> Side {
        let row = place * self.n_classes..(place + 1) * self.n_classes;
        let near: Vec<(f64, f64)> = row.map(|at| (self.steps[at], self.nearest[0][at])).collect();
        let to_others: f64 = near.iter().map(|&(steps, _)| steps).sum();
        let sums = self.sums[place];
        Side { sums, across: sums.touching - sums.inside - to_others, near }
    }

    /// All points of the cluster but a branch, whose own side is given.
    pub(super) fn rest(&self, place: usize, below: &Side) -> Side {
        let m = self.n_classes;
        let beyond = place + self.sizes[place];
        let nearest = |class: usize| {
            let before = if place > 0 { self.nearest[1][(place - 1) * m + class] } else { f64::INFINITY };
            self.nearest[2].get(beyond * m + class).map_or(before, |behind| before.min(*behind))
        };
        let steps = |class: usize| self.steps[class] - below.near[class].0;
        Side {
            sums: self.sums[0].without_link(self.cuts[place]).minus(below.sums, below.across),
            across: below.across,
            near: (0..m).map(|class| (steps(class), nearest(class))).collect(),
        }
    }
}

/// The depth-first order of a tree.
struct Places {
    /// The point at each place, and the place of each point.
    order: Vec<usize>,
    of: Vec<usize>,
    /// The place above each, and the number of places of each branch.
    parents: Vec<usize>,
    sizes: Vec<usize>,
}

impl Places {
    fn of_one() -> Self {
        Self { order: vec![0], of: vec![0], parents: vec![0], sizes: vec![1] }
    }

    fn new(walk: &Walk) -> Self {
        let n = walk.parent.len();
        // The first place below each point that no branch has yet.
        let mut free = vec![1; n];
        let mut places = Self { order: vec![0; n], of: vec![0; n], parents: vec![0; n], sizes: vec![n; n] };
        for &i in walk.order.iter().skip(1) {
            let parent = walk.parent[i];
            let place = free[parent];
            free[parent] += walk.size[i];
            free[i] = place + 1;
            places.order[place] = i;
            places.of[i] = place;
            places.parents[place] = places.of[parent];
            places.sizes[place] = walk.size[i];
        }
        places
    }

    /// The place of the smallest branch that holds two places.
    fn joining(&self, place: usize, other: usize) -> usize {
        let mut top = place;
        while !(top..top + self.sizes[top]).contains(&other) {
            top = self.parents[top];
        }
        top
    }
}
