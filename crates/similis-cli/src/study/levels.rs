//! The levels of an answer: coarser and finer partitions, and their tree.

use serde_json::{Value, json};
use similis::latent_graph::Levels;
use similis::{Error, Silent};

use super::Study;
use crate::answer::Answer;
use crate::plot::{Dendrogram, dendrogram_svg};

/// Number of clusters of the finest level of a picture, where the answer has fewer. Not tuned.
const USUAL_FINEST: usize = 12;

/// What the picture shows.
pub(super) const CAPTION: &str = "Which clusters merge first as the number falls, and which split as it rises. The height is what \
     mergers have cost so far: a long bar is a merger that the data speak against.";

impl Study<'_> {
    /// The levels of the answer, down to at least this many clusters; found once.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for similarities.
    pub fn levels(&self, finest: usize) -> Result<&Levels, Error> {
        if let Some(levels) = self.levels.get().filter(|levels| levels.n_finest() >= finest) {
            return Ok(levels);
        }
        let model = match self.answer {
            Answer::Graph(model, _) => *model,
            Answer::Feature(..) => similis::LatentGraph::default(),
        };
        let found = model.levels(self.pairs, self.answer.labels(), finest, &Silent)?;
        Ok(self.levels.get_or_init(|| found))
    }

    /// The labels of one of the levels of the answer, -1 for noise.
    ///
    /// # Errors
    ///
    /// [`Error::Settings`] for more clusters than there can be.
    pub fn level(&self, n_clusters: usize, levels: &Levels) -> Result<Vec<i64>, Error> {
        let labels = levels.labels(n_clusters)?;
        let mut labels: Vec<i64> = labels.as_slice().iter().map(|&label| label as i64).collect();
        if let Answer::Graph(_, fit) = self.answer {
            fit.noise.iter().for_each(|&i| labels[i] = -1);
        }
        Ok(labels)
    }

    /// The tree of the clusters as a picture.
    pub(super) fn tree_of_levels(&self) -> Option<String> {
        let levels = self.levels(USUAL_FINEST.max(self.answer.labels().n_clusters())).ok()?;
        let finest = levels.labels(levels.n_finest()).ok()?;
        let mut of_answer = vec![None; finest.n_clusters()];
        let own = self.answer.labels().as_slice();
        finest.as_slice().iter().zip(own).for_each(|(&part, &cluster)| of_answer[part] = Some(cluster));
        let sizes = finest.sizes();
        let name = |part: usize| {
            let cluster = of_answer[part].unwrap_or(0);
            let points = if sizes[part] == 1 { "point" } else { "points" };
            format!("cluster {cluster}, {} {points}", sizes[part])
        };
        let names: Vec<String> = (0..sizes.len()).map(name).collect();
        Some(dendrogram_svg(&Dendrogram {
            title: self.heading("Levels: coarser and finer clusters"),
            merges: &levels.linkage(),
            labels: &of_answer,
            names: &names,
            height_name: "what merging has cost so far, in nats",
            note: "parts of one cluster have its colour; where merging costs nothing, the data do not ask for the split",
        }))
    }
}

/// Levels as JSON: the numbers that were asked for with score and labels, and the tree of the clusters of the finest.
pub fn json(levels: &Levels, wanted: &[(usize, Vec<i64>)]) -> Value {
    let scores = levels.levels();
    let level = |(n, labels): &(usize, Vec<i64>)| json!({"n_clusters": n, "score": scores.get(n - 1).map(|level| level.score), "labels": labels});
    let merger = |(merge, merger): (similis::graph::Merge, &similis::latent_graph::Merger)| json!({"first": merge.first, "second": merge.second, "height": merge.height, "loss": merger.loss, "n_points": merger.size});
    json!({
        "levels": wanted.iter().map(level).collect::<Vec<_>>(),
        "tree": levels.linkage().into_iter().zip(levels.mergers()).map(merger).collect::<Vec<_>>(),
    })
}
