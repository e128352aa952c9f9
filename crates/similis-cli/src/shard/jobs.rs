//! Jobs: each reads files, writes one file, whole or not at all, and can be run again.

use std::path::{Path, PathBuf};

use serde_json::json;
use similis::Points;
use similis::graph::parts::{Cell, CellLists, Entries, Seeking, Way, corners};
use similis::input::MeasuredPoints;
use similis::settings::Named;
use similis::{LatentGraph, Metric};

use super::cells::{self, CellFile, Globals, Scattered};
use super::files::{self, Reader, Stored, put_all};
use super::groups;
use super::work::{Step, Work};
use crate::args::Input;
use crate::error::Error;
use crate::io::label_table::LabelTable;
use crate::io::output::{labels_bytes, write_bytes};
use crate::io::{self, Content, Request, Table};
use crate::memory;

/// Most rows of a shard that are looked at to choose the cells. Not tuned.
const N_SAMPLED: usize = 1_000;

/// One job of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// The step.
    pub step: Step,
    /// The number of its shard or cell.
    pub number: usize,
}

impl Job {
    /// Its name, such as `lists-3`.
    pub fn name(&self) -> String {
        match self.step {
            Step::Ways { round } => format!("ways{round}-{}", self.number),
            step => format!("{}-{}", step.name(), self.number),
        }
    }

    /// The file that it writes last: where it is, the job is done.
    pub(super) fn output(&self, work: &Work) -> PathBuf {
        let number = self.number;
        match self.step {
            Step::Ways { round } => work.path(format!("ways/{round}/{number}.bin")),
            Step::Labels => work.labels_of(number),
            step => work.path(format!("{}/{number}.bin", step.name())),
        }
    }
}

impl Work {
    /// The jobs of the current step.
    ///
    /// # Errors
    ///
    /// [`Error`] where the folder cannot be read.
    pub fn jobs(&self) -> Result<Vec<Job>, Error> {
        let step = self.step()?;
        let count = match step {
            Step::Scan | Step::Scatter | Step::Labels => self.shards.len(),
            Step::Cells | Step::Groups | Step::Lists | Step::Ways { .. } => self.n_cells()?,
            Step::Near => groups::read(self)?.n_groups(),
            Step::Done => 0,
        };
        Ok((0..count).map(|number| Job { step, number }).collect())
    }

    /// The jobs of the current step that are not done.
    ///
    /// # Errors
    ///
    /// [`Error`] where the folder cannot be read.
    pub fn pending(&self) -> Result<Vec<Job>, Error> {
        Ok(self.jobs()?.into_iter().filter(|job| !job.output(self).exists()).collect())
    }

    /// The job with a name.
    ///
    /// # Errors
    ///
    /// [`Error::NoJob`] if the current step has none of this name.
    pub fn job(&self, name: &str) -> Result<Job, Error> {
        let found = self.jobs()?.into_iter().find(|job| job.name() == name);
        found.ok_or_else(|| Error::NoJob { name: name.to_owned(), path: self.folder.clone() })
    }
}

/// Runs a job; one that is done is not run again.
///
/// # Errors
///
/// [`Error`] says which file is wrong, and where; nothing is then written.
pub fn run(work: &Work, job: Job) -> Result<(), Error> {
    let output = job.output(work);
    if output.exists() {
        return Ok(());
    }
    match job.step {
        Step::Scan => scan(work, job.number, &output),
        Step::Scatter => scatter(work, job.number, &output),
        Step::Cells => cells::gather(work, job.number, &output),
        Step::Groups => groups::sort_into(work, job.number, &output),
        Step::Near => groups::list_within(work, job.number, &output),
        Step::Lists => lists(work, job.number, &output),
        Step::Ways { round } => ways(work, round, job.number, &output),
        Step::Labels => labels(work, job.number, &output),
        Step::Done => Ok(()),
    }
}

/// What a shard holds.
fn read_shard(work: &Work, shard: usize) -> Result<Table, Error> {
    let input = &work.args.input;
    let path = &work.shards[shard];
    let request = Request {
        path,
        format: input.format,
        array: input.array.as_deref(),
        missing: false,
        choice: &input.choice(),
        input: Some(Input::Points),
        edge_values: None,
        memory_limit: memory::limit(work.args.memory_limit),
    };
    match io::read(&request)? {
        Content::Table(table) => Ok(table),
        Content::Sparse(_) | Content::Edges(_) => Err(Error::NoPointShard { path: path.clone() }),
    }
}

