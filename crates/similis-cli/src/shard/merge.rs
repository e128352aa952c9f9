//! What happens between the steps: one process merges what the jobs wrote.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::path::Path;

use similis::graph::parts::{Groups, Growth, Ranked, Way, insert};
use similis::latent_graph::{Parts, joined_forest, listed_forest};
use similis::{Observer, Points};

use super::answer::{self, InFiles, Trees};
use super::cells::{self, CellFile, Globals, Scattered};
use super::files::{self, Items, Reader};
use super::groups;
use super::jobs::write_ways;
use super::work::{Step, Work, read_json};
use crate::error::Error;

/// Least number of cells where none is given. Not tuned: a few cells keep a few workers busy.
const LEAST_CELLS: u64 = 4;

/// Merges what the jobs of the current step wrote, and begins the next step.
///
/// # Errors
///
/// [`Error::PendingJobs`] unless all jobs of the step are done; [`Error`] where shards do not go together, or the model says
/// so.
pub fn merge(work: &Work, observer: &dyn Observer) -> Result<Step, Error> {
    let n_pending = work.pending()?.len();
    if n_pending > 0 {
        return Err(Error::PendingJobs { n_pending, path: work.folder.clone() });
    }
    let next = match work.step()? {
        Step::Scan => after_scan(work)?,
        Step::Scatter => after_scatter(work)?,
        Step::Cells => after_cells(work, observer)?,
        Step::Groups => Step::Near,
        Step::Near => Step::Lists,
        Step::Lists if Globals::read(work)?.has_boxes() => after_lists(work, observer)?,
        Step::Lists => after_lists_of_groups(work, observer)?,
        Step::Ways { round } => after_ways(work, round, observer)?,
        Step::Labels | Step::Done => Step::Done,
    };
    work.set_step(next)?;
    Ok(next)
}

/// What a scan says of its shard.
struct Scanned {
    n_rows: u64,
    low: Vec<f64>,
    high: Vec<f64>,
    sample: Vec<f64>,
}

fn scanned(work: &Work, shard: usize, expected: Option<usize>) -> Result<Scanned, Error> {
    let mut reader = Reader::open(&work.path(format!("scan/{shard}.bin")))?;
    let [n_rows, d, n_sample] = [reader.one::<u64>()?, reader.one()?, reader.one()?];
    let d = d as usize;
    if let Some(expected) = expected.filter(|&expected| expected != d) {
        let [first, path] = [0, shard].map(|at| work.shards[at].clone());
        return Err(Error::ShardColumns { path, given: d, first, expected });
    }
    let (low, high) = (reader.take(d)?, reader.take(d)?);
    Ok(Scanned { n_rows, low, high, sample: reader.take(n_sample as usize * d)? })
}

/// Refuses a shard whose columns have other names than those of the first.
fn check_names(work: &Work, shard: usize) -> Result<(), Error> {
    let names = |at: usize| Ok::<_, Error>(read_json(&work.path(format!("scan/{at}.json")))?["names"].take());
    let (first, own) = (names(0)?, names(shard)?);
    if first == own || first.is_null() || own.is_null() {
        return Ok(());
    }
    let listed = |names: &serde_json::Value| {
        let all = names.as_array().into_iter().flatten();
        all.filter_map(|name| name.as_str()).collect::<Vec<_>>().join(", ")
    };
    Err(Error::ShardNames {
        path: work.shards[shard].clone(),
        given: listed(&own),
        first: work.shards[0].clone(),
        expected: listed(&first),
    })
}

/// The box around all rows, and the cells.
fn after_scan(work: &Work) -> Result<Step, Error> {
    let first = scanned(work, 0, None)?;
    let d = first.low.len();
    let (mut low, mut high, mut sample) = (first.low, first.high, first.sample);
    let mut offsets = vec![0, first.n_rows];
    for shard in 1..work.shards.len() {
        check_names(work, shard)?;
        let mut own = scanned(work, shard, Some(d))?;
        low.iter_mut().zip(own.low).for_each(|(low, own)| *low = low.min(own));
        high.iter_mut().zip(own.high).for_each(|(high, own)| *high = high.max(own));
        sample.append(&mut own.sample);
        offsets.push(offsets[shard] + own.n_rows);
    }
    let n_rows = offsets[work.shards.len()];
    if n_rows >= u64::from(u32::MAX) {
        return Err(Error::TooManyRows { given: n_rows });
    }
    let globals = Globals::new(work, offsets, low, high)?;
    let wanted = u64::from(work.args.n_cells.unwrap_or(0));
    let rows_of_a_cell = Groups::most_points(d) as u64;
    let n_cells = if wanted > 0 { wanted } else { n_rows.div_ceil(rows_of_a_cell).max(LEAST_CELLS) };
    let splitters = splitters(&globals, sample, n_cells as usize)?;
    globals.with_cells(splitters).write(work)?;
    Ok(Step::Scatter)
}

