//! Repulsion of many items in little time: far groups of them count as one (Barnes and Hut, 1986).

/// A group whose side is less than this part of its distance counts as one. Not tuned.
const FAR: f64 = 0.9;

/// Depth from which on items that lie together are not told apart.
const DEEPEST: usize = 30;

/// A square and what lies in it.
struct Cell {
    middle: [f64; 2],
    half: f64,
    mass: f64,
    /// The mass times its place, summed up.
    weighted: [f64; 2],
    /// The four quarters; 0 where there is none.
    quarters: [usize; 4],
    /// The only item, until a second comes.
    only: Option<([f64; 2], f64)>,
}

/// Squares within squares.
pub(super) struct Tree {
    cells: Vec<Cell>,
}

impl Tree {
    pub(super) fn new(places: &[[f64; 2]], mass: &[f64]) -> Self {
        let bound = |axis: usize| {
            let along = || places.iter().map(|place| place[axis]);
            (along().fold(f64::INFINITY, f64::min), along().fold(f64::NEG_INFINITY, f64::max))
        };
        let ((left, right), (bottom, top)) = (bound(0), bound(1));
        let half = 0.5 * (right - left).max(top - bottom).max(1e-9) * (1.0 + 1e-9);
        let middle = [f64::midpoint(left, right), f64::midpoint(bottom, top)];
        let mut tree = Self { cells: vec![Cell::new(middle, half)] };
        places.iter().zip(mass).for_each(|(&place, &mass)| tree.add(place, mass));
        tree
    }

    fn add(&mut self, place: [f64; 2], mass: f64) {
        let (mut at, mut depth) = (0, 0);
        loop {
            let cell = &mut self.cells[at];
            let was_empty = cell.mass == 0.0;
            cell.mass += mass;
            cell.weighted = [cell.weighted[0] + mass * place[0], cell.weighted[1] + mass * place[1]];
            if was_empty {
                cell.only = Some((place, mass));
                return;
            }
            if depth >= DEEPEST {
                cell.only = None;
                return;
            }
            if let Some((other, its_mass)) = cell.only.take() {
                let quarter = self.quarter(at, other);
                let cell = &mut self.cells[quarter];
                cell.mass = its_mass;
                cell.weighted = other.map(|along| its_mass * along);
                cell.only = Some((other, its_mass));
            }
            at = self.quarter(at, place);
            depth += 1;
        }
    }

    /// Returns the quarter of a cell that a place lies in, made if there is none.
    fn quarter(&mut self, at: usize, place: [f64; 2]) -> usize {
        let Cell { middle, half, quarters, .. } = self.cells[at];
        let (right, top) = (place[0] > middle[0], place[1] > middle[1]);
        let which = usize::from(right) + 2 * usize::from(top);
        if quarters[which] == 0 {
            let side = |above: bool| if above { half / 2.0 } else { -half / 2.0 };
            let middle = [middle[0] + side(right), middle[1] + side(top)];
            self.cells.push(Cell::new(middle, half / 2.0));
            self.cells[at].quarters[which] = self.cells.len() - 1;
        }
        self.cells[at].quarters[which]
    }

    /// Returns the force that drives an item of this mass away from all others: mass times mass over distance.
    pub(super) fn repulsion(&self, place: [f64; 2], mass: f64) -> [f64; 2] {
        let mut force = [0.0, 0.0];
        let mut next = vec![0];
        while let Some(at) = next.pop() {
            let cell = &self.cells[at];
            let centre = cell.weighted.map(|along| along / cell.mass);
            let away = [place[0] - centre[0], place[1] - centre[1]];
            let square = away[0] * away[0] + away[1] * away[1];
            let is_leaf = cell.only.is_some() || cell.quarters == [0; 4];
            if is_leaf || 4.0 * cell.half * cell.half < FAR * FAR * square {
                // An item does not drive itself away: its distance is 0.
                if square > 0.0 {
                    let push = mass * cell.mass / square;
                    force = [force[0] + push * away[0], force[1] + push * away[1]];
                }
            } else {
                next.extend(cell.quarters.iter().filter(|&&quarter| quarter > 0));
            }
        }
        force
    }
}

impl Cell {
    fn new(middle: [f64; 2], half: f64) -> Self {
        Self { middle, half, mass: 0.0, weighted: [0.0; 2], quarters: [0; 4], only: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repulsion_is_nearly_that_of_every_pair() {
        let places: Vec<[f64; 2]> =
            (0..200_u32).map(|i| [f64::from(i * 37 % 101), f64::from(i * i % 97)]).collect();
        let mass: Vec<f64> = (0..200_u32).map(|i| 1.0 + f64::from(i % 3)).collect();
        let tree = Tree::new(&places, &mass);
        for i in [0, 17, 99, 150] {
            let mut exact = [0.0, 0.0];
            for j in (0..200).filter(|&j| places[j] != places[i]) {
                let away = [places[i][0] - places[j][0], places[i][1] - places[j][1]];
                let square = away[0] * away[0] + away[1] * away[1];
                exact = [0, 1].map(|axis| exact[axis] + mass[i] * mass[j] * away[axis] / square);
            }
            let found = tree.repulsion(places[i], mass[i]);
            let wrong = (found[0] - exact[0]).hypot(found[1] - exact[1]);
            assert!(wrong < 0.05 * exact[0].hypot(exact[1]), "{i}: {found:?} for {exact:?}");
        }
    }

    #[test]
    fn items_at_one_place_end_the_tree() {
        let tree = Tree::new(&[[1.0, 1.0]; 50], &[1.0; 50]);
        assert_eq!(tree.repulsion([1.0, 1.0], 1.0), [0.0, 0.0]);
    }
}
