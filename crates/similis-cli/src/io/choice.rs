//! Which columns of a table are clustered on, and what the others are.

use std::path::Path;
use std::str::FromStr;

use crate::error::{Error, Excerpt};

/// The columns that a user named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The columns of numbers, in this order; none: all that are nothing else.
    pub columns: Option<ColumnList>,
    /// The column of names.
    pub id: Option<String>,
    /// The column of known classes, which is not clustered on.
    pub label: Option<String>,
    /// The column of weights, which is not clustered on either: it is the last column of numbers.
    pub weight: Option<String>,
    /// Whether columns may hold text, which is read as categories.
    pub mixed: bool,
}

/// Names and numbers of columns, as `--columns` takes them: `a,b,3-5`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnList(Vec<String>);

impl FromStr for ColumnList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut items = vec![String::new()];
        let mut quoted = false;
        for character in text.chars() {
            match character {
                '"' => quoted = !quoted,
                ',' if !quoted => items.push(String::new()),
                _ => items.last_mut().unwrap_or(&mut String::new()).push(character),
            }
        }
        let items: Vec<String> = items.iter().map(|item| item.trim().to_owned()).collect();
        if items.iter().any(String::is_empty) {
            return Err("give names or numbers between commas, such as height,weight or 1,3-5".to_owned());
        }
        Ok(Self(items))
    }
}

impl ColumnList {
    /// Columns by their names.
    pub(crate) fn of_names(names: &[String]) -> Self {
        Self(names.to_vec())
    }

    /// The last column, whatever its name.
    pub fn last() -> Self {
        Self(vec![LAST.to_owned()])
    }
}

/// No name in a file is empty where it is asked for.
const LAST: &str = "";

/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A column of numbers, and its place among them.
    Value(usize),
    /// The name of each row.
    Id,
    /// The known class of each row.
    Label,
    /// Not read.
    Skipped,
}

/// The role of each column of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Roles {
    pub(super) of: Vec<Role>,
    pub(super) n_values: usize,
}

/// The columns of a file, for resolving names.
pub(super) struct Columns<'a> {
    pub(super) path: &'a Path,
    pub(super) names: Option<&'a [String]>,
    pub(super) n: usize,
}

impl Choice {
    /// Whether nothing was named.
    pub(super) fn is_open(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the role of each column.
    ///
    /// # Errors
    ///
    /// [`Error::NoColumn`] for a name or number that no column has, [`Error::SameName`] for a name that two have,
    /// [`Error::ColumnTwice`] for a column that is to be two things, [`Error::NoValues`] if none is left for numbers.
    pub(super) fn resolve(&self, columns: &Columns<'_>) -> Result<Roles, Error> {
        let mut of = vec![None; columns.n];
        let mut take = |at: usize, role: Role| {
            if of[at].replace(role).is_none() {
                return Ok(());
            }
            Err(Error::ColumnTwice { path: columns.path.into(), column: at + 1 })
        };
        for (name, role) in [(&self.id, Role::Id), (&self.label, Role::Label)] {
            if let Some(name) = name {
                take(columns.find(name)?, role)?;
            }
        }
        let weight = self.weight.as_ref().map(|name| columns.find(name)).transpose()?;
        if let Some(at) = weight {
            take(at, Role::Skipped)?;
        }
        let mut n_values = 0;
        if let Some(ColumnList(items)) = &self.columns {
            for at in items.iter().map(|item| columns.range(item)).collect::<Result<Vec<_>, _>>()?.concat() {
                take(at, Role::Value(n_values))?;
                n_values += 1;
            }
        } else {
            for role in of.iter_mut().filter(|role| role.is_none()) {
                *role = Some(Role::Value(n_values));
                n_values += 1;
            }
        }
        if n_values == 0 {
            return Err(Error::NoValues { path: columns.path.into() });
        }
        if let Some(at) = weight {
            of[at] = Some(Role::Value(n_values));
            n_values += 1;
        }
        Ok(Roles { of: of.into_iter().map(|role| role.unwrap_or(Role::Skipped)).collect(), n_values })
    }
}

impl Columns<'_> {
    /// The place of the column with this name or, counted from 1, this number.
    fn find(&self, wanted: &str) -> Result<usize, Error> {
        if wanted == LAST {
            return Ok(self.n - 1);
        }
        let mut named = self.names.into_iter().flatten().enumerate().filter(|(_, name)| *name == wanted);
        match (named.next(), named.next(), wanted.parse::<usize>()) {
            (Some((first, _)), Some((second, _)), _) => Err(Error::SameName {
                path: self.path.into(),
                name: Excerpt::new(wanted.as_bytes()),
                first: first + 1,
                second: second + 1,
            }),
            (Some((at, _)), None, _) => Ok(at),
            (None, _, Ok(number)) if (1..=self.n).contains(&number) => Ok(number - 1),
            _ => Err(self.unknown(wanted)),
        }
    }

