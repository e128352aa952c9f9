//! The colour and the shape of each cluster, and how a shape is drawn at many places.

use std::fmt::Write as _;

use super::Spot;

/// The colour-blind safe palette of Okabe and Ito (2008); colours that are light on white come late.
const COLOURS: [[u8; 3]; 8] = [
    [0, 114, 178],
    [230, 159, 0],
    [0, 158, 115],
    [213, 94, 0],
    [204, 121, 167],
    [86, 180, 233],
    [70, 70, 70],
    [240, 228, 66],
];

/// Corners of each shape around its middle, for a radius of 1; `y` points down. The circle is drawn apart.
const SHAPES: [&[[f64; 2]]; 8] = [
    &[],
    &[[0.0, -1.2], [1.08, 0.75], [-1.08, 0.75]],
    &[[-0.88, -0.88], [0.88, -0.88], [0.88, 0.88], [-0.88, 0.88]],
    &[[0.0, -1.3], [1.05, 0.0], [0.0, 1.3], [-1.05, 0.0]],
    &[[0.0, 1.2], [1.08, -0.75], [-1.08, -0.75]],
    &PLUS,
    &CROSS,
    &STAR,
];

const PLUS: [[f64; 2]; 12] = [
    [-0.38, -1.15],
    [0.38, -1.15],
    [0.38, -0.38],
    [1.15, -0.38],
    [1.15, 0.38],
    [0.38, 0.38],
    [0.38, 1.15],
    [-0.38, 1.15],
    [-0.38, 0.38],
    [-1.15, 0.38],
    [-1.15, -0.38],
    [-0.38, -0.38],
];

/// [`PLUS`] turned by 45 degrees.
const CROSS: [[f64; 2]; 12] = [
    [0.54, -1.08],
    [1.08, -0.54],
    [0.54, 0.0],
    [1.08, 0.54],
    [0.54, 1.08],
    [0.0, 0.54],
    [-0.54, 1.08],
    [-1.08, 0.54],
    [-0.54, 0.0],
    [-1.08, -0.54],
    [-0.54, -1.08],
    [0.0, -0.54],
];

const STAR: [[f64; 2]; 10] = [
    [0.0, -1.4],
    [0.35, -0.49],
    [1.33, -0.43],
    [0.57, 0.19],
    [0.82, 1.13],
    [0.0, 0.6],
    [-0.82, 1.13],
    [-0.57, 0.19],
    [-1.33, -0.43],
    [-0.35, -0.49],
];

/// Symbols below this radius in pixels have no outline, and their circles have eight corners.
const OUTLINED: f64 = 1.9;

/// How the points of one cluster look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Symbol {
    pub(super) shape: usize,
    pub(super) colour: [u8; 3],
    /// Rings are lines around other symbols.
    pub(super) is_ring: bool,
}

impl Symbol {
    /// The symbol of noise points.
    pub(super) const NOISE: Self = Self { shape: 6, colour: [150, 150, 150], is_ring: false };

    /// The ring around points whose cluster is uncertain.
    pub(super) const RING: Self = Self { shape: 0, colour: [34, 34, 34], is_ring: true };

    /// Returns the symbol of a cluster; the first 64 differ in shape or base colour, and every eight grow darker.
    pub(super) fn of(label: usize) -> Self {
        let round = label / COLOURS.len();
        let shape = (label + round) % SHAPES.len();
        let light = [1.0, 0.72, 0.5][round % 3];
        let colour = COLOURS[label % COLOURS.len()].map(|part| (f64::from(part) * light) as u8);
        Self { shape, colour, is_ring: false }
    }

    /// Writes one path with the symbol at every spot.
    pub(super) fn write(self, svg: &mut String, spots: &[Spot], radius: f64) {
        let colour = hex(self.colour);
        if self.is_ring {
            let _ = write!(
                svg,
                "<path transform=\"scale(.1)\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"8\""
            );
        } else {
            let _ = write!(svg, "<path transform=\"scale(.1)\" fill=\"{colour}\" fill-opacity=\".88\"");
        }
        if radius >= OUTLINED && !self.is_ring {
            // White would wash out where points are dense; darker lines of the same colour keep them apart.
            let dark = self.colour.map(|part| (f64::from(part) * 0.55) as u8);
            let _ = write!(svg, " stroke=\"{}\" stroke-width=\"5\"", hex(dark));
        }
        *svg += " d=\"";
        let outline = self.outline(10.0 * radius);
        for spot in spots {
            let _ = write!(svg, "M{},{}{}", spot.x + outline.start.x, spot.y + outline.start.y, outline.path);
        }
        *svg += "\"/>\n";
    }

    fn outline(self, radius: f64) -> Outline {
        match SHAPES[self.shape] {
            [] if radius >= 10.0 * OUTLINED => Outline::circle(radius.round() as i64),
            [] => Outline::polygon(&octagon(), radius),
            corners => Outline::polygon(corners, radius),
        }
    }
}

/// Returns the symbol of a cluster as a small picture, for tables.
pub fn symbol_svg(label: usize) -> String {
    let mut svg = "<svg width=\"16\" height=\"16\" viewBox=\"0 0 16 16\" aria-hidden=\"true\">".to_owned();
    Symbol::of(label).write(&mut svg, &[Spot { x: 80, y: 80 }], 5.5);
    svg.trim_end().to_owned() + "</svg>"
}

/// Returns a colour as SVG writes it.
pub(super) fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn octagon() -> Vec<[f64; 2]> {
    let corner = |k: u8| (f64::from(k) + 0.5) * std::f64::consts::FRAC_PI_4;
    (0..8).map(|k| [corner(k).cos(), corner(k).sin()]).collect()
}

/// A shape as a path relative to its first corner.
struct Outline {
    start: Spot,
    path: String,
}

impl Outline {
    fn circle(radius: i64) -> Self {
        let across = 2 * radius;
        let path = format!("a{radius},{radius} 0 1 0 {across} 0a{radius},{radius} 0 1 0-{across} 0z");
        Self { start: Spot { x: -radius, y: 0 }, path }
    }

    fn polygon(corners: &[[f64; 2]], radius: f64) -> Self {
        let spots: Vec<Spot> = corners
            .iter()
            .map(|[x, y]| Spot { x: (x * radius).round() as i64, y: (y * radius).round() as i64 })
            .collect();
        let mut path = "l".to_owned();
        for pair in spots.windows(2) {
            let _ = write!(path, "{} {} ", pair[1].x - pair[0].x, pair[1].y - pair[0].y);
        }
        let path = path.trim_end().replace(" -", "-") + "z";
        Self { start: spots[0], path }
    }
}

/// Returns the radius of a symbol in pixels: the more points, the smaller.
pub(super) fn radius(n_points: usize) -> f64 {
    (5.2 * (100.0 / n_points.max(1) as f64).powf(0.22)).clamp(1.1, 5.2)
}
