//! One input and what is done with it: the fit that runs, the answer that is shown, what was said of it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use similis::auto::Model;
use similis::{Error, Observer, Progress, SideInformation};

use super::choices::Choices;
use super::corrections::{Correction, History, Said};
use super::data::Data;
use super::shown::{Fitted, Shown};
use crate::answer::Answer;
use crate::args::ClusterArgs;
use crate::memory;

/// Time between two reports of progress. Not tuned.
const REPORT_EVERY: Duration = Duration::from_millis(80);

/// An input, and everything that happens to it.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) data: Data,
    pub(super) args: ClusterArgs,
    /// What files said of the items.
    pub(super) given: Said,
    state: Mutex<State>,
    changed: Condvar,
}

/// What changes.
#[derive(Debug)]
pub(super) struct State {
    /// Grows with every change.
    version: u64,
    /// Grows with every change that is saved.
    pub(super) edition: u64,
    pub(super) choices: Choices,
    pub(super) history: History,
    /// The number of the last fit that was asked for.
    asked: u64,
    /// The number of the last fit that was begun.
    begun: u64,
    running: Option<Running>,
    shown: Option<Arc<Shown>>,
    /// The labels of an earlier run, which the first answer is numbered by.
    pub(super) before: Vec<Option<usize>>,
    problem: Option<Value>,
    /// Where the state is saved, or why it is not.
    pub(super) saved: String,
    ended: bool,
}

/// A fit that runs.
#[derive(Clone, Debug)]
struct Running {
    stop: Arc<AtomicBool>,
    started: Instant,
    phase: &'static str,
    fraction: f64,
    log_joint: Option<f64>,
}

/// A fit to do.
struct Job {
    number: u64,
    choices: Choices,
    said: Said,
    stop: Arc<AtomicBool>,
}

impl Session {
    pub(super) fn new(data: Data, args: ClusterArgs, given: Said) -> Self {
        let state = State {
            version: 1,
            edition: 0,
            choices: Choices::new(&args, data.metric()),
            history: History::default(),
            asked: 1,
            begun: 0,
            running: None,
            shown: None,
            before: Vec::new(),
            problem: None,
            saved: String::new(),
            ended: false,
        };
        Self { data, args, given, state: Mutex::new(state), changed: Condvar::new() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and wakes the threads that wait for that.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.lock();
        let result = change(&mut state);
        state.version += 1;
        self.changed.notify_all();
        result
    }

    /// The answer that is shown.
    pub(super) fn shown(&self) -> Option<Arc<Shown>> {
        self.lock().shown.clone()
    }

    /// What is known of the items now.
    pub(super) fn said(&self) -> Said {
        self.lock().history.said(&self.given)
    }

    /// Changes settings, and fits again.
    pub(super) fn choose(&self, value: &Value) -> Result<(), String> {
        let choices = self.lock().choices.with(value)?;
        self.change(|state| {
            state.choices = choices;
            state.ask();
        });
        Ok(())
    }

    /// Hears a correction, with the settings that change with it, and fits again.
    pub(super) fn correct(&self, value: &Value) -> Result<(), String> {
        let correction = Correction::read(value, self.data.n_items())?;
        let choices = self.lock().choices.with(&value["choices"])?;
        self.change(|state| {
            state.history.add(correction);
            state.choices = choices;
            state.ask();
        });
        Ok(())
    }

    /// Takes the last correction back, or does it again.
    pub(super) fn step(&self, back: bool) {
        self.change(|state| {
            let moved = if back { state.history.undo() } else { state.history.redo() };
            if moved {
                state.ask();
            }
        });
    }

    /// Ends the fit that runs with its best answer so far.
    pub(super) fn stop(&self) {
        self.change(|state| state.stop_running());
    }

    /// Ends the session.
    pub(super) fn end(&self) {
        self.change(|state| {
            state.ended = true;
            state.stop_running();
        });
    }

    /// Waits until the state is newer than `version`, or the time is over, and returns it.
    pub(super) fn wait(&self, version: u64, limit: Duration) -> Value {
        let state = self.lock();
        let same = |state: &mut State| state.version <= version && !state.ended;
        let waited = self.changed.wait_timeout_while(state, limit, same);
        waited.unwrap_or_else(PoisonError::into_inner).0.json()
    }

    /// Why there is no answer.
    pub(super) fn failure(&self) -> crate::error::Error {
        let problem = self.lock().problem.clone().unwrap_or_default();
        let message = problem["message"].as_str().unwrap_or("the fit was ended before it had an answer");
        crate::error::Error::Fit { message: message.to_owned() }
    }

    /// Waits until no fit runs and none is asked for; `false` if `interrupted` says to end first.
    pub(super) fn settle(&self, interrupted: impl Fn() -> bool) -> bool {
        loop {
            let state = self.lock();
            if state.running.is_none() && state.begun == state.asked {
                return true;
            }
            let waited = self.changed.wait_timeout(state, REPORT_EVERY);
            drop(waited);
            if interrupted() {
                return false;
            }
        }
    }

    /// Does one fit after the other, until the session ends.
    pub(super) fn work(&self) {
        while let Some(job) = self.next_job() {
            let watch =
                Watch { session: self, stop: &job.stop, heard: AtomicU64::new(0), since: Instant::now() };
            let fitted = self.fit(&job, &watch);
            self.finish(&job, fitted);
        }
    }

    fn next_job(&self) -> Option<Job> {
        let state = self.lock();
        let idle = |state: &mut State| state.begun == state.asked && !state.ended;
        let waited = self.changed.wait_while(state, idle);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.ended {
            return None;
        }
        let stop = Arc::new(AtomicBool::new(false));
        state.begun = state.asked;
        state.version += 1;
        state.running = Some(Running {
            stop: Arc::clone(&stop),
            started: Instant::now(),
            phase: "reading",
            fraction: 0.0,
            log_joint: None,
        });
        let said = state.history.said(&self.given);
        Some(Job { number: state.begun, choices: state.choices.clone(), said, stop })
    }

    fn fit(&self, job: &Job, watch: &Watch<'_>) -> Result<Fitted, (Error, Vec<usize>)> {
        let started = Instant::now();
        let kept = job.said.kept(self.data.n_items());
        let answer = self.answer(job, &kept, watch);
        match answer {
            Ok((pairs, answer)) => Ok(Fitted {
                pairs,
                kept,
                answer,
                choices: job.choices.clone(),
                said: job.said.clone(),
                seconds: started.elapsed().as_secs_f64(),
            }),
            Err(error) => Err((error, kept)),
        }
    }

    fn answer(&self, job: &Job, kept: &[usize], watch: &Watch<'_>) -> Result<(Pairs, Answer), Error> {
        let mut pairs = self.data.measured_by(job.choices.metric)?;
        if kept.len() < self.data.n_items() {
            pairs = Arc::new(pairs.restricted(kept)?);
        }
        let limit = memory::limit(self.args.run.work.memory_limit);
        let (auto, model) = job.choices.models(&self.args, &pairs, limit)?;
        let weight = |&item: &usize| self.data.observed.weights.get(item).copied();
        let weights = kept.iter().filter_map(weight).collect();
        let side = SideInformation { weights, ..job.said.information(kept) };
        let answer = match model {
            Model::LatentGraph => {
                Answer::Graph(auto.graph, Box::new(auto.graph.fit_observed(&pairs, side, watch)?))
            }
            Model::LatentFeature => {
                Answer::Feature(auto.feature, Box::new(auto.feature.fit_observed(&pairs, side, watch)?))
            }
        };
        Ok((pairs, answer))
    }

    /// Shows what was found, unless something else was asked for meanwhile.
    fn finish(&self, job: &Job, fitted: Result<Fitted, (Error, Vec<usize>)>) {
        let n_items = self.data.n_items();
        let before = {
            let state = self.lock();
            state.shown.as_ref().map_or_else(|| state.before.clone(), |shown| shown.labels.clone())
        };
        let shown = fitted.map(|fitted| Arc::new(Shown::new(fitted, job.number, n_items, &before)));
        self.change(|state| {
            state.running = None;
            if state.asked != job.number {
                return;
            }
            match shown {
                Ok(shown) => {
                    (state.shown, state.problem) = (Some(shown), None);
                    state.edition += 1;
                }
                Err((error, kept)) => state.problem = Some(self.problem(&error, &kept)),
            }
        });
    }

    /// What is wrong, in words, and the items of a contradiction in the order of its chain.
    fn problem(&self, error: &Error, kept: &[usize]) -> Value {
        let chain: Vec<usize> = error.rows_of_pairs().iter().map(|&row| kept[row]).collect();
        let names: Vec<String> = chain.iter().map(|&item| self.data.item(item)).collect();
        json!({"message": error.to_string(), "chain": chain, "names": names})
    }
}

type Pairs = Arc<similis::Dissimilarity<'static>>;

impl State {
    /// Asks for a fit, and ends the one that runs.
    pub(super) fn ask(&mut self) {
        self.asked += 1;
        self.edition += 1;
        self.problem = None;
        self.stop_running();
    }

