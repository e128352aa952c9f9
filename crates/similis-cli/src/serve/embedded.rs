//! The page without sockets, for a notebook: requests and their answers are values.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::{CommandFactory, FromArgMatches};
use similis::SideInformation;
use similis::run::parallel;

use super::corrections::Said;
use super::data::Data;
use super::http::Request;
use super::routes;
use super::session::Session;
use crate::answer::Answer;
use crate::args::{Cli, Command, Given};
use crate::error::Error;
use crate::input::Observed;

/// The front end as a module that draws into an element, built from `web/` by `make web`.
pub const SCRIPT: &str = include_str!("../../assets/web/widget.js");

/// What a page is opened with.
#[derive(Debug)]
pub struct Opening {
    /// What the data are called.
    pub name: String,
    /// What is clustered.
    pub observed: Observed,
    /// The settings that the page begins with: flags of `similis cluster`.
    pub flags: Vec<String>,
    /// What is known of pairs.
    pub side: SideInformation,
    /// The labels that are known: items and their labels.
    pub known_labels: Vec<(usize, String)>,
}

/// What a request is answered with.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status of HTTP.
    pub status: u16,
    /// The media type.
    pub kind: &'static str,
    /// The content.
    pub body: Vec<u8>,
}

/// What a page shows.
#[derive(Clone, Debug)]
pub struct Showing {
    /// The answer, of the items that are kept.
    pub answer: Answer,
    /// The items that were clustered, in rising order.
    pub kept: Vec<usize>,
    /// The settings of the page that it was found with, as JSON.
    pub choices: String,
    /// What it obeys, items counted among those that are kept.
    pub side: SideInformation,
    /// How long the fit took.
    pub seconds: f64,
}

/// A page whose fits run in a thread of this process.
#[derive(Debug)]
pub struct Page {
    session: Arc<Session>,
}

impl Page {
    /// Opens a page, which begins to fit.
    ///
    /// # Errors
    ///
    /// [`Error::Fit`] for a flag that does not exist, and those of the places on the map.
    pub fn open(opening: Opening) -> Result<Self, Error> {
        let Opening { name, mut observed, flags, side, known_labels } = opening;
        let mistake = |message: String| Error::Fit { message };
        let words = ["similis", "cluster", &name].into_iter().map(str::to_owned).chain(flags);
        let matches = Cli::command().try_get_matches_from(words);
        let matches = matches.map_err(|error| mistake(error.to_string()))?;
        let cli = Cli::from_arg_matches(&matches).map_err(|error| mistake(error.to_string()))?;
        let (Command::Cluster(mut args), Some((_, given))) = (cli.command, matches.subcommand()) else {
            return Err(mistake("the settings name another command".to_owned()));
        };
        args.given = Given::of(given);
        observed.weights.clone_from(&side.weights);
        let given = Said {
            labels: known_labels.into_iter().collect(),
            must_link: side.must_link,
            cannot_link: side.cannot_link,
            ..Said::default()
        };
        let data = Data::new(name, observed, args.run.seed).map_err(|error| mistake(error.to_string()))?;
        let data = Data { in_memory: true, ..data };
        let threads = args.run.work.threads;
        let session = Arc::new(Session::new(data, *args, given));
        let worker = Arc::clone(&session);
        thread::spawn(move || parallel::with_threads(threads, || worker.work()));
        Ok(Self { session })
    }

    /// Answers a request by a method and a path with its query, as the server does.
    pub fn answer(&self, method: &str, target: &str, body: Vec<u8>) -> Reply {
        let response = routes::answer_known(&self.session, &Request::new(method, target, body));
        Reply { status: response.status, kind: response.kind, body: response.body }
    }

    /// Waits until no fit runs and none is asked for, or the time is over; whether that is so.
    pub fn settle(&self, limit: Duration) -> bool {
        let asked = std::time::Instant::now();
        self.session.settle(|| asked.elapsed() >= limit)
    }

    /// Number of items.
    pub fn n_items(&self) -> usize {
        self.session.data.n_items()
    }

    /// The cluster of each item under the numbers that are shown, `None` for noise and what is left out; nothing before the first
    /// answer.
    pub fn labels(&self) -> Option<Vec<Option<usize>>> {
        self.session.shown().map(|shown| shown.labels.clone())
    }

    /// What is shown, once there is an answer.
    pub fn showing(&self) -> Option<Showing> {
        let shown = self.session.shown()?;
        let weight = |&item: &usize| self.session.data.observed.weights.get(item).copied();
        let weights = shown.kept.iter().filter_map(weight).collect();
        Some(Showing {
            answer: shown.answer.clone(),
            kept: shown.kept.clone(),
            choices: shown.choices.json().to_string(),
            side: SideInformation { weights, ..shown.said.information(&shown.kept) },
            seconds: shown.seconds,
        })
    }

    /// Ends the fit that runs, and the page.
    pub fn end(&self) {
        self.session.end();
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.end();
    }
}
