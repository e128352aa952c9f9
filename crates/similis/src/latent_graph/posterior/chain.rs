//! One chain: sweeps of moves.

use rand::RngExt;

use crate::input::labels::Labels;
use crate::latent_graph::posterior::moves::{Cut, Moves, Reach};
use crate::latent_graph::posterior::state::State;
use crate::run::random::Random;

/// Probability of a move of a single point; the remaining moves are those of subtrees. Not tuned.
const POINTS: f64 = 0.4;

/// Probability of an exchange of links. Not tuned.
const EXCHANGES: f64 = 0.1;

/// Probability of a split or a merge, where the number of clusters is free. Not tuned.
const NUMBERS: f64 = 0.1;

/// Number of pairs that a neighbour proposal looks at, about: the share of all-pairs proposals is `NEAR` / n, from 0.02 to
/// 0.5. Not tuned.
const NEAR: f64 = 15.0;

/// A chain and its state.
#[derive(Debug)]
pub(crate) struct Chain<'a> {
    pub(crate) moves: &'a Moves<'a>,
    pub(crate) state: State<'a>,
    pub(crate) random: Random,
    /// Whether the number of clusters may change.
    pub(crate) is_free: bool,
}

impl Chain<'_> {
    /// One sweep, as many moves as there are points; returns the log weight after them.
    pub(crate) fn sweep(&mut self) -> f64 {
        if self.state.n_points() > 1 {
            (0..self.state.n_points()).for_each(|_| self.step());
        }
        self.state.refresh();
        self.state.log_weight()
    }

    /// One move of a random kind.
    pub(crate) fn step(&mut self) {
        let kind: f64 = self.random.random_range(0.0..1.0);
        if self.is_free && kind < NUMBERS {
            self.change_number();
        } else if self.state.links.is_empty() {
            // All points are clusters of their own: nothing can be cut.
        } else if kind < NUMBERS + EXCHANGES {
            self.exchange();
        } else if kind < NUMBERS + EXCHANGES + POINTS {
            self.move_point();
        } else {
            self.move_subtree();
        }
    }

    fn reach(&mut self) -> Reach {
        let far = (NEAR / self.state.n_points() as f64).clamp(0.02, 0.5);
        if self.random.random_bool(far) { Reach::All } else { Reach::Near }
    }

    /// Links a random point again, if it is a leaf.
    fn move_point(&mut self) {
        let reach = self.reach();
        let end = self.random.random_range(0..self.state.n_points());
        if let Some(link) = self.state.leaf_link(end) {
            self.moves.regraft(&mut self.state, &mut self.random, Cut { link, end, most: 1 }, reach);
        }
    }

    /// Links one side of a random link again, unless it is too large: sides of s points are moved one time in s, so that all
    /// sizes take equal time.
    fn move_subtree(&mut self) {
        let reach = self.reach();
        let link = self.random.random_range(0..self.state.links.len());
        let end = if self.random.random_bool(0.5) {
            self.state.links[link].from
        } else {
            self.state.links[link].to
        };
        let drawn: f64 = self.random.random_range(0.0..1.0);
        let most = (1.0 / (1.0 - drawn)) as usize;
        self.moves.regraft(&mut self.state, &mut self.random, Cut { link, end, most }, reach);
    }

    fn exchange(&mut self) {
        let cut = self.random.random_range(0..self.state.links.len());
        let Some(added) = self.moves.pick(&mut self.random) else { return };
        let part = self.state.smaller_part(cut);
        let ratio = self.moves.exchange(&mut self.state, cut, &part, added);
        if self.accepts(ratio) {
            self.state.split(cut, &part);
            self.state.merge(added);
        }
    }

    /// A split or a merge, each half of the time.
    fn change_number(&mut self) {
        if self.random.random_bool(0.5) {
            if self.state.links.is_empty() {
                return;
            }
            let cut = self.random.random_range(0..self.state.links.len());
            let part = self.state.smaller_part(cut);
            let ratio = self.moves.split(&self.state, cut, &part);
            if self.accepts(ratio) {
                self.state.split(cut, &part);
            }
        } else if let Some(added) = self.moves.pick(&mut self.random) {
            let ratio = self.moves.merge(&mut self.state, added);
            if self.accepts(ratio) {
                self.state.merge(added);
            }
        }
    }

    fn accepts(&mut self, log_ratio: Option<f64>) -> bool {
        let drawn: f64 = self.random.random_range(0.0..1.0);
        log_ratio.is_some_and(|log_ratio| drawn < log_ratio.exp())
    }

    pub(crate) fn labels(&self) -> Labels {
        Labels::new(&self.state.labels)
    }
}
