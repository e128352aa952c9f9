//! Lists of edges: two items, by number or by name, and a value.

use std::collections::HashMap;

use super::budget::Budget;
use super::choice::{Columns, Role, Roles};
use super::csv::{Delimiter, Field, Line, Lines, begins_like_a_number, parse};
use super::source::Source;
use super::sparse::Entries;
use super::table::Table;
use super::{Format, Request};
use crate::args::EdgeValues;
use crate::error::{Error, Excerpt};

/// Bytes that the name of an item takes beside its characters: in the list of names and in the table that finds it.
const PER_NAME: u64 = 120;

/// The edges of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Edges {
    /// The edges, their items counted from 0.
    pub entries: Entries,
    /// How many items there are.
    pub n_points: usize,
    /// The names of the items, where the file has names, in the order in which they come up.
    pub ids: Option<Vec<String>>,
    /// Whether the file has values; without them, every edge has the value 1.
    pub weighted: bool,
}

/// Returns the edges in a text file.
pub(super) fn read(source: Source, format: Format, request: &Request<'_>) -> Result<Edges, Error> {
    let path = source.path.clone();
    let mut lines = Lines::new(source, (format == Format::Txt).then_some(b'#'));
    let Some(first) = lines.peek(0)? else {
        return Err(Error::Empty { path });
    };
    let delimiter = Delimiter::of(format, first.text);
    let fields = first.all_fields(delimiter)?;
    let names: Vec<String> = fields.iter().map(Field::name).collect();
    let columns = Columns { path: &path, names: Some(&names), n: names.len() };
    let roles = request.choice.resolve(&columns)?;
    if !(2..=3).contains(&roles.n_values) {
        return Err(Error::EdgeColumns { path, given: roles.n_values });
    }
    let weighted = roles.n_values == 3;
    let value = roles.of.iter().position(|role| *role == Role::Value(2));
    let first_line = first.number;
    let has_header = match value {
        Some(value) => parse(&names[value]).is_none() && !begins_like_a_number(&names[value]),
        None => is_header(&names, &roles, &mut lines, delimiter)?,
    };
    if has_header {
        lines.next()?;
    }
    let (entries, budget) = (Entries::default(), lines.budget().clone());
    let mut list = List { delimiter, roles, first_line, names: None, entries, weighted, budget };
    while let Some(line) = lines.next()? {
        list.add(&line, request.edge_values).map_err(|error| error.in_line(line.number))?;
    }
    if list.entries.values.is_empty() {
        return Err(Error::HeaderOnly {
            path,
            line: first_line,
            header: Excerpt::new(names.join(",").as_bytes()),
        });
    }
    Ok(list.into_edges())
}

/// Words by which the first column of a list of edges is called. Lower case.
const FIRST_ENDS: [&str; 12] =
    ["source", "from", "src", "node1", "node_1", "item1", "id1", "u", "i", "a", "start", "protein1"];
/// Words by which the second column is called, in the same order.
const SECOND_ENDS: [&str; 12] =
    ["target", "to", "dst", "node2", "node_2", "item2", "id2", "v", "j", "b", "end", "protein2"];

/// Whether the first line of a list without values is a header: a known pair of words, or text above numbers.
fn is_header(
    names: &[String],
    roles: &Roles,
    lines: &mut Lines,
    delimiter: Delimiter,
) -> Result<bool, Error> {
    let of = |role: Role| roles.of.iter().position(|other| *other == role).unwrap_or(0);
    let ends = [of(Role::Value(0)), of(Role::Value(1))];
    let [from, to] = ends.map(|end| names[end].to_lowercase());
    if FIRST_ENDS
        .iter()
        .zip(SECOND_ENDS)
        .any(|(first, second)| from == *first && to == second && from.len() > 1)
    {
        return Ok(true);
    }
    let text = |name: &str| plain_number(name).is_none();
    let Some(second) = lines.peek(1)? else { return Ok(false) };
    let fields = second.all_fields(delimiter)?;
    let below = ends.iter().all(|&end| fields.get(end).is_some_and(|field| !text(field.text)));
    Ok(text(&from) && text(&to) && below)
}

/// Returns the edges in a table of three columns of numbers, or of two for edges without values.
///
/// # Errors
///
/// [`Error::EdgeColumns`] and [`Error::EdgePoint`].
pub fn of_numbers(path: &std::path::Path, table: Table) -> Result<Edges, Error> {
    let n_columns = table.n_columns;
    if !(2..=3).contains(&n_columns) {
        return Err(Error::EdgeColumns { path: path.into(), given: n_columns });
    }
    let mut entries = Entries::default();
    let mut n_points = 0;
    for (row, edge) in table.values.into_f64().chunks(n_columns).enumerate() {
        let point = |given: f64| {
            let whole = given >= 0.0 && given.fract() == 0.0 && given < f64::from(u32::MAX);
            let row = row + 1;
            if whole { Ok(given as usize) } else { Err(Error::EdgePoint { path: path.into(), row, given }) }
        };
        let (from, to) = (point(edge[0])?, point(edge[1])?);
        entries.push(from, to, edge.get(2).copied().unwrap_or(1.0));
        n_points = n_points.max(from + 1).max(to + 1);
    }
    Ok(Edges { entries, n_points, ids: None, weighted: n_columns == 3 })
}

/// Returns the edges of items that have names.
pub fn of_names<'a>(pairs: impl Iterator<Item = (&'a str, &'a str, f64)>) -> Edges {
    let mut names = Names::default();
    let mut entries = Entries::default();
    for (from, to, value) in pairs {
        let (from, to) = (names.number(from), names.number(to));
        entries.push(from, to, value);
    }
    Edges { n_points: names.0.len(), ids: Some(names.in_order()), entries, weighted: true }
}

