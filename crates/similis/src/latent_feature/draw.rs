//! Draws from the latent feature model.

use crate::error::SettingError;
use rand::RngExt;

use crate::affinity::matrix::SimilarityMatrix;
use crate::error::Error;
use crate::input::labels::Labels;
use crate::latent_feature::features::Features;
use crate::latent_feature::likelihood::{Conditionals, PairTerms};
use crate::run::random::stream;

/// One draw of everything Eq. (1) is about, given $\mu$ and $\Psi$.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The class of each point, as drawn: 0 to M - 1, not renumbered.
    pub classes: Vec<usize>,
    /// The labels **C** in canonical order.
    pub labels: Labels,
    /// The features $\Lambda$.
    pub features: Features,
    /// The similarities **L**.
    pub matrix: SimilarityMatrix<'static>,
}

/// Draws classes, features and similarities from the model of Eq. (1), Figure 1 from top to bottom.
///
/// $c_i$ is uniform over the classes of `model`, $\lambda_i$ given its class and $L_{ij}$ given two features come
/// from `model`. With [`PairTerms::Ordered`] $L_{ij}$ and $L_{ji}$ are drawn apart; otherwise they are one. The diagonal
/// is drawn with [`PairTerms::UpperAndDiagonal`] and 0 otherwise.
///
/// # Errors
///
/// [`Error::Input`] for no points, [`Error::Settings`] for no classes.
pub fn sample(
    model: &impl Conditionals,
    n_points: usize,
    terms: PairTerms,
    seed: u64,
) -> Result<Sample, Error> {
    crate::input::points::check_n_points(n_points)?;
    let n_clusters = model.n_classes();
    if n_clusters == 0 {
        return Err(Error::Settings(SettingError::NClusters { given: 0, n_points }));
    }
    let mut random = stream(seed, 0);
    let classes: Vec<usize> = (0..n_points).map(|_| random.random_range(0..n_clusters)).collect();
    let rows: Vec<Vec<f64>> = classes.iter().map(|&class| model.draw_feature(class, &mut random)).collect();
    let mut values = vec![0.0; n_points * n_points];
    for i in 0..n_points {
        for j in i..n_points {
            if i == j && terms != PairTerms::UpperAndDiagonal {
                continue;
            }
            let forth = model.draw_similarity(&rows[i], &rows[j], &mut random);
            let ordered = terms == PairTerms::Ordered;
            let back = if ordered { model.draw_similarity(&rows[j], &rows[i], &mut random) } else { forth };
            values[i * n_points + j] = forth;
            values[j * n_points + i] = back;
        }
    }
    let width = rows[0].len();
    Ok(Sample {
        labels: Labels::new(&classes),
        classes,
        features: Features::from_rows(rows.concat(), n_points, width),
        matrix: SimilarityMatrix::Dense { values: values.into(), n_points },
    })
}
