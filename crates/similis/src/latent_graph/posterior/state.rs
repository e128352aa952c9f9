//! The state of a chain: a spanning forest.

use crate::graph::link::Link;
use crate::latent_graph::posterior::target::{ClassSums, Target};

/// A neighbour in the forest.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Next {
    point: usize,
    /// The number of the link.
    link: usize,
}

/// A spanning forest, kept while links come and go.
#[derive(Clone, Debug)]
pub(crate) struct State<'a> {
    pub(crate) target: &'a Target,
    pub(crate) links: Vec<Link>,
    near: Vec<Vec<Next>>,
    /// The cluster of each point; numbers of removed clusters are reused.
    pub(crate) labels: Vec<usize>,
    pub(crate) classes: Vec<ClassSums>,
    pub(crate) n_classes: usize,
    /// Marks of points: a point is marked if its mark is the latest.
    marks: Vec<u32>,
    latest: u32,
}

/// One side of a link that was cut.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Part {
    pub(crate) points: Vec<usize>,
    pub(crate) sums: ClassSums,
}

impl<'a> State<'a> {
    /// The forest of these links.
    pub(crate) fn new(target: &'a Target, n_points: usize, links: Vec<Link>) -> Self {
        let mut state = Self {
            target,
            near: vec![Vec::new(); n_points],
            labels: vec![usize::MAX; n_points],
            classes: Vec::new(),
            n_classes: 0,
            marks: vec![0; n_points],
            latest: 0,
            links,
        };
        for (number, link) in state.links.iter().enumerate() {
            state.near[link.from].push(Next { point: link.to, link: number });
            state.near[link.to].push(Next { point: link.from, link: number });
        }
        for i in 0..n_points {
            if state.labels[i] == usize::MAX {
                let part = state.part(i, usize::MAX, usize::MAX).unwrap_or_default();
                part.points.iter().for_each(|&j| state.labels[j] = state.n_classes);
                state.classes.push(part.sums);
                state.n_classes += 1;
            }
        }
        state
    }

    pub(crate) fn n_points(&self) -> usize {
        self.labels.len()
    }

    /// The only link of a point that is a leaf.
    pub(crate) fn leaf_link(&self, i: usize) -> Option<usize> {
        (self.near[i].len() == 1).then(|| self.near[i][0].link)
    }

    /// The points connected to `start` without the link `cut`, all of them marked; `None` if they are more than `most`.
    pub(crate) fn part(&mut self, start: usize, cut: usize, most: usize) -> Option<Part> {
        self.latest += 1;
        self.marks[start] = self.latest;
        let mut part = Part { points: vec![start], sums: ClassSums::default() };
        let mut at = 0;
        while at < part.points.len() {
            for next in &self.near[part.points[at]] {
                if next.link != cut && self.marks[next.point] != self.latest {
                    self.marks[next.point] = self.latest;
                    part.points.push(next.point);
                    part.sums = part.sums.plus(self.target.sums(self.links[next.link].length));
                }
            }
            if part.points.len() > most {
                return None;
            }
            at += 1;
        }
        part.sums.n_points = part.points.len();
        Some(part)
    }

    /// The smaller side of a link, or the first, marked.
    pub(crate) fn smaller_part(&mut self, cut: usize) -> Part {
        let Link { from, to, .. } = self.links[cut];
        let n = self.classes[self.labels[from]].n_points;
        // Doubling: at most twice the work that it would take if the smaller side were known.
        let mut most = 8;
        loop {
            for start in [from, to] {
                if let Some(part) = self.part(start, cut, most.min(n)) {
                    return part;
                }
            }
            most *= 4;
        }
    }

    pub(crate) fn is_marked(&self, i: usize) -> bool {
        self.marks[i] == self.latest
    }

    /// Puts another link in the place of one; `part`, the side of the old link that is marked, hangs on the new one.
    pub(crate) fn regraft(&mut self, cut: usize, added: Link, part: &Part) {
        let old = self.links[cut];
        let outside = if self.is_marked(added.from) { added.to } else { added.from };
        let (from, to) = (self.labels[old.from], self.labels[outside]);
        let lost = self.target.sums(old.length);
        let gained = self.target.sums(added.length);
        self.unlink(cut);
        self.classes[from] = self.classes[from].minus(lost).minus(part.sums);
        self.classes[to] = self.classes[to].plus(gained).plus(part.sums);
        part.points.iter().for_each(|&i| self.labels[i] = to);
        self.links[cut] = added;
        self.relink(cut);
    }

    /// Takes a link away: `part`, one side of it, becomes a cluster.
    pub(crate) fn split(&mut self, cut: usize, part: &Part) {
        let old = self.links[cut];
        let from = self.labels[old.from];
        self.classes[from] = self.classes[from].minus(self.target.sums(old.length)).minus(part.sums);
        let free = self.classes.iter().position(|class| class.n_points == 0);
        let new = free.unwrap_or(self.classes.len());
        if free.is_none() {
            self.classes.push(ClassSums::default());
        }
        self.classes[new] = part.sums;
        part.points.iter().for_each(|&i| self.labels[i] = new);
        self.n_classes += 1;
        self.unlink(cut);
        // The last link takes the free number.
        let last = self.links.len() - 1;
        if cut != last {
            self.unlink(last);
        }
        self.links.swap_remove(cut);
        if cut != last {
            self.relink(cut);
        }
    }

    /// Joins two clusters by a link.
    pub(crate) fn merge(&mut self, added: Link) {
        let ends = [self.labels[added.from], self.labels[added.to]];
        let first_is_smaller = self.classes[ends[0]].n_points < self.classes[ends[1]].n_points;
        let (start, gone, kept) =
            if first_is_smaller { (added.from, ends[0], ends[1]) } else { (added.to, ends[1], ends[0]) };
        let part = self.part(start, usize::MAX, usize::MAX).unwrap_or_default();
        part.points.iter().for_each(|&i| self.labels[i] = kept);
        let all = self.classes[kept].plus(self.classes[gone]);
        self.classes[kept] = all.plus(self.target.sums(added.length));
        self.classes[gone] = ClassSums::default();
        self.n_classes -= 1;
        self.links.push(added);
        self.relink(self.links.len() - 1);
    }

    fn unlink(&mut self, number: usize) {
        let Link { from, to, .. } = self.links[number];
        self.near[from].retain(|next| next.link != number);
        self.near[to].retain(|next| next.link != number);
    }

    fn relink(&mut self, number: usize) {
        let Link { from, to, .. } = self.links[number];
        self.near[from].push(Next { point: to, link: number });
        self.near[to].push(Next { point: from, link: number });
    }

    /// Sums all lengths again: additions and subtractions accumulate rounding errors.
    pub(crate) fn refresh(&mut self) {
        let mut classes = vec![ClassSums::default(); self.classes.len()];
        self.labels.iter().for_each(|&class| classes[class].n_points += 1);
        for link in &self.links {
            let class = &mut classes[self.labels[link.from]];
            *class = class.plus(self.target.sums(link.length));
        }
        self.classes = classes;
    }

    /// $\log \pi(F)$, but for a constant.
    pub(crate) fn log_weight(&self) -> f64 {
        let classes = self.classes.iter().filter(|class| class.n_points > 0);
        let links: f64 = self.links.iter().map(|link| self.target.link(link.length)).sum();
        self.target.number(self.n_classes)
            + links
            + classes.map(|&class| self.target.class(class)).sum::<f64>()
    }
}
