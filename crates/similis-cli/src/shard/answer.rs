//! The answer: the search, its extension to all points, and what was learned.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use similis::graph::parts::{Growth, Ranked, Seeking};
use similis::input::MeasuredPoints;
use similis::latent_graph::{
    OpenTrees, Parts, PartsPartition, all_pairs_of_open, is_among, links_of_open, trees_of_open,
};
use similis::{Dissimilarity, Labels, LatentGraph, LatentGraphFit, Observer, Points, SideInformation};

use super::cells::{self, CellFile, Globals};
use super::files::{self, ENTRY, Reader};
use super::groups;
use super::work::Work;
use crate::error::Error;
use crate::io::output::write_bytes;

/// Most points of clusters that listed links do not connect whose trees are found from their rows at the driver. Not tuned: as many
/// as a cell has.
const MOST_OPEN: usize = 250_000;

/// How the spanning tree was found, and those of clusters that it leaves in parts are.
pub(super) enum Trees {
    /// From lists of all nearest neighbours, and ways to what they leave apart.
    ByBoxes,
    /// From all pairs.
    OfAllPairs,
    /// From lists within groups; some links join what they leave apart.
    OfLists {
        /// These links.
        joining: Vec<Ranked>,
    },
}

/// The cells of a work folder.
pub(super) struct InFiles<'a> {
    pub(super) work: &'a Work,
    pub(super) globals: Globals,
    firsts: Vec<usize>,
    any_equal: bool,
    /// What went wrong first.
    error: Mutex<Option<Error>>,
}

impl<'a> InFiles<'a> {
    pub(super) fn open(work: &'a Work) -> Result<Self, Error> {
        let firsts = cells::firsts(work)?;
        let mut any_equal = false;
        for cell in 0..firsts.len() - 1 {
            any_equal |= CellFile::open(work, cell)?.any_equal;
        }
        let globals = Globals::read(work)?;
        Ok(Self { work, globals, firsts, any_equal, error: Mutex::new(None) })
    }

    pub(super) fn n_cells(&self) -> usize {
        self.firsts.len() - 1
    }

