//! Mixed columns, numbers and categories, by Gower's distance (1971).
//!
//! $$ d_{ij} = \frac{1}{|F_{ij}|} \sum_{f \in F_{ij}} d_f(i, j), \qquad d_f(i, j) =
//! \begin{cases} |x_{if} - x_{jf}| / \text{range}_f & \text{numbers} \\ [x_{if} \ne x_{jf}] & \text{categories} \end{cases} $$
//!
//! where $F_{ij}$ are the fields that both items have. Where nothing is missing it is the Manhattan distance of scaled numbers and
//! of one column for each category: so it is as fast as that at any number of items. Where fields are missing, every pair is
//! measured.

use crate::error::{Error, InputError, check_memory};
use crate::input::metric::Metric;
use crate::input::points::Points;
use crate::input::{Checks, Dissimilarity, Missing, Quantity};
use crate::run::parallel;

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// Numbers, NaN where one is missing.
    Numbers(Vec<f64>),
    /// Categories by name, `None` where one is missing.
    Categories(Vec<Option<String>>),
}

impl Field {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Categories(values) => values.len(),
        }
    }
}

/// How a column is measured.
#[derive(Clone, Debug, PartialEq)]
enum Scale {
    /// By the range of its numbers.
    Range { least: f64, width: f64 },
    /// By equality: the categories in the order of first appearance.
    Equality(Vec<String>),
}

impl Scale {
    fn of(field: &Field) -> Self {
        match field {
            Field::Numbers(values) => {
                let known = || values.iter().copied().filter(|value| !value.is_nan());
                let least = known().fold(f64::INFINITY, f64::min);
                let width = known().fold(f64::NEG_INFINITY, f64::max) - least;
                Self::Range { least: if least.is_finite() { least } else { 0.0 }, width }
            }
            Field::Categories(values) => {
                let mut names: Vec<String> = Vec::new();
                for name in values.iter().flatten() {
                    if !names.contains(name) {
                        names.push(name.clone());
                    }
                }
                Self::Equality(names)
            }
        }
    }

    /// How many coordinates it has: a category that was not there when the table was measured has one of its own.
    fn n_coordinates(&self) -> usize {
        match self {
            Self::Range { .. } => 1,
            Self::Equality(names) => names.len() + 1,
        }
    }
}

/// The measure of mixed columns, learned from one table and good for others with the same columns.
///
/// ```
/// use similis::input::{Field, Gower};
/// let age = Field::Numbers(vec![20.0, 60.0, 30.0]);
/// let city = ["Rome", "Oslo", "Rome"].map(|name| Some(name.to_owned())).to_vec();
/// let columns = [age, Field::Categories(city)];
/// let pairs = Gower::new(&columns)?.distances(&columns, None)?;
/// assert_eq!(pairs.pair(0, 1), Some(1.0));
/// assert_eq!(pairs.pair(0, 2), Some(0.125));
/// # Ok::<(), similis::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Gower {
    scales: Vec<Scale>,
}

impl Gower {
    /// Learns ranges and categories.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] without columns or rows, for columns of different lengths, and at the first infinite number.
    pub fn new(columns: &[Field]) -> Result<Self, Error> {
        check(columns)?;
        Ok(Self { scales: columns.iter().map(Scale::of).collect() })
    }

    /// Number of coordinates that [`Gower::coordinates`] gives a row.
    pub fn n_coordinates(&self) -> usize {
        self.scales.iter().map(Scale::n_coordinates).sum()
    }

    /// The names of the coordinates, given those of the columns: `height`, `city=Rome`, ..
    pub fn names(&self, columns: &[String]) -> Vec<String> {
        let of_column = |(scale, name): (&Scale, &String)| match scale {
            Scale::Range { .. } => vec![name.clone()],
            Scale::Equality(names) => {
                let other = std::iter::once(format!("{name}=other"));
                names.iter().map(|own| format!("{name}={own}")).chain(other).collect()
            }
        };
        self.scales.iter().zip(columns).flat_map(of_column).collect()
    }

    /// Returns coordinates whose Manhattan distance is Gower's, row after row; NaN where a field is missing.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] unless there are as many columns of the same kinds as this was learned from.
    pub fn coordinates(&self, columns: &[Field]) -> Result<Vec<f64>, Error> {
        let n_rows = check(columns)?;
        let (given, expected) = (columns.len(), self.scales.len());
        if given != expected {
            return Err(Error::Input(InputError::MixedColumns { given, expected }));
        }
        let (n_coordinates, part) = (self.n_coordinates(), 1.0 / expected as f64);
        let mut values = vec![0.0; n_rows * n_coordinates];
        let mut first = 0;
        for (column, (scale, field)) in self.scales.iter().zip(columns).enumerate() {
            let n = scale.n_coordinates();
            for (row, out) in values.chunks_mut(n_coordinates).enumerate() {
                let out = &mut out[first..first + n];
                if !scale.write(field, row, part, out) {
                    return Err(Error::Input(InputError::MixedKind { column }));
                }
            }
            first += n;
        }
        Ok(values)
    }

