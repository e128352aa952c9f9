use super::*;

fn drawn(x: &[f64], y: &[f64], labels: &[usize]) -> String {
    scatter_svg(&Scatter { x, y, labels, title: "t", x_name: "x", y_name: "y", ..Scatter::default() })
}

/// Returns how many symbols there are, those of the legend included: each begins with an `M`.
fn n_symbols(svg: &str) -> usize {
    svg.lines().filter(|line| line.contains("fill-opacity")).map(|line| line.matches('M').count()).sum()
}

fn assert_sound(svg: &str) {
    // The letters of an image may spell anything.
    let words: String = svg.lines().filter(|line| !line.starts_with("<image")).collect();
    for never in ["NaN", "inf", "e308"] {
        assert!(!words.contains(never), "{never} in {words}");
    }
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
}

#[test]
fn any_points_make_a_sound_picture() {
    let huge = f64::MAX;
    let cases: [(&[f64], &[f64]); 9] = [
        (&[], &[]),
        (&[3.0], &[4.0]),
        (&[0.0, 0.0], &[0.0, 0.0]),
        (&[7.0, 7.0], &[1.0, 2.0]),
        (&[1e17, 1e17], &[1.0, 1.0]),
        (&[1e-300, 2e-300], &[0.0, 1e-300]),
        (&[-huge, huge], &[-huge, huge]),
        (&[f64::NAN, 1.0], &[0.0, f64::INFINITY]),
        (&[1e-320, 2e-320], &[0.0, 0.0]),
    ];
    for (x, y) in cases {
        assert_sound(&drawn(x, y, &vec![0; x.len()]).replace(&format!("{:e}", f64::MAX), ""));
    }
}

#[test]
fn only_points_with_finite_coordinates_and_a_label_are_drawn() {
    let svg = drawn(&[0.0, f64::NAN, 2.0, 3.0, 4.0], &[0.0, 1.0, f64::INFINITY, 3.0, 4.0], &[0, 0, 0, 0]);
    // Two points, and the symbol in the legend.
    assert_eq!(n_symbols(&svg), 3);
}

#[test]
fn both_axes_have_the_same_scale() {
    let scatter =
        Scatter { x: &[0.0, 10.0, 0.0], y: &[0.0, 0.0, 3.0], labels: &[0, 0, 0], ..Scatter::default() };
    let frame = Frame::around(&scatter);
    let origin = frame.spot(0.0, 0.0);
    assert!((frame.spot(1.0, 0.0).x - origin.x - (origin.y - frame.spot(0.0, 1.0).y)).abs() <= 1);
    assert!(frame.spot(1.0, 0.0).x > origin.x && frame.spot(0.0, 1.0).y < origin.y);
}

#[test]
fn points_stay_inside_the_frame() {
    for (width, height) in [(1.0, 1.0), (100.0, 1.0), (1.0, 100.0), (1.0, 0.0), (0.0, 1.0)] {
        let (x, y) = ([0.0, width], [0.0, height]);
        let none = Scatter { x: &x, y: &y, labels: &[0, 0], ..Scatter::default() };
        let frame = Frame::around(&none);
        for (x, y) in x.into_iter().zip(y) {
            let spot = frame.spot(x, y);
            let (left, right) = (10.0 * frame.left + 50.0, 10.0 * frame.right() - 50.0);
            let (top, bottom) = (10.0 * frame.top + 50.0, 10.0 * frame.bottom() - 50.0);
            assert!((left..right).contains(&(spot.x as f64)), "{width} {height} {spot:?}");
            assert!((top..bottom).contains(&(spot.y as f64)), "{width} {height} {spot:?}");
        }
        assert!(frame.right() <= 700.0 && frame.height <= 600.0);
    }
}

#[test]
fn the_first_64_clusters_look_different() {
    let symbols: Vec<Symbol> = (0..64).map(Symbol::of).collect();
    for i in 0..64 {
        for j in 0..i {
            assert_ne!(symbols[i], symbols[j], "{i} {j}");
        }
    }
    for i in 0..8 {
        for j in 0..i {
            assert!(symbols[i].shape != symbols[j].shape && symbols[i].colour != symbols[j].colour);
        }
    }
}

#[test]
fn a_hundred_thousand_points_make_a_small_picture() {
    let n = 100_000;
    // Two irrational rotations fill the square evenly.
    let x: Vec<f64> = (0..n).map(|i| (f64::from(i) * 0.754_877_666).fract()).collect();
    let y: Vec<f64> = (0..n).map(|i| (f64::from(i) * 0.569_840_291).fract()).collect();
    let labels: Vec<usize> = (0..n as usize).map(|i| i % 8).collect();
    let svg = drawn(&x, &y, &labels);
    assert_sound(&svg);
    assert!(svg.contains("<image") && svg.len() < 3_000_000, "{} bytes", svg.len());
    // Those of the legend.
    assert_eq!(n_symbols(&svg), 8);
}

