//! The one place that spawns threads and chooses vector units.
//!
//! Work is cut into pieces that do not depend on the number of threads, and results come back in the order of the
//! pieces: their sum has the same bits for any number of threads, and without the feature `parallel`.
//!
//! Two ways end work early. An [`Observer`] asks for the best answer so far, which takes as long as such an
//! answer takes. A [`Stop`] wants no answer: every piece of work looks at it first, and the threads unwind.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{self, AtomicBool};

pub use pulp::NullaryFnOnce;
#[cfg(feature = "parallel")]
use rayon::prelude::*;

use crate::run::observer::Observer;

/// Returns `f(0), f(1), .., f(n - 1)`, computed in parallel, in this order.
pub fn map<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    let piece = |i: usize| {
        heed_stop();
        f(i)
    };
    #[cfg(feature = "parallel")]
    return (0..n).into_par_iter().map(piece).collect();
    #[cfg(not(feature = "parallel"))]
    return (0..n).map(piece).collect();
}

/// Calls `f(piece number, piece)` for each piece of `length` items (the last may be shorter), in parallel.
pub fn for_each_piece<T: Send>(items: &mut [T], length: usize, f: impl Fn(usize, &mut [T]) + Sync + Send) {
    let length = length.max(1);
    let work = |(piece, part): (usize, &mut [T])| {
        heed_stop();
        f(piece, part);
    };
    #[cfg(feature = "parallel")]
    items.par_chunks_mut(length).enumerate().for_each(work);
    #[cfg(not(feature = "parallel"))]
    items.chunks_mut(length).enumerate().for_each(work);
}

/// As [`map`], until `observer` cancels: `None` if that was before the last piece began.
pub(crate) fn map_until<T: Send>(
    n: usize,
    observer: &dyn Observer,
    f: impl Fn(usize) -> T + Sync + Send,
) -> Option<Vec<T>> {
    let piece = |i: usize| {
        heed_stop();
        (!observer.cancelled()).then(|| f(i))
    };
    #[cfg(feature = "parallel")]
    return (0..n).into_par_iter().map(piece).collect();
    #[cfg(not(feature = "parallel"))]
    return (0..n).map(piece).collect();
}

/// As [`for_each_piece`], until `observer` cancels: `None` if that was before the last piece began.
pub(crate) fn for_each_piece_until<T: Send>(
    items: &mut [T],
    length: usize,
    observer: &dyn Observer,
    f: impl Fn(usize, &mut [T]) + Sync + Send,
) -> Option<()> {
    let work = |(piece, part): (usize, &mut [T])| {
        heed_stop();
        (!observer.cancelled()).then(|| f(piece, part))
    };
    #[cfg(feature = "parallel")]
    return items.par_chunks_mut(length.max(1)).enumerate().map(work).collect();
    #[cfg(not(feature = "parallel"))]
    return items.chunks_mut(length.max(1)).enumerate().map(work).collect();
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
    heed_stop();
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
/// Nothing is contracted or reordered: the bits are the same on every processor. Work that is too long to be inlined by itself
/// must be a [`NullaryFnOnce`] whose call is `#[inline(always)]`: a closure would be compiled apart, without those units.
#[inline(always)]
pub fn vectorised<W: NullaryFnOnce>(work: W) -> W::Output {
    pulp::Arch::new().dispatch(work)
}

/// Maximum number of threads. Not tuned.
#[cfg(feature = "parallel")]
const MOST_THREADS: usize = 512;

/// Runs `work` with at most `threads` threads (0: one for each core), and no more than 512.
///
/// Where no pool can be made the work runs on the threads there are: the results are the same.
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    on_threads(threads, &Stop::default(), work)
}

/// As [`with_threads`], until `stop` is raised; `None` if it was before the work was done.
///
/// ```
/// use similis::run::parallel::{Stop, map, with_threads_until};
/// let stop = Stop::default();
/// assert_eq!(with_threads_until(2, &stop, || map(3, |i| i)), Some(vec![0, 1, 2]));
/// stop.raise();
/// assert_eq!(with_threads_until(2, &stop, || map(3, |i| i)), None);
/// ```
pub fn with_threads_until<T: Send>(
    threads: usize,
    stop: &Stop,
    work: impl FnOnce() -> T + Send,
) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(|| on_threads(threads, stop, work))) {
        Ok(result) => Some(result),
        Err(payload) if payload.is::<Stopped>() => None,
        Err(payload) => resume_unwind(payload),
    }
}

/// Stops work whose result is no longer needed; clones share one flag.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ends the work.
    pub fn raise(&self) {
        self.0.store(true, atomic::Ordering::Relaxed);
    }

    fn is_raised(&self) -> bool {
        self.0.load(atomic::Ordering::Relaxed)
    }
}

/// What unwinds through threads that were stopped.
struct Stopped;

thread_local! {
    /// What ends the work of this thread.
    static STOP: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

/// Ends this thread's work if its [`Stop`] was raised. Pieces of work look by themselves; long loops within one call this.
#[inline]
pub fn heed_stop() {
    if STOP.with_borrow(|stop| stop.as_ref().is_some_and(Stop::is_raised)) {
        // Not a panic: no hook is called, and `with_threads_until` takes it.
        resume_unwind(Box::new(Stopped));
    }
}

fn on_threads<T: Send>(threads: usize, stop: &Stop, work: impl FnOnce() -> T + Send) -> T {
    #[cfg(feature = "parallel")]
    {
        let theirs = stop.clone();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads.min(MOST_THREADS))
            .start_handler(move |_| STOP.set(Some(theirs.clone())))
            .build();
        if let Ok(pool) = pool {
            return pool.install(work);
        }
    }
    let _ = threads;
    let before = STOP.replace(Some(stop.clone()));
    let result = catch_unwind(AssertUnwindSafe(work));
    STOP.set(before);
    result.unwrap_or_else(|payload| resume_unwind(payload))
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

    /// Cancels once it was asked this often.
    struct Patience(std::sync::atomic::AtomicUsize);

    impl Observer for Patience {
        fn cancelled(&self) -> bool {
            let relaxed = atomic::Ordering::Relaxed;
            self.0.fetch_update(relaxed, relaxed, |left| left.checked_sub(1)).is_err()
        }
    }

    #[test]
    fn work_that_is_cancelled_has_no_result() {
        for (asked, whole) in [(9, false), (10, true)] {
            let observer = || Patience(asked.into());
            assert_eq!(map_until(10, &observer(), |i| i).is_some(), whole);
            let mut items = vec![0; 100];
            let ended = for_each_piece_until(&mut items, 10, &observer(), |_, part| part.fill(1));
            assert_eq!((ended.is_some(), items.iter().sum::<usize>() == 100), (whole, whole));
        }
    }

    #[test]
    fn raised_stops_end_work_that_has_no_end() {
        for threads in [1, 2] {
            let stop = Stop::default();
            let raised = stop.clone();
            let endless = move || {
                map(4, |piece| {
                    loop {
                        if piece == 0 {
                            raised.raise();
                        }
                        heed_stop();
                    }
                })
            };
            assert_eq!(with_threads_until(threads, &stop, endless), None::<Vec<()>>);
        }
        assert_eq!(with_threads_until(1, &Stop::default(), || 7), Some(7));
    }

    #[test]
    fn a_panic_is_no_stop() {
        let panics = || with_threads_until(2, &Stop::default(), || map(2, |_| -> () { panic!("by itself") }));
        assert!(catch_unwind(panics).is_err());
    }
}
