//! The case files of `tests/data`, which the Python tests read as well.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::Path;

use oware::{Occurrences, Rules, SeedsPerPit};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A rule set of `rules.json`: every field under its name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesCase {
    grand_slam: String,
    feeding: String,
    no_move: String,
    repetition: u32,
    repetition_needs_both_rows: bool,
    repetition_share: String,
    max_plies: Option<u32>,
    limit_share: String,
    majority_ends: bool,
    seeds_per_pit: u8,
}

impl RulesCase {
    fn rules(&self) -> Rules {
        Rules {
            grand_slam: self.grand_slam.parse().unwrap(),
            feeding: self.feeding.parse().unwrap(),
            no_move: self.no_move.parse().unwrap(),
            repetition: (self.repetition > 0).then(|| Occurrences::new(self.repetition).unwrap()),
            repetition_needs_both_rows: self.repetition_needs_both_rows,
            repetition_share: self.repetition_share.parse().unwrap(),
            max_plies: self.max_plies.map(|plies| NonZeroU32::new(plies).unwrap()),
            limit_share: self.limit_share.parse().unwrap(),
            majority_ends: self.majority_ends,
            seeds_per_pit: SeedsPerPit::new(self.seeds_per_pit).unwrap(),
        }
    }
}

/// A position as the case files write it.
#[derive(Debug, PartialEq, Deserialize)]
pub(crate) struct State {
    pub(crate) pits: [u8; 12],
    pub(crate) stores: [u8; 2],
    pub(crate) to_move: usize,
    pub(crate) unawarded: u8,
    pub(crate) over: bool,
    pub(crate) termination: Option<String>,
}

/// A line of `positions.jsonl`: a set-up, what it settles to, and what each legal move leads to.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PositionCase {
    pub(crate) rules: String,
    pub(crate) pits: Vec<i64>,
    pub(crate) stores: Vec<i64>,
    pub(crate) to_move: i64,
    pub(crate) start: State,
    pub(crate) moves: BTreeMap<usize, MoveCase>,
}

/// What a legal move leads to.
#[derive(Debug, Deserialize)]
pub(crate) struct MoveCase {
    pub(crate) captured: u8,
    #[serde(flatten)]
    pub(crate) after: State,
}

/// A line of `games.jsonl`: a whole game from the start.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GameCase {
    pub(crate) rules: String,
    pub(crate) moves: Vec<usize>,
    pub(crate) end: State,
    pub(crate) plies: u32,
}

/// The text of a case file.
fn text(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap()
}

/// The rule sets of `rules.json`: the named ones and further ones that the cases use.
pub(crate) fn rule_sets() -> BTreeMap<String, Rules> {
    let cases: BTreeMap<String, RulesCase> = serde_json::from_str(&text("rules.json")).unwrap();
    cases.into_iter().map(|(name, case)| (name, case.rules())).collect()
}

/// The lines of a case file.
pub(crate) fn lines<T: DeserializeOwned>(name: &str) -> Vec<T> {
    text(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