/// The prepared rows that the cells but the first begin with: even quantiles of the sample along the curve, each once.
fn splitters(globals: &Globals, sample: Vec<f64>, n_cells: usize) -> Result<Vec<f64>, Error> {
    let d = globals.n_dimensions();
    let n = sample.len() / d;
    let rows = globals.prepared(Points::new(sample, n, d)?)?;
    let by = globals.order();
    let mut order = by.sorted(rows.points().as_slice(), d);
    let row = |i: u32| rows.points().row(i as usize);
    order.dedup_by(|a, b| by.compare(row(*a), row(*b)).is_eq());
    let n_cells = n_cells.min(order.len());
    let first = |cell: usize| order[cell * order.len() / n_cells];
    Ok((1..n_cells).flat_map(|cell| row(first(cell)).to_vec()).collect())
}

/// Counts how many rows of each shard are in each cell.
fn after_scatter(work: &Work) -> Result<Step, Error> {
    let mut counts = Vec::new();
    for shard in 0..work.shards.len() {
        let scattered = Scattered::open(work, shard)?;
        counts.extend((0..scattered.n_cells()).map(|cell| scattered.range(cell).len() as u64));
    }
    files::write(&work.path("counts.bin"), &counts)?;
    Ok(Step::Cells)
}

/// Numbers the points of all cells. So few points that they need no parts are clustered here.
fn after_cells(work: &Work, observer: &dyn Observer) -> Result<Step, Error> {
    let n_cells = work.n_cells()?;
    let mut firsts = vec![0];
    for cell in 0..n_cells {
        firsts.push(firsts[cell] + CellFile::open(work, cell)?.n_points as u64);
    }
    files::write(&work.path("firsts.bin"), &firsts)?;
    if !work.model()?.samples_in_parts(firsts[n_cells] as usize) {
        answer::in_one_place(work, observer)?;
        return Ok(Step::Labels);
    }
    if Globals::read(work)?.has_boxes() {
        return Ok(Step::Lists);
    }
    groups::choose(work)?;
    Ok(Step::Groups)
}

/// A link at the head of a sorted file; the greatest is that which comes first.
struct Head(Ranked, usize);

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head {}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_rank = other.0.partial_cmp(&self.0).unwrap_or(Ordering::Equal);
        by_rank.then(other.1.cmp(&self.1))
    }
}

/// The links of several sorted files, in their order.
struct Merged {
    files: Vec<Items>,
    heads: BinaryHeap<Head>,
}

impl Merged {
    /// The links of the forests of all cells.
    fn of_forests(work: &Work) -> Result<Self, Error> {
        let forest = |cell: usize| Items::open(&work.path(format!("forest/{cell}.bin")));
        let mut files = (0..work.n_cells()?).map(forest).collect::<Result<Vec<Items>, Error>>()?;
        let heads = files.iter_mut().enumerate().filter_map(|(at, file)| Some(Head(file.next()?, at)));
        let heads = heads.collect();
        Ok(Self { files, heads })
    }

    /// What went wrong while files were read.
    fn error(self) -> Result<(), Error> {
        self.files.into_iter().find_map(|file| file.error).map_or(Ok(()), Err)
    }
}

impl Iterator for &mut Merged {
    type Item = Ranked;

    fn next(&mut self) -> Option<Ranked> {
        let Head(link, at) = self.heads.pop()?;
        if let Some(next) = self.files[at].next() {
            self.heads.push(Head(next, at));
        }
        Some(link)
    }
}

