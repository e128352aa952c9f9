//! The points of one leaf, on their way to other components.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::graph::neighbours::kd_tree::LEAF;
use crate::graph::neighbours::leaf_search::Seeker;
use crate::graph::neighbours::reduced::Lanes;
use crate::graph::spanning::boruvka::{NONE, Nearest, Rounds};

/// The points of one leaf, looking for points of other components.
pub(crate) struct Leaving<'a> {
    rounds: &'a Rounds<'a>,
    leaf: usize,
    nearest: &'a mut [Nearest],
    best: &'a [AtomicU64],
    reach: Lanes,
    /// What each lane has found.
    found: [Nearest; LEAF],
    /// What no point that a lane has not looked at is below.
    skipped: Lanes,
    /// The same for all lanes.
    all_skipped: f64,
    /// The component that all lanes that look are in, or [`NONE`].
    component: u32,
}

impl<'a> Leaving<'a> {
    pub(crate) fn new(
        rounds: &'a Rounds<'a>,
        leaf: usize,
        nearest: &'a mut [Nearest],
        best: &'a [AtomicU64],
    ) -> Self {
        Self {
            rounds,
            leaf,
            nearest,
            best,
            reach: [-1.0; LEAF],
            found: [Nearest { key: f64::INFINITY, position: NONE, n_used: 0 }; LEAF],
            skipped: [f64::INFINITY; LEAF],
            all_skipped: f64::INFINITY,
            component: NONE,
        }
    }

    fn component(&self, lane: usize) -> u32 {
        self.rounds.component[self.leaf * LEAF + lane]
    }

    fn best(&self, lane: usize) -> f64 {
        f64::from_bits(self.best[self.component(lane) as usize].load(Ordering::Relaxed))
    }

    /// How far a lane looks whose component has a way out at a reduced distance of `key`.
    ///
    /// One step for what may be as short, one more so that what was skipped is surely longer than what was found.
    fn reach_of(&self, key: f64) -> f64 {
        let reduced = self.rounds.tree.reduced;
        reduced.above(reduced.above(key))
    }

    /// Finds out which lanes have to look; returns whether any has.
    pub(crate) fn choose(&mut self, idle: u32) -> bool {
        let mut any = false;
        for lane in 0..self.nearest.len() {
            let component = self.component(lane);
            if component == idle || self.nearest[lane].position != NONE {
                continue;
            }
            let reach = self.reach_of(self.best(lane));
            if self.nearest[lane].key <= reach {
                self.reach[lane] = reach;
                self.component = if any && self.component != component { NONE } else { component };
                any = true;
            }
        }
        any
    }

    /// Shortens the reach of the lanes of a component to its best.
    fn draw_in(&mut self, component: u32) {
        for lane in 0..self.nearest.len() {
            if self.reach[lane] >= 0.0 && self.component(lane) == component {
                self.reach[lane] = self.reach[lane].min(self.reach_of(self.best(lane)));
            }
        }
    }

    /// Keeps what was found, or what was ruled out.
    pub(crate) fn conclude(self) {
        for lane in 0..self.nearest.len() {
            if self.reach[lane] < 0.0 {
                continue;
            }
            let skipped = self.skipped[lane].min(self.all_skipped);
            let found = self.found[lane];
            let own = &mut self.nearest[lane];
            // Reduced distances may overflow: what was found is the nearest if nothing was skipped.
            let is_nearest = self.rounds.tree.reduced.above(found.key) < skipped || skipped == f64::INFINITY;
            if found.position != NONE && is_nearest {
                (own.key, own.position) = (found.key, found.position);
            } else {
                own.key = own.key.max(skipped.min(found.key));
            }
        }
    }
}

impl Seeker for Leaving<'_> {
    #[inline(always)]
    fn reach(&self) -> &Lanes {
        &self.reach
    }

    #[inline(always)]
    fn limit(&self, lane: usize) -> f64 {
        self.rounds.tree.reduced.above(self.found[lane].key)
    }

    #[inline(always)]
    fn closed(&self, node: usize) -> bool {
        let component = self.rounds.node_component[node];
        component != NONE && component == self.component
    }

    #[inline(always)]
    fn closed_to(&self, lane: usize, _bound: f64, node: usize) -> bool {
        self.rounds.node_component[node] == self.component(lane)
    }

    #[inline(always)]
    fn skip(&mut self, lane: usize, bound: f64) {
        if bound < self.skipped[lane] {
            self.skipped[lane] = bound;
        }
    }

    #[inline(always)]
    fn skip_all(&mut self, bound: f64) {
        if bound < self.all_skipped {
            self.all_skipped = bound;
        }
    }

    #[inline(always)]
    fn offer(&mut self, lane: usize, position: usize, key: f64) {
        let component = self.component(lane);
        if self.rounds.component[position] == component {
            return;
        }
        let from = (self.leaf * LEAF + lane) as u32;
        let offered = Nearest { key, position: position as u32, n_used: 0 };
        let better = self.found[lane].position == NONE
            || self.rounds.before((&offered, from), (&self.found[lane], from));
        if better {
            self.found[lane] = offered;
            if lower(&self.best[component as usize], key) {
                self.draw_in(component);
            }
        }
    }
}

/// Lowers a reduced distance that several threads share; returns whether it was greater.
#[inline]
pub(crate) fn lower(best: &AtomicU64, key: f64) -> bool {
    let is_lower = key < f64::from_bits(best.load(Ordering::Relaxed));
    if is_lower {
        // Bits of numbers that are not negative are in the order of the numbers.
        best.fetch_min(key.to_bits(), Ordering::Relaxed);
    }
    is_lower
}
