//! The work folder: what was asked, and how far it is.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use serde_json::{Value, json};
use similis::LatentGraph;

use super::files;
use crate::args::ShardPlanArgs;
use crate::error::Error;
use crate::io::Format;
use crate::io::output::write_bytes;
use crate::memory;

/// Endings of files in a folder that are shards.
const ENDINGS: [&str; 7] = ["csv", "tsv", "txt", "npy", "npz", "parquet", "arrow"];

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Shards are read and checked.
    Scan,
    /// Rows are sorted into cells.
    Scatter,
    /// Rows of a cell are gathered.
    Cells,
    /// Points of many dimensions are sorted into overlapping groups.
    Groups,
    /// Nearest neighbours are listed within groups.
    Near,
    /// Nearest neighbours are listed.
    Lists,
    /// Components look for ways to each other.
    Ways {
        /// How often they did.
        round: usize,
    },
    /// Labels are written.
    Labels,
    /// Everything is done.
    Done,
}

impl Step {
    /// Its name, as in the state and in the names of jobs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Scatter => "scatter",
            Self::Cells => "cells",
            Self::Groups => "groups",
            Self::Near => "near",
            Self::Lists => "lists",
            Self::Ways { .. } => "ways",
            Self::Labels => "labels",
            Self::Done => "done",
        }
    }

    fn named(name: &str, round: usize) -> Option<Self> {
        let all = [
            Self::Scan,
            Self::Scatter,
            Self::Cells,
            Self::Groups,
            Self::Near,
            Self::Lists,
            Self::Ways { round },
            Self::Labels,
            Self::Done,
        ];
        all.into_iter().find(|step| step.name() == name)
    }
}

/// The arguments of a plan, as its file keeps them.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct Kept {
    #[command(flatten)]
    plan: ShardPlanArgs,
}

/// A work folder.
#[derive(Debug)]
pub struct Work {
    /// Where it is.
    pub folder: PathBuf,
    /// What was asked.
    pub args: ShardPlanArgs,
    /// The files that are read.
    pub shards: Vec<PathBuf>,
    /// Where the labels go.
    pub output: PathBuf,
    /// The arguments of its plan.
    arguments: Vec<OsString>,
}

/// Makes a work folder; it must be new or empty.
///
/// # Errors
///
/// [`Error`] where there are no shards, where the folder is in use, or where an argument needs all points in one place.
pub fn plan(arguments: &[OsString]) -> Result<Work, Error> {
    let args = parsed(arguments)?;
    check(&args)?;
    let shards = shards(&args)?;
    let folder = args.work_folder();
    let in_use = fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some());
    if in_use {
        return Err(Error::WorkInUse { path: folder });
    }
    fs::create_dir_all(&folder).map_err(|source| Error::Write { path: folder.clone(), source })?;
    let output = absolute(&args.output_folder());
    let arguments_given = arguments.to_vec();
    let work = Work { folder: absolute(&folder), args, shards, output, arguments: arguments_given };
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let kept: Vec<String> = arguments.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let shards: Vec<String> = work.shards.iter().map(|path| text(path)).collect();
    let plan = json!({"version": 1, "arguments": kept, "shards": shards, "output": text(&work.output)});
    write_bytes(&work.path("plan.json"), format!("{plan:#}\n").as_bytes())?;
    work.set_step(Step::Scan)?;
    Ok(work)
}

