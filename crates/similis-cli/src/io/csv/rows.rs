//! The records read so far, and what they add up to.

use std::collections::BTreeMap;
use std::path::Path;

use similis::input::Values;

use super::layout::{Ids, Layout, RowKind};
use super::lines::Line;
use super::triangle::Triangle;
use super::{Field, parse};
use crate::args::Input;
use crate::error::{Error, Excerpt};
use crate::io::Request;
use crate::io::budget::Budget;
use crate::io::choice::{Role, Roles};
use crate::io::table::Table;

pub(super) struct Rows {
    layout: Layout,
    missing: bool,
    input: Option<Input>,
    values: Vec<f64>,
    ids: Vec<String>,
    labels: Vec<String>,
    /// Whether columns may hold text, and those that do, by their place among the numbers.
    mixed: bool,
    texts: BTreeMap<usize, Vec<Option<String>>>,
    n_read: usize,
    /// What is wrong with the first name that is no number, if the first column turns out to hold no names.
    first_name: Option<Error>,
    budget: Budget,
}

impl Rows {
    pub(super) fn new(layout: Layout, request: &Request<'_>, budget: Budget) -> Self {
        Self {
            layout,
            missing: request.missing,
            input: request.input,
            values: Vec::new(),
            ids: Vec::new(),
            labels: Vec::new(),
            mixed: request.choice.mixed,
            texts: BTreeMap::new(),
            n_read: 0,
            first_name: None,
            budget,
        }
    }

    /// Takes a record.
    pub(super) fn add(&mut self, line: &Line<'_>) -> Result<(), Error> {
        match &self.layout.rows {
            RowKind::Triangle { shape, named } => self.add_to_triangle(*shape, *named, line)?,
            RowKind::Table { .. } => self.add_row(line)?,
        }
        self.n_read += 1;
        Ok(())
    }

    fn add_row(&mut self, line: &Line<'_>) -> Result<(), Error> {
        let (n_read, start) = (self.n_read, self.values.len());
        let Self { layout, values, ids, labels, missing, mixed, texts, budget, .. } = self;
        let RowKind::Table { roles, ids: why } = &layout.rows else { return Ok(()) };
        let row = MixedPlace { start, place: 0, n_values: roles.n_values, n_read };
        budget.grow(values, roles.n_values)?;
        values.resize(start + roles.n_values, 0.0);
        let mut n_seen = 0;
        for field in line.fields(layout.delimiter) {
            let field = field?;
            n_seen += 1;
            match roles.of.get(n_seen - 1) {
                Some(&Role::Value(place)) if *mixed => {
                    add_mixed(budget, (values, texts), MixedPlace { place, ..row }, &field)?;
                }
                Some(Role::Value(place)) => match parse(field.text) {
                    Some(value) if value.is_finite() || (value.is_nan() && *missing) => {
                        values[start + place] = value;
                    }
                    value => {
                        // A row with a field too many is more likely the cause than what that field holds.
                        line.check_n_fields(layout.delimiter, layout.n_fields, layout.first_line)?;
                        return Err(layout.not_finite(line, &field, n_seen, value));
                    }
                },
                Some(Role::Id) => {
                    // The first record may be a header after all: then the second has the first name.
                    let first = usize::from(*why == Ids::IfSquareWithFirst);
                    let open = self.first_name.is_none() || n_read <= first;
                    let is_number = parse(field.text).is_some_and(f64::is_finite);
                    if *why != Ids::Said && open && !is_number {
                        self.first_name = Some(layout.not_finite(line, &field, n_seen, None));
                    }
                    add_name(budget, ids, &field)?;
                }
                Some(Role::Label) => add_name(budget, labels, &field)?,
                Some(Role::Skipped) => {}
                None => break,
            }
        }
        let whole = n_seen == layout.n_fields;
        if whole { Ok(()) } else { line.check_n_fields(layout.delimiter, layout.n_fields, layout.first_line) }
    }

    fn add_to_triangle(&mut self, shape: Triangle, named: bool, line: &Line<'_>) -> Result<(), Error> {
        let delimiter = self.layout.delimiter;
        let n_expected = shape.row_length(self.n_read) + usize::from(named);
        line.check_n_fields(delimiter, n_expected, self.layout.first_line)?;
        for (at, field) in line.fields(delimiter).enumerate() {
            let field = field?;
            match parse(field.text) {
                _ if named && at == 0 => add_name(&self.budget, &mut self.ids, &field)?,
                Some(value) if value.is_finite() || (value.is_nan() && self.missing) => {
                    self.budget.push(&mut self.values, value)?;
                }
                value => return Err(self.layout.not_finite(line, &field, at + 1, value)),
            }
        }
        Ok(())
    }

