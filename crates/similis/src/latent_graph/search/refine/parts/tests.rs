use super::branches::{Around, Branches, Side};
use crate::evaluate::shapes::{Shape, draw};
use crate::graph::link::Link;
use crate::graph::rooted::Walk;
use crate::input::Dissimilarity;
use crate::input::metric::Metric;
use crate::latent_graph::context::Context;
use crate::latent_graph::search::score::{Scorer, members};
use crate::latent_graph::settings::inference::ScoreSettings;
use crate::run::observer::Silent;

/// The side of a link that these points are, counted one by one.
fn counted(
    part: &[usize],
    tree: &[Link],
    labels: &[usize],
    scorer: &Scorer<'_>,
    context: &Context<'_>,
) -> Side {
    let n_classes = 1 + labels.iter().max().unwrap();
    let own = labels[part[0]];
    let inside = |i: usize| part.contains(&i);
    let mut side = Side { near: vec![(0.0, f64::INFINITY); n_classes], ..Side::default() };
    side.sums.size = part.len();
    for link in tree.iter().filter(|link| inside(link.from) && inside(link.to)) {
        side.sums = side.sums.with_link(scorer.grid().power(link.length));
    }
    for i in 0..labels.len() {
        let steps = scorer.walked(i).flat_map(|j| [(i, j), (j, i)]);
        for to in steps.filter(|&(from, _)| inside(from)).map(|(_, to)| to) {
            side.sums.touching += 1.0;
            if inside(to) {
                side.sums.inside += 1.0;
            } else if labels[to] == own {
                side.across += 1.0;
            } else {
                side.near[labels[to]].0 += 1.0;
            }
        }
        for (j, length) in context.neighbours.of(i).filter(|_| inside(i)) {
            let nearest = &mut side.near[labels[j]].1;
            *nearest = nearest.min(length);
        }
    }
    side
}

/// What a move reads of a side: what is near of the cluster itself does not matter.
fn compare(found: &Side, wanted: &Side, own: usize) {
    let sums =
        |side: &Side| (side.sums.size, side.sums.n_links, side.sums.inside, side.sums.touching, side.across);
    assert_eq!(sums(found), sums(wanted));
    assert!((found.sums.powers - wanted.sums.powers).abs() <= 1e-9 * (1.0 + wanted.sums.powers));
    for class in (0..wanted.near.len()).filter(|&class| class != own) {
        assert_eq!(found.near[class], wanted.near[class]);
    }
}

#[test]
fn both_sides_of_every_link_are_what_counting_finds() {
    for seed in 0..6 {
        let drawn = draw(Shape::NestedScales, 60, seed).unwrap();
        let observed = Dissimilarity::from_points(drawn.points, Metric::Euclidean).unwrap();
        let context = Context::new(&observed, &Silent);
        let scorer = Scorer::new(ScoreSettings::default(), &context);
        // Clusters of which some points lie apart, and one of a single point.
        let labels: Vec<usize> =
            (0..60).map(|i| if i == 7 { 3 } else { (i * i + seed as usize) % 11 % 3 }).collect();
        let mut steps = vec![Vec::new(); 60];
        for (i, j) in (0..60).flat_map(|i| scorer.walked(i).map(move |j| (i, j))) {
            steps[i].push(j);
            steps[j].push(i);
        }
        let around = Around {
            labels: &labels,
            n_classes: 4,
            steps: &steps,
            neighbours: &context.neighbours,
            grid: scorer.grid(),
        };
        for (class, members) in members(&labels).into_iter().enumerate() {
            let tree = scorer.tree(&members);
            let branches = Branches::new(&members, Walk::new(&tree).as_ref(), &around);
            let count = |part: &[usize]| counted(part, &tree, &labels, &scorer, &context);
            compare(&branches.whole(), &count(&branches.points), class);
            for place in 1..members.len() {
                let (before, behind) = branches.points.split_at(place);
                let (part, after) = behind.split_at(branches.run(place).len());
                let below = branches.below(place);
                compare(&below, &count(part), class);
                compare(&branches.rest(place, &below), &count(&[before, after].concat()), class);
            }
        }
    }
}
