//! Pictures as PDF: shapes stay shapes, words become outlines.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use resvg::tiny_skia::{Path, PathSegment, Transform};
use resvg::usvg::{Fill, FillRule, Group, LineCap, Node, Options, Paint, Stroke, Tree};

use super::outline::outlined;
use super::raster::{Placed, images};
use crate::error::Error;

/// Points of 1/72 inch for each pixel of 1/96 inch.
const POINTS: f32 = 0.75;

/// Returns a picture of this module as the bytes of a PDF file of one page; it needs no fonts.
///
/// `width` is that of the page in points of 1/72 inch; without it, three quarters of the picture's pixels.
///
/// # Errors
///
/// [`Error::Picture`] if it is not a picture of this module.
///
/// ```
/// use similis_cli::plot::{Scatter, pdf, scatter_svg};
///
/// let svg = scatter_svg(&Scatter { x: &[0.0, 1.0], y: &[0.0, 1.0], labels: &[0, 1], ..Scatter::default() });
/// assert!(pdf(&svg, None)?.starts_with(b"%PDF-1.7"));
/// # Ok::<(), similis_cli::error::Error>(())
/// ```
pub fn pdf(svg: &str, width: Option<u32>) -> Result<Vec<u8>, Error> {
    let tree = Tree::from_str(&outlined(svg), &Options::default()).map_err(|_| Error::Picture)?;
    let size = tree.size();
    let scale = width.map_or(POINTS, |width| width as f32 / size.width());
    let page = [scale * size.width(), scale * size.height()];
    let mut content = Content::default();
    // PDF counts from the bottom.
    content.transform(Transform::from_row(scale, 0.0, 0.0, -scale, 0.0, page[1]));
    content.group(tree.root());
    Ok(document(page, &content, &images(&tree), title(svg)))
}

/// The operators of a page, and the transparencies that they name.
#[derive(Default)]
struct Content {
    text: String,
    /// Opacities of fill and stroke, in thousandths, that are named `/G0`, `/G1`, ..
    opacities: Vec<[u16; 2]>,
    n_images: usize,
}

impl Content {
    fn group(&mut self, group: &Group) {
        for node in group.children() {
            match node {
                Node::Group(group) => self.group(group),
                Node::Path(path) if path.is_visible() => {
                    self.text += "q\n";
                    self.transform(path.abs_transform());
                    self.path(path.data(), path.fill(), path.stroke());
                    self.text += "Q\n";
                }
                Node::Image(image) => {
                    // An image of PDF fills the unit square, from the bottom.
                    let size = image.size();
                    self.text += "q\n";
                    self.transform(image.abs_transform());
                    self.transform(Transform::from_row(
                        size.width(),
                        0.0,
                        0.0,
                        -size.height(),
                        0.0,
                        size.height(),
                    ));
                    let _ = write!(self.text, "/I{} Do\nQ\n", self.n_images);
                    self.n_images += 1;
                }
                _ => {}
            }
        }
    }

    fn transform(&mut self, transform: Transform) {
        let Transform { sx, ky, kx, sy, tx, ty } = transform;
        if !transform.is_identity() {
            self.numbers(&[sx, ky, kx, sy, tx, ty]);
            self.text += "cm\n";
        }
    }

    /// Writes numbers with four decimals at most, a blank after each.
    fn numbers(&mut self, numbers: &[f32]) {
        for number in numbers {
            let words = format!("{number:.4}");
            let words = words.trim_end_matches('0').trim_end_matches('.');
            let _ = write!(self.text, "{} ", if words == "-0" { "0" } else { words });
        }
    }

    fn path(&mut self, path: &Path, fill: Option<&Fill>, stroke: Option<&Stroke>) {
        let opacity = |value: f32| (1000.0 * value).round() as u16;
        let opacities = [
            fill.map_or(1000, |fill| opacity(fill.opacity().get())),
            stroke.map_or(1000, |stroke| opacity(stroke.opacity().get())),
        ];
        let at = self.opacities.iter().position(|known| *known == opacities).unwrap_or_else(|| {
            self.opacities.push(opacities);
            self.opacities.len() - 1
        });
        let _ = writeln!(self.text, "/G{at} gs");
        if let Some(fill) = fill {
            self.colour(fill.paint(), "rg");
        }
        if let Some(stroke) = stroke {
            self.stroke(stroke);
        }
        self.outline(path);
        let even_odd = fill.is_some_and(|fill| fill.rule() == FillRule::EvenOdd);
        self.text += match (fill, stroke) {
            (Some(_), Some(_)) if even_odd => "B*\n",
            (Some(_), Some(_)) => "B\n",
            (Some(_), None) if even_odd => "f*\n",
            (Some(_), None) => "f\n",
            (None, Some(_)) => "S\n",
            (None, None) => "n\n",
        };
    }

