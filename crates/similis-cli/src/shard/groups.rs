//! Points of many dimensions: lists within overlapping groups, and how many of the listed neighbours are nearest.

use std::path::Path;

use similis::graph::parts::{Entries, Groups, lists_of_group, nearest_to_each, proven_share};
use similis::latent_graph::Parts;
use similis::{LatentGraph, Points};

use super::answer::InFiles;
use super::cells::{self, CellFile, Globals};
use super::files::{self, ENTRY, Reader, Stored, put_all};
use super::work::Work;
use crate::error::Error;

/// Number of points whose lists are compared with all pairs. Not tuned: the standard error of the share is below 1%.
const N_COMPARED: usize = 500;

/// The groups of a work folder.
pub(super) fn read(work: &Work) -> Result<Groups, Error> {
    let mut reader = Reader::open(&work.path("groups.bin"))?;
    let [n, d] = [reader.one::<u64>()?, reader.one()?].map(|n| n as usize);
    Ok(Groups::of_centres(reader.take(n * d)?, d)?)
}

/// Chooses the groups, and keeps the rows of the points whose lists are compared with all pairs.
pub(super) fn choose(work: &Work) -> Result<(), Error> {
    let parts = InFiles::open(work)?;
    let (n_points, d) = (parts.n_points(), parts.globals.n_dimensions());
    let wanted = work.args.n_cells.map_or_else(|| Groups::count(n_points, d), |n| n as usize);
    let groups = Groups::new(parts.read_rows(&Groups::sampled(n_points, wanted))?.points(), wanted)?;
    files::write_with(&work.path("groups.bin"), |out| {
        put_all(out, &[groups.n_groups() as u64, d as u64])?;
        put_all(out, groups.centres())
    })?;
    let rows = parts.read_rows(&compared(n_points))?;
    files::write(&work.path("proven/rows.bin"), rows.points().as_slice())
}

/// Sorts the points of a cell into groups.
pub(super) fn sort_into(work: &Work, number: usize, output: &Path) -> Result<(), Error> {
    let (globals, groups, firsts) = (Globals::read(work)?, read(work)?, cells::firsts(work)?);
    let points = CellFile::open(work, number)?.points(&globals)?;
    let members = groups.members(points.points());
    let mut starts = vec![0u64];
    members.iter().for_each(|own| starts.push(starts[starts.len() - 1] + own.len() as u64));
    files::write_with(output, |out| {
        put_all(out, &starts)?;
        for own in &members {
            let numbers: Vec<u32> = own.iter().map(|i| firsts[number] as u32 + i).collect();
            put_all(out, &numbers)?;
        }
        members.iter().flatten().try_for_each(|&i| put_all(out, points.points().row(i as usize)))
    })
}

/// The points of a cell in the order of their groups.
struct Sorted {
    reader: Reader,
    starts: Vec<u64>,
}

impl Sorted {
    fn open(work: &Work, cell: usize, n_groups: usize) -> Result<Self, Error> {
        let mut reader = Reader::open(&work.path(format!("groups/{cell}.bin")))?;
        let starts = reader.take(n_groups + 1)?;
        Ok(Self { reader, starts })
    }

    fn count(&self, group: usize) -> usize {
        (self.starts[group + 1] - self.starts[group]) as usize
    }

