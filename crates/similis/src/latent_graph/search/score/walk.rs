//! The random walk on the graph of nearest neighbours (section 3.1).

/// Number of nearest neighbours that the random walk may step to. Compared with others in `docs/evidence/what-was-tried.md`.
pub(crate) const WALK_NEIGHBOURS: usize = 5;

/// Where the walk may step to from every point: looked up for each partition, so kept in one piece.
#[derive(Debug)]
pub(crate) struct Steps(Vec<[u32; WALK_NEIGHBOURS]>);

/// Stands for no step.
const NONE: u32 = u32::MAX;

impl Steps {
    /// The first steps that `walked(i)` gives for each point, at most [`WALK_NEIGHBOURS`].
    pub(crate) fn new<I: Iterator<Item = usize>>(n_points: usize, walked: impl Fn(usize) -> I) -> Self {
        let row = |i: usize| {
            let mut row = [NONE; WALK_NEIGHBOURS];
            row.iter_mut().zip(walked(i)).for_each(|(step, j)| *step = j as u32);
            row
        };
        Self((0..n_points).map(row).collect())
    }

    /// Where the walk may step to from a point.
    pub(crate) fn of(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.0[i].iter().take_while(|&&j| j != NONE).map(|&j| j as usize)
    }
}

/// The steps of the walk, counted: whole numbers, so that their sums are exact.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Walked {
    /// For each cluster twice the number of steps inside it.
    pub(crate) inside: Vec<f64>,
    /// The number of ends of steps in each.
    touching: Vec<f64>,
}

impl Walked {
    /// Counts the steps, given where the walk may step to from every point.
    pub(crate) fn new<I: Iterator<Item = usize>>(
        labels: &[usize],
        n_classes: usize,
        walked: impl Fn(usize) -> I,
    ) -> Self {
        let mut inside = vec![0.0; n_classes];
        let mut touching = vec![0.0; n_classes];
        for (i, &class) in labels.iter().enumerate() {
            for j in walked(i) {
                touching[class] += 1.0;
                touching[labels[j]] += 1.0;
                if labels[j] == class {
                    inside[class] += 2.0;
                }
            }
        }
        Self { inside, touching }
    }

    /// The same for clusters that are joined; steps between them do not count as inside.
    pub(crate) fn joined(&self, labels: &[usize], n_classes: usize) -> Self {
        let sum = |counts: &[f64]| {
            let mut sums = vec![0.0; n_classes];
            labels.iter().zip(counts).for_each(|(&class, count)| sums[class] += count);
            sums
        };
        Self { inside: sum(&self.inside), touching: sum(&self.touching) }
    }

    /// Returns the probability that the walk stays in each cluster.
    ///
    /// $$ P(\text{stay in } c) = \frac{S_{cc}}{\sum_e S_{ce}}, \qquad S = T + T', \qquad
    /// T_{ce} = \frac{1}{k} \# \{ \text{links from } c \text{ to one of the } k \text{ nearest neighbours, in } e \} $$
    ///
    /// A cluster without neighbours keeps the walker: 1.
    pub(crate) fn staying(&self) -> Vec<f64> {
        let stay = |(inside, touching): (&f64, &f64)| if *touching > 0.0 { inside / touching } else { 1.0 };
        self.inside.iter().zip(&self.touching).map(stay).collect()
    }
}