    fn colour(&mut self, paint: &Paint, operator: &str) {
        // Pictures of this module have neither gradients nor patterns.
        let Paint::Color(colour) = paint else { return };
        self.numbers(&[colour.red, colour.green, colour.blue].map(|part| f32::from(part) / 255.0));
        self.text += operator;
        self.text.push('\n');
    }

    fn stroke(&mut self, stroke: &Stroke) {
        self.colour(stroke.paint(), "RG");
        self.numbers(&[stroke.width().get()]);
        self.text += "w\n";
        self.text += match stroke.linecap() {
            LineCap::Butt => "0 J\n",
            LineCap::Round => "1 J\n",
            LineCap::Square => "2 J\n",
        };
        if let Some(dashes) = stroke.dasharray() {
            self.text.push('[');
            self.numbers(dashes);
            self.text += "] 0 d\n";
        }
    }

    fn outline(&mut self, path: &Path) {
        let mut last = [0.0_f32; 2];
        for segment in path.segments() {
            match segment {
                PathSegment::MoveTo(to) => {
                    self.numbers(&[to.x, to.y]);
                    self.text += "m\n";
                    last = [to.x, to.y];
                }
                PathSegment::LineTo(to) => {
                    self.numbers(&[to.x, to.y]);
                    self.text += "l\n";
                    last = [to.x, to.y];
                }
                PathSegment::QuadTo(by, to) => {
                    // The cubic curve of the same shape.
                    let third = |from: f32, by: f32| from + (by - from) * 2.0 / 3.0;
                    let first = [third(last[0], by.x), third(last[1], by.y)];
                    let second = [third(to.x, by.x), third(to.y, by.y)];
                    self.numbers(&[first[0], first[1], second[0], second[1], to.x, to.y]);
                    self.text += "c\n";
                    last = [to.x, to.y];
                }
                PathSegment::CubicTo(first, second, to) => {
                    self.numbers(&[first.x, first.y, second.x, second.y, to.x, to.y]);
                    self.text += "c\n";
                    last = [to.x, to.y];
                }
                PathSegment::Close => self.text += "h\n",
            }
        }
    }
}

/// The heading of a picture.
fn title(svg: &str) -> &str {
    let after = svg.split_once("<title>").map_or("", |(_, after)| after);
    after.split_once("</title>").map_or("", |(title, _)| title)
}

/// The objects of a file, in their order, each with where it begins.
struct Objects {
    bytes: Vec<u8>,
    begins: Vec<usize>,
}

impl Objects {
    fn add(&mut self, body: &[u8]) {
        self.begins.push(self.bytes.len());
        let head = format!("{} 0 obj\n", self.begins.len());
        self.bytes.extend([head.as_bytes(), body, b"\nendobj\n"].concat());
    }

    /// Adds a packed stream; `entries` say what it is.
    fn add_stream(&mut self, entries: &str, content: &[u8]) {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        // Memory takes what is written.
        let packed = packed.write_all(content).and_then(|()| packed.finish()).unwrap_or_default();
        let head = format!("<< {entries} /Filter /FlateDecode /Length {} >>\nstream\n", packed.len());
        self.add(&[head.as_bytes(), &packed, b"\nendstream"].concat());
    }

    /// The table of where objects begin, and the end of the file.
    fn finish(mut self) -> Vec<u8> {
        let (from, n) = (self.bytes.len(), self.begins.len() + 1);
        let mut text = format!("xref\n0 {n}\n0000000000 65535 f \n");
        for begin in &self.begins {
            let _ = writeln!(text, "{begin:010} 00000 n ");
        }
        let _ = write!(text, "trailer\n<< /Size {n} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{from}\n%%EOF\n");
        self.bytes.extend(text.as_bytes());
        self.bytes
    }
}

