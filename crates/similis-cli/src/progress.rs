//! Progress bars on a terminal, what takes how long, and the time limit.

use std::fmt::Write as _;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use similis::{Observer, Progress};

use crate::terminal::tell;

pub use crate::signals::{INTERRUPTED_EXIT, interrupted, watch_interrupts};

/// The exit code of a run whose answer was written, but lacks something: the number of clusters was not searched, or a picture
/// could not be drawn. A warning says what.
pub const INCOMPLETE_EXIT: u8 = 3;

/// Runs shorter than this show no progress bar. Not tuned.
const PATIENCE: Duration = Duration::from_secs(1);

/// A part of the work, and how long it took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    /// What was done.
    pub name: &'static str,
    /// How long, up to the last that was heard of it; phases that run side by side share the time.
    pub taken: Duration,
    /// The greatest part that was said to be done: pieces that run side by side do not report in their order.
    fraction: f64,
}

/// A bar on standard error, if that is a terminal and the run takes longer than a second. It ends the run at Ctrl-C, or when
/// its time is over.
#[derive(Debug)]
pub struct Bar {
    shown: ProgressBar,
    started: Instant,
    time_limit: Option<Duration>,
    out_of_time: AtomicBool,
    phases: Mutex<Phases>,
    /// Whether each phase is told when it begins, where no bar can be seen.
    tells_phases: bool,
    /// Whether it may be said that the time limit cannot be met; it is said once.
    warns: AtomicBool,
}

/// The parts of the work so far, and when one was last heard of.
#[derive(Debug, Default)]
struct Phases {
    all: Vec<Phase>,
    heard: Duration,
}

impl Bar {
    /// Returns a bar that is hidden if `quiet`, or if standard error is not a terminal.
    pub fn new(quiet: bool) -> Self {
        Self::limited(quiet, None, Instant::now())
    }

    /// As [`Bar::new`], of work that began at `started` and must end when its time is over.
    pub fn limited(quiet: bool, time_limit: Option<Duration>, started: Instant) -> Self {
        let seen = !quiet && std::io::stderr().is_terminal();
        let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {percent:>3}%  {msg}") {
            bar.set_style(style);
        }
        if seen {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        Self {
            shown: bar,
            started,
            time_limit,
            out_of_time: AtomicBool::new(false),
            phases: Mutex::default(),
            tells_phases: false,
            warns: AtomicBool::new(!quiet && time_limit.is_some()),
        }
    }

    /// Returns the bar that also writes a line when a phase begins, unless standard error is a terminal.
    #[must_use]
    pub fn telling_phases(self, wanted: bool) -> Self {
        Self { tells_phases: wanted && !std::io::stderr().is_terminal(), ..self }
    }

    /// Notes that a part of the work is done that the library does not report: the time since anything was heard of is its own.
    pub fn done(&self, name: &'static str) {
        self.note(name, 1.0);
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.shown.finish_and_clear();
    }

    /// Whether the run was asked to end because its time was over.
    pub fn out_of_time(&self) -> bool {
        self.out_of_time.load(Ordering::Relaxed) && !interrupted()
    }

    /// The parts of the work so far, in the order they began.
    pub fn phases(&self) -> Vec<Phase> {
        self.phases.lock().unwrap_or_else(PoisonError::into_inner).all.clone()
    }

    /// Notes that a phase goes on, and returns it: the time since anything was heard of is its own.
    fn note(&self, name: &'static str, fraction: f64) -> Phase {
        let mut phases = self.phases.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.started.elapsed();
        let Phases { all, heard } = &mut *phases;
        let at = all.iter().position(|phase| phase.name == name).unwrap_or_else(|| {
            all.push(Phase { name, taken: Duration::ZERO, fraction: 0.0 });
            if self.tells_phases {
                tell(&format!("{:>10.2} s  {name}\n", now.as_secs_f64()));
            }
            all.len() - 1
        });
        all[at].taken += now.saturating_sub(*heard);
        *heard = now.max(*heard);
        all[at].fraction = all[at].fraction.max(fraction.clamp(0.0, 1.0));
        all[at]
    }
}

/// Phases that are finished even if the time is over.
const UNCUT: [&str; 2] = ["neighbours", "spanning tree"];

