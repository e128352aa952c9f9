//! Neighbour lists, the minimum spanning tree and the modes of an input, computed once and shared.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Error;
use crate::graph::link::{Link, LinkOrder, Ranked};
use crate::graph::modes::Modes;
use crate::graph::neighbours::{Neighbours, Search};
use crate::graph::spanning::minimum_tree::minimum_spanning_tree;
use crate::input::{Dissimilarity, Quantity};
use crate::run::observer::{Observer, Silent, Uncancelled};

/// What is known of an input.
#[derive(Debug, Default)]
struct Shared {
    known: Mutex<Known>,
    n_lists: AtomicUsize,
    n_trees: AtomicUsize,
}

#[derive(Debug, Default)]
struct Known {
    /// The longest lists, and the number of neighbours that was asked for.
    lists: Option<(usize, Neighbours)>,
    tree: Option<Arc<Vec<Link>>>,
    /// The modes of the density by this number of neighbours.
    modes: Option<(usize, Option<Arc<Modes>>)>,
    /// The same points in another order, of which the rest may be known.
    other: Option<Arc<Reordered>>,
}

/// The same points, numbered otherwise: `order[place]` is the number here of the point `place` there.
#[derive(Debug)]
struct Reordered {
    order: Vec<usize>,
    quantity: Quantity,
    shared: Arc<Shared>,
}

impl Shared {
    fn of(observed: &Dissimilarity<'_>) -> Arc<Self> {
        observed.derived().get()
    }

    /// No lock is held while something is computed: threads that wait for each other's parts would wait for ever.
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Known lists of this many neighbours. Lists that may have missed some serve only who asks for as many.
    fn lists(&self, n_neighbours: usize) -> Option<Neighbours> {
        let (known, other) = {
            let known = self.known();
            (known.lists.clone(), known.other.clone())
        };
        let serves = |(n_listed, lists): &(usize, Neighbours)| {
            *n_listed == n_neighbours || (lists.is_exact() && *n_listed > n_neighbours)
        };
        if let Some((_, lists)) = known.filter(serves) {
            return Some(lists.first(n_neighbours));
        }
        let other = other?;
        Some(other.shared.lists(n_neighbours)?.renumbered(&other.order))
    }

    /// The known tree.
    fn tree(&self) -> Option<Arc<Vec<Link>>> {
        let (tree, other) = {
            let known = self.known();
            (known.tree.clone(), known.other.clone())
        };
        if tree.is_some() {
            return tree;
        }
        let other = other?;
        let by = match other.quantity {
            Quantity::Distances => LinkOrder::BY_LENGTH,
            Quantity::Similarities => LinkOrder::BY_SIMILARITY,
        };
        let link = |link: &Link| {
            let (from, to) = (other.order[link.from], other.order[link.to]);
            Ranked::new(Link { from: from.min(to), to: from.max(to), length: link.length }, &by)
        };
        let mut links: Vec<Ranked> = other.shared.tree()?.iter().map(link).collect();
        links.sort_by(Ranked::compare);
        let tree = Arc::new(links.into_iter().map(|ranked| ranked.link).collect::<Vec<_>>());
        self.known().tree = Some(Arc::clone(&tree));
        Some(tree)
    }
}

/// Returns the nearest neighbours of every point, as
/// [`nearest_neighbours`](crate::graph::neighbours::nearest_neighbours) finds them; of one input they are looked for once.
pub(crate) fn shared_neighbours(observed: &Dissimilarity<'_>, n_neighbours: usize) -> Neighbours {
    let found = shared_neighbours_until(observed, n_neighbours, &Silent);
    // Nobody cancels.
    found.unwrap_or_else(|| Neighbours::none(observed.n_points()))
}

/// As [`shared_neighbours`], until the observer cancels: then `None`, unless they are known.
pub(crate) fn shared_neighbours_until(
    observed: &Dissimilarity<'_>,
    n_neighbours: usize,
    observer: &dyn Observer,
) -> Option<Neighbours> {
    let shared = Shared::of(observed);
    if let Some(lists) = shared.lists(n_neighbours) {
        return Some(lists);
    }
    let lists = Search::default().nearest_neighbours_until(observed, n_neighbours, observer)?;
    shared.n_lists.fetch_add(1, Ordering::Relaxed);
    let mut known = shared.known();
    if known.lists.as_ref().is_none_or(|&(n_listed, _)| n_listed < n_neighbours) {
        known.lists = Some((n_neighbours, lists.clone()));
    }
    Some(lists)
}

/// Returns the minimum spanning tree, as [`minimum_spanning_tree`] finds it, even for an observer that cancels; of one input it is
/// built once.
pub(crate) fn shared_tree(observed: &Dissimilarity<'_>, observer: &dyn Observer) -> Arc<Vec<Link>> {
    // Nobody cancels.
    shared_tree_until(observed, &Uncancelled(observer)).unwrap_or_default()
}

