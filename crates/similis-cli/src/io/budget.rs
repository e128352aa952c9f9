//! What reading a file may take: one count of bytes through all readers, compared with the limit before anything is
//! allocated. A small file can unpack to any size, and any size can be written into a header.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::error::Error;

/// Bytes that a text on the heap takes beside its characters: what an allocation costs at most.
const PER_TEXT: u64 = 32;

/// The part of what is left that a list may take beyond what it needs, so that the next list finds room.
const SPARE: u64 = 8;

/// The bytes that reading a file may take, and those that it has taken; clones share one count.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    path: PathBuf,
    account: Rc<Account>,
}

#[derive(Debug)]
struct Account {
    limit: u64,
    held: Cell<u64>,
}

impl Budget {
    pub(super) fn new(path: &Path, limit: Option<u64>) -> Self {
        let account = Account { limit: limit.unwrap_or(u64::MAX), held: Cell::new(0) };
        Self { path: path.into(), account: Rc::new(account) }
    }

    /// The same count, for a part of the file that messages name otherwise.
    pub(super) fn named(&self, path: PathBuf) -> Self {
        Self { path, account: Rc::clone(&self.account) }
    }

    /// The file, or the part of it, as messages name it.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns an error if `n_bytes` more would exceed the limit.
    pub(super) fn check(&self, n_bytes: u64) -> Result<(), Error> {
        let needed = self.account.held.get().saturating_add(n_bytes);
        if needed > self.account.limit { Err(self.too_large(needed)) } else { Ok(()) }
    }

    /// Number of bytes left.
    pub(super) fn left(&self) -> u64 {
        self.account.limit.saturating_sub(self.account.held.get())
    }

    /// Adds `n_bytes` to the count.
    pub(super) fn take(&self, n_bytes: u64) -> Result<(), Error> {
        self.check(n_bytes)?;
        self.account.held.set(self.account.held.get().saturating_add(n_bytes));
        Ok(())
    }

    /// Takes `n_bytes` from the count.
    pub(super) fn give_back(&self, n_bytes: u64) {
        self.account.held.set(self.account.held.get().saturating_sub(n_bytes));
    }

    /// Counts a text on the heap.
    pub(super) fn take_text(&self, text: &str) -> Result<(), Error> {
        if text.is_empty() { Ok(()) } else { self.take(PER_TEXT + text.len() as u64) }
    }

    /// Makes room for `n_more` items, and for as many again as the list has while the limit is far away.
    #[inline]
    pub(super) fn grow<T>(&self, list: &mut Vec<T>, n_more: usize) -> Result<(), Error> {
        if list.capacity() - list.len() >= n_more { Ok(()) } else { self.grow_slowly(list, n_more) }
    }

    #[cold]
    fn grow_slowly<T>(&self, list: &mut Vec<T>, n_more: usize) -> Result<(), Error> {
        let spare = self.left() / SPARE / size_of::<T>().max(1) as u64;
        let extra = usize::try_from(spare).unwrap_or(usize::MAX).min(list.len());
        match self.reserve(list, n_more.saturating_add(extra)) {
            Err(_) if extra > 0 => self.reserve(list, n_more),
            done => done,
        }
    }

    /// Makes room for exactly `n_more` items.
    pub(super) fn reserve<T>(&self, list: &mut Vec<T>, n_more: usize) -> Result<(), Error> {
        let n_new = list.len().saturating_add(n_more).saturating_sub(list.capacity());
        let n_bytes = (n_new as u64).saturating_mul(size_of::<T>() as u64);
        self.take(n_bytes)?;
        list.try_reserve_exact(n_more).map_err(|_| {
            self.give_back(n_bytes);
            self.too_large(self.account.held.get().saturating_add(n_bytes))
        })
    }

    /// Adds an item.
    #[inline]
    pub(super) fn push<T>(&self, list: &mut Vec<T>, item: T) -> Result<(), Error> {
        self.grow(list, 1)?;
        list.push(item);
        Ok(())
    }

    fn too_large(&self, needed: u64) -> Error {
        // Without a limit, or below it, it is the system that gives no more.
        let limit = if needed > self.account.limit { self.account.limit } else { self.account.held.get() };
        Error::TooLarge { path: self.path.clone(), line: None, needed, limit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_grow_up_to_the_limit_together() {
        let budget = Budget::new(Path::new("a.csv"), Some(1000));
        let (mut numbers, mut bytes) = (Vec::new(), Vec::new());
        (0..60).try_for_each(|i| budget.push(&mut numbers, f64::from(i))).unwrap();
        (0..400).try_for_each(|_| budget.push(&mut bytes, 0u8)).unwrap();
        assert!(8 * numbers.capacity() + bytes.capacity() <= 1000);
        let message =
            (0..60).try_for_each(|i| budget.push(&mut numbers, f64::from(i))).unwrap_err().to_string();
        assert!(message.contains("a.csv") && message.contains("1.0 kB"), "{message}");
        assert!(8 * numbers.capacity() + bytes.capacity() <= 1000);
    }

    #[test]
    fn what_no_system_has_is_refused_without_a_limit() {
        let budget = Budget::new(Path::new("a.csv"), None);
        assert!(budget.reserve(&mut Vec::<u64>::new(), usize::MAX / 2).is_err());
        assert!(budget.reserve(&mut Vec::<u64>::new(), 1 << 58).is_err());
        let mut list = vec![1u8];
        budget.grow(&mut list, 5).unwrap();
        assert!(list.capacity() >= 6);
    }
}
