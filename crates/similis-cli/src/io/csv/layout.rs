//! What the first records say of a file.

use std::path::Path;

use super::fields::{Delimiter, Field};
use super::lines::{Line, Lines};
use super::parse;
use super::triangle::Triangle;
use crate::args::Input;
use crate::error::Error;
use crate::io::Request;
use crate::io::choice::{Choice, Columns, Role, Roles};

/// How the records of a file are to be read.
pub(super) struct Layout {
    pub(super) delimiter: Delimiter,
    /// The names of all columns, where the first record is a header.
    pub(super) names: Option<Vec<String>>,
    /// How many fields a record has; of a triangle, the first.
    pub(super) n_fields: usize,
    /// The line of the first record, which others are compared with.
    pub(super) first_line: usize,
    /// The header as it stands, to know it again.
    pub(super) header_text: Option<String>,
    pub(super) rows: RowKind,
}

/// What a record is.
pub(super) enum RowKind {
    /// Fields that have roles.
    Table { roles: Roles, ids: Ids },
    /// A row that is one longer than the one before.
    Triangle { shape: Triangle, named: bool },
}

/// Why the first column is taken for names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ids {
    /// It is not, or the user said so.
    Said,
    /// As [`Ids::Said`], and the first record, which could be a header, is a row.
    SaidWithFirst,
    /// It holds text: right for a square matrix, a mistake for points.
    IfSquare,
    /// As [`Ids::IfSquare`], and the first record may be a row or a header with numbers for names.
    IfSquareWithFirst,
    /// The header leaves it out.
    Headerless,
    /// The header gives it no name: right if it counts the rows or repeats the header.
    IfCounting,
}

impl Layout {
    pub(super) fn of(lines: &mut Lines, delimiter: Delimiter, request: &Request<'_>) -> Result<Self, Error> {
        let mut sketches = Vec::new();
        for k in 0..3 {
            match lines.peek(k)? {
                Some(line) => sketches.push(Sketch::of(&line, delimiter)?),
                None => break,
            }
        }
        let [first, others @ ..] = sketches.as_slice() else {
            return Err(Error::Empty { path: lines.path().into() });
        };
        check_kind(lines.path(), &sketches, request)?;
        let triangle = triangle(&sketches, request);
        let names = if triangle.is_some() { None } else { first.names.clone() };
        let header_text = names.is_some().then(|| first.text.clone());
        let (n_fields, first_line) = (first.n_fields, first.number);
        let common = Self {
            delimiter,
            names,
            n_fields,
            first_line,
            header_text,
            rows: RowKind::Table { roles: Roles::all(n_fields), ids: Ids::Said },
        };
        match triangle {
            Some(rows) => Ok(Self { rows, ..common }),
            None => common.with_roles(lines, others.first(), request),
        }
    }

    /// Whether the first record is a header for certain.
    pub(super) fn has_header(&self) -> bool {
        let undecided = matches!(self.rows, RowKind::Table { ids: Ids::IfSquareWithFirst, .. });
        self.names.is_some() && !undecided
    }

    /// Gives every column its role.
    fn with_roles(
        mut self,
        lines: &Lines,
        second: Option<&Sketch>,
        request: &Request<'_>,
    ) -> Result<Self, Error> {
        let headerless = self.names.is_some()
            && second.is_some_and(|row| row.n_fields == self.n_fields + 1 && row.goes_on_with_numbers);
        if let (true, Some(names)) = (headerless, &mut self.names) {
            names.insert(0, String::new());
            self.n_fields += 1;
        }
        let with_first = !headerless && self.first_is_row(lines.path(), request.choice);
        if with_first {
            (self.names, self.header_text) = (None, None);
        }
        let columns = Columns { path: lines.path(), names: self.names.as_deref(), n: self.n_fields };
        let (roles, ids) = if request.choice.is_open() {
            columns.check_names()?;
            let ids = if headerless { Ids::Headerless } else { self.guessed(second, request.input) };
            let named = ids != Ids::Said;
            (if named { Roles::with_names(self.n_fields, 0) } else { Roles::all(self.n_fields) }, ids)
        } else {
            (request.choice.resolve(&columns)?, if with_first { Ids::SaidWithFirst } else { Ids::Said })
        };
        Ok(Self { rows: RowKind::Table { roles, ids }, ..self })
    }

    /// Whether the first record, which could be a header, has text for names and classes only: then it is a row, unless
    /// a column was chosen by its name.
    fn first_is_row(&self, path: &Path, choice: &Choice) -> bool {
        let names = self.names.as_deref().unwrap_or_default();
        let is_text = |name: &String| parse(name).is_none();
        let numbered = Columns { path, names: None, n: self.n_fields };
        let fits = |(role, name): (&Role, &String)| matches!(role, Role::Id | Role::Label) || !is_text(name);
        names.iter().any(is_text)
            && choice.resolve(&numbered).is_ok_and(|roles| roles.of.iter().zip(names).all(fits))
    }

