//! The one place that spawns threads and chooses vector units.
//!
//! Work is cut into pieces that do not depend on the number of threads, and results come back in the order of the
//! pieces: whoever sums them gets the same bits for any number of threads, and without the feature `parallel`.

use std::cmp::Ordering;

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Returns `f(0), f(1), .., f(n - 1)`, computed in parallel, in this order.
pub fn map<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    #[cfg(feature = "parallel")]
    return (0..n).into_par_iter().map(f).collect();
    #[cfg(not(feature = "parallel"))]
    return (0..n).map(f).collect();
}

/// Calls `f(piece number, piece)` for each piece of `length` items (the last may be shorter), in parallel.
pub fn for_each_piece<T: Send>(items: &mut [T], length: usize, f: impl Fn(usize, &mut [T]) + Sync + Send) {
    let length = length.max(1);
    #[cfg(feature = "parallel")]
    items.par_chunks_mut(length).enumerate().for_each(|(piece, part)| f(piece, part));
    #[cfg(not(feature = "parallel"))]
    items.chunks_mut(length).enumerate().for_each(|(piece, part)| f(piece, part));
}

/// How many threads share the work: for choices of speed, never of results.
pub fn n_threads() -> usize {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    return 1;
}

/// Sorts by an order in which no two items are equal.
pub fn sort_by<T: Send>(items: &mut [T], order: impl Fn(&T, &T) -> Ordering + Sync) {
    #[cfg(feature = "parallel")]
    items.par_sort_unstable_by(order);
    #[cfg(not(feature = "parallel"))]
    items.sort_unstable_by(order);
}

/// Runs both, in parallel where a thread is free.
pub fn join(first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    #[cfg(feature = "parallel")]
    rayon::join(first, second);
    #[cfg(not(feature = "parallel"))]
    {
        first();
        second();
    }
}

/// Runs `work` compiled for the vector units that this processor has: what is inlined into it is faster there.
///
/// Nothing is contracted or reordered: the bits are the same on every processor.
#[inline(always)]
pub fn vectorised<T>(work: impl FnOnce() -> T) -> T {
    pulp::Arch::new().dispatch(work)
}

/// Most threads that are made.
const MOST_THREADS: usize = 512;

/// Runs `work` with at most `threads` threads (0: one for each core), and no more than 512.
///
/// Where no pool can be made the work runs on the threads there are: the results are the same.
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    #[cfg(feature = "parallel")]
    return match rayon::ThreadPoolBuilder::new().num_threads(threads.min(MOST_THREADS)).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    };
    #[cfg(not(feature = "parallel"))]
    {
        let _ = threads;
        work()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn map_keeps_the_order_for_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let squares = with_threads(threads, || map(1000, |i| i * i));
            assert!(squares.iter().enumerate().all(|(i, &square)| square == i * i));
        }
    }

    #[test]
    fn pieces_cover_the_items_once() {
        let mut items = vec![0usize; 103];
        for_each_piece(&mut items, 10, |piece, part| part.iter_mut().for_each(|item| *item += piece + 1));
        assert!(items.iter().enumerate().all(|(i, &item)| item == i / 10 + 1));
    }
}
