//! The data shipped in `testdata`, made again: `cargo run --release --example shipped_data -- NAME` prints one of them.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::format_collect)]

use similis::evaluate::shapes::{Shape, draw, edit_distance, grow_strings};
use similis::{Dissimilarity, Error, Metric};

const N_NEIGHBOURS: usize = 6;

/// Edit distances of two families of strings, one of which makes ten times as many mistakes: a square matrix with names.
fn string_distances() -> String {
    let strings = grow_strings(30, &[0.03, 0.3], 40, 1).strings;
    let names: Vec<String> = (0..strings.len()).map(|i| format!("s{i:02}")).collect();
    let row = |i: usize| {
        let distances = strings.iter().map(|other| edit_distance(&strings[i], other).to_string());
        std::iter::once(names[i].clone()).chain(distances).collect::<Vec<_>>().join(",") + "\n"
    };
    format!("name,{}\n", names.join(",")) + &(0..strings.len()).map(row).collect::<String>()
}

fn string_families() -> String {
    let labels = grow_strings(30, &[0.03, 0.3], 40, 1).labels;
    labels.as_slice().iter().map(|label| format!("{label}\n")).collect()
}

/// Who is like whom among a hundred people of five groups: six edges from each, with names.
fn similarity_graph() -> Result<String, Error> {
    let pairs = Dissimilarity::from_points(draw(Shape::FiveBlobs, 100, 2)?.points, Metric::Euclidean)?;
    let mut edges = std::collections::BTreeMap::new();
    for i in 0..pairs.n_points() {
        let mut others: Vec<(f64, usize)> = Vec::new();
        pairs.for_each_pair(i, |j, distance| others.push((distance, j)));
        others.sort_by(|a, b| a.0.total_cmp(&b.0));
        // And one acquaintance anywhere, or the groups would have nothing to do with one another.
        let far = (i * 37 + 11) % pairs.n_points();
        let known = others[..N_NEIGHBOURS].iter().chain(others.iter().filter(|&&(_, j)| j == far));
        edges.extend(known.map(|&(distance, j)| ((i.min(j), i.max(j)), distance)));
    }
    let edge = |((i, j), distance): ((usize, usize), f64)| {
        format!("p{i:02},p{j:02},{:.4}\n", 1.0 / (1.0 + distance))
    };
    Ok("from,to,similarity\n".to_owned() + &edges.into_iter().map(edge).collect::<String>())
}

/// A dense spiral in a sparse cloud, so few points of each that they are hard to tell apart.
fn partly_labelled() -> Result<String, Error> {
    let drawn = draw(Shape::DenseSpiral, 150, 1)?;
    let row = |(place, label): (&[f64], &usize)| {
        // The dense class has more points.
        let sizes = drawn.labels.sizes();
        let kind = if sizes[*label] == *sizes.iter().max().unwrap_or(&0) { "spiral" } else { "cloud" };
        format!("{:.4},{:.4},{kind}\n", place[0], place[1])
    };
    let rows = drawn.points.as_slice().chunks(2).zip(drawn.labels.as_slice()).map(row);
    Ok("x,y,kind\n".to_owned() + &rows.collect::<String>())
}

/// The class of every eighth point of them, -1 for all others.
fn partly_known() -> Result<String, Error> {
    let labels = draw(Shape::DenseSpiral, 150, 1)?.labels;
    let known = |(i, label): (usize, &usize)| {
        if i % 8 == 0 { format!("{label}\n") } else { "-1\n".to_owned() }
    };
    Ok(labels.as_slice().iter().enumerate().map(known).collect())
}

fn main() -> Result<(), Error> {
    match std::env::args().nth(1).as_deref() {
        Some("string-distances") => print!("{}", string_distances()),
        Some("string-families") => print!("{}", string_families()),
        Some("similarity-graph") => print!("{}", similarity_graph()?),
        Some("partly-labelled") => print!("{}", partly_labelled()?),
        Some("partly-known") => print!("{}", partly_known()?),
        _ => eprintln!(
            "give one of string-distances, string-families, similarity-graph, partly-labelled, partly-known"
        ),
    }
    Ok(())
}
