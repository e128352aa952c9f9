use super::*;

const SIZES: [usize; 8] = [100, 1_000, 2_000, 3_000, 5_000, 20_000, 100_000, 1_000_000];

/// The plan as the rows of the book's table, a column for each size.
fn table() -> Vec<String> {
    let plans = SIZES.map(|n_points| Plan::new(n_points, true));
    let row = |name: &str, value: &dyn Fn(&Plan) -> String| {
        let cells: Vec<String> = plans.iter().map(value).collect();
        format!("| {name} | {} |", cells.join(" | "))
    };
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    vec![
        row("points", &|plan| thousands(plan.n_points)),
        row("points in space that are searched", &|plan| {
            plan.sample_size(1).map_or("all".to_owned(), thousands)
        }),
        row("neighbours listed for each point", &|plan| plan.n_listed.to_string()),
        row("the same, around a sample", &|plan| {
            let listed = |_| plan.around_sample().n_listed.to_string();
            plan.sample_size(1).map_or("-".to_owned(), listed)
        }),
        row("every pair may be a link by default", &|plan| yes(plan.complete_support)),
        row("cuts of minimum spanning trees", &|plan| plan.n_linkages().to_string()),
        row("density level sets", &|plan| format!("{:?}", plan.densities).to_lowercase()),
        row("affinities of latent features", &|plan| plan.n_affinities().to_string()),
        row("a mixture of Gaussians is a start", &|plan| yes(plan.mixture)),
        row("known labels are propagated", &|plan| yes(plan.propagation)),
        row("subsample for 2 clusters", &|plan| plan.subsample_size(2).map_or("none".to_owned(), thousands)),
        row("the subsample's start is the only one refined", &|plan| {
            yes(plan.subsample == Subsample::OnlyRefined)
        }),
        row("starts refined", &|plan| plan.n_refined.to_string()),
        row("rounds of moves", &|plan| plan.rounds.n_turns.to_string()),
        row("only leaves move alone", &|plan| yes(plan.rounds.leaves_only)),
        row("refined again after a perturbation", &|plan| yes(plan.perturbs)),
        row("numbers searched on each side of the best", &|plan| plan.n_beside.to_string()),
    ]
}

#[test]
fn the_table_of_the_book_is_the_plan() {
    let page = include_str!("../../../../docs/how/plan.md");
    for row in table() {
        assert!(page.contains(&row), "docs/how/plan.md has no row\n{row}");
    }
}

#[test]
fn more_points_never_get_more_work() {
    let plans: Vec<Plan> = (1..25_000).step_by(37).map(|n_points| Plan::new(n_points, true)).collect();
    for two in plans.windows(2) {
        let work = |plan: &Plan| (plan.n_listed, plan.n_linkages(), plan.n_affinities(), plan.n_refined);
        let (less, more) = (work(&two[0]), work(&two[1]));
        assert!(more.0 <= less.0 && more.1 <= less.1 && more.2 <= less.2 && more.3 <= less.3, "{two:?}");
    }
}

#[test]
fn a_subsample_has_points_enough_for_every_cluster() {
    let plan = Plan::new(100_000, true);
    assert_eq!(plan.subsample_size(2), Some(1_500));
    assert_eq!(plan.subsample_size(50), Some(1_000));
    // 1,000 points are fewer than 20 for each of 51 clusters.
    assert_eq!(plan.subsample_size(51), None);
    assert_eq!(plan.subsample_size(1), None);
    assert_eq!(Plan::new(3_000, true).subsample_size(2), None);
    assert_eq!(Plan::new(600, false).subsample_size(2), Some(300));
}

#[test]
fn the_plan_is_told_in_one_line() {
    assert_eq!(
        Plan::new(4_000, true).to_string(),
        "4,000 points: 8 linkages, 3 density levels, latent features by 1 affinity, a subsample of up to 1,500; 3 refinements, \
         each repeated after a perturbation"
    );
    assert_eq!(
        Plan::new(10_000, true).to_string(),
        "10,000 points: 5 linkages, a subsample of up to 1,500; 1 refinement"
    );
    assert_eq!(Plan::new(100_000, true).to_string(), "100,000 points: a search of 10,000, extended to all");
}

#[test]
fn a_sample_has_points_enough_for_every_cluster() {
    let plan = Plan::new(100_000, true);
    assert_eq!(plan.sample_size(1), Some(10_000));
    assert_eq!(plan.sample_size(200), Some(10_000));
    assert_eq!(plan.sample_size(201), None);
    assert_eq!(plan.sample_size(usize::MAX), None);
    assert_eq!(Plan::new(20_000, true).sample_size(1), None);
}