    /// Whether the first column may be names.
    fn guessed(&self, second: Option<&Sketch>, input: Option<Input>) -> Ids {
        let names = self.names.as_deref().unwrap_or_default();
        let text_below = second.is_some_and(|row| row.begins_with_text);
        let whole_names = names.len() > 1 && names[1..].iter().all(|name| parse(name).is_some());
        match (names, text_below) {
            _ if self.n_fields < 2 => Ids::Said,
            (_, true) if input == Some(Input::Points) => Ids::Said,
            ([first, ..], true) if whole_names && !first.is_empty() => Ids::IfSquareWithFirst,
            (_, true) => Ids::IfSquare,
            ([first, ..], false) if first.is_empty() => Ids::IfCounting,
            _ => Ids::Said,
        }
    }
}

/// Returns an error if the first records are plainly those of another kind of file: a count and then names, or two names,
/// perhaps with a number, in each row.
fn check_kind(path: &Path, sketches: &[Sketch], request: &Request<'_>) -> Result<(), Error> {
    let [first, others @ ..] = sketches else { return Ok(()) };
    if !request.choice.is_open() || request.input == Some(Input::Points) {
        return Ok(());
    }
    let is_count = first.n_fields == 1 && first.text.trim().bytes().all(|byte| byte.is_ascii_digit());
    if is_count && !others.is_empty() && others.iter().all(|row| row.begins_with_text) {
        return Err(Error::LooksLikePhylip { path: path.into(), line: first.number });
    }
    // A matrix of two named rows could be a list of edges too.
    if request.input.is_none() && others.len() > 1 && others.iter().all(|row| row.is_edge) {
        return Err(Error::LooksLikeEdges { path: path.into(), line: others[0].number });
    }
    Ok(())
}

/// Whether the first records are the beginning of a lower triangle: each has a value more than the one before.
fn triangle(sketches: &[Sketch], request: &Request<'_>) -> Option<RowKind> {
    let said = matches!(request.input, Some(Input::Distances | Input::Similarities));
    let possible = request.choice.is_open() && (said || request.input.is_none());
    let (first, second) = (sketches.first()?, sketches.get(1)?);
    let named = second.begins_with_text && first.begins_with_text;
    let n_values = |sketch: &Sketch| sketch.n_fields - usize::from(named);
    let grows = sketches.windows(2).all(|pair| n_values(&pair[1]) == n_values(&pair[0]) + 1);
    // Two records alone could be a slip.
    let enough = said || sketches.len() == 3;
    let shape = match (named, n_values(first)) {
        (true, 0) => Triangle::BelowDiagonal,
        (_, 1) => Triangle::WithDiagonal,
        _ => return None,
    };
    (possible && grows && enough && (named || !first.begins_with_text))
        .then_some(RowKind::Triangle { shape, named })
}

/// What matters of one of the first records.
struct Sketch {
    text: String,
    number: usize,
    n_fields: usize,
    begins_with_text: bool,
    goes_on_with_numbers: bool,
    /// Whether it holds two texts, or two and a number.
    is_edge: bool,
    names: Option<Vec<String>>,
}

impl Sketch {
    fn of(line: &Line<'_>, delimiter: Delimiter) -> Result<Self, Error> {
        let fields = line.all_fields(delimiter)?;
        let is_number: Vec<bool> = fields.iter().map(|field| parse(field.text).is_some()).collect();
        Ok(Self {
            text: line.text.to_owned(),
            number: line.number,
            n_fields: fields.len(),
            begins_with_text: fields.first().is_some_and(|field| parse(field.text).is_none()),
            goes_on_with_numbers: fields.iter().skip(1).all(|field| parse(field.text).is_some()),
            is_edge: matches!(is_number[..], [false, false] | [false, false, true]),
            names: header(&fields),
        })
    }
}

/// Returns the names in a record if it is a header.
fn header(fields: &[Field<'_>]) -> Option<Vec<String>> {
    let is_text = |field: &&Field<'_>| parse(field.text).is_none();
    let is_number = |field: &&Field<'_>| parse(field.text).is_some_and(|value| !value.is_nan());
    let any_text = fields.iter().any(|field| is_text(&field));
    let any_number = fields.iter().any(|field| is_number(&field));
    let whole_numbers =
        fields.iter().filter(is_number).all(|field| field.text.bytes().all(|byte| byte.is_ascii_digit()));
    let mistyped = fields.iter().filter(is_text).any(|field| begins_like_a_number(field.text));
    // Behind an empty field, whole numbers name the columns of a matrix, as pandas writes it.
    let numbered = fields.len() > 2 && fields[0].text.is_empty() && counts(&fields[1..]);
    let is_header = numbered || (any_text && (!any_number || (whole_numbers && !mistyped)));
    is_header.then(|| fields.iter().map(Field::name).collect())
}

/// Whether the fields count up from 0 or 1.
fn counts(fields: &[Field<'_>]) -> bool {
    let first = fields.first().and_then(|field| field.text.parse::<usize>().ok());
    first.is_some_and(|first| {
        first <= 1 && fields.iter().zip(first..).all(|(field, n)| field.text == n.to_string())
    })
}

/// Whether a text that is no number looks like a mistyped one.
pub(in crate::io) fn begins_like_a_number(text: &str) -> bool {
    text.trim_start_matches(['+', '-', '.', ',']).starts_with(|character: char| character.is_ascii_digit())
}
