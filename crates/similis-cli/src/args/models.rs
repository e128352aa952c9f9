//! The settings of the models as flags, made from the library's tables of settings.

use std::fmt;
use std::marker::PhantomData;

use clap::builder::{PossibleValuesParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use similis::settings::{Kind, Setting, Value};
use similis::{LatentFeature, LatentGraph};

/// Settings that both models have: flags of their own, once for each command.
pub const SHARED: [&str; 6] = ["n_clusters", "min_size", "max_size", "n_restarts", "seed", "memory_limit"];

/// Some settings of a model, as flags of one command.
pub trait Group: fmt::Debug {
    /// The model.
    type Model: Default + 'static;
    /// The heading of the flags on help pages.
    const HEADING: &'static str;

    /// The settings.
    fn rows() -> Vec<&'static Setting<Self::Model>>;
}

/// All settings of the latent feature model, but those that it shares.
#[derive(Debug)]
pub struct Features;

impl Group for Features {
    type Model = LatentFeature;
    const HEADING: &'static str = "Latent features";

    fn rows() -> Vec<&'static Setting<LatentFeature>> {
        LatentFeature::SETTINGS.iter().filter(|row| !SHARED.contains(&row.name)).collect()
    }
}

/// All settings of the latent graph model, but those that it shares.
#[derive(Debug)]
pub struct Graphs;

impl Group for Graphs {
    type Model = LatentGraph;
    const HEADING: &'static str = "Latent graphs";

    fn rows() -> Vec<&'static Setting<LatentGraph>> {
        LatentGraph::SETTINGS.iter().filter(|row| !SHARED.contains(&row.name)).collect()
    }
}

/// The affinity, and what is made of its eigenvectors.
#[derive(Debug)]
pub struct Embedding;

impl Group for Embedding {
    type Model = LatentFeature;
    const HEADING: &'static str = "Latent features";

    fn rows() -> Vec<&'static Setting<LatentFeature>> {
        let own = ["normalised", "affinity", "gamma", "affinity_neighbours", "variant"];
        LatentFeature::SETTINGS.iter().filter(|row| own.contains(&row.name)).collect()
    }
}

/// The settings of the score of a partition.
#[derive(Debug)]
pub struct Scoring;

impl Group for Scoring {
    type Model = LatentGraph;
    const HEADING: &'static str = "Score";

    fn rows() -> Vec<&'static Setting<LatentGraph>> {
        let own = ["score", "scales", "step", "shape", "size_prior", "walk_weight", "valley_weight"];
        LatentGraph::SETTINGS.iter().filter(|row| own.contains(&row.name)).collect()
    }
}

/// What was given of a group of settings, as text.
#[derive(Debug)]
pub struct SettingArgs<G> {
    given: Vec<(&'static str, String)>,
    group: PhantomData<G>,
}

impl<G> SettingArgs<G> {
    /// The names and values that were given.
    pub fn given(&self) -> Vec<(&str, &str)> {
        self.given.iter().map(|(name, text)| (*name, &**text)).collect()
    }
}

impl<G: Group> Args for SettingArgs<G> {
    fn augment_args(command: Command) -> Command {
        command.args(G::rows().into_iter().map(argument::<G>))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<G: Group> FromArgMatches for SettingArgs<G> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = G::rows().into_iter().filter_map(|row| Some((row.name, text(matches, row)?))).collect();
        Ok(Self { given, group: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A setting as a flag.
fn argument<G: Group>(row: &'static Setting<G::Model>) -> Arg {
    let names = row.words().into_iter().map(dashed);
    let arg = Arg::new(row.name).long(dashed(row.name)).help(help(row)).help_heading(G::HEADING);
    let arg = arg.hide(row.hidden);
    let checked = ValueParser::new(move |text: &str| {
        row.set(&mut G::Model::default(), text).map(|()| text.to_owned()).map_err(|error| error.to_string())
    });
    match row.kind {
        Kind::Flag => arg.action(ArgAction::SetTrue),
        Kind::Word(_) => {
            arg.value_name(row.name.to_uppercase()).value_parser(PossibleValuesParser::new(names))
        }
        Kind::Words(_) => {
            let arg = arg.value_name("PART").value_delimiter(',').action(ArgAction::Append);
            arg.value_parser(PossibleValuesParser::new(names))
        }
        Kind::Count(symbol) => arg.value_name(symbol).value_parser(checked),
        Kind::Number(symbol) | Kind::NumberOrWord(symbol) => {
            arg.value_name(symbol).allow_hyphen_values(true).value_parser(checked)
        }
    }
}

/// What was given for a setting, as text.
fn text<M>(matches: &ArgMatches, row: &Setting<M>) -> Option<String> {
    if matches!(row.kind, Kind::Flag) {
        return matches.get_flag(row.name).then(|| true.to_string());
    }
    let words: Vec<&str> = matches.get_many::<String>(row.name)?.map(String::as_str).collect();
    Some(words.join(","))
}

/// What a setting does, and its default, which a preset may replace.
fn help<M: Default>(row: &Setting<M>) -> String {
    let text = row.help.trim_end_matches('.');
    match row.default() {
        Value::Automatic | Value::Flag(_) => text.to_owned(),
        default => format!("{text} [default: {}]", dashed(&default.to_string())),
    }
}

/// A name as a flag spells it.
pub(crate) fn dashed(name: &str) -> String {
    name.replace('_', "-")
}
