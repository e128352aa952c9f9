//! The state of a page, saved beside its input: ten versions, each written whole.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::corrections::Correction;
use super::session::Session;
use crate::error::Error;
use crate::io::output::write_bytes;

/// Number of versions that are kept.
const N_VERSIONS: usize = 10;

/// Maximum number of items whose labels are saved too: with more, a save would take longer than the time between two. Not tuned.
const MOST_LABELS: usize = 200_000;

/// Where the state of an input is saved.
#[derive(Debug)]
pub(super) struct Saver {
    folder: PathBuf,
    edition: u64,
}

impl Saver {
    /// Returns the saver of an input, in a folder of its name and `.similis` beside it.
    pub(super) fn new(input: &Path) -> Self {
        let name = format!("{}.similis", input.file_name().unwrap_or_default().to_string_lossy());
        Self { folder: input.with_file_name(name), edition: 0 }
    }

    /// Saves the state if it has changed since the last time.
    pub(super) fn save(&mut self, session: &Session) {
        let (edition, value) = {
            let state = session.lock();
            if state.edition == self.edition
                || (state.history.done.is_empty() && self.newest().is_none() && state.edition < 2)
            {
                return;
            }
            (state.edition, session.saved_state(&state))
        };
        let words = match self.write(&value) {
            Ok(path) => format!("saved in {}", path.display()),
            Err(error) => format!("not saved: {error}"),
        };
        self.edition = edition;
        session.note_saved(words);
    }

    fn write(&self, value: &Value) -> Result<PathBuf, Error> {
        let unwritable = |source| Error::Write { path: self.folder.clone(), source };
        fs::create_dir_all(&self.folder).map_err(unwritable)?;
        let versions = self.versions();
        let next = versions.last().map_or(1, |(number, _)| number + 1);
        let path = self.folder.join(format!("page-{next:06}.json"));
        write_bytes(&path, value.to_string().as_bytes())?;
        let old = (versions.len() + 1).saturating_sub(N_VERSIONS);
        for (_, path) in &versions[..old] {
            // What cannot be removed now is removed next time.
            let _ = fs::remove_file(path);
        }
        Ok(path)
    }

    /// The versions there are, oldest first.
    fn versions(&self) -> Vec<(u64, PathBuf)> {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let number = |path: PathBuf| {
            let name = path.file_name()?.to_str()?.strip_prefix("page-")?.strip_suffix(".json")?;
            Some((name.parse().ok()?, path))
        };
        let mut versions: Vec<(u64, PathBuf)> = files.filter_map(|file| number(file.path())).collect();
        versions.sort();
        versions
    }

    /// The newest version that can be read.
    pub(super) fn newest(&self) -> Option<Value> {
        let read = |path: &PathBuf| serde_json::from_slice(&fs::read(path).ok()?).ok();
        self.versions().iter().rev().find_map(|(_, path)| read(path))
    }
}

impl Session {
    fn saved_state(&self, state: &super::session::State) -> Value {
        let labels = (self.data.n_items() <= MOST_LABELS).then(|| super::shown::labels(state.labels()));
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "input": self.data.name,
            "n_items": self.data.n_items(),
            "fingerprint": self.data.fingerprint,
            "choices": state.choices.json(),
            "corrections": state.history.done.iter().map(Correction::json).collect::<Vec<_>>(),
            "undone": state.history.undone.iter().map(Correction::json).collect::<Vec<_>>(),
            "labels": labels,
        })
    }

    /// Takes up a saved state; settings of the command line win over saved ones.
    ///
    /// # Errors
    ///
    /// Why it cannot be taken up, in words.
    pub(super) fn restore(&self, saved: &Value) -> Result<usize, String> {
        if saved["fingerprint"] != json!(self.data.fingerprint) {
            return Err("the saved page is of other items: the input has changed since".to_owned());
        }
        let read = |name: &str| -> Result<Vec<Correction>, String> {
            let listed = saved[name].as_array().map_or(&[][..], Vec::as_slice);
            listed.iter().map(|correction| Correction::read(correction, self.data.n_items())).collect()
        };
        let mut choices = saved["choices"].clone();
        for setting in ["n_clusters", "model", "metric", "noise"] {
            if let Some(choices) = choices.as_object_mut().filter(|_| self.args.given.has(setting)) {
                choices.remove(setting);
            }
        }
        let (done, undone) = (read("corrections")?, read("undone")?);
        let label = |label: &Value| label.as_u64().map(|label| label as usize);
        let mut state = self.lock();
        state.choices = state.choices.with(&choices)?;
        (state.history.done, state.history.undone) = (done, undone);
        state.before = saved["labels"].as_array().into_iter().flatten().map(label).collect();
        state.edition = 1;
        Ok(state.history.done.len())
    }

    fn note_saved(&self, words: String) {
        self.change(|state| state.saved = words);
    }
}
