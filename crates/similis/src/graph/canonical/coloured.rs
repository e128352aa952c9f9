//! Items in the order of their colours, which are told apart step by step.

use crate::run::parallel;

/// The items in the order of their colours, those of one colour in the order of their numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Coloured {
    order: Vec<u32>,
    /// The first place of each colour, and the number of items.
    starts: Vec<u32>,
    /// The colour of each item: 0, 1, ..
    colours: Vec<u32>,
}

impl Coloured {
    /// Items of one colour.
    pub(crate) fn new(n_items: usize) -> Self {
        let starts = if n_items > 0 { vec![0, n_items as u32] } else { vec![0] };
        Self { order: (0..n_items as u32).collect(), starts, colours: vec![0; n_items] }
    }

    /// The colour of an item.
    pub(crate) fn colour(&self, item: usize) -> usize {
        self.colours[item] as usize
    }

    /// The items in the order of their colours.
    pub(crate) fn order(&self) -> Vec<usize> {
        self.order.iter().map(|&item| item as usize).collect()
    }

    /// Number of items.
    pub(crate) fn n_items(&self) -> usize {
        self.colours.len()
    }

    /// Number of colours.
    pub(crate) fn n_colours(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether no two items have one colour.
    pub(crate) fn all_differ(&self) -> bool {
        self.n_colours() == self.colours.len()
    }

    /// Whether an item shares its colour.
    pub(crate) fn is_shared(&self, item: usize) -> bool {
        let colour = self.colour(item);
        self.starts[colour + 1] - self.starts[colour] > 1
    }

    /// Splits colours: of the items of one colour those of lower keys come first, and those of equal keys keep one colour. Returns
    /// whether any was split. Only items that share their colour are asked for a key.
    pub(crate) fn split<K: Ord + Copy + Send>(
        &mut self,
        key: impl Fn(&Self, usize) -> K + Sync + Send,
    ) -> bool {
        let is_open = |&&item: &&u32| self.is_shared(item as usize);
        let open: Vec<u32> = self.order.iter().filter(is_open).copied().collect();
        let mut keys = parallel::map(open.len(), |at| (key(self, open[at] as usize), open[at]));
        drop(open);
        let (mut rest, before) = (keys.as_mut_slice(), std::mem::take(&mut self.starts));
        for place in before.windows(2) {
            let n_own = if place[1] - place[0] > 1 { (place[1] - place[0]) as usize } else { 0 };
            let (own, others) = std::mem::take(&mut rest).split_at_mut(n_own);
            rest = others;
            own.sort_unstable();
            self.take(place[0], own);
        }
        self.starts.push(self.order.len() as u32);
        self.starts.len() > before.len()
    }

    /// Gives the items of one colour, from a place on, their new colours; without keys it is one item, which keeps its place.
    fn take<K: Eq>(&mut self, first: u32, keys: &[(K, u32)]) {
        if keys.is_empty() {
            self.colours[self.order[first as usize] as usize] = self.starts.len() as u32;
            self.starts.push(first);
        }
        for (at, (key, item)) in keys.iter().enumerate() {
            let place = first + at as u32;
            if at == 0 || keys[at - 1].0 != *key {
                self.starts.push(place);
            }
            self.order[place as usize] = *item;
            self.colours[*item as usize] = self.starts.len() as u32 - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn colours_are_the_ranks_of_all_keys_so_far(keys in prop::collection::vec((0u8..3, 0u8..3, 0u8..3), 0..40)) {
            let mut coloured = Coloured::new(keys.len());
            let mut n_before = coloured.n_colours();
            for n_keys in 1..=3 {
                let all = |i: usize| [keys[i].0, keys[i].1, keys[i].2][..n_keys].to_vec();
                let was_split = coloured.split(|_, i| all(i)[n_keys - 1]);
                let mut different: Vec<Vec<u8>> = (0..keys.len()).map(all).collect();
                different.sort();
                different.dedup();
                for i in 0..keys.len() {
                    prop_assert_eq!(coloured.colour(i), different.iter().position(|key| *key == all(i)).unwrap());
                    let shares = (0..keys.len()).any(|j| j != i && all(j) == all(i));
                    prop_assert_eq!(coloured.is_shared(i), shares);
                }
                prop_assert_eq!(coloured.n_colours(), different.len());
                prop_assert_eq!(was_split, different.len() > n_before);
                prop_assert_eq!(coloured.all_differ(), different.len() == keys.len());
                let mut sorted: Vec<usize> = (0..keys.len()).collect();
                sorted.sort_by_key(|&i| all(i));
                prop_assert_eq!(coloured.order(), sorted);
                n_before = different.len();
            }
        }
    }
}
