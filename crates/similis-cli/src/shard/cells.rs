//! What the jobs share: boxes and cells, and the rows in them.

use std::ops::Range;
use std::path::{Path, PathBuf};

use similis::graph::parts::{Cell, Order, Outline, Preparation, has_boxes};
use similis::input::MeasuredPoints;
use similis::{Metric, Points};

use super::files::{self, Reader, Stored, put_all};
use super::jobs::prepared_at_once;
use super::work::Work;
use crate::error::Error;

/// Most rows that are left out for each that is read: of fewer, all are read. Not tuned.
const MOST_SKIPPED: usize = 16;

/// What is known of all rows together.
#[derive(Debug)]
pub(super) struct Globals {
    pub(super) n_cells: usize,
    /// The number of the first row of each shard, and of all rows.
    pub(super) offsets: Vec<u64>,
    low: Vec<f64>,
    high: Vec<f64>,
    /// The first rows of all cells but the first.
    splitters: Vec<f64>,
    metric: Metric,
    preparation: Preparation,
}

impl Globals {
    pub(super) fn new(work: &Work, offsets: Vec<u64>, low: Vec<f64>, high: Vec<f64>) -> Result<Self, Error> {
        let metric = work.args.input.metric();
        let preparation = Preparation::new(metric, &low, &high)?;
        Ok(Self { n_cells: 1, offsets, low, high, splitters: Vec::new(), metric, preparation })
    }

    /// The same, with the cells that these prepared rows begin.
    pub(super) fn with_cells(self, splitters: Vec<f64>) -> Self {
        Self { n_cells: splitters.len() / self.low.len() + 1, splitters, ..self }
    }

    pub(super) fn write(&self, work: &Work) -> Result<(), Error> {
        files::write_with(&work.path("globals.bin"), |out| {
            let (d, n_shards) = (self.low.len() as u64, self.offsets.len() as u64 - 1);
            put_all(out, &[self.n_cells as u64, d, n_shards])?;
            put_all(out, &self.offsets)?;
            put_all(out, &self.low)?;
            put_all(out, &self.high)?;
            put_all(out, &self.splitters)
        })
    }

    pub(super) fn read(work: &Work) -> Result<Self, Error> {
        let mut reader = Reader::open(&work.path("globals.bin"))?;
        let [n_cells, d, n_shards] = [reader.one::<u64>()?, reader.one()?, reader.one()?].map(|n| n as usize);
        let offsets = reader.take(n_shards + 1)?;
        let globals = Self::new(work, offsets, reader.take(d)?, reader.take(d)?)?;
        let splitters = reader.take(n_cells.saturating_sub(1) * d)?;
        Ok(globals.with_cells(splitters))
    }

    pub(super) fn n_dimensions(&self) -> usize {
        self.low.len()
    }

    pub(super) fn splitters(&self) -> impl Iterator<Item = &[f64]> {
        self.splitters.chunks_exact(self.low.len())
    }

