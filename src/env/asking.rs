//! Outside opponents: they are asked for all rows at once, between the passes of a step.

use crate::env::config::{Config, MOST_EXTERNALS, Scenario};
use crate::env::environment::Env;
use crate::env::episode::{Episode, Turn};
use crate::env::error::EnvError;
use crate::env::external::{Externals, Request};
use crate::env::outputs::Outputs;
use crate::env::rows::Rows;
use crate::env::searcher::{Method, Searcher};
use crate::env::step::{Chunk, Note, Stage};
use crate::env::taken::legal_move;
use crate::pit::MoveSet;
use crate::search::{Root, best_of, mcts};
use crate::stream::Stream;
use crate::threads::{share_among, while_caller};

/// Openings that an outside opponent may end before a reset gives up.
const EXTERNAL_OPENINGS: usize = 1000;

impl Env {
    pub(super) fn step_asking(&mut self, externals: &mut dyn Externals, mut out: Outputs<'_>) -> Result<(), EnvError> {
        self.transact(|env| {
            env.pass(&mut out, |chunk, scenario| chunk.act_all(scenario));
            env.ask(externals)?;
            env.pass(&mut out, |chunk, scenario| chunk.conclude_all(scenario));
            env.ask(externals)?;
            env.pass(&mut out, |chunk, _| chunk.show_all());
            Ok(())
        })
    }

    /// One pass over all rows.
    fn pass(&mut self, out: &mut Outputs<'_>, pass: impl FnOnce(&mut Chunk<'_>, &Scenario)) {
        let Self { scenario, rows: Rows::Single(rows), notes, moves, finals, .. } = self else { return };
        let Some(finals) = finals.first_mut() else { return };
        pass(&mut Chunk { rows, notes, moves, out: out.reborrow(), first_row: 0, finals }, scenario);
    }

    /// Asks outside opponents until no row waits for one.
    pub(super) fn ask(&mut self, externals: &mut dyn Externals) -> Result<(), EnvError> {
        for _ in 0..EXTERNAL_OPENINGS {
            let mut asked = self.search_replies(externals)?;
            asked |= self.network_replies(externals)?;
            for number in 0..MOST_EXTERNALS {
                let waits = |note: &Note| note.turn == Turn::External(number);
                let rows: Vec<usize> = (0..self.notes.len()).filter(|&row| waits(&self.notes[row])).collect();
                if !rows.is_empty() {
                    asked = true;
                    self.ask_one(number, rows, externals)?;
                }
                if !self.notes.iter().any(|note| matches!(note.turn, Turn::External(_))) {
                    break;
                }
            }
            if !asked {
                return Ok(());
            }
            self.open_again()?;
        }
        let waits = |note: &Note| !matches!(note.turn, Turn::Agent | Turn::Over);
        let row = self.notes.iter().position(waits).unwrap_or(0);
        Err(EnvError::OpponentEndsGame { row })
    }

    /// Plays the replies of opponents that search; whether there were any.
    fn search_replies(&mut self, externals: &mut dyn Externals) -> Result<bool, EnvError> {
        let Self { scenario, rows: Rows::Single(rows), notes, .. } = self else { return Ok(false) };
        let config = &scenario.config;
        let mut searches = Vec::new();
        for (row, note) in notes.iter().enumerate() {
            if let Turn::Search(searcher) = note.turn {
                // What a search draws is up to its row alone.
                let stream = match searcher.method {
                    Method::Minimax(_) => Stream::from_state(0),
                    Method::Mcts(_) => Stream::from_state(rows[row].stream.draw()),
                };
                searches.push(Search { row, searcher, stream, best: MoveSet::EMPTY });
            }
        }
        if searches.is_empty() {
            return Ok(false);
        }
        let mut find = |go_on: &mut (dyn FnMut() -> bool + Send)| {
            while_caller(go_on, |goes_on| find_best(&mut searches, rows, config, goes_on));
        };
        externals.wait_for(&mut find).map_err(EnvError::External)?;
        for Search { row, best, .. } in searches {
            notes[row].turn = rows[row].play_chosen(best, &config.rules);
        }
        Ok(true)
    }

    fn ask_one(&mut self, number: u8, rows: Vec<usize>, externals: &mut dyn Externals) -> Result<(), EnvError> {
        let request = Request::of(self.config().observation, &self.config().rules, rows, |row| self.episode(row));
        let actions = externals.reply(number, &request).map_err(EnvError::External)?;
        if actions.len() != request.rows.len() {
            let (expected, found) = (request.rows.len(), actions.len());
            return Err(EnvError::Count { what: "replies of the opponent", expected, found });
        }
        for (&row, &action) in request.rows.iter().zip(&actions) {
            let mv = legal_move(&self.episode(row), action, &self.config().rules)
                .map_err(|fault| EnvError::Reply { row, fault })?;
            let config = &self.scenario.config;
            self.notes[row].turn = self.rows.update(row, config, |episode| episode.play(mv, &config.rules));
        }
        Ok(())
    }

    /// Plays another opening where the opponent's first ply ended the game.
    fn open_again(&mut self) -> Result<(), EnvError> {
        let Self { scenario, rows, notes, .. } = self;
        for (row, note) in notes.iter_mut().enumerate() {
            match (note.stage, note.turn) {
                (Stage::Opening, Turn::Over) => {
                    note.turn = rows.update(row, &scenario.config, |episode| episode.open(scenario));
                }
                (Stage::Placed, Turn::Over) => return Err(EnvError::OpponentEndsGame { row }),
                _ => {}
            }
        }
        Ok(())
    }

    /// Runs something that an outside opponent may make fail, and takes it back if it does.
    pub(super) fn transact(&mut self, change: impl FnOnce(&mut Self) -> Result<(), EnvError>) -> Result<(), EnvError> {
        if self.may_ask { self.transact_always(change) } else { change(self) }
    }

    pub(super) fn transact_always(
        &mut self,
        change: impl FnOnce(&mut Self) -> Result<(), EnvError>,
    ) -> Result<(), EnvError> {
        let before = self.rows.clone();
        let result = change(self);
        if result.is_err() {
            self.rows = before;
        }
        result
    }
}

