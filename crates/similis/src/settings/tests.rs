use super::*;
use crate::input::metric::Metric;
use crate::latent_feature::embedding::Variant;
use crate::latent_feature::gamma::Gamma;
use crate::latent_feature::{Grouping, NFeatures};

#[test]
fn names_come_back_as_the_values_they_name() {
    for &(name, metric) in Metric::VALUES {
        assert_eq!(Metric::named(name), Ok(metric));
        assert_eq!(metric.name(), name);
    }
    assert_eq!(Metric::Minkowski { p: 7.0 }.name(), "minkowski");
    assert_eq!(Variant::named("ng-jordan-weiss"), Ok(Variant::NgJordanWeiss));
}

#[test]
fn an_unknown_name_lists_the_known_ones() {
    let error = Grouping::named("kmeans").unwrap_err();
    assert_eq!(error.to_string(), "grouping must be k_means or mixture, got \"kmeans\"");
    let error = "many".parse::<NClusters>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "n_clusters must be auto, a number from 1 or a range like 2-8, got \"many\""
    );
    for given in ["-1", "2-", "2..", "-3..4", "1-2-3", "2.5"] {
        assert!(given.parse::<NClusters>().is_err(), "{given}");
    }
    assert_eq!("2..8".parse(), Ok(NClusters::Between(2, 8)));
}

#[test]
fn numbers_and_words_survive_the_round_trip() {
    for given in ["auto", "12", "2-8"] {
        assert_eq!(given.parse::<NClusters>().unwrap().to_string(), given);
    }
    for given in ["auto", "n_clusters", "3"] {
        assert_eq!(given.parse::<NFeatures>().unwrap().to_string(), given);
    }
    for given in ["search", "0.25"] {
        assert_eq!(given.parse::<Gamma>().unwrap().to_string(), given);
    }
}