    /// Rows of a scan, prepared for the metric.
    pub(super) fn prepared(&self, rows: Points<'static>) -> Result<MeasuredPoints<'static>, Error> {
        if prepared_at_once(self.metric) { self.measured(rows) } else { Ok(self.preparation.rows(&rows)?) }
    }

    /// Rows that are prepared, with their metric.
    pub(super) fn measured(&self, rows: Points<'static>) -> Result<MeasuredPoints<'static>, Error> {
        Ok(self.preparation.prepared(rows)?)
    }

    /// Whether boxes tell which cells are near: in few dimensions.
    pub(super) fn has_boxes(&self) -> bool {
        has_boxes(self.metric, self.low.len())
    }

    /// The order of prepared rows.
    pub(super) fn order(&self) -> Order {
        let d = self.low.len();
        let corners = Points::new([&self.low[..], &self.high].concat(), 2, d);
        match corners.map_err(Error::from).and_then(|corners| self.prepared(corners)) {
            Ok(corners) => Order::new(self.metric, corners.points().row(0), corners.points().row(1)),
            Err(_) => Order::new(self.metric, &self.low, &self.high),
        }
    }
}

/// The rows of a shard, in the order of the cells.
#[derive(Debug)]
pub(super) struct Scattered {
    path: PathBuf,
    n_dimensions: usize,
    starts: Vec<u64>,
}

impl Scattered {
    pub(super) fn open(work: &Work, shard: usize) -> Result<Self, Error> {
        let path = work.path(format!("scatter/{shard}.bin"));
        let mut reader = Reader::open(&path)?;
        let [_, d, n_cells] = [reader.one::<u64>()?, reader.one()?, reader.one()?];
        let starts = reader.take(n_cells as usize + 1)?;
        Ok(Self { path, n_dimensions: d as usize, starts })
    }

    pub(super) fn n_cells(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where the rows of a cell are.
    pub(super) fn range(&self, cell: usize) -> Range<usize> {
        self.starts[cell] as usize..self.starts[cell + 1] as usize
    }

    fn n_rows(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// A reader behind the header.
    fn reader(&self) -> Result<Reader, Error> {
        let mut reader = Reader::open(&self.path)?;
        reader.skip((3 + self.starts.len() as u64) * u64::SIZE as u64)?;
        Ok(reader)
    }

    /// The numbers of all rows in the shard, in the order of the cells.
    pub(super) fn rows(&self) -> Result<Vec<u32>, Error> {
        self.reader()?.take(self.n_rows() as usize)
    }

    /// The numbers in the shard and the coordinates of the rows of a cell.
    fn of_cell(&self, cell: usize) -> Result<(Vec<u32>, Vec<f64>), Error> {
        let (own, mut reader) = (self.range(cell), self.reader()?);
        reader.skip(own.start as u64 * u32::SIZE as u64)?;
        let numbers = reader.take(own.len())?;
        reader.skip((self.n_rows() - own.end as u64) * u32::SIZE as u64)?;
        reader.skip((own.start * self.n_dimensions * f64::SIZE) as u64)?;
        Ok((numbers, reader.take(own.len() * self.n_dimensions)?))
    }
}

/// Gathers the rows of a cell from all shards; equal rows become one point.
pub(super) fn gather(work: &Work, number: usize, output: &Path) -> Result<(), Error> {
    let globals = Globals::read(work)?;
    let d = globals.n_dimensions();
    let (mut numbers, mut rows) = (Vec::new(), Vec::new());
    for shard in 0..work.shards.len() {
        let (own, mut values) = Scattered::open(work, shard)?.of_cell(number)?;
        numbers.extend(own.into_iter().map(|row| globals.offsets[shard] + u64::from(row)));
        rows.append(&mut values);
    }
    let by = globals.order();
    // Equal rows keep the order of the shards and rows.
    let order = by.sorted(&rows, d);
    let row = |i: u32| &rows[i as usize * d..][..d];
    let (mut firsts, mut weights) = (Vec::new(), Vec::<u32>::new());
    let (mut positions, mut values) = (vec![0u32; numbers.len()], Vec::new());
    for (at, &i) in order.iter().enumerate() {
        let is_copy = at > 0 && by.compare(row(order[at - 1]), row(i)).is_eq();
        if let Some(weight) = weights.last_mut().filter(|_| is_copy) {
            *weight += 1;
        } else {
            firsts.push(numbers[i as usize]);
            weights.push(1);
            values.extend_from_slice(row(i));
        }
        positions[i as usize] = firsts.len() as u32 - 1;
    }
    let boxes = match firsts.len() {
        n if n == 0 || !globals.has_boxes() => Vec::new(),
        n => Cell::new(0, globals.measured(Points::new(values.clone(), n, d)?)?)?.outline().boxes,
    };
    let any_equal = u64::from(firsts.len() < numbers.len());
    let box_length = boxes.first().map_or(0, Vec::len) as u64;
    files::write_with(output, |out| {
        let (n, m) = (numbers.len() as u64, firsts.len() as u64);
        put_all(out, &[n, m, d as u64, any_equal, boxes.len() as u64, box_length])?;
        put_all(out, &boxes.concat())?;
        put_all(out, &values)?;
        put_all(out, &firsts)?;
        put_all(out, &weights)?;
        put_all(out, &positions)
    })
}

/// The file of a cell.
#[derive(Debug)]
pub(super) struct CellFile {
    reader: Reader,
    pub(super) n_points: usize,
    n_dimensions: usize,
    pub(super) any_equal: bool,
    boxes: Vec<Vec<f64>>,
}

impl CellFile {
    pub(super) fn open(work: &Work, number: usize) -> Result<Self, Error> {
        let mut reader = Reader::open(&work.path(format!("cells/{number}.bin")))?;
        let header: Vec<u64> = reader.take(6)?;
        let [_, n_points, n_dimensions, any_equal, n_boxes, length] = *header else {
            return Err(Error::WorkFile { path: work.path(format!("cells/{number}.bin")) });
        };
        let boxes: Vec<f64> = reader.take((n_boxes * length) as usize)?;
        let boxes = boxes.chunks(length.max(1) as usize).map(<[f64]>::to_vec).collect();
        let [n_points, n_dimensions] = [n_points, n_dimensions].map(|n| n as usize);
        Ok(Self { reader, n_points, n_dimensions, any_equal: any_equal > 0, boxes })
    }

    /// Its points; there is at least one.
    pub(super) fn points(mut self, globals: &Globals) -> Result<MeasuredPoints<'static>, Error> {
        let values = self.reader.take(self.n_points * self.n_dimensions)?;
        globals.measured(Points::new(values, self.n_points, self.n_dimensions)?)
    }

    /// The cell of its points, with boxes.
    pub(super) fn cell(self, first: usize, globals: &Globals) -> Result<Cell, Error> {
        Ok(Cell::new(first, self.points(globals)?)?)
    }

    /// The coordinates of some of its points, in rising order.
    pub(super) fn rows(mut self, places: &[usize]) -> Result<Vec<f64>, Error> {
        let d = self.n_dimensions;
        let (mut rows, mut at) = (Vec::with_capacity(places.len() * d), 0);
        if places.len() * MOST_SKIPPED > self.n_points {
            let all: Vec<f64> = self.reader.take(self.n_points * d)?;
            places.iter().for_each(|&place| rows.extend_from_slice(&all[place * d..][..d]));
            return Ok(rows);
        }
        for &place in places {
            self.reader.skip(((place - at) * d * f64::SIZE) as u64)?;
            rows.append(&mut self.reader.take(d)?);
            at = place + 1;
        }
        Ok(rows)
    }

    /// The number of the first row that each point stands for, and how many it stands for.
    pub(super) fn firsts_and_weights(mut self) -> Result<(Vec<u64>, Vec<u32>), Error> {
        self.reader.skip((self.n_points * self.n_dimensions * f64::SIZE) as u64)?;
        Ok((self.reader.take(self.n_points)?, self.reader.take(self.n_points)?))
    }

    /// The places of consecutive rows, in the order in which they were gathered.
    pub(super) fn positions(mut self, first: usize, count: usize) -> Result<Vec<u32>, Error> {
        let before = self.n_points * (self.n_dimensions * f64::SIZE + u64::SIZE + u32::SIZE);
        self.reader.skip((before + first * u32::SIZE) as u64)?;
        self.reader.take(count)
    }
}

/// The number of the first point of each cell, and of all points.
pub(super) fn firsts(work: &Work) -> Result<Vec<usize>, Error> {
    Ok(files::read::<u64>(&work.path("firsts.bin"))?.into_iter().map(|first| first as usize).collect())
}

/// Number of rows of each shard in each cell, shard after shard.
pub(super) fn counts(work: &Work) -> Result<Vec<u64>, Error> {
    files::read(&work.path("counts.bin"))
}

/// The outlines of all cells.
pub(super) fn outlines(work: &Work, firsts: &[usize]) -> Result<Vec<Outline>, Error> {
    let outline = |number: usize| -> Result<Outline, Error> {
        let file = CellFile::open(work, number)?;
        Ok(Outline { first: firsts[number], n_points: file.n_points, boxes: file.boxes })
    };
    (0..firsts.len() - 1).map(outline).collect()
}
