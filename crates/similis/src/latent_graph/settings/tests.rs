use super::*;
use crate::error::SettingError;

#[test]
fn every_setting_comes_back_as_it_was_set() {
    for inference in ["search", "paper", "sample"] {
        let model = LatentGraph::default().with(&[("inference", inference)]).unwrap();
        for row in LatentGraph::SETTINGS {
            let mut other = model;
            row.set(&mut other, &row.get(&model).to_string()).unwrap();
            assert_eq!(other, model, "{}", row.name);
            for word in row.words().into_iter().filter(|_| row.name != "inference") {
                let set = row.set(&mut other, word);
                let applies = row
                    .needs
                    .iter()
                    .all(|need| need.setting != "inference" || need.one_of.contains(&inference));
                if applies {
                    assert_eq!((set, row.get(&other).to_string()), (Ok(()), word.to_owned()), "{}", row.name);
                } else {
                    assert_eq!(row.get(&other), row.default(), "{}", row.name);
                }
            }
        }
    }
}

#[test]
fn the_order_in_which_settings_are_given_does_not_matter() {
    let given = [("n_chains", "3"), ("inference", "sample"), ("likelihood", "gaussian"), ("loss", "binder")];
    let model = LatentGraph::default().with(&given).unwrap();
    let reversed: Vec<(&str, &str)> = given.iter().rev().copied().collect();
    assert_eq!(LatentGraph::default().with(&reversed), Ok(model));
    assert_eq!((model.sampling().n_chains, model.sampling().loss), (3, inference::Loss::Binder));
}

#[test]
fn a_setting_of_another_inference_is_dropped_and_its_default_leaves_inference_automatic() {
    let model =
        LatentGraph::default().with(&[("n_restarts", "3"), ("n_sweeps", "7"), ("step", "auto")]).unwrap();
    assert_eq!(model, LatentGraph::default());
    let model =
        LatentGraph::default().with(&[("likelihood", "gaussian"), ("n_restarts", "3"), ("step", "0.1")]);
    let paper = PaperSettings { n_restarts: 3, ..PaperSettings::default() };
    assert_eq!(model.unwrap().inference, Some(Inference::Paper(paper)));
    assert!(matches!(
        LatentGraph::default().with(&[("steps", "1")]),
        Err(Error::Settings(SettingError::Setting { .. }))
    ));
}

#[test]
fn parts_of_the_search_are_named() {
    for parts in ["none", "subtree_moves", "split_merge,whole_search", "many_starts", "features"] {
        let model = LatentGraph::default().with(&[("without", parts)]).unwrap();
        assert_eq!(model.get("without").unwrap().to_string(), parts);
    }
    let wrong = LatentGraph::default().with(&[("without", "luck")]).unwrap_err();
    assert!(wrong.to_string().starts_with("without must be subtree_moves"), "{wrong}");
}

#[test]
fn graphs_of_eq_9_and_10_are_not_counted_unless_lengths_are_gaussian_or_it_is_asked_for() {
    let of = |likelihood, graph_prior| LatentGraph { likelihood, graph_prior, ..LatentGraph::default() };
    for (likelihood, graph_prior, expected) in [
        (Likelihood::Exponential, GraphPrior::Tree, SizePrior::Dirichlet),
        (Likelihood::Gaussian, GraphPrior::Tree, SizePrior::Dirichlet),
        (Likelihood::Exponential, GraphPrior::KNeighbours, SizePrior::Constant),
        (Likelihood::Gaussian, GraphPrior::KNeighbours, SizePrior::Dirichlet),
        (Likelihood::Exponential, GraphPrior::Connected, SizePrior::Constant),
        (Likelihood::Gaussian, GraphPrior::Connected, SizePrior::Constant),
    ] {
        let model = of(likelihood, graph_prior);
        assert_eq!(model.size_prior(), expected, "{likelihood:?}, {graph_prior:?}");
        // The score is of trees.
        assert_eq!(model.score_settings().size_prior, SizePrior::Dirichlet);
        for given in [SizePrior::Dirichlet, SizePrior::Constant] {
            let model = LatentGraph { size_prior: Some(given), ..model };
            assert_eq!((model.size_prior(), model.score_settings().size_prior), (given, given));
        }
    }
}