fn document([width, height]: [f32; 2], content: &Content, images: &[Placed], title: &str) -> Vec<u8> {
    let mut resources = String::from("/ExtGState << ");
    for (at, [fill, stroke]) in content.opacities.iter().enumerate() {
        let part = |thousandths: u16| f32::from(thousandths) / 1000.0;
        let _ = write!(resources, "/G{at} << /ca {} /CA {} >> ", part(*fill), part(*stroke));
    }
    resources += ">> /XObject << ";
    (0..images.len()).for_each(|at| {
        let _ = write!(resources, "/I{at} {} 0 R ", 6 + 2 * at);
    });
    resources += ">>";
    let mut objects = Objects { bytes: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec(), begins: Vec::new() };
    objects.add(b"<< /Type /Catalog /Pages 2 0 R >>");
    objects.add(b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    let page = format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.2} {height:.2}] /Contents 4 0 R /Resources << {resources} >> \
         /Group << /Type /Group /S /Transparency /CS /DeviceRGB >> >>"
    );
    objects.add(page.as_bytes());
    objects.add_stream("", content.text.as_bytes());
    let title: String = title.encode_utf16().fold(String::new(), |text, unit| text + &format!("{unit:04X}"));
    objects.add(format!("<< /Title <FEFF{title}> /Producer (similis) >>").as_bytes());
    for (at, image) in images.iter().enumerate() {
        add_image(&mut objects, image, 7 + 2 * at);
    }
    objects.finish()
}

/// Adds the colours of an image, and as object `mask` its opacity.
fn add_image(objects: &mut Objects, image: &Placed, mask: usize) {
    let pixels = &image.pixels;
    let size = format!("/Width {} /Height {} /BitsPerComponent 8", pixels.width(), pixels.height());
    let plain: Vec<_> =
        pixels.pixels().iter().map(resvg::tiny_skia::PremultipliedColorU8::demultiply).collect();
    let colours: Vec<u8> =
        plain.iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect();
    let opacities: Vec<u8> = plain.iter().map(|pixel| pixel.alpha()).collect();
    let colour = format!("/Type /XObject /Subtype /Image /ColorSpace /DeviceRGB {size} /SMask {mask} 0 R");
    objects.add_stream(&colour, &colours);
    let grey = format!("/Type /XObject /Subtype /Image /ColorSpace /DeviceGray {size}");
    objects.add_stream(&grey, &opacities);
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::ZlibDecoder;

    use super::super::{Scatter, scatter_svg};
    use super::*;

    fn drawn(title: &str) -> Vec<u8> {
        let scatter =
            Scatter { x: &[0.0, 1.0], y: &[0.0, 1.0], labels: &[0, 1], title, ..Scatter::default() };
        pdf(&scatter_svg(&scatter), None).unwrap()
    }

    fn find(bytes: &[u8], words: &[u8]) -> usize {
        bytes.windows(words.len()).position(|window| window == words).unwrap()
    }

    #[test]
    fn every_object_begins_where_the_table_says() {
        let bytes = drawn("two");
        let table = find(&bytes, b"xref\n");
        let text = String::from_utf8_lossy(&bytes[table..]).into_owned();
        assert!(text.ends_with(&format!("startxref\n{table}\n%%EOF\n")), "{text}");
        let begins = text.lines().filter_map(|line| line.strip_suffix(" 00000 n "));
        for (at, begin) in begins.enumerate() {
            let begin: usize = begin.parse().unwrap();
            assert!(bytes[begin..].starts_with(format!("{} 0 obj\n", at + 1).as_bytes()), "{at}");
        }
    }

    #[test]
    fn shapes_are_operators_with_their_colour_and_opacity() {
        let bytes = drawn("two");
        let stream = find(&bytes, b"stream\n") + 7;
        let mut text = String::new();
        ZlibDecoder::new(&bytes[stream..]).read_to_string(&mut text).unwrap();
        // The blue of the first cluster, filled and outlined.
        assert!(text.contains("0 0.4471 0.698 rg\n") && text.contains("\nB\n"), "{text}");
        assert!(String::from_utf8_lossy(&bytes).contains("/ca 0.88 /CA 1 "));
        assert_eq!(text.matches("q\n").count(), text.matches("Q\n").count());
    }

    #[test]
    fn the_page_is_as_wide_as_asked_for_and_has_a_title() {
        let svg =
            scatter_svg(&Scatter { x: &[0.0], y: &[0.0], labels: &[0], title: "é", ..Scatter::default() });
        let bytes = pdf(&svg, Some(300)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("/MediaBox [0 0 300.00 ") && text.contains("/Title <FEFF00E9>"), "{text}");
        assert!(matches!(pdf("no picture", None), Err(Error::Picture)));
    }
}