/// The edges read so far.
struct List {
    delimiter: Delimiter,
    roles: Roles,
    first_line: usize,
    /// The names of the items, once there is one that is no number.
    names: Option<Names>,
    entries: Entries,
    weighted: bool,
    budget: Budget,
}

impl List {
    fn add(&mut self, line: &Line<'_>, values: Option<EdgeValues>) -> Result<(), Error> {
        let (mut ends, mut value, mut n_fields) = ([None; 2], 1.0, 0);
        for field in line.fields(self.delimiter) {
            let field = field?;
            match self.roles.of.get(n_fields) {
                Some(Role::Value(2)) => value = number(line, &field, values)?,
                Some(Role::Value(end)) => ends[*end] = Some(field),
                _ => {}
            }
            n_fields += 1;
        }
        match ends {
            [Some(from), Some(to)] if n_fields == self.roles.of.len() => self.push(line, [from, to], value),
            _ => line.check_n_fields(self.delimiter, self.roles.of.len(), self.first_line),
        }
    }

    /// Takes an edge: its items are numbers as long as all have been.
    fn push(&mut self, line: &Line<'_>, ends: [Field<'_>; 2], value: f64) -> Result<(), Error> {
        let numbers = ends.map(|end| plain_number(end.text));
        if let (None, [Some(from), Some(to)]) = (&self.names, numbers) {
            return self.entries.add(&self.budget, from, to, value);
        }
        ends.iter().try_for_each(|end| check_item(line, end))?;
        let names = self.names.get_or_insert_with(|| named(&mut self.entries));
        let n_names = names.0.len();
        let [from, to] = ends.map(|end| names.number(&end.name()));
        for (end, number) in ends.iter().zip([from, to]) {
            if number >= n_names {
                self.budget.take(PER_NAME + end.text.len() as u64)?;
            }
        }
        self.entries.add(&self.budget, from, to, value)
    }

    fn into_edges(self) -> Edges {
        let Self { entries, names, weighted, .. } = self;
        let greatest = entries.rows.iter().chain(&entries.columns).max();
        let n_points = greatest.map_or(0, |&item| item as usize + 1);
        Edges { n_points, ids: names.map(Names::in_order), entries, weighted }
    }
}

/// Takes the numbers of the edges so far for names, and returns them.
fn named(entries: &mut Entries) -> Names {
    let mut names = Names::default();
    for (from, to) in entries.rows.iter_mut().zip(&mut entries.columns) {
        *from = names.number(&from.to_string()) as u32;
        *to = names.number(&to.to_string()) as u32;
    }
    names
}

/// The number that a field spells in the only way.
fn plain_number(text: &str) -> Option<usize> {
    let plain = text == "0" || !text.starts_with(['0', '+']);
    text.parse::<u32>().ok().filter(|&number| plain && number < u32::MAX).map(|number| number as usize)
}

/// The value of an edge.
fn number(line: &Line<'_>, field: &Field<'_>, values: Option<EdgeValues>) -> Result<f64, Error> {
    let negative = |value: f64| value < 0.0 && values == Some(EdgeValues::Distances);
    let value = parse(field.text).filter(|value| value.is_finite());
    if let Some(value) = value.filter(|value| !negative(*value)) {
        return Ok(value);
    }
    let (place, found) = (line.place(field.offset), Excerpt::new(field.text.as_bytes()));
    Err(if value.is_some() {
        Error::EdgeNegative { place, found }
    } else {
        Error::EdgeValue { place, found }
    })
}

/// An item is a name or a whole number: what is another number is a slip.
fn check_item(line: &Line<'_>, field: &Field<'_>) -> Result<(), Error> {
    let whole = !field.text.is_empty() && field.text.bytes().all(|byte| byte.is_ascii_digit());
    match parse(field.text) {
        Some(_) if !whole => {
            let (place, found) = (line.place(field.offset), Excerpt::new(field.text.as_bytes()));
            Err(Error::EdgeItem { place, found })
        }
        _ => Ok(()),
    }
}

/// Names, numbered in the order in which they come up.
#[derive(Default)]
struct Names(HashMap<String, u32>);

impl Names {
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.0.get(name) {
            return number as usize;
        }
        let next = self.0.len() as u32;
        self.0.insert(name.to_owned(), next);
        next as usize
    }

    fn in_order(self) -> Vec<String> {
        let mut names = vec![String::new(); self.0.len()];
        for (name, number) in self.0 {
            names[number as usize] = name;
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Input;
    use crate::io::{Choice, Content};

    fn edges(text: &str) -> Edges {
        let file = tempfile::NamedTempFile::with_suffix(".csv").unwrap();
        std::fs::write(file.path(), text).unwrap();
        let (path, choice, input) = (file.path(), &Choice::default(), Some(Input::Edges));
        let (format, array, missing, edge_values, memory_limit) = (None, None, false, None, None);
        let request = Request { path, format, array, missing, choice, input, edge_values, memory_limit };
        match crate::io::read(&request).unwrap() {
            Content::Edges(edges) => edges,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn whole_numbers_are_numbers_until_a_name_comes() {
        let numbered = edges("i,j,d\n3,1,0.5\n0,3,2\n");
        assert_eq!((numbered.n_points, numbered.ids), (4, None));
        assert_eq!(numbered.entries.rows, [3, 0]);
        let named = edges("3,1,0.5\n0,3,2\n1,\"x, y\",1\n");
        assert_eq!(named.ids.unwrap(), ["3", "1", "0", "x, y"]);
        assert_eq!((named.entries.rows, named.entries.columns), (vec![0, 2, 1], vec![1, 0, 3]));
        // 01 and 1 are two names.
        assert_eq!(edges("01,1,1\n").ids.unwrap(), ["01", "1"]);
    }
}