/// Whether rows are prepared when they are read: those of directions, each by itself.
pub(super) fn prepared_at_once(metric: Metric) -> bool {
    matches!(metric, Metric::Cosine | Metric::Correlation)
}

/// Reads and checks a shard; keeps its rows, their box, and some of them.
fn scan(work: &Work, shard: usize, output: &Path) -> Result<(), Error> {
    let path = &work.shards[shard];
    let table = read_shard(work, shard)?;
    let (n, d, names) = (table.n_rows, table.n_columns, table.names);
    let metric = work.args.input.metric();
    let wrong = |source| Error::Content { path: path.clone(), source };
    work.model()?.check_parts(metric).map_err(wrong)?;
    let points = Points::new(table.values.into_f64(), n, d).map_err(wrong)?;
    // Every row is checked here, before any heavy work.
    let points = if prepared_at_once(metric) || metric == Metric::Haversine {
        let measured = MeasuredPoints::new(points, metric).map_err(wrong)?;
        measured.points().clone()
    } else {
        points
    };
    let (low, high) = corners(points.as_slice(), d);
    let every = n.div_ceil(N_SAMPLED);
    let sample: Vec<f64> = (0..n).step_by(every).flat_map(|i| points.row(i)).copied().collect();
    let text = json!({"names": names, "metric": metric.name()}).to_string();
    files::write_with(&output.with_extension("json"), |out| out.write_all(text.as_bytes()))?;
    files::write_with(output, |out| {
        put_all(out, &[n as u64, d as u64, (sample.len() / d) as u64])?;
        put_all(out, &[low, high, sample].concat())?;
        put_all(out, points.as_slice())
    })
}

/// Sorts the rows of a shard along the curve, and so into cells.
fn scatter(work: &Work, shard: usize, output: &Path) -> Result<(), Error> {
    let globals = Globals::read(work)?;
    let d = globals.n_dimensions();
    let mut reader = Reader::open(&work.path(format!("scan/{shard}.bin")))?;
    let [n, _, n_sample] = [reader.one::<u64>()?, reader.one()?, reader.one()?];
    reader.skip((2 * d as u64 + n_sample * d as u64) * f64::SIZE as u64)?;
    let rows = Points::new(reader.take(n as usize * d)?, n as usize, d)?;
    let rows = globals.prepared(rows)?;
    let values = rows.points().as_slice();
    let by = globals.order();
    let order = by.sorted(values, d);
    let row = |i: u32| &values[i as usize * d..][..d];
    let start = |splitter: &[f64]| order.partition_point(|&i| by.compare(row(i), splitter).is_lt()) as u64;
    let mut starts = vec![0];
    starts.extend(globals.splitters().map(start));
    starts.push(n);
    files::write_with(output, |out| {
        put_all(out, &[n, d as u64, globals.n_cells as u64])?;
        put_all(out, &starts)?;
        put_all(out, &order)?;
        order.iter().try_for_each(|&i| put_all(out, row(i)))
    })
}

/// Lists the nearest neighbours of a cell's points, and keeps the forest of the pairs.
fn lists(work: &Work, number: usize, output: &Path) -> Result<(), Error> {
    let globals = Globals::read(work)?;
    let firsts = cells::firsts(work)?;
    let lists = if globals.has_boxes() {
        let cell = CellFile::open(work, number)?.cell(firsts[number], &globals)?;
        lists_by_boxes(work, &cell, &firsts, &globals)?
    } else {
        groups::merged_lists(work, number, &firsts, &globals)?
    };
    files::write(&work.path(format!("forest/{number}.bin")), &lists.forest())?;
    if globals.has_boxes() {
        files::write(&work.path(format!("last/{number}.bin")), &lists.last())?;
    }
    files::write(output, lists.all())
}