    /// Returns what was read.
    pub(super) fn into_table(mut self, path: &Path) -> Result<Table, Error> {
        let RowKind::Table { roles, ids } = &self.layout.rows else { return self.into_square() };
        if self.n_read == 0 {
            let header = self.layout.header_text.as_deref().unwrap_or_default();
            let (line, header) = (self.layout.first_line, Excerpt::new(header.as_bytes()));
            return Err(Error::HeaderOnly { path: path.into(), line, header });
        }
        let (roles, ids) = (roles.clone(), *ids);
        let mut notes = Vec::new();
        match ids {
            Ids::Headerless => notes.push(
                "the header has one name less than the rows have fields: the first column is taken for names"
                    .to_owned(),
            ),
            Ids::SaidWithFirst => notes.push(format!(
                "line {} is read as a row, because its columns of numbers hold numbers; if it is a header, choose a \
                 column by its name",
                self.layout.first_line
            )),
            Ids::IfCounting if self.counts_rows() => {
                notes.push(
                    "the first column has no name and counts the rows: it is taken for names".to_owned(),
                );
            }
            Ids::IfCounting if self.n_read != roles.n_values || !self.ids_are_names(&roles) => {
                return self.with_first_column(path);
            }
            Ids::IfSquareWithFirst if self.n_read == roles.n_values => self.layout.names = None,
            Ids::IfSquareWithFirst => self.first_was_header(&roles),
            _ => {}
        }
        notes.extend(self.layout.header_note());
        if !matches!(ids, Ids::IfSquare | Ids::IfSquareWithFirst) {
            return Ok(self.finished(&roles, notes));
        }
        self.into_named_matrix(path, &roles, notes)
    }

    /// Returns the matrix whose first column, text, is the names of its rows.
    fn into_named_matrix(mut self, path: &Path, roles: &Roles, notes: Vec<String>) -> Result<Table, Error> {
        let (said, first_name) = (self.input.is_some(), self.first_name.take());
        let table = Table { is_matrix: true, ..self.finished(roles, notes) };
        let square = table.n_rows == table.n_columns;
        // Without a word on it, only a matrix that is seen to be one may have names that were not announced.
        if square && (said || (table.n_rows > 1 && table.is_symmetric())) {
            return Ok(table);
        }
        let (path, n_rows) = (path.into(), table.n_rows);
        Err(match first_name {
            Some(_) if square && n_rows > 2 => Error::AsymmetricNamed { path, n_rows },
            first_name => first_name.unwrap_or(Error::Empty { path }),
        })
    }

    /// Takes the first record, which was read as a row, for the header that it is.
    fn first_was_header(&mut self, roles: &Roles) {
        self.values.drain(..roles.n_values);
        self.ids.remove(0);
        self.n_read -= 1;
    }

    /// Whether the names are 0, 1, 2, .. or 1, 2, 3, ..
    fn counts_rows(&self) -> bool {
        let first = self.ids.first().and_then(|id| id.parse::<usize>().ok());
        let counts = |first: usize| self.ids.iter().zip(first..).all(|(id, n)| *id == n.to_string());
        self.n_read > 1 && first.is_some_and(|first| first <= 1 && counts(first))
    }

    /// Whether the first column repeats the header.
    fn ids_are_names(&self, roles: &Roles) -> bool {
        self.layout.names.as_ref().is_some_and(|names| roles.value_names(names) == self.ids)
    }

    /// Returns the table with its first column among the numbers after all.
    fn with_first_column(self, path: &Path) -> Result<Table, Error> {
        let mut values = Vec::new();
        self.budget.reserve(&mut values, self.values.len() + self.n_read)?;
        let n_values = self.layout.n_fields - 1;
        for (row, id) in self.values.chunks(n_values).zip(&self.ids) {
            match parse(id) {
                Some(first) if first.is_finite() || (first.is_nan() && self.missing) => values.push(first),
                _ => return Err(self.first_name.unwrap_or(Error::Empty { path: path.into() })),
            }
            values.extend(row);
        }
        let names = self.layout.names;
        Ok(Table { names, ..Table::new(Values::from(values), self.n_read, n_values + 1) })
    }

    fn finished(self, roles: &Roles, notes: Vec<String>) -> Table {
        let has = |role: Role| roles.of.contains(&role);
        Table {
            names: self.layout.names.map(|names| roles.value_names(&names)),
            ids: has(Role::Id).then_some(self.ids),
            labels: has(Role::Label).then_some(self.labels),
            texts: self.texts,
            notes,
            ..Table::new(Values::from(self.values), self.n_read, roles.n_values)
        }
    }