    fn n_rows(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The numbers of all, group after group.
    fn numbers(&mut self) -> Result<Vec<u32>, Error> {
        self.reader.take(self.n_rows() as usize)
    }

    /// The numbers and coordinates of the points in a group.
    fn of_group(mut self, group: usize, n_dimensions: usize) -> Result<(Vec<u32>, Vec<f64>), Error> {
        let (first, count) = (self.starts[group], self.count(group));
        self.reader.skip(first * u32::SIZE as u64)?;
        let numbers = self.reader.take(count)?;
        let left = self.n_rows() - self.starts[group + 1];
        self.reader.skip(left * u32::SIZE as u64 + first * (n_dimensions * f64::SIZE) as u64)?;
        Ok((numbers, self.reader.take(count * n_dimensions)?))
    }
}

/// Lists the nearest neighbours of the points of a group within it.
pub(super) fn list_within(work: &Work, group: usize, output: &Path) -> Result<(), Error> {
    let (globals, n_groups) = (Globals::read(work)?, read(work)?.n_groups());
    let (mut numbers, mut rows) = (Vec::new(), Vec::new());
    for cell in 0..work.n_cells()? {
        let (mut own, mut values) =
            Sorted::open(work, cell, n_groups)?.of_group(group, globals.n_dimensions())?;
        numbers.append(&mut own);
        rows.append(&mut values);
    }
    if numbers.is_empty() {
        return files::write::<f64>(output, &[]);
    }
    let points = globals.measured(Points::new(rows, numbers.len(), globals.n_dimensions())?)?;
    let lists = lists_of_group(points, &numbers, LatentGraph::n_listed_in_parts(), n_groups == 1);
    if let Some(tree) = lists.tree {
        files::write(&work.path("growth/tree.bin"), &tree)?;
    }
    files::write(output, &lists.entries)
}

/// The lists of a cell's points: of each the nearest that its groups know. Some points' lists are also made by a look at all
/// pairs.
pub(super) fn merged_lists(
    work: &Work,
    number: usize,
    firsts: &[usize],
    globals: &Globals,
) -> Result<Entries, Error> {
    let (n_listed, n_groups) = (LatentGraph::n_listed_in_parts(), read(work)?.n_groups());
    let mut before = vec![0usize; n_groups];
    for cell in 0..number {
        let sorted = Sorted::open(work, cell, n_groups)?;
        (0..n_groups).for_each(|group| before[group] += sorted.count(group));
    }
    let mut sorted = Sorted::open(work, number, n_groups)?;
    let numbers = sorted.numbers()?;
    let n_points = firsts[number + 1] - firsts[number];
    let mut known: Vec<Vec<(f64, u32)>> = vec![Vec::new(); n_points];
    for group in (0..n_groups).filter(|&group| sorted.count(group) > 0) {
        let mut reader = Reader::open(&work.path(format!("near/{group}.bin")))?;
        reader.skip((before[group] * n_listed * ENTRY) as u64)?;
        let entries: Vec<(f64, u32)> = reader.take(sorted.count(group) * n_listed)?;
        let own = &numbers[sorted.starts[group] as usize..sorted.starts[group + 1] as usize];
        for (&i, list) in own.iter().zip(entries.chunks(n_listed)) {
            known[i as usize - firsts[number]].extend_from_slice(list);
        }
    }
    look_at_all(work, number, firsts, globals)?;
    Ok(Entries::of_several(firsts[number], n_points, n_listed, |i| known[i].clone()))
}

/// The points whose lists are compared with all pairs.
pub(super) fn compared(n_points: usize) -> Vec<usize> {
    let n = N_COMPARED.min(n_points);
    (0..n).map(|at| (at as u128 * n_points as u128 / n as u128) as usize).collect()
}

/// Looks in a cell for the nearest to the points whose lists are compared with all pairs.
fn look_at_all(work: &Work, number: usize, firsts: &[usize], globals: &Globals) -> Result<(), Error> {
    let chosen = compared(firsts[firsts.len() - 1]);
    let rows = files::read::<f64>(&work.path("proven/rows.bin"))?;
    let rows = Points::new(rows, chosen.len(), globals.n_dimensions())?;
    let (points, n_listed) =
        (CellFile::open(work, number)?.points(globals)?, LatentGraph::n_listed_in_parts());
    let found = nearest_to_each(&points, firsts[number], (&rows, &chosen), n_listed);
    files::write(&work.path(format!("proven/{number}.bin")), &found)
}

/// The share of listed neighbours that a look at all pairs finds too.
pub(super) fn proven(parts: &InFiles<'_>) -> Result<f64, Error> {
    let n_listed = LatentGraph::n_listed_in_parts();
    let chosen = compared(parts.n_points());
    let mut each: Vec<Vec<(f64, u32)>> = vec![Vec::new(); chosen.len()];
    for cell in 0..parts.n_cells() {
        let found: Vec<(f64, u32)> = files::read(&parts.work.path(format!("proven/{cell}.bin")))?;
        each.iter_mut().zip(found.chunks(n_listed)).for_each(|(all, own)| all.extend_from_slice(own));
    }
    let nearest = Entries::of_several(0, each.len(), n_listed, |i| each[i].clone());
    let mut listed = Vec::with_capacity(each.len() * n_listed);
    for i in chosen {
        listed.append(&mut parts.read_lists(i..i + 1)?);
    }
    Ok(proven_share(&listed, nearest.all(), n_listed))
}
