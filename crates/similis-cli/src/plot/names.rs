//! The names of items beside their points, where they fit, and tooltips.

use std::fmt::Write as _;

use super::frame::Frame;
use super::text::{Text, escape, shorten};
use super::{DARK, Detail, Scatter};

/// Maximum number of points beside which names are written. Not tuned.
const MOST_NAMED: usize = 150;
/// Maximum number of points with tooltips: each adds about 90 bytes to the picture. Not tuned.
const MOST_TOOLTIPS: usize = 1000;
/// Font size of a name in pixels.
const SIZE: f64 = 10.0;
/// Maximum number of characters of a name. Not tuned.
const MOST_CHARACTERS: usize = 24;

/// A rectangle that is taken, in pixels.
#[derive(Clone, Copy)]
struct Taken {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Taken {
    fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn is_within(&self, frame: &Frame) -> bool {
        self.left >= frame.left
            && self.right <= frame.right()
            && self.top >= frame.top
            && self.bottom <= frame.bottom()
    }
}

/// Writes the name of each point right of, left of, above or below it, unless it would cover a point or another name.
pub(super) fn write_names(svg: &mut String, scatter: &Scatter<'_>, frame: &Frame, radius: f64) {
    let points: Vec<usize> = scatter.points().collect();
    if scatter.names.is_empty() || points.len() > MOST_NAMED || scatter.detail == Detail::Bare {
        return;
    }
    let place = |i: usize| (frame.pixel_x(scatter.x[i]), frame.pixel_y(scatter.y[i]));
    let around = |&i: &usize| {
        let (x, y) = place(i);
        Taken { left: x - radius, top: y - radius, right: x + radius, bottom: y + radius }
    };
    let mut taken: Vec<Taken> = points.iter().map(around).collect();
    for &i in &points {
        let Some(name) = scatter.names.get(i) else { continue };
        let name = shorten(name, MOST_CHARACTERS);
        let width = 0.6 * SIZE * name.chars().count() as f64;
        let (x, y) = place(i);
        let (away, middle) = (radius + 2.5, y + 0.35 * SIZE);
        let sides = [
            (x + away, middle, "start", x + away),
            (x - away, middle, "end", x - away - width),
            (x, y - away - 1.0, "middle", x - width / 2.0),
            (x, y + away + 0.75 * SIZE, "middle", x - width / 2.0),
        ];
        for (x, y, anchor, left) in sides {
            let own =
                Taken { left, top: y - 0.8 * SIZE, right: left + width.max(1.0), bottom: y + 0.2 * SIZE };
            if own.is_within(frame) && !taken.iter().any(|other| other.meets(&own)) {
                Text { x, y, size: SIZE, colour: DARK, anchor }.write(svg, &name);
                taken.push(own);
                break;
            }
        }
    }
}

/// Writes an unseen circle over each point that tells its name and cluster where a pointer rests on it.
pub(super) fn write_tooltips(svg: &mut String, scatter: &Scatter<'_>, frame: &Frame, radius: f64) {
    let n = scatter.points().count();
    if n > MOST_TOOLTIPS || scatter.detail == Detail::Bare {
        return;
    }
    *svg += "<g fill=\"none\" pointer-events=\"all\">\n";
    for i in scatter.points() {
        let name = scatter.names.get(i).map_or_else(|| format!("item {i}"), |name| escape(name));
        let cluster = match scatter.group(i) {
            usize::MAX => "noise".to_owned(),
            label => format!("cluster {label}"),
        };
        let (x, y) = (frame.pixel_x(scatter.x[i]), frame.pixel_y(scatter.y[i]));
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\"><title>{name}: {cluster}</title></circle>",
            radius.max(3.0)
        );
    }
    *svg += "</g>\n";
}

#[cfg(test)]
mod tests {
    use super::super::scatter_svg;
    use super::*;

    fn drawn(x: &[f64], names: &[String]) -> String {
        scatter_svg(&Scatter { x, y: x, labels: &vec![0; x.len()], names, ..Scatter::default() })
    }

    #[test]
    fn names_are_written_where_they_fit_and_told_in_any_case() {
        let names = ["ant", "bee", "cat <3"].map(str::to_owned);
        let far = drawn(&[0.0, 5.0, 10.0], &names);
        for name in ["ant", "bee", "cat &lt;3"] {
            assert!(far.contains(&format!(">{name}</text>")), "{name}");
            assert!(far.contains(&format!("<title>{name}: cluster 0</title>")), "{name}");
        }
        // A hundred points at one place have room for the names of a few.
        let many: Vec<String> = (0..100).map(|i| format!("name {i}")).collect();
        let close = drawn(&[1.0; 100], &many);
        let n_written = many.iter().filter(|name| close.contains(&format!(">{name}</text>"))).count();
        assert!((1..=4).contains(&n_written), "{n_written}");
        assert_eq!(close.matches("<title>name").count(), 100);
    }

    #[test]
    fn very_many_points_have_neither() {
        let n = MOST_TOOLTIPS + 1;
        let names: Vec<String> = (0..n).map(|i| format!("n{i}")).collect();
        let x: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let svg = drawn(&x, &names);
        assert!(!svg.contains("n17") && !svg.contains("<circle"));
    }
}
