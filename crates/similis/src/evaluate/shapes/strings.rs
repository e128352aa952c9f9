//! Strings that grew by copying with mistakes: things that have distances and no coordinates.

use rand::RngExt;
use rand::seq::SliceRandom;

use crate::input::labels::Labels;
use crate::run::random::{Random, stream};

/// The letters of the strings.
const LETTERS: [char; 4] = ['A', 'C', 'G', 'T'];

/// Strings, with the family that each belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringSample {
    /// The strings, in random order.
    pub strings: Vec<String>,
    /// The family of each.
    pub labels: Labels,
}

/// Grows a family of strings for each of `rates`, `n_each` in a family, from unlike ancestors of `length` letters.
///
/// Every new string is a copy of one that its family has already, each letter changed, left out or doubled with the
/// probability that is the family's rate. So a family is a tree of copies, and the typical edit distance of neighbours in it is
/// rate times length: families of unlike rates are classes of unlike scales.
///
/// ```
/// use similis::evaluate::shapes::{edit_distance, grow_strings};
///
/// let grown = grow_strings(10, &[0.02, 0.2], 50, 0);
/// assert_eq!(grown.strings.len(), 20);
/// assert!(edit_distance(&grown.strings[0], &grown.strings[1]) > 0);
/// ```
pub fn grow_strings(n_each: usize, rates: &[f64], length: usize, seed: u64) -> StringSample {
    let mut members = Vec::with_capacity(n_each * rates.len());
    for (family, &rate) in rates.iter().enumerate() {
        let mut random = stream(seed, family as u64);
        let mut grown: Vec<Vec<char>> = Vec::with_capacity(n_each);
        for _ in 0..n_each {
            let next = match grown.len() {
                0 => (0..length).map(|_| letter(&mut random)).collect(),
                n => copy(&grown[random.random_range(0..n)], rate, &mut random),
            };
            grown.push(next);
        }
        members.extend(grown.into_iter().map(|letters| (letters.into_iter().collect::<String>(), family)));
    }
    members.shuffle(&mut stream(seed, rates.len() as u64));
    let families: Vec<usize> = members.iter().map(|(_, family)| *family).collect();
    let strings = members.into_iter().map(|(string, _)| string).collect();
    StringSample { strings, labels: Labels::new(&families) }
}

fn letter(random: &mut Random) -> char {
    LETTERS[random.random_range(0..LETTERS.len())]
}

/// A copy with mistakes: of three, two change a letter or leave it out, the third doubles it.
fn copy(letters: &[char], rate: f64, random: &mut Random) -> Vec<char> {
    let mut copied = Vec::with_capacity(letters.len() + 4);
    for &original in letters {
        match (random.random::<f64>() < rate, random.random_range(0..3)) {
            (false, _) => copied.push(original),
            (true, 0) => copied.push(letter(random)),
            (true, 1) => {}
            (true, _) => copied.extend([original, original]),
        }
    }
    copied
}

/// Returns the least number of letters to change, leave out or put in that turns one string into the other.
pub fn edit_distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut above: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut row = vec![i + 1];
        for (j, &b) in other.iter().enumerate() {
            let changed = above[j] + usize::from(a != b);
            row.push(changed.min(above[j + 1] + 1).min(row[j] + 1));
        }
        above = row;
    }
    above[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By all ways, for short strings.
    fn slowly(one: &[char], other: &[char]) -> usize {
        match (one.split_first(), other.split_first()) {
            (None, _) => other.len(),
            (_, None) => one.len(),
            (Some((a, one_rest)), Some((b, other_rest))) => {
                let changed = slowly(one_rest, other_rest) + usize::from(a != b);
                changed.min(slowly(one_rest, other) + 1).min(slowly(one, other_rest) + 1)
            }
        }
    }

    #[test]
    fn edit_distances_are_those_of_the_obvious_recursion() {
        let words = ["", "A", "ACGT", "AGT", "TTAC", "GATTAC", "ACGTA"];
        for one in words {
            for other in words {
                let letters = |word: &str| word.chars().collect::<Vec<_>>();
                assert_eq!(
                    edit_distance(one, other),
                    slowly(&letters(one), &letters(other)),
                    "{one} {other}"
                );
            }
        }
    }

    #[test]
    fn neighbours_in_a_family_are_as_far_apart_as_its_rate_says() {
        let (length, rates) = (60_usize, [0.02, 0.2]);
        let StringSample { strings, labels } = grow_strings(40, &rates, length, 3);
        let nearest = |i: usize, same: bool| {
            let others = (0..strings.len()).filter(|&j| j != i);
            let of_family = others.filter(|&j| (labels.as_slice()[i] == labels.as_slice()[j]) == same);
            of_family.map(|j| edit_distance(&strings[i], &strings[j])).min().unwrap() as f64
        };
        for family in 0..2 {
            let members: Vec<usize> =
                (0..strings.len()).filter(|&i| labels.as_slice()[i] == family).collect();
            let mean = |same| members.iter().map(|&i| nearest(i, same)).sum::<f64>() / members.len() as f64;
            // Families are numbered by first appearance: the slow one has short links.
            let rate = if mean(true) < 4.0 { rates[0] } else { rates[1] };
            assert!((0.4..1.6).contains(&(mean(true) / (rate * length as f64))), "{family}: {}", mean(true));
            assert!(mean(false) > 20.0);
        }
        assert_ne!(strings, grow_strings(40, &rates, length, 4).strings);
    }
}
