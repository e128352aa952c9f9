//! What the number of clusters was chosen by, in words.

use similis::latent_feature::NumberBy;

use super::Answer;

impl Answer {
    /// What decided the number of clusters of latent features, unless it was given; latent graphs have scores of the numbers.
    pub fn number_remark(&self) -> Option<String> {
        match self {
            Self::Feature(_, fit) if fit.number_by != NumberBy::Given => {
                Some(format!("the number of clusters is that of {}", fit.number_by))
            }
            _ => None,
        }
    }
}
