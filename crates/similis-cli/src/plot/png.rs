//! Pictures as PNG.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::outline::outlined;
use crate::error::Error;

/// Pixels of the file for each pixel of the picture: sharp on high-resolution screens and in print.
const ZOOM: f32 = 2.0;

/// Returns a picture of this module as the bytes of a PNG file, twice as large; it needs no fonts.
///
/// # Errors
///
/// [`Error::Png`] if the picture is too large, or is not one of this module's.
///
/// ```
/// use similis_cli::plot::{Scatter, png, scatter_svg};
///
/// let svg = scatter_svg(&Scatter { x: &[0.0, 1.0], y: &[0.0, 1.0], labels: &[0, 1], ..Scatter::default() });
/// assert!(png(&svg)?.starts_with(b"\x89PNG"));
/// # Ok::<(), similis_cli::error::Error>(())
/// ```
pub fn png(svg: &str) -> Result<Vec<u8>, Error> {
    let tree = Tree::from_str(&outlined(svg), &Options::default()).map_err(|_| Error::Png)?;
    let size = tree.size();
    let pixels = |length: f32| (ZOOM * length).ceil() as u32;
    let mut picture = Pixmap::new(pixels(size.width()), pixels(size.height())).ok_or(Error::Png)?;
    resvg::render(&tree, Transform::from_scale(ZOOM, ZOOM), &mut picture.as_mut());
    picture.encode_png().map_err(|_| Error::Png)
}

#[cfg(test)]
mod tests {
    use super::super::{Scatter, scatter_svg};
    use super::*;

    #[test]
    fn words_and_points_are_painted() {
        let scatter = Scatter { x: &[0.0, 1.0], y: &[0.0, 1.0], labels: &[0, 1], ..Scatter::default() };
        let dark = |title: &str| {
            let bytes = png(&scatter_svg(&Scatter { title, ..scatter })).unwrap();
            let picture = Pixmap::decode_png(&bytes).unwrap();
            let is_dark =
                |pixel: &&resvg::tiny_skia::PremultipliedColorU8| pixel.red() < 60 && pixel.blue() < 60;
            picture.pixels().iter().filter(is_dark).count()
        };
        assert!(dark("a title of some length") > dark("a") + 500);
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        assert!(matches!(png("no picture"), Err(Error::Png)));
    }
}