/// As [`shared_tree`], until the observer cancels: then `None`, unless it is known.
pub(crate) fn shared_tree_until(
    observed: &Dissimilarity<'_>,
    observer: &dyn Observer,
) -> Option<Arc<Vec<Link>>> {
    let shared = Shared::of(observed);
    if let Some(tree) = shared.tree() {
        return Some(tree);
    }
    let tree = Arc::new(minimum_spanning_tree(observed, observer));
    // Where pairs are missing, a tree that is cut short cannot be told from one that joins not all.
    if tree.len() + 1 < observed.n_points() && observer.cancelled() {
        return None;
    }
    shared.n_trees.fetch_add(1, Ordering::Relaxed);
    shared.known().tree = Some(Arc::clone(&tree));
    Some(tree)
}

/// Returns the modes of the density by this number of neighbours, which `find` finds; of one input the last are kept.
///
/// They must depend on nothing but the input: on exact lists, and on the tree of all pairs.
pub(crate) fn shared_modes(
    observed: &Dissimilarity<'_>,
    n_neighbours: usize,
    find: impl FnOnce() -> Option<Modes>,
) -> Option<Arc<Modes>> {
    let shared = Shared::of(observed);
    let known = shared.known().modes.clone();
    if let Some((_, modes)) = known.filter(|&(by, _)| by == n_neighbours) {
        return modes;
    }
    let modes = find().map(Arc::new);
    shared.known().modes = Some((n_neighbours, modes.clone()));
    modes
}

/// Returns the same items in another order, `order[place]` being the number here of the item at `place` there; either input
/// knows what is computed from the other.
pub(crate) fn reordered<'a>(
    observed: &'a Dissimilarity<'_>,
    order: &'a [usize],
) -> Result<Dissimilarity<'a>, Error> {
    let other = observed.in_order(order)?;
    let shared = Shared::of(observed);
    let mut known = shared.known();
    if let Some(known) = known.other.as_ref().filter(|known| known.order == order) {
        other.derived().set(Arc::clone(&known.shared));
    } else {
        let (order, quantity) = (order.to_vec(), observed.quantity());
        known.other = Some(Arc::new(Reordered { order, quantity, shared: Shared::of(&other) }));
    }
    drop(known);
    Ok(other)
}

/// How often neighbour lists and minimum spanning trees of an input were computed, whatever order its points were in: for tests.
#[doc(hidden)]
pub fn n_computed(observed: &Dissimilarity<'_>) -> [usize; 2] {
    let shared = Shared::of(observed);
    let other = shared.known().other.clone();
    let count =
        |shared: &Shared| [&shared.n_lists, &shared.n_trees].map(|counter| counter.load(Ordering::Relaxed));
    let (own, other) = (count(&shared), other.map_or([0, 0], |other| count(&other.shared)));
    [own[0] + other[0], own[1] + other[1]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::shapes::{Shape, draw};
    use crate::graph::neighbours::nearest_neighbours;
    use crate::input::metric::Metric;

    #[test]
    fn lists_and_trees_are_computed_once_and_are_those_of_a_search_of_their_own() {
        let points = draw(Shape::HalfMoons, 400, 3).unwrap().points;
        let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
        for k in [30, 15, 7, 30] {
            let own = nearest_neighbours(&observed, k);
            let lent = shared_neighbours(&observed, k);
            assert!((0..400).all(|i| own.of(i).eq(lent.of(i))), "{k}");
        }
        assert_eq!(*shared_tree(&observed, &Silent), minimum_spanning_tree(&observed, &Silent));
        shared_tree(&observed, &Silent);
        assert_eq!(n_computed(&observed), [1, 1]);
        assert_eq!(n_computed(&observed.clone()), [1, 1]);
    }

    #[test]
    fn another_order_of_the_points_serves_too() {
        let points = draw(Shape::HalfMoons, 300, 3).unwrap().points;
        let observed = Dissimilarity::from_points(points, Metric::Euclidean).unwrap();
        let order: Vec<usize> = (0..300).map(|at| at * 7 % 300).collect();
        let other = reordered(&observed, &order).unwrap();
        shared_neighbours(&other, 12);
        shared_tree(&other, &Silent);
        let (own, lent) = (nearest_neighbours(&observed, 12), shared_neighbours(&observed, 12));
        assert!((0..300).all(|i| own.of(i).eq(lent.of(i))));
        assert_eq!(*shared_tree(&observed, &Silent), minimum_spanning_tree(&observed, &Silent));
        assert_eq!(n_computed(&observed), [1, 1]);
        shared_neighbours(&reordered(&observed, &order).unwrap(), 12);
        assert_eq!(n_computed(&observed), [1, 1]);
    }
}
