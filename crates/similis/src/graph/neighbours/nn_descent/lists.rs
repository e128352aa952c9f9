//! The lists of neighbours while they are searched.

use crate::run::parallel;

/// Number of lists that one thread changes at a time. Not tuned.
const PIECE: usize = 512;

/// A point offered to the list of another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    pub(crate) to: u32,
    pub(crate) distance: f32,
    pub(crate) point: u32,
}

impl Offer {
    /// What offers are sorted by: whom they are to, then how near, then the number.
    pub(crate) fn key(&self) -> (u32, u32, u32) {
        // Distances are not negative: their bits are in their order.
        (self.to, self.distance.to_bits(), self.point)
    }
}

/// The bit of a place that is set while its neighbour has not yet been a candidate of the point.
const NEW: u32 = 1 << 31;

/// An entry of a list: a neighbour, or none (at distance infinity). Eight bytes: lists are looked at all over the memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) distance: f32,
    /// The number of the neighbour, below 2^31, and [`NEW`].
    marked: u32,
}

impl Place {
    /// The neighbour.
    #[inline]
    pub(crate) fn point(self) -> u32 {
        self.marked & !NEW
    }

    /// Whether the neighbour has not yet been a candidate of the point.
    pub(crate) fn is_new(self) -> bool {
        self.marked & NEW != 0 && !self.is_free()
    }

    /// Marks the neighbour as one that has been a candidate.
    pub(crate) fn settle(&mut self) {
        self.marked &= !NEW;
    }

    fn is_free(self) -> bool {
        self.marked == u32::MAX
    }
}

const NOBODY: Place = Place { distance: f32::INFINITY, marked: u32::MAX };

/// For each point the nearest points found so far, by distance, then number.
#[derive(Debug)]
pub(crate) struct Lists {
    places: Vec<Place>,
    width: usize,
    /// The distance of the last place of each list: few enough numbers to stay in a cache.
    bounds: Vec<f32>,
}

impl Lists {
    pub(crate) fn new(n_points: usize, width: usize) -> Self {
        let bounds = vec![f32::INFINITY; n_points];
        Self { places: vec![NOBODY; n_points * width], width, bounds }
    }

    pub(crate) fn n_points(&self) -> usize {
        self.places.len() / self.width
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The entries of point `i` that hold a neighbour.
    pub(crate) fn places(&self, i: usize) -> &[Place] {
        let list = &self.places[i * self.width..(i + 1) * self.width];
        &list[..list.partition_point(|place| !place.is_free())]
    }

    /// All places, list after list.
    pub(crate) fn places_mut(&mut self) -> &mut [Place] {
        &mut self.places
    }

    /// The neighbours of point `i`, nearest first.
    pub(crate) fn of(&self, i: usize) -> impl Iterator<Item = u32> + '_ {
        self.places(i).iter().map(|place| place.point())
    }

    /// The distance beyond which the list of a point takes nothing.
    #[inline]
    pub(crate) fn bound(&self, point: u32) -> f32 {
        self.bounds[point as usize]
    }

    /// Whether `point` at this distance, which is within the bound, belongs in the list of `to` and is not there.
    #[inline]
    pub(crate) fn want(&self, to: u32, distance: f32, point: u32) -> bool {
        let start = to as usize * self.width;
        vacancy(&self.places[start..start + self.width], distance, point).is_some()
    }

    /// Takes the offers, each piece of which is sorted; returns how many places have changed.
    pub(crate) fn accept(&mut self, pieces: &[Vec<Offer>]) -> usize {
        let width = self.width;
        let n_changed = std::sync::atomic::AtomicUsize::new(0);
        parallel::for_each_piece(&mut self.places, PIECE * width, |piece, places| {
            let first = (piece * PIECE) as u32;
            let last = first + (places.len() / width) as u32;
            let mut n_accepted = 0;
            for offers in pieces {
                let start = offers.partition_point(|offer| offer.to < first);
                for offer in offers[start..].iter().take_while(|offer| offer.to < last) {
                    let at = (offer.to - first) as usize * width;
                    n_accepted += usize::from(insert(&mut places[at..at + width], offer));
                }
            }
            n_changed.fetch_add(n_accepted, std::sync::atomic::Ordering::Relaxed);
        });
        for offer in pieces.iter().flatten() {
            self.bounds[offer.to as usize] = self.places[(offer.to as usize + 1) * width - 1].distance;
        }
        n_changed.into_inner()
    }
}

#[inline]
fn comes_before(distance: f32, point: u32, place: Place) -> bool {
    distance < place.distance || (distance == place.distance && point < place.point())
}

/// Where in a list a point belongs, if it belongs there and is not there already.
#[inline]
fn vacancy(list: &[Place], distance: f32, point: u32) -> Option<usize> {
    let at = list.partition_point(|&place| !comes_before(distance, point, place));
    // A pair has one distance: a point that is there already is the last that does not come after itself.
    let there = at > 0 && list[at - 1].point() == point;
    (at < list.len() && !there).then_some(at)
}

/// Puts an offer in its place, if it has one; returns whether it has.
fn insert(list: &mut [Place], offer: &Offer) -> bool {
    let Some(at) = vacancy(list, offer.distance, offer.point) else { return false };
    list[at..].rotate_right(1);
    list[at] = Place { distance: offer.distance, marked: offer.point | NEW };
    true
}