    /// Returns the square matrix of a triangle.
    fn into_square(self) -> Result<Table, Error> {
        let RowKind::Triangle { shape, named } = self.layout.rows else {
            return Ok(Table::new(Values::from(self.values), self.n_read, 1));
        };
        let last = |row: usize| self.values[shape.n_values(row + 1) - 1];
        // Without names, a triangle below the diagonal looks like one with it; distances tell by their zeros.
        let below =
            !named && self.input != Some(Input::Similarities) && (0..self.n_read).any(|row| last(row) != 0.0);
        let (shape, n) =
            if below { (Triangle::BelowDiagonal, self.n_read + 1) } else { (shape, self.n_read) };
        let held = if below || shape == Triangle::BelowDiagonal { "below" } else { "on and below" };
        self.budget.check((n as u64).saturating_mul(8 * n as u64))?;
        let values = shape.square(&self.values, n, 0.0);
        let note = format!("read as a lower triangle: the values {held} the diagonal of {n} rows");
        let ids = named.then_some(self.ids);
        Ok(Table { ids, is_matrix: true, notes: vec![note], ..Table::new(Values::from(values), n, n) })
    }
}

/// Where a field of a mixed column belongs.
#[derive(Clone, Copy)]
struct MixedPlace {
    /// Where the values of its row begin.
    start: usize,
    place: usize,
    n_values: usize,
    n_read: usize,
}

/// Adds a field of a mixed column: a number, or text, with which the whole column is text.
fn add_mixed(
    budget: &Budget,
    (values, texts): (&mut [f64], &mut BTreeMap<usize, Vec<Option<String>>>),
    at: MixedPlace,
    field: &Field<'_>,
) -> Result<(), Error> {
    let value = parse(field.text).filter(|value| !value.is_infinite());
    values[at.start + at.place] = value.unwrap_or(f64::NAN);
    if value.is_none() && !texts.contains_key(&at.place) {
        texts.insert(at.place, numbers_as_text(values, (at.place, at.n_values), at.n_read));
    }
    let Some(texts) = texts.get_mut(&at.place) else { return Ok(()) };
    let known = || value.map_or_else(|| field.name(), |value| value.to_string());
    budget.take_text(field.text)?;
    budget.push(texts, value.is_none_or(|value| !value.is_nan()).then(known))
}

/// The numbers of a column that were read before the first text in it.
fn numbers_as_text(values: &[f64], (place, n_values): (usize, usize), n_read: usize) -> Vec<Option<String>> {
    let text = |row: usize| Some(values[row * n_values + place]).filter(|value| !value.is_nan());
    (0..n_read).map(|row| text(row).map(|value| value.to_string())).collect()
}

/// Adds what a field holds to a list of names.
fn add_name(budget: &Budget, names: &mut Vec<String>, field: &Field<'_>) -> Result<(), Error> {
    budget.take_text(field.text)?;
    budget.push(names, field.name())
}

impl Layout {
    /// Returns a note where the header could be a row with a mistyped field: it holds numbers beside text.
    fn header_note(&self) -> Option<String> {
        let (names, header) = (self.names.as_deref()?, self.header_text.as_deref()?);
        let has_text = names.iter().any(|name| parse(name).is_none());
        let has_number = names.iter().any(|name| parse(name).is_some_and(f64::is_finite));
        let (line, found) = (self.first_line, Excerpt::new(header.as_bytes()));
        (has_text && has_number).then(|| {
            format!("line {line}, {found}, is read as a header, because it holds text; if it is a row, correct that field")
        })
    }

    /// Returns what is wrong with a field whose value is text, NaN or infinite.
    fn not_finite(&self, line: &Line<'_>, field: &Field<'_>, number: usize, value: Option<f64>) -> Error {
        let place = line.place(field.offset);
        let found = Excerpt::new(field.text.as_bytes());
        let name = self.names.as_ref().and_then(|names| names.get(number - 1));
        let name = name.filter(|name| !name.is_empty()).map(|name| Excerpt::new(name.as_bytes()));
        match value {
            None if self.header_text.as_deref() == Some(line.text) => Error::RepeatedHeader {
                place,
                like_line: self.first_line,
                found: Excerpt::new(line.text.as_bytes()),
            },
            None => Error::NotANumber { place, field: number, name, found },
            Some(value) if value.is_nan() => Error::Missing { place, field: number, found },
            Some(_) => Error::Infinite { place, field: number, found },
        }
    }
}
