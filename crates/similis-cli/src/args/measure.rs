//! How points are measured.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
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

/// Other names of metrics, as SciPy and scikit-learn have them.
const ALSO_CALLED: [(&str, &str); 3] = [("l2", "euclidean"), ("l1", "manhattan"), ("cityblock", "manhattan")];

impl Measure {
    /// Reads a name, and lists the names in the help.
    pub(super) fn parser() -> impl TypedValueParser<Value = Self> {
        let names = Metric::VALUES.iter().map(|&(name, _)| name.replace('_', "-"));
        let values = names.chain([GOWER.to_owned()]).map(|name| {
            let others = ALSO_CALLED.iter().filter(|(_, own)| *own == name).map(|(other, _)| *other);
            PossibleValue::new(name.clone()).aliases(others.collect::<Vec<_>>())
        });
        PossibleValuesParser::new(values.collect::<Vec<_>>()).try_map(|given| {
            let own = ALSO_CALLED.iter().find(|(other, _)| *other == given).map(|(_, own)| *own);
            match own.unwrap_or(&given) {
                GOWER => Ok(Self::Gower),
                name => Metric::named(name).map(Self::Metric),
            }
        })
    }
}