/// Grows the tree from the forests of all cells.
fn after_lists(work: &Work, observer: &dyn Observer) -> Result<Step, Error> {
    let n_cells = work.n_cells()?;
    let mut last = Vec::new();
    for cell in 0..n_cells {
        last.append(&mut files::read::<f64>(&work.path(format!("last/{cell}.bin")))?);
    }
    let mut merged = Merged::of_forests(work)?;
    let growth = Growth::new(&mut merged, last);
    merged.error()?;
    let (certain, open) = growth.parts();
    files::write(&work.path("growth/certain.bin"), certain)?;
    files::write(&work.path("growth/open.bin"), open)?;
    go_on(work, growth, 0, observer)
}

/// The tree of the pairs that were listed within groups; the answer.
fn after_lists_of_groups(work: &Work, observer: &dyn Observer) -> Result<Step, Error> {
    let parts = InFiles::open(work)?;
    let path = work.path("growth/tree.bin");
    let (tree, kind) = if path.exists() {
        (files::read(&path)?, Trees::OfAllPairs)
    } else {
        let mut merged = Merged::of_forests(work)?;
        let forest = listed_forest(&mut merged, parts.n_points());
        merged.error()?;
        let (tree, joining) = parts.told(joined_forest(&parts, forest, 0..parts.n_points()))?;
        (tree, Trees::OfLists { joining })
    };
    answer::in_parts(work, (tree, kind), observer)?;
    Ok(Step::Labels)
}

/// Joins components by the ways that were found.
fn after_ways(work: &Work, round: usize, observer: &dyn Observer) -> Result<Step, Error> {
    let (mut component, mut ways) = (Vec::new(), Vec::new());
    for cell in 0..work.n_cells()? {
        let folder = work.path(format!("ways/{round}"));
        component.append(&mut files::read(&folder.join(format!("component-{cell}.bin")))?);
        ways.append(&mut read_ways(&folder.join(format!("{cell}.bin")))?);
    }
    let mut growth = Growth::resumed(component, files::read(&work.path("growth/open.bin"))?);
    growth.join(ways.into_iter());
    files::write(&work.path(format!("growth/joined-{round}.bin")), growth.parts().0)?;
    go_on(work, growth, round + 1, observer)
}

/// The tree: the links that were certain, and those that were joined in each round.
fn whole_tree(work: &Work, n_rounds: usize) -> Result<Vec<Ranked>, Error> {
    let mut joined = Vec::new();
    for round in 0..n_rounds {
        joined.append(&mut files::read(&work.path(format!("growth/joined-{round}.bin")))?);
    }
    let mut tree = files::read_with_room(&work.path("growth/certain.bin"), joined.len())?;
    insert(&mut tree, joined);
    Ok(tree)
}

fn read_ways(path: &Path) -> Result<Vec<Way>, Error> {
    // A component and a link: 20 bytes, read as five numbers.
    let numbers: Vec<u32> = files::read(path)?;
    let way = |five: &[u32]| {
        let bits = (u64::from(five[2]) << 32) | u64::from(five[1]);
        Way { component: five[0], link: Ranked { length: f64::from_bits(bits), ends: (five[3], five[4]) } }
    };
    Ok(numbers.chunks_exact(5).map(way).collect())
}

/// Answers if the tree is complete; otherwise writes what the jobs of the next round need.
fn go_on(work: &Work, growth: Growth, round: usize, observer: &dyn Observer) -> Result<Step, Error> {
    let limits = growth.limits();
    if limits.iter().all(|&limit| limit < 0.0) {
        drop(growth);
        answer::in_parts(work, (whole_tree(work, round)?, Trees::ByBoxes), observer)?;
        return Ok(Step::Labels);
    }
    let (component, firsts) = (growth.components(), cells::firsts(work)?);
    let folder = work.path(format!("ways/{round}"));
    let mut uniform = Vec::new();
    for (cell, ends) in firsts.windows(2).enumerate() {
        let own = &component[ends[0]..ends[1]];
        uniform.push(if own.iter().all(|&one| one == own[0]) { own[0] } else { u32::MAX });
        files::write(&folder.join(format!("component-{cell}.bin")), own)?;
        if own.iter().all(|&one| limits[one as usize] < 0.0) {
            // None of its points looks for a way: that needs no job.
            write_ways(&folder.join(format!("{cell}.bin")), &[])?;
        }
    }
    files::write(&folder.join("limits.bin"), &limits)?;
    files::write(&folder.join("uniform.bin"), &uniform)?;
    Ok(Step::Ways { round })
}
