//! The one place that makes random generators.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// First number of the streams of starts, away from those of restarts (0, 1, ..).
pub(crate) const START_STREAMS: u64 = 1 << 32;

/// First number of the streams of refinements.
pub(crate) const SEARCH_STREAMS: u64 = 1 << 33;

/// First number of the streams of merges and splits.
pub(crate) const SPLIT_MERGE_STREAMS: u64 = SEARCH_STREAMS + (1 << 20);

/// The number of the stream that draws a subsample.
pub(crate) const SUBSAMPLE_STREAM: u64 = SEARCH_STREAMS + (2 << 20);

/// First number of the streams of Markov chains.
pub(crate) const CHAIN_STREAMS: u64 = 1 << 34;

/// First number of the streams of random trees.
pub(crate) const TREE_STREAMS: u64 = 1 << 35;

/// The generator behind every draw: the same sequence on every machine.
pub type Random = ChaCha8Rng;

/// Returns stream number `k` of `seed`.
///
/// Streams of one seed do not overlap, so restart `k` draws the same numbers whichever thread runs it.
pub fn stream(seed: u64, k: u64) -> Random {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(k);
    generator
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn a_stream_repeats_itself_and_differs_from_its_neighbours() {
        let draw = |seed, k| -> Vec<u64> { stream(seed, k).random_iter().take(8).collect() };
        assert_eq!(draw(3, 1), draw(3, 1));
        assert_ne!(draw(3, 1), draw(3, 2));
        assert_ne!(draw(3, 1), draw(4, 1));
    }
}