    /// Returns the distances of the rows of a table.
    ///
    /// # Errors
    ///
    /// Those of [`Gower::coordinates`], and [`Error::Settings`] where fields are missing and the matrix of all pairs would not
    /// fit.
    pub fn distances(
        &self,
        columns: &[Field],
        memory_limit: Option<u64>,
    ) -> Result<Dissimilarity<'static>, Error> {
        let (values, n_rows) = (self.coordinates(columns)?, columns.first().map_or(0, Field::len));
        if values.iter().any(|value| value.is_nan()) {
            return Ok(self.all_pairs(&values, n_rows, memory_limit)?.of_mixed_columns());
        }
        let points = Points::new(values, n_rows, self.n_coordinates())?;
        Ok(Dissimilarity::from_points(points, Metric::Manhattan)?.of_mixed_columns())
    }

    /// Returns the distance of each of some rows to each of others, both as [`Gower::coordinates`] has them; NaN where two rows have
    /// no field in common.
    pub fn between(&self, rows: &[f64], others: &[f64]) -> Vec<f64> {
        let n = self.n_coordinates();
        let (n_rows, n_others) = (rows.len() / n, others.len() / n);
        let row = |i: usize| {
            let own = &rows[i * n..(i + 1) * n];
            (0..n_others).map(|j| self.distance(own, &others[j * n..(j + 1) * n])).collect::<Vec<_>>()
        };
        parallel::map(n_rows, row).concat()
    }

    fn all_pairs(
        &self,
        values: &[f64],
        n_rows: usize,
        memory_limit: Option<u64>,
    ) -> Result<Dissimilarity<'static>, Error> {
        let n_pairs = (n_rows as u64).saturating_mul(n_rows.saturating_sub(1) as u64) / 2;
        let instead = "fill in the missing fields, or leave out their rows";
        check_memory(
            n_pairs.saturating_mul(8),
            memory_limit,
            "the distances of rows with missing fields",
            instead,
        )?;
        let n = self.n_coordinates();
        let own = |i: usize| &values[i * n..(i + 1) * n];
        let row =
            |i: usize| (i + 1..n_rows).map(|j| self.distance(own(i), own(j)) as f32).collect::<Vec<_>>();
        let condensed = parallel::map(n_rows, row).concat();
        let checks = Checks { missing: Missing::Unobserved, memory_limit, ..Checks::default() };
        if n_rows < 2 {
            let shape = [n_rows, n_rows];
            return Dissimilarity::from_square(vec![0.0; n_rows], shape, Quantity::Distances, checks);
        }
        Dissimilarity::from_condensed(condensed, Quantity::Distances, checks)
    }

    /// Gower's distance of two rows of coordinates.
    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let (mut sum, mut n_present, mut first) = (0.0, 0usize, 0);
        for scale in &self.scales {
            let fields = first..first + scale.n_coordinates();
            first = fields.end;
            let own: f64 = fields.map(|at| (a[at] - b[at]).abs()).sum();
            if !own.is_nan() {
                sum += own;
                n_present += 1;
            }
        }
        // Coordinates are divided by the number of all fields.
        if n_present == 0 { f64::NAN } else { sum * self.scales.len() as f64 / n_present as f64 }
    }
}

impl Scale {
    /// Writes the coordinates of a row's field; returns whether the field is of this kind.
    fn write(&self, field: &Field, row: usize, part: f64, out: &mut [f64]) -> bool {
        match (self, field) {
            (Self::Range { least, width }, Field::Numbers(values)) => {
                let scaled = if *width > 0.0 { (values[row] - least) / width } else { values[row] * 0.0 };
                out[0] = part * scaled;
                true
            }
            (Self::Equality(names), Field::Categories(values)) => {
                match &values[row] {
                    Some(name) => {
                        let at = names.iter().position(|own| own == name).unwrap_or(names.len());
                        out[at] = 0.5 * part;
                    }
                    None => out.fill(f64::NAN),
                }
                true
            }
            _ => false,
        }
    }
}

/// Returns the number of rows, the same in every column; numbers are finite or missing.
fn check(columns: &[Field]) -> Result<usize, Error> {
    let Some(n_rows) = columns.first().map(Field::len) else {
        return Err(Error::Input(InputError::NoDimensions { n_points: 0 }));
    };
    crate::input::points::check_n_points(n_rows)?;
    for (column, field) in columns.iter().enumerate() {
        if field.len() != n_rows {
            return Err(Error::Input(InputError::MixedRows { column, given: field.len(), expected: n_rows }));
        }
        if let Field::Numbers(values) = field
            && let Some(row) = values.iter().position(|value| value.is_infinite())
        {
            return Err(Error::Input(InputError::Coordinate { row, column, given: values[row] }));
        }
    }
    Ok(n_rows)
}