    /// The places that one item of a list names: a column, or columns from a number to a number.
    fn range(&self, item: &str) -> Result<Vec<usize>, Error> {
        let found = self.find(item);
        let ends = item.split_once('-').map(|(low, high)| (low.trim().parse(), high.trim().parse()));
        match (found, ends) {
            (Ok(at), _) => Ok(vec![at]),
            (Err(_), Some((Ok(low), Ok(high)))) if (1..=high).contains(&low) && high <= self.n => {
                Ok((low - 1..high).collect())
            }
            (Err(error), _) => Err(error),
        }
    }

    fn unknown(&self, wanted: &str) -> Error {
        let listed = self.names.map(|names| names.join(", ")).unwrap_or_default();
        Error::NoColumn {
            path: self.path.into(),
            wanted: Excerpt::new(wanted.as_bytes()),
            n_columns: self.n,
            names: Excerpt::new(listed.as_bytes()),
        }
    }

    /// Returns an error if two columns share a name, which would be ambiguous.
    pub(super) fn check_names(&self) -> Result<(), Error> {
        let mut seen = std::collections::HashMap::new();
        for (at, name) in self.names.into_iter().flatten().enumerate().filter(|(_, name)| !name.is_empty()) {
            if let Some(first) = seen.insert(name, at) {
                let (path, name) = (self.path.into(), Excerpt::new(name.as_bytes()));
                return Err(Error::SameName { path, name, first: first + 1, second: at + 1 });
            }
        }
        Ok(())
    }
}

impl Roles {
    /// Every column a column of numbers.
    pub(super) fn all(n_columns: usize) -> Self {
        Self { of: (0..n_columns).map(Role::Value).collect(), n_values: n_columns }
    }

    /// One column names, all others numbers.
    pub(super) fn with_names(n_columns: usize, names: usize) -> Self {
        let role = |at: usize| match at.cmp(&names) {
            std::cmp::Ordering::Less => Role::Value(at),
            std::cmp::Ordering::Equal => Role::Id,
            std::cmp::Ordering::Greater => Role::Value(at - 1),
        };
        Self { of: (0..n_columns).map(role).collect(), n_values: n_columns - 1 }
    }

    /// The roles of edges between items that have names: the two ends as text, then one column of numbers.
    #[cfg(feature = "parquet")]
    pub(super) fn as_edges(&self) -> Self {
        let role = |role: &Role| match role {
            Role::Value(0) => Role::Id,
            Role::Value(1) => Role::Label,
            Role::Value(_) => Role::Value(0),
            _ => Role::Skipped,
        };
        Self { of: self.of.iter().map(role).collect(), n_values: 1 }
    }

    /// The names of the columns of numbers, in their order.
    pub(super) fn value_names(&self, names: &[String]) -> Vec<String> {
        let mut chosen = vec![String::new(); self.n_values];
        for (role, name) in self.of.iter().zip(names) {
            if let Role::Value(place) = role {
                chosen[*place].clone_from(name);
            }
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(columns: &str, names: &[&str]) -> Result<Vec<Role>, Error> {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let choice = Choice { columns: Some(columns.parse().unwrap()), ..Choice::default() };
        let columns = Columns { path: Path::new("t.csv"), names: Some(&names), n: names.len() };
        choice.resolve(&columns).map(|roles| roles.of)
    }

    #[test]
    fn columns_are_chosen_by_name_by_number_and_by_range() {
        use Role::{Skipped, Value};
        assert_eq!(resolve("b,a", &["a", "b", "c"]).unwrap(), [Value(1), Value(0), Skipped]);
        assert_eq!(resolve("2-3", &["a", "b", "c"]).unwrap(), [Skipped, Value(0), Value(1)]);
        // A name comes before a number and a range.
        assert_eq!(resolve("3", &["a", "3", "c"]).unwrap(), [Skipped, Value(0), Skipped]);
        assert_eq!(resolve("1-2", &["a", "b", "1-2"]).unwrap(), [Skipped, Skipped, Value(0)]);
        assert_eq!(resolve("\"a,b\"", &["a,b", "c"]).unwrap(), [Value(0), Skipped]);
    }

    #[test]
    fn what_names_no_column_or_two_is_refused() {
        for (columns, says) in [
            ("d", "no column \"d\""),
            ("0", "no column \"0\""),
            ("4", "no column \"4\""),
            ("2-4", "no column \"2-4\""),
            ("3-2", "no column \"3-2\""),
            ("x", "columns 1 and 3"),
            ("1,x,1", "columns 1 and 3"),
            ("2,2", "column 2"),
        ] {
            let message = resolve(columns, &["x", "y", "x"]).unwrap_err().to_string();
            assert!(message.contains(says), "{columns}: {message}");
        }
        assert!("a,,b".parse::<ColumnList>().is_err());
    }
}