    fn kept<T>(&self, result: Result<T, Error>) -> Option<T> {
        result
            .map_err(|error| {
                self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error).to_string()
            })
            .ok()
    }

    /// What the library says, or what kept it from reading.
    pub(super) fn told<T>(&self, result: Result<T, similis::Error>) -> Result<T, Error> {
        let earlier = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        result.map_err(|error| earlier.unwrap_or(Error::Library(error)))
    }

    /// Points in rising order, cell by cell: the cell and the places in it.
    fn by_cell(&self, points: &[usize]) -> Vec<(usize, Vec<usize>)> {
        let cell_of = |i: usize| self.firsts.partition_point(|&first| first <= i) - 1;
        let groups = points.chunk_by(|&a, &b| cell_of(a) == cell_of(b));
        groups
            .map(|group| {
                let cell = cell_of(group[0]);
                (cell, group.iter().map(|i| i - self.firsts[cell]).collect())
            })
            .collect()
    }

    pub(super) fn read_rows(&self, points: &[usize]) -> Result<MeasuredPoints<'static>, Error> {
        let mut rows = Vec::new();
        for (cell, places) in self.by_cell(points) {
            rows.append(&mut CellFile::open(self.work, cell)?.rows(&places)?);
        }
        self.globals.measured(Points::new(rows, points.len(), self.globals.n_dimensions())?)
    }

    fn read_weights(&self, points: &[usize]) -> Result<Vec<f64>, Error> {
        let mut weights = Vec::new();
        for (cell, places) in self.by_cell(points).into_iter().filter(|_| self.any_equal) {
            let (_, own) = CellFile::open(self.work, cell)?.firsts_and_weights()?;
            weights.extend(places.into_iter().map(|place| f64::from(own[place])));
        }
        Ok(weights)
    }

    pub(super) fn read_lists(&self, points: Range<usize>) -> Result<Vec<(f64, u32)>, Error> {
        let n_listed = LatentGraph::n_listed_in_parts();
        let mut entries = Vec::with_capacity(points.len() * n_listed);
        for cell in 0..self.n_cells() {
            let own = self.firsts[cell].max(points.start)..self.firsts[cell + 1].min(points.end);
            if own.start < own.end {
                let mut reader = Reader::open(&self.work.path(format!("lists/{cell}.bin")))?;
                reader.skip(((own.start - self.firsts[cell]) * n_listed * ENTRY) as u64)?;
                entries.append(&mut reader.take((own.end - own.start) * n_listed)?);
            }
        }
        Ok(entries)
    }

    /// The trees of clusters that listed links do not connect: the driver finds them.
    fn trees_of_open(
        &self,
        tree: &[Ranked],
        trees: &Trees,
        partition: &PartsPartition,
    ) -> Result<OpenTrees, Error> {
        let sizes = partition.sizes.iter().zip(&partition.is_open);
        let n_open: usize = sizes.filter(|(_, open)| **open).map(|(size, _)| size).sum();
        let inside = tree.iter().filter(|link| partition.is_inside_open(link));
        match trees {
            _ if n_open == 0 => Ok(OpenTrees::default()),
            Trees::OfLists { joining } => {
                let certain: Vec<Ranked> = inside.filter(|link| !is_among(joining, link)).copied().collect();
                let listed = self.told(links_of_open(self, certain.iter().copied(), partition))?;
                let whole = self.told(trees_of_open(self, (certain, listed), partition))?;
                Ok(OpenTrees::new(whole, tree, joining, partition))
            }
            Trees::ByBoxes if n_open > MOST_OPEN => {
                let listed = self.told(links_of_open(self, inside.clone().copied(), partition))?;
                let classes = (partition.labels.clone(), partition.is_open.clone());
                let growth = Growth::of_classes(classes, inside.copied(), listed);
                let added = self.grown(growth, &partition.labels)?;
                Ok(OpenTrees { added, left_out: Vec::new() })
            }
            _ => {
                let whole = self.told(all_pairs_of_open(self, partition))?;
                Ok(OpenTrees::new(whole, tree, &[], partition))
            }
        }
    }

    /// What joins the parts of clusters, by ways between them.
    fn grown(&self, mut growth: Growth, labels: &[u32]) -> Result<Vec<Ranked>, Error> {
        while !growth.is_complete() {
            let mut ways = Vec::new();
            for cell in 0..self.n_cells() {
                ways.append(&mut self.ways(&growth, labels, cell)?);
            }
            growth.join(ways.into_iter());
        }
        Ok(growth.into_tree())
    }

    /// Ways from the points of a cell to other parts of their clusters.
    fn ways(
        &self,
        growth: &Growth,
        labels: &[u32],
        number: usize,
    ) -> Result<Vec<similis::graph::parts::Way>, Error> {
        let own = |cell: usize| self.firsts[cell]..self.firsts[cell + 1];
        let component = growth.components();
        let all = growth.limits();
        let limits: Vec<f64> = component[own(number)].iter().map(|&one| all[one as usize]).collect();
        if limits.iter().all(|&limit| limit < 0.0) {
            return Ok(Vec::new());
        }
        let last: Vec<f64> = files::read(&self.work.path(format!("last/{number}.bin")))?;
        let cell = CellFile::open(self.work, number)?.cell(self.firsts[number], &self.globals)?;
        let seeking = Seeking::new(&cell, &component[own(number)], &limits, &last);
        let mut seeking = seeking.in_classes(&labels[own(number)]);
        let outlines = cells::outlines(self.work, &self.firsts)?;
        let mut others: Vec<usize> = (0..self.n_cells()).collect();
        others.sort_by(|&a, &b| seeking.nearness(&outlines[a]).total_cmp(&seeking.nearness(&outlines[b])));
        for at in others {
            if seeking.needs(&outlines[at], None) {
                let other = CellFile::open(self.work, at)?.cell(self.firsts[at], &self.globals)?;
                seeking.look_in(&other, &component[own(at)], Some(&labels[own(at)]));
            }
        }
        Ok(seeking.ways())
    }
}

