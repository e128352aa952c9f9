//! A fit takes the memory that was estimated, and keeps its limit.

// Only an allocator can count what is allocated.
#![expect(unsafe_code)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

use similis::error::SettingError;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use similis::graph::{minimum_spanning_tree, nearest_neighbours};
use similis::input::SparsePoints;
use similis::run::parallel;
use similis::{
    Checks, Dissimilarity, Error, LatentGraph, Metric, NClusters, Points, Quantity, Silent, SparseMatrix,
};

/// Counts what is held, and the most that ever was.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn came(n_bytes: usize) {
    let held = HELD.fetch_add(n_bytes, Ordering::Relaxed) + n_bytes;
    PEAK.fetch_max(held, Ordering::Relaxed);
}

fn went(n_bytes: usize) {
    HELD.fetch_sub(n_bytes, Ordering::Relaxed);
}

// SAFETY: all is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        came(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        went(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        came(size);
        went(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Five clouds in the plane.
fn clouds(n: usize) -> Dissimilarity<'static> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let place = |at: usize| {
        random() + random() + random() + if at.is_multiple_of(2) { 4.0 * (at / 2 % 5) as f64 } else { 0.0 }
    };
    let points = Points::new((0..2 * n).map(place).collect::<Vec<_>>(), n, 2).unwrap();
    Dissimilarity::from_points(points, Metric::Euclidean).unwrap()
}

/// The same, of which only near pairs are known.
fn sparse_clouds(n: usize) -> Dissimilarity<'static> {
    let pairs = clouds(n);
    let near = nearest_neighbours(&pairs, 12);
    let listed = (0..n).flat_map(|i| near.of(i).map(move |(j, length)| (i.min(j), i.max(j), length)));
    let tree = minimum_spanning_tree(&pairs, &Silent);
    let joined = tree.iter().map(|link| (link.from.min(link.to), link.from.max(link.to), link.length));
    let mut edges: Vec<(usize, usize, f64)> = listed.chain(joined).collect();
    edges.sort_by_key(|&(i, j, _)| (i, j));
    edges.dedup_by_key(|&mut (i, j, _)| (i, j));
    let matrix = SparseMatrix::from_edges(n, &edges).unwrap();
    Dissimilarity::from_sparse(matrix, Quantity::Distances, Checks::default()).unwrap()
}

/// Rows of a few words of their own topic and a few of all, which are kept sparse.
fn documents(n: usize) -> Dissimilarity<'static> {
    let word = |at: usize| {
        let (i, k) = (at / 8, at % 8);
        let own = (i * 7919 + k * k * 31) % 23 + 23 * k;
        (if k < 6 { 200 * (i % 5) + own } else { 1_000 + own }) as u32
    };
    let columns: Vec<u32> = (0..8 * n).map(word).collect();
    let values: Vec<f64> = (0..8 * n).map(|at| 1.0 + (at % 3) as f64).collect();
    let offsets: Vec<usize> = (0..=n).map(|i| 8 * i).collect();
    let points = SparsePoints::new(&offsets, &columns, &values, 2_000).unwrap();
    Dissimilarity::from_sparse_points(points, Metric::Cosine).unwrap()
}

/// What is held once the threads of a pool that is gone have ended.
fn settled() -> usize {
    loop {
        let held = HELD.load(Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(20));
        if held == HELD.load(Ordering::Relaxed) {
            return held;
        }
    }
}

/// What a fit with a limit answers, and what the input and the fit took together.
fn limited(
    model: &LatentGraph,
    make: &dyn Fn() -> Dissimilarity<'static>,
    input: u64,
    limit: u64,
) -> (Result<usize, Error>, u64) {
    // A new input each time: what a fit computes from one is kept with it.
    let pairs = make();
    let model = LatentGraph { memory_limit: Some(limit), ..*model };
    let before = settled();
    PEAK.store(before, Ordering::Relaxed);
    let found = parallel::with_threads(2, || model.fit(&pairs, &[]).map(|fit| fit.labels.n_points()));
    (found, (PEAK.load(Ordering::Relaxed).saturating_sub(before)) as u64 + input)
}

