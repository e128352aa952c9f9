//! What was observed, borrowed from NumPy.

use numpy::{Element, PyReadonlyArray1, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use similis::error::{InputError, check_memory};
use similis::input::{Conversion, MeasuredSparse, Missing, SparsePoints, Symmetrise, Values};
use similis::settings::Named;
use similis::{Checks, Dissimilarity, Error, Metric, Points, Quantity, SparseMatrix};
use similis_cli::memory;

use crate::wrong;

/// What Python's `similis._observed.Observed` holds.
#[derive(Debug, FromPyObject)]
pub(crate) struct Observed<'py> {
    numbers: Numbers<'py>,
    /// points, distances or similarities.
    input: String,
    metric: String,
    minkowski_p: f64,
    conversion: Option<String>,
    symmetrise: String,
    missing: String,
    memory_limit: Option<MemoryLimit>,
    /// Whether these are the distances of numbers and categories together.
    mixed: bool,
}

/// Arrays in C order.
#[derive(Debug, FromPyObject)]
enum Numbers<'py> {
    Double(PyReadonlyArrayDyn<'py, f64>),
    Single(PyReadonlyArrayDyn<'py, f32>),
    Sparse(PyReadonlyArray1<'py, usize>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, f64>, usize),
}

/// Bytes, or a text such as 4GB.
#[derive(Debug, FromPyObject)]
pub(crate) enum MemoryLimit {
    Bytes(u64),
    Text(String),
}

impl MemoryLimit {
    /// The bytes that were given, or 80% of what is free.
    pub(crate) fn bytes(limit: Option<&Self>) -> PyResult<Option<u64>> {
        let given = match limit {
            None => None,
            Some(Self::Bytes(bytes)) => Some(*bytes),
            Some(Self::Text(text)) => Some(memory::parse(text).map_err(|words| {
                PyValueError::new_err(format!("memory_limit must be a size, got {text:?}; {words}"))
            })?),
        };
        Ok(memory::limit(given))
    }
}

/// What was observed, to be looked at without Python's lock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Borrowed<'a> {
    numbers: Slices<'a>,
    input: Input,
    metric: Metric,
    conversion: Option<Conversion>,
    checks: Checks,
    mixed: bool,
}

#[derive(Clone, Copy, Debug)]
enum Slices<'a> {
    Double(&'a [f64], Shape),
    Single(&'a [f32], Shape),
    Sparse { offsets: &'a [usize], columns: &'a [u32], values: &'a [f64], n_columns: usize },
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    Condensed,
    Table([usize; 2]),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Input {
    Points,
    Pairs(Quantity),
}

impl Observed<'_> {
    /// The arrays as slices and the settings as values.
    ///
    /// # Errors
    ///
    /// `ValueError` for a setting that does not exist, or an array that is not in C order.
    pub(crate) fn borrow(&self) -> PyResult<Borrowed<'_>> {
        let numbers = match &self.numbers {
            Numbers::Double(array) => Slices::Double(slice(array)?, shape(array)?),
            Numbers::Single(array) => Slices::Single(slice(array)?, shape(array)?),
            Numbers::Sparse(offsets, columns, values, n_columns) => Slices::Sparse {
                offsets: offsets.as_slice()?,
                columns: columns.as_slice()?,
                values: values.as_slice()?,
                n_columns: *n_columns,
            },
        };
        let input = match self.input.as_str() {
            "distances" => Input::Pairs(Quantity::Distances),
            "similarities" => Input::Pairs(Quantity::Similarities),
            _ => Input::Points,
        };
        let metric = match Metric::named(&self.metric).map_err(wrong)? {
            Metric::Minkowski { .. } => Metric::Minkowski { p: self.minkowski_p },
            metric => metric,
        };
        let conversion = self.conversion.as_deref().map(Conversion::named).transpose().map_err(wrong)?;
        let checks = Checks {
            symmetrise: Symmetrise::named(&self.symmetrise).map_err(wrong)?,
            missing: Missing::named(&self.missing).map_err(wrong)?,
            memory_limit: MemoryLimit::bytes(self.memory_limit.as_ref())?,
        };
        Ok(Borrowed { numbers, input, metric, conversion, checks, mixed: self.mixed })
    }
}

fn slice<'a, T: Element>(array: &'a PyReadonlyArrayDyn<'_, T>) -> PyResult<&'a [T]> {
    if array.is_c_contiguous() {
        Ok(array.as_slice()?)
    } else {
        Err(PyValueError::new_err("arrays must be in C order"))
    }
}

fn shape<T: Element>(array: &PyReadonlyArrayDyn<'_, T>) -> PyResult<Shape> {
    match *array.shape() {
        [_] => Ok(Shape::Condensed),
        [n_rows, n_columns] => Ok(Shape::Table([n_rows, n_columns])),
        _ => Err(PyValueError::new_err(format!(
            "arrays must have one or two dimensions, got {}",
            array.ndim()
        ))),
    }
}

impl<'a> Borrowed<'a> {
    /// Most bytes that a dense matrix may take.
    pub(crate) fn memory_limit(&self) -> Option<u64> {
        self.checks.memory_limit
    }

    /// What the numbers are, in the words of the command.
    pub(crate) fn input(&self) -> similis_cli::args::Input {
        match (self.input, self.numbers) {
            (Input::Points, _) => similis_cli::args::Input::Points,
            (_, Slices::Sparse { .. }) => similis_cli::args::Input::Edges,
            (Input::Pairs(Quantity::Distances), _) => similis_cli::args::Input::Distances,
            (Input::Pairs(Quantity::Similarities), _) => similis_cli::args::Input::Similarities,
        }
    }

    /// How points are measured.
    pub(crate) fn metric(&self) -> Metric {
        self.metric
    }

    /// What is observed about pairs, checked.
    ///
    /// # Errors
    ///
    /// Those of [`Dissimilarity`].
    pub(crate) fn pairs(self) -> Result<Dissimilarity<'a>, Error> {
        let mixed = self.mixed;
        let pairs = self.unmarked()?;
        Ok(if mixed { pairs.of_mixed_columns() } else { pairs })
    }

    fn unmarked(self) -> Result<Dissimilarity<'a>, Error> {
        let pairs = match (self.input, self.numbers) {
            (Input::Points, _) => return self.points(),
            (Input::Pairs(quantity), Slices::Double(values, shape)) => self.dense(values, shape, quantity),
            (Input::Pairs(quantity), Slices::Single(values, shape)) => self.dense(values, shape, quantity),
            (Input::Pairs(quantity), Slices::Sparse { offsets, columns, values, n_columns }) => {
                let n_rows = offsets.len().saturating_sub(1);
                if n_rows != n_columns {
                    return Err(Error::Input(InputError::NotSquare { n_rows, n_columns }));
                }
                let matrix = SparseMatrix::new(offsets, columns, values)?;
                Dissimilarity::from_sparse(matrix, quantity, self.checks)
            }
        }?;
        match self.conversion {
            Some(conversion) => pairs.into_distances(conversion, self.checks.memory_limit),
            None => Ok(pairs),
        }
    }

    /// A copy of what is observed about pairs, which outlives Python's arrays.
    ///
    /// # Errors
    ///
    /// Those of [`Borrowed::pairs`].
    pub(crate) fn owned(self) -> Result<Dissimilarity<'static>, Error> {
        let copy = match (self.input, self.numbers) {
            (Input::Points, _) => {
                let points = self.copied_points()?.ok_or(Error::Input(InputError::NoPoints))?;
                return Dissimilarity::from_points(points, self.metric);
            }
            (Input::Pairs(quantity), Slices::Double(values, shape)) => {
                self.dense(values.to_vec(), shape, quantity)
            }
            (Input::Pairs(quantity), Slices::Single(values, shape)) => {
                self.dense(values.to_vec(), shape, quantity)
            }
            (Input::Pairs(quantity), Slices::Sparse { offsets, columns, values, .. }) => {
                let matrix = SparseMatrix::new(offsets.to_vec(), columns.to_vec(), values.to_vec())?;
                Dissimilarity::from_sparse(matrix, quantity, self.checks)
            }
        }?;
        match self.conversion {
            Some(conversion) => copy.into_distances(conversion, self.checks.memory_limit),
            None => Ok(copy),
        }
    }

    /// A copy of the points as they were given, if there are any.
    ///
    /// # Errors
    ///
    /// Those of [`Points::new`].
    pub(crate) fn copied_points(&self) -> Result<Option<Points<'static>>, Error> {
        let copy = |points: Points<'_>| {
            Points::new(points.as_slice().to_vec(), points.n_points(), points.n_dimensions())
        };
        self.given_points()?.map(copy).transpose()
    }

    /// The points as they were given, if there are any.
    ///
    /// # Errors
    ///
    /// Those of [`Points::new`].
    pub(crate) fn given_points(&self) -> Result<Option<Points<'a>>, Error> {
        match (self.input, self.numbers) {
            // Python passes points in double precision, in a table.
            (Input::Points, Slices::Double(values, Shape::Table([n_rows, n_columns]))) => {
                Points::new(values, n_rows, n_columns).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn points(&self) -> Result<Dissimilarity<'a>, Error> {
        if let Slices::Sparse { offsets, columns, values, n_columns } = self.numbers {
            let points = SparsePoints::new(offsets, columns, values, n_columns)?;
            let needed = MeasuredSparse::n_bytes_of(&points, self.metric);
            check_memory(needed, self.checks.memory_limit, "the sparse points", "fit fewer rows")?;
            return Dissimilarity::from_sparse_points(points, self.metric);
        }
        let points = self.given_points()?.ok_or(Error::Input(InputError::NoPoints))?;
        Dissimilarity::from_points(points, self.metric)
    }

    fn dense<'b>(
        &self,
        values: impl Into<Values<'b>>,
        shape: Shape,
        quantity: Quantity,
    ) -> Result<Dissimilarity<'b>, Error> {
        match shape {
            Shape::Condensed => Dissimilarity::from_condensed(values, quantity, self.checks),
            Shape::Table(shape) => Dissimilarity::from_square(values, shape, quantity, self.checks),
        }
    }
}