impl Parts for InFiles<'_> {
    fn n_points(&self) -> usize {
        self.firsts[self.n_cells()]
    }

    fn rows(&self, points: &[usize]) -> Option<MeasuredPoints<'static>> {
        self.kept(self.read_rows(points))
    }

    fn weights(&self, points: &[usize]) -> Option<Vec<f64>> {
        self.kept(self.read_weights(points))
    }

    fn lists(&self, points: Range<usize>) -> Option<Vec<(f64, u32)>> {
        self.kept(self.read_lists(points))
    }
}

/// Searches a sample of the points, extends its answer to all, and writes it.
pub(super) fn in_parts(
    work: &Work,
    (tree, trees): (Vec<Ranked>, Trees),
    observer: &dyn Observer,
) -> Result<(), Error> {
    let (model, parts) = (work.model()?, InFiles::open(work)?);
    let partition = parts.told(model.partition_parts(&parts, &tree, observer))?;
    let of_open = parts.trees_of_open(&tree, &trees, &partition)?;
    let fit = parts.told(model.answer_parts(&parts, &tree, &partition, &of_open))?;
    drop(tree);
    let proven = if let Trees::OfLists { .. } = trees { groups::proven(&parts)? } else { 1.0 };
    let learned = Learned {
        scales: fit.scales,
        spreads: fit.spreads,
        log_joint: fit.log_joint.total(),
        background_scale: fit.background.scale(),
        proven: Some(proven),
    };
    write(work, &parts, &partition.labels, (learned, &partition.of_sample))
}

/// Clusters so few different points that they need no parts, and writes the answer.
pub(super) fn in_one_place(work: &Work, observer: &dyn Observer) -> Result<(), Error> {
    let (model, parts) = (work.model()?, InFiles::open(work)?);
    let n = parts.n_points();
    let (least, _) = model.n_clusters.bounds(n);
    if LatentGraph::default().samples_in_parts(n) {
        // As many points as need parts, but more clusters than a sample tells apart.
        let n_clusters = least;
        return Err(Error::Library(similis::error::InputError::ClustersInParts { n_clusters }.into()));
    }
    let mut firsts = Vec::new();
    for cell in 0..parts.n_cells() {
        firsts.append(&mut CellFile::open(work, cell)?.firsts_and_weights()?.0);
    }
    // In the order in which the rows stand, as the command reads them.
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| firsts[i]);
    let all: Vec<usize> = (0..n).collect();
    let rows = parts.read_rows(&all)?;
    let weights = parts.read_weights(&all)?;
    let own: Vec<f64> = order.iter().flat_map(|&i| rows.points().row(i)).copied().collect();
    let rows = parts.globals.measured(Points::new(own, n, parts.globals.n_dimensions())?)?;
    let weights = order.iter().filter_map(|&i| weights.get(i).copied()).collect();
    let side = SideInformation { weights, ..SideInformation::default() };
    let fit = model.fit_observed(&Dissimilarity::from_prepared(rows), side, observer)?;
    let mut labels = vec![0; n];
    order.iter().zip(fit.labels.as_slice()).for_each(|(&i, &label)| labels[i] = label as u32);
    // Clusters are numbered along the curve here, as in parts.
    let along = Labels::new(&labels);
    let mut number = vec![0; fit.scales.len()];
    labels.iter().zip(along.as_slice()).for_each(|(&old, &new)| number[new] = old as usize);
    let learned = Learned {
        scales: number.iter().map(|&old| fit.scales[old]).collect(),
        spreads: number.iter().map(|&old| fit.spreads[old]).collect(),
        log_joint: fit.log_joint.total(),
        background_scale: fit.background.scale(),
        proven: None,
    };
    let labels: Vec<u32> = along.as_slice().iter().map(|&label| label as u32).collect();
    write(work, &parts, &labels, (learned, &fit))
}