impl Dissimilarity<'_> {
    /// Marks these as distances of columns of numbers and categories together, as [`Gower`] measures them: steps from category to
    /// category are jumps, which [`Auto`](crate::Auto) leaves to latent features.
    #[must_use]
    pub fn of_mixed_columns(self) -> Self {
        Self { mixed: true, ..self }
    }

    /// Whether these are distances of columns of numbers and categories together.
    pub fn is_of_mixed_columns(&self) -> bool {
        self.mixed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn named(names: &[&str]) -> Field {
        let name = |name: &&str| (!name.is_empty()).then(|| (*name).to_owned());
        Field::Categories(names.iter().map(name).collect())
    }

    /// The definition, field by field.
    fn by_hand(columns: &[Field], i: usize, j: usize) -> f64 {
        let (mut sum, mut n) = (0.0, 0.0);
        for field in columns {
            let own = match field {
                Field::Numbers(values) => {
                    let known: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
                    let width = known.iter().fold(f64::NEG_INFINITY, |most: f64, &x| most.max(x))
                        - known.iter().fold(f64::INFINITY, |least: f64, &x| least.min(x));
                    let apart = (values[i] - values[j]).abs();
                    if width > 0.0 { apart / width } else { 0.0 * apart }
                }
                Field::Categories(values) => match (&values[i], &values[j]) {
                    (Some(a), Some(b)) => f64::from(u8::from(a != b)),
                    _ => f64::NAN,
                },
            };
            if !own.is_nan() {
                sum += own;
                n += 1.0;
            }
        }
        sum / n
    }

    proptest! {
        #[test]
        fn distances_are_those_of_the_definition(
            rows in prop::collection::vec((0u8..6, 0u8..4, -3i8..4), 2..15), gaps in any::<bool>(),
        ) {
            let number = |x: u8| if gaps && x == 0 { f64::NAN } else { f64::from(x) };
            let name = |c: u8| if gaps && c == 0 { "" } else { ["", "red", "green", "blue"][c.max(1) as usize] };
            let columns = [
                Field::Numbers(rows.iter().map(|row| number(row.0)).collect()),
                named(&rows.iter().map(|row| name(row.1)).collect::<Vec<_>>()),
                Field::Numbers(rows.iter().map(|row| f64::from(row.2)).collect()),
            ];
            let gower = Gower::new(&columns).unwrap();
            let pairs = gower.distances(&columns, None).unwrap();
            let coordinates = gower.coordinates(&columns).unwrap();
            let block = gower.between(&coordinates, &coordinates);
            let n = rows.len();
            for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
                let expected = by_hand(&columns, i, j);
                prop_assert!((pairs.pair(i, j).unwrap() - expected).abs() < 1e-6);
                prop_assert!((block[i * n + j] - expected).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn new_rows_are_measured_as_the_old_ones() {
        let columns = [Field::Numbers(vec![0.0, 10.0]), named(&["a", "b"])];
        let gower = Gower::new(&columns).unwrap();
        assert_eq!(gower.names(&["x".to_owned(), "c".to_owned()]), ["x", "c=a", "c=b", "c=other"]);
        let new = [Field::Numbers(vec![5.0]), named(&["never seen"])];
        let block = gower.between(&gower.coordinates(&new).unwrap(), &gower.coordinates(&columns).unwrap());
        assert_eq!(block, [0.75, 0.75]);
    }

    #[test]
    fn mistakes_are_named() {
        let words = |columns: &[Field]| Gower::new(columns).unwrap_err().to_string();
        assert!(words(&[Field::Numbers(vec![1.0]), named(&["a", "b"])]).contains("column 1"));
        assert!(words(&[Field::Numbers(vec![1.0, f64::INFINITY])]).contains("row 1"));
        assert!(Gower::new(&[]).is_err() && Gower::new(&[Field::Numbers(Vec::new())]).is_err());
        let gower = Gower::new(&[Field::Numbers(vec![1.0, 2.0])]).unwrap();
        assert!(gower.coordinates(&[named(&["a"])]).unwrap_err().to_string().contains("column 0"));
        let two = [Field::Numbers(vec![1.0]), Field::Numbers(vec![1.0])];
        assert!(gower.coordinates(&two).unwrap_err().to_string().contains("1 column"));
        let gap = [Field::Numbers(vec![1.0, f64::NAN, 2.0])];
        let error = Gower::new(&gap).unwrap().distances(&gap, Some(8)).unwrap_err().to_string();
        assert!(error.contains("missing fields"), "{error}");
        // One column, one row, and rows that share nothing.
        let apart = [Field::Numbers(vec![1.0, f64::NAN]), named(&["", "a"])];
        assert_eq!(Gower::new(&apart).unwrap().distances(&apart, None).unwrap().pair(0, 1), None);
    }
}