/// A fit within the least limit that it accepts, and 20 limits below it.
fn keeps_its_limit(name: &str, model: &LatentGraph, make: &dyn Fn() -> Dissimilarity<'static>) {
    // What a pool of threads holds is no part of the work.
    const POOL: u64 = 50_000;
    let pairs = make();
    // Sparse points, and the distances that are kept of a few.
    let kept = |n: usize| if n <= 5_000 { 4 * n * (n - 1) } else { 0 };
    let sparse = pairs.sparse_points().map_or(0, |measured| {
        12 * measured.points().n_entries() + 8 * measured.n_points() + kept(measured.n_points())
    });
    let input = sparse
        + pairs.points().map_or(0, |measured| 8 * measured.points().as_slice().len())
        + pairs.sparse().map_or(0, |matrix| 12 * matrix.columns().len() + 8 * matrix.offsets().len());
    let input = input as u64;
    let mut limit = 1;
    let peak = loop {
        match limited(model, make, input, limit) {
            (Ok(n_points), peak) => {
                assert_eq!(n_points, pairs.n_points());
                break peak;
            }
            (Err(Error::Settings(SettingError::Memory { needed, limit: said, .. })), peak) => {
                assert!(
                    peak <= limit.max(input) + POOL,
                    "{name}: {peak} bytes were taken before {limit} was too little"
                );
                assert!(said <= limit && needed > said, "{name}");
                limit += needed - said;
            }
            (Err(other), _) => panic!("{name}: {other}"),
        }
    };
    assert!(peak <= limit + POOL, "{name}: {peak} bytes were taken within a limit of {limit}");
    // What two threads take together depends on whether they run at the same time: the most of some runs counts.
    let again = std::iter::repeat_with(|| limited(model, make, input, limit).1).take(12);
    let enough = std::iter::once(peak).chain(again).any(|peak| limit <= 3 * peak);
    assert!(enough, "{name}: {limit} bytes were asked for and {peak} taken");
    for part in 0..20 {
        let (found, peak) = limited(model, make, input, limit * part / 20);
        assert!(matches!(found, Err(Error::Settings(SettingError::Memory { .. }))), "{name}");
        assert!(
            peak <= (limit * part / 20).max(input) + POOL,
            "{name}: {peak} at {part} of 20 parts of {limit}"
        );
    }
}

#[test]
fn a_fit_takes_no_more_than_its_limit_and_asks_for_no_more_than_thrice_what_it_takes() {
    let exactly =
        |n_clusters| LatentGraph { n_clusters: NClusters::Exactly(n_clusters), ..LatentGraph::default() };
    let at_scale = |model: LatentGraph| model.with(&[("without", "whole-search")]).unwrap();
    keeps_its_limit("whole", &exactly(5), &|| clouds(2500));
    keeps_its_limit("many points", &exactly(5), &|| clouds(12_000));
    keeps_its_limit("very many points", &exactly(5), &|| clouds(60_000));
    keeps_its_limit("many clusters", &at_scale(exactly(20)), &|| clouds(1200));
    keeps_its_limit("auto", &LatentGraph::default(), &|| clouds(1100));
    keeps_its_limit("auto at scale", &at_scale(LatentGraph::default()), &|| clouds(4000));
    keeps_its_limit("sparse points", &exactly(5), &|| documents(1200));
    keeps_its_limit("many sparse points", &exactly(5), &|| documents(6000));
    keeps_its_limit("a graph", &exactly(5), &|| sparse_clouds(1200));
    keeps_its_limit("a large graph", &at_scale(exactly(5)), &|| sparse_clouds(5000));
    keeps_its_limit("noise", &exactly(3).with(&[("noise", "background")]).unwrap(), &|| clouds(300));
    let sampling = exactly(3).with(&[("inference", "sample"), ("n_sweeps", "20")]).unwrap();
    keeps_its_limit("sampling", &sampling, &|| clouds(1200));
    let paper = exactly(3).with(&[("inference", "paper"), ("n_restarts", "3")]).unwrap();
    keeps_its_limit("the paper", &paper, &|| clouds(400));
    let neighbours = exactly(3).with(&[("graph_prior", "k_neighbours"), ("inference", "search")]).unwrap();
    keeps_its_limit("K neighbours", &neighbours, &|| clouds(500));
    keeps_its_limit(
        "the paper's setting",
        &LatentGraph::paper().with(&[("n_clusters", "3"), ("n_restarts", "3")]).unwrap(),
        &|| clouds(400),
    );
}
