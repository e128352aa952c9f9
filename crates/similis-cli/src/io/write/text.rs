//! Text out: fields, PHYLIP, Matrix Market.

use std::borrow::Cow;
use std::io::{self, Write};

use super::{Pairs, Rows, Sheet};
use crate::io::output::csv_field;

/// Fields between delimiters, with a header where something has a name.
pub(super) fn fields(out: &mut dyn Write, delimiter: char, sheet: &Sheet<'_>) -> io::Result<()> {
    match sheet {
        Sheet::Points(rows) => table(out, delimiter, rows, false),
        Sheet::Matrix(rows) => table(out, delimiter, rows, true),
        Sheet::Pairs(pairs) => edges(out, delimiter, pairs),
    }
}

fn table(out: &mut dyn Write, delimiter: char, rows: &Rows<'_>, is_matrix: bool) -> io::Result<()> {
    let named = rows.ids.is_some() || rows.classes.is_some() || rows.names.is_some();
    if named {
        let id = rows.ids.map(|_| Cow::from("id"));
        let class = rows.classes.map(|_| Cow::from("label"));
        let names = id.into_iter().chain(rows.column_names(is_matrix)).chain(class);
        line(out, delimiter, names)?;
    }
    for i in 0..rows.n_rows {
        let numbers = (rows.row)(i).into_iter().map(|value| Cow::from(entry(value, delimiter)));
        let id = rows.ids.map(|ids| Cow::from(&ids[i]));
        let class = rows.classes.map(|classes| Cow::from(&classes[i]));
        line(out, delimiter, id.into_iter().chain(numbers).chain(class))?;
    }
    Ok(())
}

fn edges(out: &mut dyn Write, delimiter: char, pairs: &Pairs<'_>) -> io::Result<()> {
    line(out, delimiter, ["i", "j", pairs.value_name()].into_iter().map(Cow::from))?;
    pairs.try_each(|i, j, value| {
        line(out, delimiter, [pairs.item(i), pairs.item(j), entry(value, delimiter).into()].into_iter())
    })
}

fn line<'a>(
    out: &mut dyn Write,
    delimiter: char,
    fields: impl Iterator<Item = Cow<'a, str>>,
) -> io::Result<()> {
    for (at, field) in fields.enumerate() {
        if at > 0 {
            write!(out, "{delimiter}")?;
        }
        // Between blanks, a name with a blank needs quotation marks, and so does none at all.
        let blank = field.is_empty() || field.contains(' ');
        // A line that begins with # would be a comment.
        let comment = at == 0 && field.starts_with('#');
        if delimiter == ' ' && (blank || comment) {
            write!(out, "\"{}\"", field.replace('"', "\"\""))?;
        } else {
            write!(out, "{}", csv_field(&field))?;
        }
    }
    writeln!(out)
}

/// A number that reads back to the same bits; a missing one is empty, or NaN between blanks.
fn entry(value: f64, delimiter: char) -> String {
    match value {
        missing if missing.is_nan() && delimiter == ' ' => "NaN".to_owned(),
        missing if missing.is_nan() => String::new(),
        value => number(value),
    }
}

/// A number that reads back to the same bits, without hundreds of zeros.
pub(crate) fn number(value: f64) -> String {
    let usual = value == 0.0 || (1e-5..1e17).contains(&value.abs()) || value.is_nan();
    if usual { value.to_string() } else { format!("{value:e}") }
}

/// A count, then the name and the row of each item.
pub(super) fn phylip(out: &mut dyn Write, rows: &Rows<'_>) -> io::Result<()> {
    writeln!(out, "{}", rows.n_rows)?;
    for i in 0..rows.n_rows {
        // A name ends at a blank.
        let blank = |character: char| character.is_whitespace();
        match rows.ids {
            Some(ids) => write!(out, "{}", ids[i].trim().replace(blank, "_"))?,
            None => write!(out, "item{i}")?,
        }
        for value in (rows.row)(i) {
            write!(out, " {}", number(value))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Matrix Market: dense column after column, sparse entry by entry on and below the diagonal.
pub(super) fn mtx(out: &mut dyn Write, sheet: &Sheet<'_>) -> io::Result<()> {
    match sheet {
        Sheet::Points(rows) => {
            writeln!(out, "%%MatrixMarket matrix array real general\n{} {}", rows.n_rows, rows.n_columns)?;
            for column in 0..rows.n_columns {
                for i in 0..rows.n_rows {
                    writeln!(out, "{}", number((rows.row)(i)[column]))?;
                }
            }
            Ok(())
        }
        Sheet::Matrix(rows) => {
            writeln!(out, "%%MatrixMarket matrix array real symmetric\n{} {}", rows.n_rows, rows.n_columns)?;
            for column in 0..rows.n_columns {
                // The matrix is symmetric: a row from the diagonal on is a column from the diagonal down.
                for value in &(rows.row)(column)[column..] {
                    writeln!(out, "{}", number(*value))?;
                }
            }
            Ok(())
        }
        Sheet::Pairs(pairs) => {
            let n = pairs.observed.n_points();
            writeln!(out, "%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {}", pairs.count())?;
            pairs.try_each(|i, j, value| writeln!(out, "{} {} {}", j + 1, i + 1, number(value)))
        }
    }
}