#[test]
fn words_are_escaped() {
    let svg = scatter_svg(&Scatter {
        x: &[0.0],
        y: &[0.0],
        labels: &[0],
        title: "a < b & \"c\"\u{0}",
        x_name: "<x>",
        y_name: "y\u{1b}",
        names: &[],
        note: "</svg>",
        ..Scatter::default()
    });
    assert!(svg.contains("a &lt; b &amp; &quot;c&quot;\u{fffd}"));
    assert!(svg.contains("&lt;x&gt;") && svg.contains("y\u{fffd}") && svg.contains("&lt;/svg&gt;"));
    assert_eq!(svg.matches("</svg>").count(), 1);
}

#[test]
fn links_are_drawn_below_the_points_and_only_between_drawn_ones() {
    let links = [Link { from: 0, to: 1 }, Link { from: 0, to: 2 }, Link { from: 0, to: 99 }];
    let (x, y, labels) = (&[0.0, 1.0, f64::NAN], &[0.0, 1.0, 0.0], &[0, 0, 0]);
    let svg = scatter_svg(&Scatter { x, y, labels, links: &links, ..Scatter::default() });
    let dotted: Vec<&str> = svg.lines().filter(|line| line.contains("dasharray")).collect();
    assert_eq!(dotted.len(), 1);
    assert_eq!(dotted[0].matches('L').count(), 1);
    assert!(svg.find("dasharray") < svg.find("fill-opacity"));
}

#[test]
fn a_legend_with_many_clusters_is_cut_and_counts_the_rest() {
    let n = 600_u32;
    let x: Vec<f64> = (0..n).map(f64::from).collect();
    let labels: Vec<usize> = (0..n as usize).map(|i| i / 3).collect();
    let svg = drawn(&x, &x, &labels);
    let (_, rest) = svg.split_once(">+ ").unwrap();
    let n_more: usize = rest.split_once(' ').unwrap().0.parse().unwrap();
    assert!(n_more > 50 && svg.contains(&format!(">{}</text>", 3 * n_more)), "{n_more}");
    assert_eq!(n_symbols(&svg), 600 + 200 - n_more);
}

#[test]
fn three_clusters_have_a_legend_with_their_sizes() {
    let svg = drawn(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], &[0.0; 6], &[0, 0, 0, 1, 1, 5]);
    assert!(!svg.contains(">+ "));
    assert_eq!(n_symbols(&svg), 6 + 3);
}

#[test]
fn forty_clusters_are_all_in_the_legend() {
    let x: Vec<f64> = (0..80).map(f64::from).collect();
    let labels: Vec<usize> = (0..80).map(|i| i / 2).collect();
    for y in [x.clone(), vec![0.0; 80]] {
        let svg = drawn(&x, &y, &labels);
        assert!(!svg.contains(">+ ") && n_symbols(&svg) == 80 + 40);
        let (_, size) = svg.split_once("viewBox=\"0 0 ").unwrap();
        let [width, height] = size.split_once('"').unwrap().0.split_once(' ').map(|(w, h)| [w, h]).unwrap();
        let (width, height): (f64, f64) = (width.parse().unwrap(), height.parse().unwrap());
        let place = |line: &str, name: &str| -> f64 {
            line.split_once(&format!(" {name}=\"")).unwrap().1.split_once('"').unwrap().0.parse().unwrap()
        };
        for line in svg.lines().filter(|line| line.starts_with("<text") && !line.contains("rotate")) {
            assert!(place(line, "x") < width - 5.0 && place(line, "y") < height, "{line}");
        }
    }
}

#[test]
fn a_thin_strip_gets_axes_with_scales_of_their_own_and_says_so() {
    let x = [0.0, 50.0, 100.0];
    let svg = drawn(&x, &[0.0, 1.0, 2.0], &[0, 0, 0]);
    assert!(svg.contains("the axes have different scales"));
    let scatter = Scatter { x: &x, y: &[0.0, 1.0, 2.0], labels: &[0, 0, 0], ..Scatter::default() };
    let frame = Frame::around(&scatter);
    assert!((frame.spot(0.0, 0.0).y - frame.spot(0.0, 2.0).y) > 3000);
    assert!(!drawn(&x, &[0.0, 30.0, 40.0], &[0, 0, 0]).contains("different scales"));
}

