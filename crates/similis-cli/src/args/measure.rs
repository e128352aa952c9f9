//! How points are measured.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use similis::Metric;
use similis::settings::Named;

/// A metric of points, or that of mixed columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// Of points.
    Metric(Metric),
    /// Of numbers, categories and missing fields.
    Gower,
}

/// The name of the measure of mixed columns.
const GOWER: &str = "gower";

impl Measure {
    /// Reads a name, and lists the names in the help.
    pub(super) fn parser() -> impl TypedValueParser<Value = Self> {
        let names = Metric::VALUES.iter().map(|&(name, _)| name.replace('_', "-"));
        let names: Vec<String> = names.chain([GOWER.to_owned()]).collect();
        PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
            GOWER => Ok(Self::Gower),
            name => Metric::named(name).map(Self::Metric),
        })
    }
}
