//! Lists of edges: two items, by number or by name, and a value.

use std::collections::HashMap;

use super::choice::{Columns, Role, Roles};
use super::csv::{Delimiter, Field, Line, Lines, parse};
use super::source::Source;
use super::sparse::Entries;
use super::table::Table;
use super::{Format, Request};
use crate::args::EdgeValues;
use crate::error::{Error, Excerpt};

/// The edges of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Edges {
    /// The edges, their items counted from 0.
    pub entries: Entries,
    /// How many items there are.
    pub n_points: usize,
    /// The names of the items, where the file has names, in the order in which they come up.
    pub ids: Option<Vec<String>>,
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
    if roles.n_values != 3 {
        return Err(Error::EdgeColumns { path, given: roles.n_values });
    }
    let value = roles.of.iter().position(|role| *role == Role::Value(2)).unwrap_or(0);
    let has_header = parse(&names[value]).is_none();
    let first_line = first.number;
    if has_header {
        lines.next()?;
    }
    let mut list =
        List { delimiter, roles, first_line, names: Names::default(), entries: Entries::default() };
    while let Some(line) = lines.next()? {
        list.add(&line, request.edge_values)?;
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

/// Returns the edges in a table of three columns of numbers.
///
/// # Errors
///
/// [`Error::EdgeColumns`] and [`Error::EdgePoint`].
pub fn of_numbers(path: &std::path::Path, table: Table) -> Result<Edges, Error> {
    if table.n_columns != 3 {
        return Err(Error::EdgeColumns { path: path.into(), given: table.n_columns });
    }
    let mut entries = Entries::default();
    let mut n_points = 0;
    for (row, edge) in table.values.into_f64().chunks(3).enumerate() {
        let point = |given: f64| {
            let whole = given >= 0.0 && given.fract() == 0.0 && given < f64::from(u32::MAX);
            let row = row + 1;
            if whole { Ok(given as usize) } else { Err(Error::EdgePoint { path: path.into(), row, given }) }
        };
        let (from, to) = (point(edge[0])?, point(edge[1])?);
        entries.push(from, to, edge[2]);
        n_points = n_points.max(from + 1).max(to + 1);
    }
    Ok(Edges { entries, n_points, ids: None })
}

/// Returns the edges of items that have names.
pub fn of_names<'a>(pairs: impl Iterator<Item = (&'a str, &'a str, f64)>) -> Edges {
    let mut names = Names::default();
    let mut entries = Entries::default();
    for (from, to, value) in pairs {
        let (from, to) = (names.number(from), names.number(to));
        entries.push(from, to, value);
    }
    finished(names, entries)
}

/// The edges read so far.
struct List {
    delimiter: Delimiter,
    roles: Roles,
    first_line: usize,
    names: Names,
    entries: Entries,
}

impl List {
    fn add(&mut self, line: &Line<'_>, values: Option<EdgeValues>) -> Result<(), Error> {
        line.check_n_fields(self.delimiter, self.roles.of.len(), self.first_line)?;
        let (mut ends, mut value) = ([0; 2], 0.0);
        for (field, role) in line.fields(self.delimiter).zip(&self.roles.of) {
            let field = field?;
            match *role {
                Role::Value(2) => value = number(line, &field, values)?,
                Role::Value(end) => {
                    check_item(line, &field)?;
                    ends[end] = self.names.number(&field.name());
                }
                _ => {}
            }
        }
        self.entries.push(ends[0], ends[1], value);
        Ok(())
    }

    fn into_edges(self) -> Edges {
        finished(self.names, self.entries)
    }
}

/// Numbers the items by the numbers they have for names, if they all do.
fn finished(names: Names, mut entries: Entries) -> Edges {
    let names = names.in_order();
    let whole = |name: &String| name.parse::<u32>().ok().filter(|&number| number < u32::MAX);
    let Some(numbers) = names.iter().map(whole).collect::<Option<Vec<u32>>>() else {
        return Edges { entries, n_points: names.len(), ids: Some(names) };
    };
    for item in entries.rows.iter_mut().chain(&mut entries.columns) {
        *item = numbers[*item as usize];
    }
    let n_points = numbers.iter().max().map_or(0, |&greatest| greatest as usize + 1);
    Edges { entries, n_points, ids: None }
}

/// The value of an edge.
fn number(line: &Line<'_>, field: &Field<'_>, values: Option<EdgeValues>) -> Result<f64, Error> {
    let (place, found) = (line.place(field.offset), Excerpt::new(field.text.as_bytes()));
    match parse(field.text) {
        Some(value) if value.is_finite() && value < 0.0 && values == Some(EdgeValues::Distances) => {
            Err(Error::EdgeNegative { place, found })
        }
        Some(value) if value.is_finite() => Ok(value),
        _ => Err(Error::EdgeValue { place, found }),
    }
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