    fn stop_running(&self) {
        if let Some(running) = &self.running {
            running.stop.store(true, Ordering::Relaxed);
        }
    }

    /// The labels that are shown, or those of an earlier run.
    pub(super) fn labels(&self) -> &[Option<usize>] {
        self.shown.as_ref().map_or(&self.before, |shown| &shown.labels)
    }

    fn json(&self) -> Value {
        let fits = self.running.is_some() || self.begun != self.asked;
        let running = self.running.as_ref().map(|running| {
            json!({
                "phase": running.phase,
                "fraction": running.fraction,
                "log_joint": running.log_joint,
                "seconds": running.started.elapsed().as_secs_f64(),
                "stopping": running.stop.load(Ordering::Relaxed),
            })
        });
        json!({
            "version": self.version,
            "choices": self.choices.json(),
            "fits": fits,
            "running": running,
            "answer": self.shown.as_ref().map(|shown| shown.number),
            "problem": self.problem,
            "n_corrections": self.history.done.len(),
            "n_undone": self.history.undone.len(),
            "edition": self.edition,
            "saved": self.saved,
            "ended": self.ended,
        })
    }
}

/// Hears of the progress of one fit.
struct Watch<'a> {
    session: &'a Session,
    stop: &'a AtomicBool,
    /// When progress was last passed on, in milliseconds.
    heard: AtomicU64,
    since: Instant,
}

impl Observer for Watch<'_> {
    fn progress(&self, progress: Progress) {
        let now = self.since.elapsed().as_millis() as u64;
        let heard = self.heard.load(Ordering::Relaxed);
        if now < heard + REPORT_EVERY.as_millis() as u64 {
            return;
        }
        self.heard.store(now, Ordering::Relaxed);
        self.session.change(|state| {
            if let Some(running) = &mut state.running {
                running.phase = progress.phase;
                running.fraction = progress.fraction;
                running.log_joint = progress.log_joint.or(running.log_joint);
            }
        });
    }

    fn cancelled(&self) -> bool {
        let limit = self.session.args.time_limit;
        self.stop.load(Ordering::Relaxed) || limit.is_some_and(|limit| self.since.elapsed() >= limit)
    }
}
