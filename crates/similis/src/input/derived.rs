//! A cache of what other modules compute once from an input, kept with it.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

type Kept = BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>;

/// One value of each type that was asked for; clones share them. It is no part of what was observed: all are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Derived(Arc<Mutex<Kept>>);

impl PartialEq for Derived {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Derived {
    /// Returns the value of this type; on the first call, the default.
    pub(crate) fn get<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let value = kept.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default())).clone();
        value.downcast().unwrap_or_default()
    }

    /// Replaces the value of this type.
    pub(crate) fn set<T: Send + Sync + 'static>(&self, value: Arc<T>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(TypeId::of::<T>(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_what_was_derived_and_are_equal_whatever_that_is() {
        let (first, other) = (Derived::default(), Derived::default());
        *first.get::<Mutex<u32>>().lock().unwrap() = 7;
        assert_eq!(*first.clone().get::<Mutex<u32>>().lock().unwrap(), 7);
        assert_eq!(*other.get::<Mutex<u32>>().lock().unwrap(), 0);
        assert_eq!(first, other);
    }
}