#[test]
fn the_line_of_a_chart_of_bars_crosses_no_words() {
    let bar =
        |value: f64| Bar { value, name: "a".to_owned(), words: format!("{value} nats"), ..Bar::default() };
    let bars = [bar(10.0), bar(1.0)];
    let svg = bars_svg(&Bars { bars: &bars, line: Some(4.0), ..Bars::default() });
    let number = |line: &str, name: &str| {
        let (_, rest) = line.split_once(&format!("{name}=\"")).unwrap();
        rest.split('"').next().unwrap().parse::<f64>().unwrap()
    };
    let dashed = svg.lines().find(|line| line.contains("stroke-dasharray")).unwrap();
    for words in ["10 nats", "1 nats"] {
        let text = svg.lines().find(|line| line.contains(&format!(">{words}<"))).unwrap();
        assert!(number(text, " x") > number(dashed, " x1"), "{text} {dashed}");
    }
    // Bars without length have no unit, and the tiniest no finite one.
    for value in [0.0, 1e-310] {
        assert_sound(&bars_svg(&Bars { bars: &[bar(value), bar(0.0)], line: Some(0.0), ..Bars::default() }));
    }
}

#[test]
fn charts_are_sound_whatever_the_numbers() {
    let odd = [f64::NAN, 1.0, f64::INFINITY, 2.0, -1e300, 1e300];
    for values in [&[][..], &[1.0], &odd] {
        assert_sound(&curve_svg(&Curve { values, title: "a", ..Curve::default() }));
        let bar = |&value: &f64| Bar { value, name: "a & b".to_owned(), ..Bar::default() };
        let bars: Vec<Bar> = values.iter().map(bar).collect();
        assert_sound(&bars_svg(&Bars { bars: &bars, ..Bars::default() }));
        let model = Fitted::Model(similis::latent_graph::LinkLengths::Exponential { scale: 1.0 });
        for fitted in [model, Fitted::by_score(values, 2.0)] {
            let class = ClassLengths { label: 0, lengths: values.to_vec(), scale: 1.0, fitted };
            assert_sound(&lengths_svg(&Lengths { classes: &[class], ..Lengths::default() }));
        }
    }
}

#[test]
fn a_heat_map_of_one_value_has_one_shade_and_lines_of_many_clusters_are_faint() {
    let drawn = |n: usize, value: &dyn Fn(usize, usize) -> Option<f64>| {
        let (labels, order): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (0..n).collect());
        let (title, name, note) = ("", "similarity", "");
        let map = HeatMap {
            title,
            labels: &labels,
            order: &order,
            value,
            name,
            great_is_dark: true,
            names: &[],
            note,
        };
        heat_map_svg(&map)
    };
    let one = drawn(4, &|_, _| Some(1.0));
    assert_sound(&one);
    assert_eq!((one.matches(">1.00<").count(), one.matches("width=\"18\"").count()), (1, 1), "{one}");
    let many = drawn(48, &|i, j| Some((i + j) as f64));
    assert_eq!(many.matches("width=\"18\"").count(), 16);
    assert!(one.contains("stroke-opacity=\"1.00\"") && many.contains("stroke-opacity=\"0.25\""), "{many}");
}

#[test]
fn a_heat_map_has_its_clusters_side_by_side() {
    // Items 0, 2, 4 are one cluster, 1, 3, 5 the other: near inside, far between. Two dark blocks, two light ones.
    let labels = [0, 1, 0, 1, 0, 1];
    let value = |i: usize, j: usize| Some(if i % 2 == j % 2 { 1.0 } else { 9.0 });
    let order = [0, 2, 4, 1, 3, 5];
    let map = HeatMap {
        order: &order,
        title: "",
        labels: &labels,
        value: &value,
        name: "distance",
        great_is_dark: false,
        names: &[],
        note: "",
    };
    let svg = heat_map_svg(&map);
    assert_sound(&svg);
    assert!(svg.contains("M3,0h3v1h-3z") && svg.contains("M0,5h3v1h-3z"));
    // The diagonal is blank.
    assert!(svg.contains("M1,0h2v1h-2z") && !svg.contains("M0,0"));
}

#[test]
fn a_heat_map_of_many_items_is_small_and_says_so() {
    let labels: Vec<usize> = (0..5000).map(|i| i % 3).collect();
    let value = |i: usize, j: usize| (i + j).is_multiple_of(3).then_some((i * j % 17) as f64);
    let mut order: Vec<usize> = (0..5000).collect();
    order.sort_by_key(|&i| labels[i]);
    let map = HeatMap {
        order: &order,
        title: "",
        labels: &labels,
        value: &value,
        name: "distance",
        great_is_dark: true,
        names: &[],
        note: "",
    };
    let svg = heat_map_svg(&map);
    assert!(svg.len() < 400_000, "{}", svg.len());
    assert!(svg.contains("600 of the 5000 items") && svg.contains("means of 120 x 120 blocks"));
}