/// What was learned of the clusters, which are numbered along the curve.
struct Learned {
    scales: Vec<f64>,
    spreads: Vec<f64>,
    log_joint: f64,
    background_scale: f64,
    /// The share of listed neighbours that are proven to be nearest; `None` where no lists were made in parts.
    proven: Option<f64>,
}

/// The clusters in the order of the rows.
struct Numbering {
    /// The clusters along the curve, that of the first row first.
    order: Vec<usize>,
    /// For each cluster along the curve its number in that order.
    number: Vec<u32>,
    /// Number of rows of each cluster along the curve.
    sizes: Vec<u64>,
}

fn numbering(
    work: &Work,
    parts: &InFiles<'_>,
    labels: &[u32],
    n_clusters: usize,
) -> Result<Numbering, Error> {
    let (mut first_rows, mut sizes) = (vec![u64::MAX; n_clusters], vec![0u64; n_clusters]);
    for (cell, ends) in parts.firsts.windows(2).enumerate() {
        let (firsts, weights) = CellFile::open(work, cell)?.firsts_and_weights()?;
        for ((first, weight), &label) in firsts.iter().zip(weights).zip(&labels[ends[0]..ends[1]]) {
            let own = &mut first_rows[label as usize];
            *own = (*own).min(*first);
            sizes[label as usize] += u64::from(weight);
        }
    }
    let mut order: Vec<usize> = (0..n_clusters).collect();
    order.sort_by_key(|&cluster| first_rows[cluster]);
    let mut number = vec![0u32; n_clusters];
    order.iter().enumerate().for_each(|(new, &old)| number[old] = new as u32);
    Ok(Numbering { order, number, sizes })
}

/// Writes the answer, with clusters numbered in the order of the rows.
fn write(
    work: &Work,
    parts: &InFiles<'_>,
    labels: &[u32],
    (learned, searched): (Learned, &LatentGraphFit),
) -> Result<(), Error> {
    let n_clusters = learned.scales.len();
    let Numbering { order, number, sizes } = numbering(work, parts, labels, n_clusters)?;
    for (cell, ends) in parts.firsts.windows(2).enumerate() {
        let own: Vec<u32> = labels[ends[0]..ends[1]].iter().map(|&label| number[label as usize]).collect();
        files::write(&work.path(format!("answer/{cell}.bin")), &own)?;
    }
    let numbers: Vec<Value> = searched
        .numbers
        .iter()
        .map(
            |row| json!({"n_clusters": row.n_clusters, "total": row.total(), "probability": row.probability}),
        )
        .collect();
    let ordered = |values: &[f64]| order.iter().map(|&old| values[old]).collect::<Vec<f64>>();
    let n_rows = parts.globals.offsets.last().copied().unwrap_or(0);
    let answer = json!({
        "n_rows": n_rows,
        "n_points": parts.n_points(),
        "n_clusters": n_clusters,
        "sizes": order.iter().map(|&old| sizes[old]).collect::<Vec<u64>>(),
        "scales": ordered(&learned.scales),
        "spreads": ordered(&learned.spreads),
        "log_joint": learned.log_joint,
        "background_scale": learned.background_scale,
        "proven": learned.proven,
        "score": searched.proposals.first().map(|best| best.score.total()),
        "numbers": numbers,
        "ended": searched.ended.to_string(),
        "n_cells": parts.n_cells(),
        "n_features": parts.globals.n_dimensions(),
    });
    write_bytes(&work.path("answer.json"), format!("{answer:#}\n").as_bytes())
}