/// A reply to be searched for.
struct Search {
    row: usize,
    searcher: Searcher,
    stream: Stream,
    best: MoveSet,
}

/// Finds the best replies, those by Monte-Carlo tree search for all rows at once, so that blocks of playouts are full.
fn find_best(searches: &mut [Search], rows: &[Episode], config: &Config, goes_on: &(dyn Fn() -> bool + Sync)) {
    let rules = &config.rules;
    let endgame = |searcher: Searcher| config.endgame.as_deref().filter(|_| searcher.aided);
    let mut first = 0;
    searches.sort_unstable_by_key(|search| (search.searcher, search.row));
    while let Some(&Search { searcher, .. }) = searches.get(first) {
        let rest = &mut searches[first..];
        let count = rest.iter().take_while(|search| search.searcher == searcher).count();
        let alike = &mut rest[..count];
        match searcher.method {
            Method::Minimax(plies) => {
                share_among(config.num_threads.get(), alike.iter_mut().collect(), |search| {
                    if goes_on() {
                        let root = Root::of_slot(&rows[search.row].slot, rules);
                        search.best = best_of(root, plies.into(), endgame(searcher), &mut || goes_on());
                    }
                });
            }
            Method::Mcts(simulations) => {
                let settings = mcts::Settings {
                    simulations,
                    endgame: endgame(searcher),
                    num_threads: config.num_threads,
                    kernel: config.kernel,
                    ..mcts::Settings::default()
                };
                let games: Vec<_> = alike.iter().map(|search| (&rows[search.row].slot, search.stream)).collect();
                let best = mcts::best_of(rules, &games, &settings, goes_on);
                alike.iter_mut().zip(best).for_each(|(search, best)| search.best = best);
            }
        }
        first += count;
    }
}
