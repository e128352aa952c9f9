//! Pairs of points: two columns, numbers counted from 0 as in lists of edges, or names where the input has names; a third column
//! says how probable a pair is.

use std::collections::HashMap;
use std::path::Path;

use super::csv::{Delimiter, Field, Line, Lines};
use super::source::Source;
use super::{Choice, Format, read_columns};
use crate::error::{Error, Excerpt};

/// A pair of points, counted from 0.
pub type Pair = (usize, usize);

/// A pair, and the line of the file (the row, where it has no lines), counted from 1, that names it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedPair {
    /// The points.
    pub pair: Pair,
    /// The line.
    pub line: usize,
    /// How probable the pair is, from 0 to 1, where a third column says it.
    pub probability: Option<f64>,
}

/// Returns the pairs in a file; `ids` are the names of the points, where they have names.
///
/// Reading takes at most `memory_limit` bytes. A first line whose fields are neither names nor numbers of points is a header.
///
/// # Errors
///
/// What is wrong with the file and where: [`Error::PairColumns`], [`Error::PairItem`], [`Error::PairPoint`], [`Error::PairProbability`], and those of
/// [`read`](super::read).
pub fn read(
    path: &Path,
    ids: Option<&[String]>,
    n_points: usize,
    memory_limit: Option<u64>,
) -> Result<Vec<ListedPair>, Error> {
    let source = Source::open(path, memory_limit)?;
    let format = source.format(None)?;
    match format {
        Format::Csv | Format::Tsv | Format::Txt => read_text(source, format, &Items::new(ids, n_points)),
        _ => read_numbers(path, n_points, memory_limit),
    }
}

fn read_text(source: Source, format: Format, items: &Items<'_>) -> Result<Vec<ListedPair>, Error> {
    let path = source.path.clone();
    let mut lines = Lines::new(source, (format == Format::Txt).then_some(b'#'));
    let Some(first) = lines.peek(0)? else {
        return Err(Error::Empty { path });
    };
    let delimiter = Delimiter::of(format, first.text);
    let fields = first.all_fields(delimiter)?;
    if fields.iter().take(2).all(|field| items.number(&field.name()).is_none() && !is_number(field.text)) {
        lines.next()?;
    }
    let budget = lines.budget().clone();
    let mut pairs = Vec::new();
    while let Some(line) = lines.next()? {
        let fields = line.all_fields(delimiter)?;
        let (first, second, third) = match &fields[..] {
            [first, second] => (first, second, None),
            [first, second, third] => (first, second, Some(third.text.trim())),
            _ => return Err(Error::PairColumns { path, line: line.number, given: fields.len() }),
        };
        let pair = (items.find(&line, first)?, items.find(&line, second)?);
        let probability = third.map(|text| probability(&path, line.number, text)).transpose()?;
        let listed = ListedPair { pair, line: line.number, probability };
        budget.push(&mut pairs, listed).map_err(|error| error.in_line(line.number))?;
    }
    Ok(pairs)
}

/// A number from 0 to 1.
fn probability(path: &Path, line: usize, text: &str) -> Result<f64, Error> {
    let found = text.parse().ok().filter(|found| (0.0..=1.0).contains(found));
    let wrong = || Error::PairProbability { path: path.into(), line, found: Excerpt::new(text.as_bytes()) };
    found.ok_or_else(wrong)
}

fn is_number(text: &str) -> bool {
    text.trim().parse::<f64>().is_ok()
}

/// Pairs in a table of two columns of numbers, or three.
fn read_numbers(path: &Path, n_points: usize, memory_limit: Option<u64>) -> Result<Vec<ListedPair>, Error> {
    let table = read_columns(path, false, &Choice::default(), memory_limit)?;
    let point = |row: usize, given: f64| {
        let whole = given >= 0.0 && given.fract() == 0.0 && given < n_points as f64;
        let wrong = || Error::PairPoint { path: path.into(), row: row + 1, given, n_points };
        if whole { Ok(given as usize) } else { Err(wrong()) }
    };
    let n_columns = table.n_columns;
    if !(2..=3).contains(&n_columns) {
        return Err(Error::PairColumns { path: path.into(), line: 1, given: table.n_columns });
    }
    let values = table.values.into_f64();
    let pair = |(row, pair): (usize, &[f64])| {
        let third = pair.get(2).map(|value| probability(path, row + 1, &value.to_string())).transpose()?;
        let pair = (point(row, pair[0])?, point(row, pair[1])?);
        Ok(ListedPair { pair, line: row + 1, probability: third })
    };
    values.chunks(n_columns).enumerate().map(pair).collect()
}