/// The lists of a cell's points, by a look into every cell that may hold a neighbour.
fn lists_by_boxes(work: &Work, cell: &Cell, firsts: &[usize], globals: &Globals) -> Result<Entries, Error> {
    let mut lists = CellLists::within(cell, LatentGraph::n_listed_in_parts());
    let outlines = cells::outlines(work, firsts)?;
    let mut others: Vec<(f64, usize)> =
        outlines.iter().enumerate().map(|(at, outline)| (lists.nearness(outline), at)).collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for (_, at) in others {
        if lists.needs(&outlines[at]) {
            lists.look_in(&CellFile::open(work, at)?.cell(firsts[at], globals)?);
        }
    }
    Ok(lists.into_entries())
}

/// Looks for ways from a cell's points to other components.
fn ways(work: &Work, round: usize, number: usize, output: &Path) -> Result<(), Error> {
    let globals = Globals::read(work)?;
    let firsts = cells::firsts(work)?;
    let folder = work.path(format!("ways/{round}"));
    let component = |at: usize| files::read::<u32>(&folder.join(format!("component-{at}.bin")));
    let uniform: Vec<u32> = files::read(&folder.join("uniform.bin"))?;
    let own = component(number)?;
    let of_component: Vec<f64> = files::read(&folder.join("limits.bin"))?;
    let limits: Vec<f64> = own.iter().map(|&one| of_component[one as usize]).collect();
    let last: Vec<f64> = files::read(&work.path(format!("last/{number}.bin")))?;
    let cell = CellFile::open(work, number)?.cell(firsts[number], &globals)?;
    let mut seeking = Seeking::new(&cell, &own, &limits, &last);
    if !seeking.is_idle() {
        let outlines = cells::outlines(work, &firsts)?;
        let mut others: Vec<(f64, usize)> =
            outlines.iter().enumerate().map(|(at, outline)| (seeking.nearness(outline), at)).collect();
        others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, at) in others {
            let needed = seeking.needs(&outlines[at], Some(uniform[at]).filter(|&one| one != u32::MAX));
            if needed && at == number {
                seeking.look_in(&cell, &own, None);
            } else if needed {
                let other = CellFile::open(work, at)?.cell(firsts[at], &globals)?;
                seeking.look_in(&other, &component(at)?, None);
            }
        }
    }
    write_ways(output, &seeking.ways())
}

/// Writes the ways that were found from a cell.
pub(super) fn write_ways(output: &Path, ways: &[Way]) -> Result<(), Error> {
    files::write_with(output, |out| {
        ways.iter().try_for_each(|way| {
            put_all(out, &[way.component])?;
            put_all(out, &[way.link])
        })
    })
}

/// Writes the labels of a shard's rows, in their order.
fn labels(work: &Work, shard: usize, output: &Path) -> Result<(), Error> {
    let scattered = Scattered::open(work, shard)?;
    let counts = cells::counts(work)?;
    let n_cells = scattered.n_cells();
    let rows = scattered.rows()?;
    let mut labels = vec![0i64; rows.len()];
    for cell in 0..n_cells {
        let own = scattered.range(cell);
        if own.is_empty() {
            continue;
        }
        let before: u64 = (0..shard).map(|other| counts[other * n_cells + cell]).sum();
        let places = CellFile::open(work, cell)?.positions(before as usize, own.len())?;
        let of_cell: Vec<u32> = files::read(&work.path(format!("answer/{cell}.bin")))?;
        for (&row, place) in rows[own].iter().zip(places) {
            let damaged = || Error::WorkFile { path: work.path(format!("answer/{cell}.bin")) };
            labels[row as usize] = i64::from(*of_cell.get(place as usize).ok_or_else(damaged)?);
        }
    }
    let folder = &work.output;
    std::fs::create_dir_all(folder).map_err(|source| Error::Write { path: folder.clone(), source })?;
    let format = work.args.output_format;
    let bytes = match work.args.input.id_column {
        Some(_) => {
            let ids = read_shard(work, shard)?.ids;
            let id_name = work.args.input.id_name();
            let table = LabelTable { id_name, ids: ids.as_deref(), labels: &labels, ..LabelTable::default() };
            table.bytes(output, format)?
        }
        None => None,
    };
    let bytes = match bytes {
        Some(bytes) => bytes,
        None => labels_bytes(output, format, &labels, None, &json!({}))?,
    };
    write_bytes(output, &bytes)
}
