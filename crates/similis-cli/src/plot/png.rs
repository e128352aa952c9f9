//! Pictures as PNG.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::outline::outlined;
use super::raster;
use crate::error::Error;

/// Pixels of the file for each pixel of the picture: sharp on high-resolution screens and in print.
const ZOOM: f32 = 2.0;

/// Returns a picture of this module as the bytes of a PNG file; it needs no fonts.
///
/// `width` is in pixels; without it, twice that of the picture.
///
/// # Errors
///
/// [`Error::Png`] if the picture is too large, or is not one of this module's.
///
/// ```
/// use similis_cli::plot::{Scatter, png, scatter_svg};
///
/// let svg = scatter_svg(&Scatter { x: &[0.0, 1.0], y: &[0.0, 1.0], labels: &[0, 1], ..Scatter::default() });
/// assert!(png(&svg, None)?.starts_with(b"\x89PNG"));
/// # Ok::<(), similis_cli::error::Error>(())
/// ```
pub fn png(svg: &str, width: Option<u32>) -> Result<Vec<u8>, Error> {
    let tree = Tree::from_str(&outlined(svg), &Options::default()).map_err(|_| Error::Png)?;
    let size = tree.size();
    let zoom = width.map_or(ZOOM, |width| width as f32 / size.width());
    let pixels = |length: f32| (zoom * length - 1e-3).ceil() as u32;
    let mut picture = Pixmap::new(pixels(size.width()), pixels(size.height())).ok_or(Error::Png)?;
    resvg::render(&tree, Transform::from_scale(zoom, zoom), &mut picture.as_mut());
    raster::paint(&tree, zoom, &mut picture);
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
            let bytes = png(&scatter_svg(&Scatter { title, ..scatter }), None).unwrap();
            let picture = Pixmap::decode_png(&bytes).unwrap();
            let is_dark =
                |pixel: &&resvg::tiny_skia::PremultipliedColorU8| pixel.red() < 60 && pixel.blue() < 60;
            picture.pixels().iter().filter(is_dark).count()
        };
        assert!(dark("a title of some length") > dark("a") + 500);
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        assert!(matches!(png("no picture", None), Err(Error::Png)));
    }

    #[test]
    fn a_picture_is_as_wide_as_asked_for() {
        let svg =
            scatter_svg(&Scatter { x: &[0.0, 1.0], y: &[0.0, 1.0], labels: &[0, 1], ..Scatter::default() });
        for width in [37, 640, 2000] {
            assert_eq!(Pixmap::decode_png(&png(&svg, Some(width)).unwrap()).unwrap().width(), width);
        }
    }
}