/// What to say if a phase that cannot be cut short will end after the limit.
fn too_long(phase: Phase, elapsed: Duration, limit: Duration) -> Option<String> {
    let end = elapsed + left(phase)?;
    (UNCUT.contains(&phase.name) && end > limit).then(|| {
        format!(
            "note: {} will end after about {:.0} s, later than --time-limit {}, and cannot be cut short\n",
            phase.name,
            end.as_secs_f64().ceil(),
            limit.as_secs_f64()
        )
    })
}

/// How long a phase will still take, judged by the part of it that is done.
fn left(phase: Phase) -> Option<Duration> {
    let fraction = phase.fraction;
    let judged = phase.taken >= PATIENCE && (0.02..1.0).contains(&fraction);
    judged.then(|| phase.taken.mul_f64((1.0 - fraction) / fraction))
}

impl Observer for Bar {
    fn progress(&self, progress: Progress) {
        let phase = self.note(progress.phase, progress.fraction);
        let words = self.time_limit.and_then(|limit| too_long(phase, self.started.elapsed(), limit));
        if let Some(words) = words.filter(|_| self.warns.swap(false, Ordering::Relaxed)) {
            tell(&words);
        }
        if self.started.elapsed() < PATIENCE {
            return;
        }
        let mut message = progress.phase.to_owned();
        if let Some(log_joint) = progress.log_joint {
            let _ = write!(message, ", log joint {log_joint:.1}");
        }
        let _ = write!(message, ", {:.0} s", self.started.elapsed().as_secs_f64());
        if let Some(left) = left(phase) {
            let _ = write!(message, ", about {:.0} s left of this", left.as_secs_f64().ceil());
        }
        self.shown.set_message(message);
        self.shown.set_position((1000.0 * phase.fraction) as u64);
    }

    fn cancelled(&self) -> bool {
        if self.time_limit.is_some_and(|limit| self.started.elapsed() >= limit) {
            self.out_of_time.store(true, Ordering::Relaxed);
        }
        interrupted() || self.out_of_time.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_cancelled_when_its_time_is_over_and_not_before() {
        let hour = Bar::limited(true, Some(Duration::from_secs(3600)), Instant::now());
        assert!(!hour.cancelled() && !hour.out_of_time());
        let none = Bar::limited(true, Some(Duration::ZERO), Instant::now());
        assert!(!none.out_of_time());
        assert!(none.cancelled() && none.out_of_time());
        assert!(!Bar::new(true).cancelled());
    }

    #[test]
    fn phases_are_kept_in_their_order_and_their_times_add_up() {
        let started = Instant::now();
        let bar = Bar::limited(true, None, started);
        // Phases that take turns, as those of fits side by side do.
        for turn in 0..40 {
            let phase = if turn % 2 == 0 { "first" } else { "second" };
            bar.progress(Progress { phase, fraction: f64::from(turn) / 40.0, log_joint: None });
            std::thread::sleep(Duration::from_millis(1));
        }
        let phases = bar.phases();
        assert_eq!(phases.iter().map(|phase| phase.name).collect::<Vec<_>>(), ["first", "second"]);
        assert!(phases.iter().map(|phase| phase.taken).sum::<Duration>() <= started.elapsed());
        bar.progress(Progress { phase: "first", fraction: 0.2, log_joint: None });
        assert_eq!(bar.phases()[0].fraction, 0.95);
    }

    #[test]
    fn a_limit_that_cannot_be_met_is_seen_early() {
        let phase = Phase { name: "neighbours", taken: Duration::from_secs(10), fraction: 0.25 };
        let seconds = Duration::from_secs;
        let said = too_long(phase, seconds(11), seconds(30)).unwrap_or_default();
        assert!(said.contains("neighbours will end after about 41 s, later than --time-limit 30"), "{said}");
        assert_eq!(too_long(phase, seconds(11), seconds(50)), None);
        assert_eq!(too_long(Phase { name: "starts", ..phase }, seconds(11), seconds(30)), None);
    }

    #[test]
    fn the_time_left_follows_from_the_part_that_is_done() {
        let phase = Phase { name: "a", taken: Duration::from_secs(10), fraction: 0.25 };
        assert_eq!(left(phase), Some(Duration::from_secs(30)));
        assert_eq!(left(Phase { fraction: 0.0, ..phase }), None);
        assert_eq!(left(Phase { taken: Duration::ZERO, ..phase }), None);
    }
}
