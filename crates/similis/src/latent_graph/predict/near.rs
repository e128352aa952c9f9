//! The points of each cluster that are nearest to an item.

use crate::error::{Error, InputError, ModelError};
use crate::graph::neighbours::row_search::{Nearest, RowSearch};
use crate::input::Dissimilarity;
use crate::input::metric::MeasuredPoints;
use crate::latent_graph::predict::N_NEAR;

/// Returns an error unless a block of new-to-old distances has its shape and holds distances.
pub(crate) fn check_block(block: &[f64], n_new: usize, n_points: usize) -> Result<(), Error> {
    if n_new == 0 {
        return Err(Error::Input(InputError::NoPoints));
    }
    if n_new.checked_mul(n_points) != Some(block.len()) {
        return Err(Error::Model(ModelError::NewDistances { n_new, n_points, given: block.len() }));
    }
    match block.iter().position(|value| !(value.is_finite() && *value >= 0.0)) {
        Some(at) => Err(Error::Model(ModelError::NewDistance {
            row: at / n_points,
            column: at % n_points,
            given: block[at],
        })),
        None => Ok(()),
    }
}

/// The nearest points of each group: distances and numbers.
pub(crate) type Near = Vec<Vec<(f64, usize)>>;

/// Which of some groups each point belongs to.
pub(crate) struct GroupOf {
    n_groups: usize,
    /// `usize::MAX` for none.
    group: Vec<usize>,
}

impl GroupOf {
    pub(crate) fn new(groups: &[&[usize]], n_points: usize) -> Self {
        let mut group = vec![usize::MAX; n_points];
        for (at, members) in groups.iter().enumerate() {
            members.iter().for_each(|&i| group[i] = at);
        }
        Self { n_groups: groups.len(), group }
    }

    /// The nearest points, given distances to all.
    pub(crate) fn of_distances(&self, row: &[f64]) -> Near {
        self.nearest(|offer| row.iter().enumerate().for_each(|(j, &distance)| offer(j, distance)))
    }

    /// The nearest other points of one that was observed.
    pub(crate) fn of_observed(&self, observed: &Dissimilarity<'_>, i: usize) -> Near {
        self.nearest(|offer| observed.for_each_pair(i, offer))
    }

    /// The nearest of `n_points` points, given the distance of each, which is asked for with the greatest one that is still of use;
    /// `None` for a point that is left out, or farther.
    pub(crate) fn among(&self, n_points: usize, distance: impl Fn(usize, f64) -> Option<f64>) -> Near {
        let mut nearest = vec![Nearest::new(N_NEAR); self.n_groups];
        for j in 0..n_points {
            let Some(own) = nearest.get_mut(self.group[j]) else { continue };
            if let Some(distance) = distance(j, own.reach()) {
                own.offer(distance, j);
            }
        }
        nearest.iter().map(|own| own.found().to_vec()).collect()
    }

    fn nearest(&self, each: impl FnOnce(&mut dyn FnMut(usize, f64))) -> Near {
        let mut nearest = vec![Nearest::new(N_NEAR); self.n_groups];
        each(&mut |j, distance| {
            if let Some(own) = nearest.get_mut(self.group[j]) {
                own.offer(distance, j);
            }
        });
        nearest.iter().map(|own| own.found().to_vec()).collect()
    }
}

/// Returns the points of each group by themselves; nothing for an empty group.
pub(crate) fn points_of(
    points: &MeasuredPoints<'_>,
    groups: &[&[usize]],
) -> Result<Vec<Option<MeasuredPoints<'static>>>, Error> {
    groups.iter().map(|group| (!group.is_empty()).then(|| points.some(group)).transpose()).collect()
}

/// Looks for the nearest points of each group.
pub(crate) struct Searches<'a> {
    groups: &'a [&'a [usize]],
    searches: Vec<Option<RowSearch<'a>>>,
}

impl<'a> Searches<'a> {
    /// `points` are those of [`points_of`], and `n_rows` rows will be asked for.
    pub(crate) fn new(
        points: &'a [Option<MeasuredPoints<'static>>],
        groups: &'a [&'a [usize]],
        n_rows: usize,
    ) -> Self {
        let search =
            |own: &'a Option<MeasuredPoints<'static>>| own.as_ref().map(|own| RowSearch::new(own, n_rows));
        Self { groups, searches: points.iter().map(search).collect() }
    }

    /// The nearest points to a prepared row of coordinates, but for one.
    pub(crate) fn of_row(&self, row: &[f64], left_out: Option<usize>) -> Near {
        let of_group = |(search, group): (&Option<RowSearch<'_>>, &&[usize])| {
            let mut nearest = Nearest::new(N_NEAR + usize::from(left_out.is_some()));
            if let Some(search) = search {
                search.offer(row, &mut nearest, |at| group[at]);
            }
            let others = nearest.found().iter().filter(|(_, j)| Some(*j) != left_out);
            others.take(N_NEAR).copied().collect()
        };
        self.searches.iter().zip(self.groups).map(of_group).collect()
    }
}
