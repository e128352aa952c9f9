//! What ends a run early: Ctrl-C and the signals that batch systems and closing terminals send.
//!
//! A run that has an answer before its end (`cluster`, `compare`, `embed`) stops with the best answer so far; others end at
//! once, without a file that is half written.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::terminal::tell;

/// Whether the run was asked to end.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether the run has an answer before its end.
static PATIENT: AtomicBool = AtomicBool::new(false);

/// The exit code of a run that a signal ended.
pub const INTERRUPTED_EXIT: u8 = 130;

/// How much a signal wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    /// Ctrl-C: the best answer so far; the second time, an end at once.
    Interrupt,
    /// The best answer so far, however often it comes: `timeout` and shells send it twice.
    Terminate,
    /// An end at once.
    Quit,
}

/// From here on a signal ends the run with the best answer so far.
pub fn watch_interrupts() {
    PATIENT.store(true, Ordering::Relaxed);
}

/// Whether the run was asked to end.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Does what a signal wants.
fn heed(wish: Wish) {
    let again = INTERRUPTED.swap(true, Ordering::Relaxed);
    let patient = PATIENT.load(Ordering::Relaxed);
    match wish {
        Wish::Terminate if again && patient => {}
        Wish::Interrupt | Wish::Terminate if !again && patient => {
            tell("stopping with the best answer so far; Ctrl-C again ends at once\n");
        }
        _ => {
            crate::io::output::forget_unfinished();
            std::process::exit(i32::from(INTERRUPTED_EXIT));
        }
    }
}

/// Makes signals end the process without a file that is half written.
#[cfg(unix)]
pub fn end_at_interrupts() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    // With a handler, a file that may not grow further is an error of the write, which is told.
    let _ = signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default());
    let hang_up = hang_up_counts(SIGHUP).then_some(SIGHUP);
    // Where no handler can be set, signals end the process as they always do.
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGQUIT].into_iter().chain(hang_up)) else { return };
    let watch = move || {
        signals.forever().for_each(|signal| {
            heed(match signal {
                SIGINT => Wish::Interrupt,
                SIGQUIT => Wish::Quit,
                _ => Wish::Terminate,
            });
        });
    };
    let _ = std::thread::Builder::new().name("signals".to_owned()).stack_size(1 << 18).spawn(watch);
}

/// Whether a terminal that closes is to end the run: not under `nohup`, which has the signal ignored. Only Linux tells.
#[cfg(unix)]
fn hang_up_counts(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 0)
}

/// Makes Ctrl-C end the process without a file that is half written.
#[cfg(not(unix))]
pub fn end_at_interrupts() {
    // Where no handler can be set, Ctrl-C ends the process as it always does.
    let _ = ctrlc::set_handler(|| heed(Wish::Interrupt));
}
