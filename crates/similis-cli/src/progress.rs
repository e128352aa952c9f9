//! Progress bars on a terminal, and Ctrl-C.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use similis::{Observer, Progress};

/// Whether Ctrl-C was pressed.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The exit code of a run that Ctrl-C ended.
pub const INTERRUPTED_EXIT: u8 = 130;

/// Runs shorter than this show no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Makes Ctrl-C end the run with the best answer so far; a second one ends it at once.
pub fn watch_interrupts() {
    // Where no handler can be set, Ctrl-C ends the process as it always does.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED_EXIT));
        }
    });
}

/// Whether Ctrl-C was pressed.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// A bar on standard error, if that is a terminal and the run takes longer than a second.
#[derive(Debug)]
pub struct Bar {
    bar: ProgressBar,
    started: Instant,
}

impl Bar {
    /// Returns a bar that is hidden if `quiet`, or if nobody would see it.
    pub fn new(quiet: bool) -> Self {
        let seen = !quiet && std::io::stderr().is_terminal();
        let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{msg:28} {bar:30} {percent:>3}%  {elapsed}") {
            bar.set_style(style);
        }
        if seen {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        Self { bar, started: Instant::now() }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Bar {
    fn progress(&self, progress: Progress) {
        if self.started.elapsed() < PATIENCE {
            return;
        }
        let message = match progress.log_joint {
            Some(log_joint) => format!("{}, log joint {log_joint:.1}", progress.phase),
            None => progress.phase.to_owned(),
        };
        self.bar.set_message(message);
        self.bar.set_position((1000.0 * progress.fraction.clamp(0.0, 1.0)) as u64);
    }

    fn cancelled(&self) -> bool {
        interrupted()
    }
}