/// The points that a pair may name.
struct Items<'a> {
    names: Option<HashMap<&'a str, usize>>,
    n_points: usize,
}

impl<'a> Items<'a> {
    fn new(ids: Option<&'a [String]>, n_points: usize) -> Self {
        let named = |ids: &'a [String]| ids.iter().enumerate().map(|(i, id)| (id.as_str(), i)).collect();
        Self { names: ids.map(named), n_points }
    }

    fn number(&self, name: &str) -> Option<usize> {
        match &self.names {
            Some(names) => names.get(name).copied(),
            None => name.trim().parse().ok().filter(|&number| number < self.n_points),
        }
    }

    fn find(&self, line: &Line<'_>, field: &Field<'_>) -> Result<usize, Error> {
        self.number(&field.name()).ok_or_else(|| Error::PairItem {
            place: line.place(field.offset),
            found: Excerpt::new(field.text.as_bytes()),
            wanted: match &self.names {
                Some(_) => String::from("the name of an item of the input"),
                None => format!("the number of a point, from 0 to {}", self.n_points.saturating_sub(1)),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(ending: &str, text: &str, ids: Option<&[String]>) -> Result<Vec<Pair>, String> {
        let file = tempfile::NamedTempFile::with_suffix(ending).unwrap();
        std::fs::write(file.path(), text).unwrap();
        let listed = read(file.path(), ids, 4, None).map_err(|error| error.to_string())?;
        Ok(listed.into_iter().map(|listed| listed.pair).collect())
    }

    #[test]
    fn pairs_are_numbers_from_0_or_names() {
        let found = Ok(vec![(0, 3), (2, 1)]);
        assert_eq!(pairs(".csv", "from,to\n0,3\n2,1\n", None), found);
        assert_eq!(pairs(".tsv", "0\t3\n2\t1\n", None), found);
        assert_eq!(pairs(".txt", "# two pairs\n0 3\n2 1\n", None), found);
        let ids = ["ann", "ben", "7", "d, e"].map(String::from);
        assert_eq!(pairs(".csv", "from,to\nann,\"d, e\"\n7,ben\n", Some(&ids)), found);
    }

    #[test]
    fn a_third_column_is_how_probable_a_pair_is() {
        let file = tempfile::NamedTempFile::with_suffix(".csv").unwrap();
        std::fs::write(file.path(), "from,to,probability\n0,3,0.9\n2,1\n1,0,1\n").unwrap();
        let listed = read(file.path(), None, 4, None).unwrap();
        let found: Vec<_> = listed.into_iter().map(|listed| (listed.pair, listed.probability)).collect();
        assert_eq!(found, [((0, 3), Some(0.9)), ((2, 1), None), ((1, 0), Some(1.0))]);
    }

    #[test]
    fn what_is_no_pair_is_refused_with_its_line() {
        let ids = ["ann", "ben", "cy", "di"].map(String::from);
        let refused = |text: &str, ids: Option<&[String]>| pairs(".csv", text, ids).unwrap_err();
        assert!(refused("0,1\n0,4\n", None).contains("line 2"));
        assert!(refused("0,1\n0,4\n", None).contains("from 0 to 3"));
        assert!(refused("0,1,0.5,2\n", None).contains("two columns"));
        assert!(refused("0,1,2\n", None).contains("from 0 to 1"));
        assert!(refused("0,1,0.5\n2,3,maybe\n", None).contains("line 2"));
        assert!(refused("1.5,2\n", None).contains("line 1"));
        assert!(refused("ann,ben\nann,eve\n", Some(&ids)).contains("eve"));
        assert!(refused("", None).contains("empty"));
    }
}
