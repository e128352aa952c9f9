//! The modes of the density: how far each rises above its saddle, and where they are.

use similis::Error;
use similis::latent_graph::{LatentGraphFit, Mode};

use super::Study;
use super::map::Marks;
use crate::answer::Answer;
use crate::plot::{Bar, Bars, Detail, Peak, bars_svg, few_digits};

/// Maximum number of modes that are drawn. Not tuned.
const MOST_MODES: usize = 24;

/// Maximum number of modes on the map. Not tuned: more would hide it.
const MOST_PEAKS: usize = 12;

pub(super) const CAPTION: &str = "How far each peak of the density rises above its valley. Peaks right of the line are more than chance; a cluster \
     that holds two of them pays for the valley.";

/// What the map of the peaks shows.
pub(super) const MAP_CAPTION: &str = "Numbered: the peaks of the density, the most prominent first; black are those that are more than chance. A line goes from each peak \
     to the saddle (a cross) where a way to a denser peak is sparsest.";

impl Study<'_> {
    /// The prominences of the modes, the significant ones in the colour of their cluster; the highest mode has none.
    pub(super) fn modes(&self, fit: &LatentGraphFit) -> Option<String> {
        let found = fit.modes.as_ref()?;
        let bar = |mode: &Mode| Bar {
            name: format!("item {}", self.item(mode.peak)),
            value: mode.prominence,
            words: match mode.saddle {
                Some(_) => few_digits(mode.prominence),
                None => "the highest".to_owned(),
            },
            label: mode.is_significant.then(|| fit.labels.as_slice()[mode.peak]),
        };
        let shown = found.modes.iter().take(MOST_MODES);
        let bars: Vec<Bar> = shown.map(bar).collect();
        let n_significant = found.modes.iter().filter(|mode| mode.is_significant).count();
        let note = format!(
            "log density of each peak above the saddle to a denser mode, by {} neighbours in {:.1} dimensions; {n_significant} \
             significant (coloured as the cluster), above {}; {}",
            found.n_neighbours,
            found.dimension,
            few_digits(found.least_prominence),
            self.small_print()
        );
        let line = Some(found.least_prominence);
        Some(bars_svg(&Bars {
            title: self.heading("Modes of the density"),
            bars: &bars,
            line,
            longest: None,
            note: &note,
        }))
    }

    /// The points with the peaks of their density, and the saddles between these.
    pub(super) fn peaks(&self, detail: Detail) -> Result<Option<String>, Error> {
        let Answer::Graph(_, fit) = self.answer else { return Ok(None) };
        let Some(found) = &fit.modes else { return Ok(None) };
        let peak =
            |mode: &Mode| Peak { at: mode.peak, saddle: mode.saddle, is_significant: mode.is_significant };
        let peaks: Vec<Peak> = found.modes.iter().take(MOST_PEAKS).map(peak).collect();
        let marks = Marks { peaks: &peaks, ..Marks::default() };
        let words = "numbers: peaks of the density, black if significant; crosses: saddles; ";
        self.scatter_of(detail, &[], marks, words).map(Some)
    }
}