fn parsed(arguments: &[OsString]) -> Result<ShardPlanArgs, Error> {
    let kept = Kept::try_parse_from(arguments);
    kept.map(|kept| kept.plan).map_err(|error| Error::WorkArguments { message: error.to_string() })
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Refuses what needs all points in one place.
fn check(args: &ShardPlanArgs) -> Result<(), Error> {
    let input = &args.input;
    let refused = [
        ("--standardise", input.standardise),
        ("--weight-column", input.weight_column.is_some()),
        ("--label-column", input.label_column.is_some()),
        ("--conversion", input.conversion.is_some()),
        ("--missing", input.missing != crate::args::Missing::Error),
        ("--metric gower", input.is_mixed()),
        ("--input other than points", input.input.is_some_and(|input| input != crate::args::Input::Points)),
    ];
    if let Some((flag, _)) = refused.into_iter().find(|(_, given)| *given) {
        return Err(Error::ShardFlag { flag });
    }
    args.model()?.check_parts(input.metric())?;
    Ok(())
}

/// The files that are shards, in the order of their names.
fn shards(args: &ShardPlanArgs) -> Result<Vec<PathBuf>, Error> {
    let path = &args.input.path;
    let unreadable = |source| Error::Read { path: path.clone(), source };
    if fs::metadata(path).map_err(unreadable)?.is_file() {
        return Ok(vec![absolute(path)]);
    }
    let mut shards = Vec::new();
    for entry in fs::read_dir(path).map_err(unreadable)? {
        let own = entry.map_err(unreadable)?.path();
        let name = own.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let stem = name.strip_suffix(".gz").unwrap_or(&name);
        let known = ENDINGS.iter().any(|ending| stem.ends_with(&format!(".{ending}")));
        if known && !name.starts_with(['.', '_']) && own.is_file() {
            shards.push(absolute(&own));
        }
    }
    shards.sort();
    if shards.is_empty() { Err(Error::NoShards { path: path.clone() }) } else { Ok(shards) }
}

impl Work {
    /// Opens a work folder.
    ///
    /// # Errors
    ///
    /// [`Error::Read`] if it is none, [`Error::WorkFile`] if its plan is damaged.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let path = folder.join("plan.json");
        let plan = read_json(&path)?;
        let damaged = || Error::WorkFile { path: path.clone() };
        let texts =
            |name: &str| -> Option<Vec<&str>> { plan[name].as_array()?.iter().map(Value::as_str).collect() };
        let arguments: Vec<OsString> =
            texts("arguments").ok_or_else(damaged)?.into_iter().map(OsString::from).collect();
        let shards = texts("shards").ok_or_else(damaged)?.into_iter().map(PathBuf::from).collect();
        let output = plan["output"].as_str().ok_or_else(damaged)?.into();
        Ok(Self { folder: absolute(folder), args: parsed(&arguments)?, shards, output, arguments })
    }

    /// Whether its plan has these arguments.
    pub fn was_asked(&self, arguments: &[OsString]) -> bool {
        self.arguments == arguments
    }

    /// A file of the folder.
    pub(super) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.join(name)
    }

    /// What comes next.
    ///
    /// # Errors
    ///
    /// [`Error::WorkFile`] if the state is damaged.
    pub fn step(&self) -> Result<Step, Error> {
        let path = self.path("state.json");
        let state = read_json(&path)?;
        let round = state["round"].as_u64().unwrap_or(0) as usize;
        let step = state["step"].as_str().and_then(|name| Step::named(name, round));
        step.ok_or(Error::WorkFile { path })
    }

    pub(super) fn set_step(&self, step: Step) -> Result<(), Error> {
        let round = if let Step::Ways { round } = step { round } else { 0 };
        let state = json!({"step": step.name(), "round": round});
        write_bytes(&self.path("state.json"), format!("{state}\n").as_bytes())
    }

    /// The model and its settings.
    pub(super) fn model(&self) -> Result<LatentGraph, Error> {
        let memory_limit = memory::limit(self.args.memory_limit);
        Ok(LatentGraph { memory_limit, ..self.args.model()? })
    }

    /// Number of cells, once it is known.
    pub(super) fn n_cells(&self) -> Result<usize, Error> {
        Ok(files::Reader::open(&self.path("globals.bin"))?.one::<u64>()? as usize)
    }

    /// The file of labels of a shard.
    pub fn labels_of(&self, shard: usize) -> PathBuf {
        let path = &self.shards[shard];
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = name.strip_suffix(".gz").unwrap_or(&name);
        let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
        let ending = self.args.output_format.map_or_else(|| self.ending_of(shard), |format| format.ending());
        self.output.join(format!("{stem}.{ending}"))
    }

    /// The ending of the labels of a shard where none was asked for: that of the shard, if labels can have it.
    fn ending_of(&self, shard: usize) -> &'static str {
        match self.args.input.format.or_else(|| Format::of_name(&self.shards[shard])) {
            Some(Format::Npy | Format::Npz) => "npy",
            Some(Format::Parquet) => "parquet",
            Some(Format::Arrow) => "arrow",
            Some(Format::Tsv) => "tsv",
            _ => "csv",
        }
    }
}

/// Reads a file of JSON.
pub(super) fn read_json(path: &Path) -> Result<Value, Error> {
    let text = fs::read_to_string(path).map_err(|source| Error::Read { path: path.into(), source })?;
    serde_json::from_str(&text).map_err(|_| Error::WorkFile { path: path.into() })
}
