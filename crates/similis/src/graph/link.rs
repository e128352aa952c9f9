//! Links between points, and the order in which trees take them.

/// A link between two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// One end.
    pub from: usize,
    /// The other.
    pub to: usize,
    /// How long it is; NaN for a pair that was not observed, infinite for one that is forbidden.
    pub length: f64,
}

/// The order of link prices: which of two links is cheaper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkOrder {
    /// Links are cheapest at this length; `None`: the shortest, or longest, are.
    pub(crate) centre: Option<f64>,
    /// Whether the price rises with the distance from the centre, or with the length.
    pub(crate) rising: bool,
    /// The length, or the distance from the centre, that counts for a missing pair.
    pub(crate) missing: f64,
}

impl LinkOrder {
    /// Links in the order of their lengths.
    pub const BY_LENGTH: Self = Self { centre: None, rising: true, missing: f64::INFINITY };

    /// Links in the order of their similarities, the greatest first.
    pub const BY_SIMILARITY: Self = Self { centre: None, rising: false, missing: f64::NEG_INFINITY };

    /// Returns a key that rises with the price of a link of this length; NaN is a missing pair, infinite a forbidden one.
    #[inline]
    pub fn key(&self, length: f64) -> f64 {
        if length == f64::INFINITY {
            return f64::INFINITY;
        }
        let distance = match self.centre {
            _ if length.is_nan() => self.missing,
            Some(centre) => (length - centre).abs(),
            None => length,
        };
        if self.rising { distance } else { -distance }
    }

    /// Whether trees in this order are trees in the other: always, if no pair is missing and both go by length.
    pub(crate) fn agrees(&self, other: &Self, any_missing: bool) -> bool {
        self.centre == other.centre
            && self.rising == other.rising
            && (!any_missing || self.missing == other.missing)
    }
}

/// Where a link stands in the order that trees are built by: price, then the numbers of its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ranked {
    pub(crate) key: f64,
    pub(crate) link: Link,
}

impl Ranked {
    pub(crate) fn new(link: Link, order: &LinkOrder) -> Self {
        Self { key: order.key(link.length), link }
    }

    /// The order in which links are taken.
    pub(crate) fn compare(&self, other: &Self) -> std::cmp::Ordering {
        match (self.before(other), other.before(self)) {
            (true, _) => std::cmp::Ordering::Less,
            (_, true) => std::cmp::Ordering::Greater,
            _ => std::cmp::Ordering::Equal,
        }
    }

    /// Whether this link is taken before the other: no two links are equal, so every tree is unique.
    pub(crate) fn before(&self, other: &Self) -> bool {
        let ends = |link: &Link| (link.from.min(link.to), link.from.max(link.to));
        self.key < other.key || (self.key == other.key && ends(&self.link) < ends(&other.link))
    }
}
