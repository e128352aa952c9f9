//! How sure an answer is, as JSON and in words.

use serde_json::{Value, json};
use similis::latent_graph::{Loss, Posterior};
use similis::settings::Named;

/// Chains with an R-hat above this have not converged: the customary threshold of Gelman and Rubin.
const MET: f64 = 1.1;

/// An effective sample size below this gives a note: a probability then has a standard error of about 0.05. Not tuned.
const FEW: f64 = 100.0;

/// The posterior as JSON; numbers that are not known are null.
pub(super) fn json(posterior: &Posterior) -> Value {
    let rows: Vec<&[f64]> = posterior.memberships.chunks(posterior.n_columns.max(1)).collect();
    json!({
        "n_samples": posterior.samples.len(),
        "n_chains": posterior.traces.len(),
        "burn_in": posterior.burn_in,
        "r_hat": posterior.r_hat,
        "effective_sample_size": posterior.effective_sample_size,
        "loss": posterior.loss.name(),
        "expected_loss": posterior.expected_loss,
        "numbers": posterior.numbers.iter().map(|row| json!([row.n_clusters, row.probability])).collect::<Vec<_>>(),
        "memberships": rows,
        "traces": posterior.traces,
    })
}

/// The lines of the summary.
pub(super) fn lines(posterior: &Posterior) -> Vec<String> {
    let (n_chains, n_sweeps) = (posterior.traces.len(), posterior.traces.first().map_or(0, Vec::len));
    let loss = match posterior.loss {
        Loss::VariationOfInformation => "variation of information",
        Loss::Binder => "Binder loss",
    };
    let mut likely = posterior.numbers.clone();
    likely.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    let number = |row: &similis::latent_graph::NumberProbability| {
        format!("{} ({:.2})", row.n_clusters, row.probability)
    };
    let numbers: Vec<String> = likely.iter().take(4).map(number).collect();
    let unsure = (0..posterior.memberships.len() / posterior.n_columns.max(1))
        .filter(|&i| posterior.row(i).iter().all(|&membership| membership < 0.9))
        .count();
    let chains = if n_chains == 1 { "chain" } else { "chains" };
    vec![
        format!("posterior: {n_chains} {chains} of {n_sweeps} sweeps, {}", mixing(posterior)),
        format!("number of clusters, most probable first: {}", numbers.join(", ")),
        format!(
            "expected {loss} {:.3}; {unsure} point{} less than 90% sure",
            posterior.expected_loss,
            if unsure == 1 { " is" } else { "s are" }
        ),
    ]
}

/// How well the chains have mixed, in words.
pub(crate) fn mixing(posterior: &Posterior) -> String {
    let (r_hat, size) = (posterior.r_hat, posterior.effective_sample_size);
    match (r_hat.is_finite(), size.is_finite()) {
        (true, true) => format!("R-hat {r_hat:.3}, effective sample size {size:.0}"),
        (false, true) => format!("too few sweeps for R-hat, effective sample size {size:.0}"),
        _ => "too few sweeps for R-hat and the effective sample size".to_owned(),
    }
}

/// A note if the chains have not converged.
pub(super) fn warnings(posterior: &Posterior) -> Option<String> {
    if !posterior.r_hat.is_finite() || !posterior.effective_sample_size.is_finite() {
        let words = mixing(posterior);
        return Some(format!(
            "note: {words}: probabilities are unreliable; try more --n-sweeps, or more time"
        ));
    }
    if posterior.r_hat <= MET && posterior.effective_sample_size >= FEW {
        return None;
    }
    Some(format!(
        "note: chains have not converged (R-hat {:.2}) or the effective sample size is small ({:.0}): probabilities are \
         unreliable; try more --n-sweeps",
        posterior.r_hat, posterior.effective_sample_size
    ))
}
