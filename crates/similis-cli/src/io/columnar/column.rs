//! One column of a batch, as numbers or as text.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use crate::error::Error;

/// Whether a type holds numbers.
pub(super) fn is_number(kind: &DataType) -> bool {
    use DataType::{Boolean, Float32, Float64, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
    matches!(
        kind,
        Float64 | Float32 | Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 | Boolean
    )
}

/// Whether a type holds text.
pub(super) fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// Where a column stands, and whether it may have gaps.
pub(super) struct Column<'a> {
    pub(super) path: &'a Path,
    /// Counted from 1.
    pub(super) number: usize,
    pub(super) missing: bool,
}

impl Column<'_> {
    /// Puts the numbers of an array, whose first is row `first`, into `out`.
    pub(super) fn numbers<'a>(
        &self,
        array: &ArrayRef,
        first: usize,
        out: impl Iterator<Item = &'a mut f64>,
    ) -> Result<(), Error> {
        for (at, (value, place)) in values(array).zip(out).enumerate() {
            let (path, row, column) = (self.path.into(), first + at + 1, self.number);
            if value.is_infinite() {
                return Err(Error::ArrayInfinite { path, row, column });
            }
            if value.is_nan() && !self.missing {
                return Err(Error::ArrayMissing { path, row, column });
            }
            *place = value;
        }
        Ok(())
    }
}

/// The numbers of an array, NaN where it has a gap.
fn values(array: &ArrayRef) -> Box<dyn Iterator<Item = f64> + '_> {
    macro_rules! widened {
        ($kind:ty, $widen:expr) => {
            Box::new(array.as_primitive::<$kind>().iter().map(|value| value.map_or(f64::NAN, $widen)))
        };
    }
    match array.data_type() {
        DataType::Float64 => widened!(Float64Type, |value| value),
        DataType::Float32 => widened!(Float32Type, f64::from),
        DataType::Int8 => widened!(Int8Type, f64::from),
        DataType::Int16 => widened!(Int16Type, f64::from),
        DataType::Int32 => widened!(Int32Type, f64::from),
        DataType::Int64 => widened!(Int64Type, |value| value as f64),
        DataType::UInt8 => widened!(UInt8Type, f64::from),
        DataType::UInt16 => widened!(UInt16Type, f64::from),
        DataType::UInt32 => widened!(UInt32Type, f64::from),
        DataType::UInt64 => widened!(UInt64Type, |value| value as f64),
        DataType::Boolean => Box::new(
            array.as_boolean().iter().map(|value| value.map_or(f64::NAN, |yes| f64::from(u8::from(yes)))),
        ),
        _ => Box::new(std::iter::repeat_n(f64::NAN, array.len())),
    }
}

/// The entries of an array as text, empty where it has a gap.
pub(super) fn texts(array: &ArrayRef) -> Vec<String> {
    let owned = |text: Option<&str>| text.unwrap_or_default().to_owned();
    match array.data_type() {
        // As they are: the greatest would be rounded on the way through f64.
        DataType::Int64 => array.as_primitive::<Int64Type>().iter().map(whole).collect(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().iter().map(whole).collect(),
        DataType::Utf8 => array.as_string::<i32>().iter().map(owned).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(owned).collect(),
        DataType::Utf8View => array.as_string_view().iter().map(owned).collect(),
        DataType::Dictionary(..) => {
            let categories = array.as_any_dictionary();
            let words = texts(categories.values());
            let keys = categories.normalized_keys();
            let word = |(at, key): (usize, &usize)| {
                if array.is_null(at) { String::new() } else { words.get(*key).cloned().unwrap_or_default() }
            };
            keys.iter().enumerate().map(word).collect()
        }
        _ => {
            let text = |value: f64| if value.is_nan() { String::new() } else { value.to_string() };
            values(array).map(text).collect()
        }
    }
}

fn whole(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Int64Array, UInt64Array};

    use super::*;

    #[test]
    fn whole_numbers_are_written_out_to_the_last_digit() {
        let signed: ArrayRef = Arc::new(Int64Array::from(vec![Some(i64::MIN), None, Some((1 << 53) + 1)]));
        assert_eq!(texts(&signed), ["-9223372036854775808", "", "9007199254740993"]);
        let unsigned: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX, 0]));
        assert_eq!(texts(&unsigned), ["18446744073709551615", "0"]);
    }
}
