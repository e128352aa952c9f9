//! How much memory may be used.

use crate::error::Error;

/// Bytes of address space that a run needs beside the program: the C library sets 64 MB aside for each of the first threads,
/// and what is left must do for the work.
const LEAST_LEFT: u64 = 256_000_000;

/// Returns the number of bytes that a text such as `500MB` or `4GiB` names.
///
/// # Errors
///
/// A text that says what may be given.
pub fn parse(text: &str) -> Result<u64, String> {
    let unit_at = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => Some(1.0),
        "kb" | "k" => Some(1e3),
        "mb" | "m" => Some(1e6),
        "gb" | "g" => Some(1e9),
        "tb" | "t" => Some(1e12),
        "kib" => Some(1024.0),
        "mib" => Some(1024f64.powi(2)),
        "gib" => Some(1024f64.powi(3)),
        _ => None,
    };
    match (number.parse::<f64>(), factor) {
        (Ok(number), Some(factor)) if number > 0.0 => Ok((number * factor) as u64),
        _ => Err("give a size such as 500MB, 4GB or 2.5GiB".to_owned()),
    }
}

/// The limit that was given, or 80% of what is free, where the system tells; never more than there can be.
pub fn limit(given: Option<u64>) -> Option<u64> {
    let most = [total(), address_space().map(|all| all / 5 * 4)].into_iter().flatten().min();
    let wanted = given.or_else(|| available().map(|free| free / 5 * 4));
    [wanted, most].into_iter().flatten().min()
}

/// Free memory in bytes, as Linux tells it.
fn available() -> Option<u64> {
    entry("/proc/meminfo", "MemAvailable:")
}

/// Memory and swap space in bytes, as Linux tells them.
fn total() -> Option<u64> {
    Some(entry("/proc/meminfo", "MemTotal:")?.saturating_add(entry("/proc/meminfo", "SwapTotal:")?))
}

/// Bytes of address space that this process may still take (`ulimit -v`), as Linux tells it; none where there is no limit.
fn address_space() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit = line.split_whitespace().next()?.parse::<u64>().ok()?;
    Some(limit.saturating_sub(entry("/proc/self/status", "VmSize:")?))
}

/// Returns an error if there is no room for threads and a small input: what cannot be allocated would end the process.
///
/// # Errors
///
/// [`Error::AddressSpace`].
pub(crate) fn check_address_space() -> Result<(), Error> {
    match address_space() {
        Some(left) if left < LEAST_LEFT => Err(Error::AddressSpace { left, least: LEAST_LEFT }),
        _ => Ok(()),
    }
}

/// An entry of a file that counts kilobytes, in bytes.
fn entry(path: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn no_limit_is_above_what_the_machine_has() {
        let most = total().unwrap();
        assert!(limit(Some(u64::MAX)).is_some_and(|limit| limit <= most));
        assert!(limit(None).is_some_and(|limit| limit <= most));
        assert_eq!(limit(Some(1_000_000)), Some(1_000_000));
    }

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(parse("1024"), Ok(1024));
        assert_eq!(parse("2.5GB"), Ok(2_500_000_000));
        assert_eq!(parse("1 MiB"), Ok(1 << 20));
        for bad in ["", "GB", "-1GB", "4 parsecs", "0", "NaN"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
