//! Very many points as one image inside a picture.

use std::fmt::Write as _;

use resvg::tiny_skia::{Pixmap, PixmapPaint, Transform};
use resvg::usvg::{Group, ImageKind, Node, Options, Tree};

use super::frame::Frame;

/// Number of points above which they are one image: as shapes they make a file that programs are slow to open. Not tuned.
pub(super) const MOST_SHAPES: usize = 20_000;

/// Pixels of the image for each pixel of the picture.
const ZOOM: f32 = 2.0;

/// Returns what `layer` draws inside a frame as an image of the same place; `None` if it cannot be painted.
pub(super) fn image(layer: &str, frame: &Frame) -> Option<String> {
    let Frame { left, top, width, height, .. } = *frame;
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.1}\" height=\"{height:.1}\" \
         viewBox=\"{left:.1} {top:.1} {width:.1} {height:.1}\">{layer}</svg>"
    );
    let tree = Tree::from_str(&svg, &Options::default()).ok()?;
    let pixels = |length: f64| (ZOOM * length as f32).round().max(1.0) as u32;
    let mut image = Pixmap::new(pixels(width), pixels(height))?;
    resvg::render(&tree, Transform::from_scale(ZOOM, ZOOM), &mut image.as_mut());
    let data = base64(&image.encode_png().ok()?);
    Some(format!(
        "<image x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" preserveAspectRatio=\"none\" \
         href=\"data:image/png;base64,{data}\"/>\n"
    ))
}

/// An image inside a picture: its pixels, and where they lie.
pub(super) struct Placed {
    pub(super) pixels: Pixmap,
    pub(super) place: Transform,
}

/// Returns the images of a picture.
pub(super) fn images(tree: &Tree) -> Vec<Placed> {
    let mut found = Vec::new();
    collect(tree.root(), &mut found);
    found
}

fn collect(group: &Group, found: &mut Vec<Placed>) {
    for node in group.children() {
        match node {
            Node::Group(group) => collect(group, found),
            Node::Image(image) => {
                if let ImageKind::PNG(bytes) = image.kind()
                    && let Ok(pixels) = Pixmap::decode_png(bytes)
                {
                    found.push(Placed { pixels, place: image.abs_transform() });
                }
            }
            _ => {}
        }
    }
}

/// Paints the images of a picture, which the renderer leaves out.
pub(super) fn paint(tree: &Tree, zoom: f32, picture: &mut Pixmap) {
    for Placed { pixels, place } in images(tree) {
        let place = place.post_scale(zoom, zoom);
        picture.draw_pixmap(0, 0, pixels.as_ref(), &PixmapPaint::default(), place, None);
    }
}

/// Returns bytes as text (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let all = chunk.iter().fold(0_usize, |all, &byte| (all << 8) | usize::from(byte))
            << (8 * (3 - chunk.len()));
        for letter in 0..4 {
            let code = (all >> (18 - 6 * letter)) & 63;
            let _ = text.write_char(if letter <= chunk.len() { char::from(LETTERS[code]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{Scatter, pdf, png, scatter_svg};
    use super::*;

    #[test]
    fn bytes_become_the_letters_of_the_standard() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    /// Points on a grid, all of one cluster.
    fn drawn(n: usize) -> String {
        let x: Vec<f64> = (0..n).map(|i| (i % 200) as f64).collect();
        let y: Vec<f64> = (0..n).map(|i| (i / 200) as f64).collect();
        scatter_svg(&Scatter { x: &x, y: &y, labels: &vec![0; n], ..Scatter::default() })
    }

    /// How many pixels are blue, as the first cluster is.
    fn n_blue(png: &[u8]) -> usize {
        let picture = Pixmap::decode_png(png).unwrap();
        picture.pixels().iter().filter(|pixel| pixel.blue() > 150 && pixel.red() < 90).count()
    }

    #[test]
    fn very_many_points_are_one_image_that_every_format_shows() {
        let (few, many) = (drawn(MOST_SHAPES), drawn(MOST_SHAPES + 200));
        assert!(!few.contains("<image") && many.contains("<image"));
        assert!(many.len() < few.len() / 2, "{} and {} bytes", many.len(), few.len());
        let (shapes, image) = (n_blue(&png(&few, None).unwrap()), n_blue(&png(&many, None).unwrap()));
        assert!(image > shapes / 2 && image < shapes * 2, "{image} and {shapes} blue pixels");
        let page = pdf(&many, None).unwrap();
        let page = String::from_utf8_lossy(&page);
        assert!(page.contains("/Subtype /Image") && page.contains("/SMask"), "an image with transparency");
    }
}
