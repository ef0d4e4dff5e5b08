//! The search once more, slowly: positions by the moves that lead there, games from [`Game`], one playout at a time.

use std::collections::HashMap;
use std::error::Error;
use std::num::{NonZeroU32, NonZeroUsize};

use super::puct::{Evaluation, Evaluator, Question};
use super::{Forest, Score, Settings};
use crate::batch::kernel::KernelName;
use crate::batch::playout::{self, Playouts};
use crate::batch::slot::Slot;
use crate::game::Game;
use crate::pit::{Move, ROW};
use crate::position::Position;
use crate::rules::Rules;
use crate::seat::Seat;
use crate::stream::Stream;
use crate::words::Words;

#[derive(Clone, Default)]
struct Place {
    visits: [u32; ROW],
    pending: [u32; ROW],
    sums: [f32; ROW],
    priors: [f32; ROW],
    value: f32,
    exact: Option<f32>,
    waits: bool,
}

struct Twin {
    game: Game,
    places: HashMap<Vec<Move>, Place>,
    stream: Stream,
    guided: bool,
    exploration: f32,
}

impl Twin {
    fn exact(&self, line: &[Move], mv: Move) -> Option<f32> {
        let mut after = line.to_vec();
        after.push(mv);
        self.places.get(&after).and_then(|place| place.exact).map(|value| -value)
    }

    fn choose(&mut self, line: &[Move], legal: &[Move]) -> Move {
        let place = self.places[line].clone();
        let visits = |mv: Move| (place.visits[mv.index()] + place.pending[mv.index()]) as f32;
        let untried: Vec<Move> = legal.iter().copied().filter(|&mv| visits(mv) == 0.0).collect();
        if !self.guided && !untried.is_empty() {
            return self.stream.choose(untried.into_iter().collect()).unwrap();
        }
        let all: f32 = legal.iter().map(|&mv| visits(mv)).sum();
        let mut best = (f32::NEG_INFINITY, legal[0]);
        for &mv in legal {
            let sum = place.sums[mv.index()] - place.pending[mv.index()] as f32;
            let value = if let Some(exact) = self.exact(line, mv) {
                exact
            } else if self.guided {
                let mean = if visits(mv) == 0.0 { place.value } else { sum / visits(mv) };
                mean + self.exploration * all.max(1.0).sqrt() * place.priors[mv.index()] / (1.0 + visits(mv))
            } else {
                sum / visits(mv) + self.exploration * (libm::logf(all) / visits(mv)).sqrt()
            };
            if value > best.0 {
                best = (value, mv);
            }
        }
        best.1
    }

    fn back_up(&mut self, line: &[Move], value: f32) {
        let mut value = value;
        for length in (0..line.len()).rev() {
            value = -value;
            let (here, mv) = (&line[..length], line[length]);
            let place = self.places.get_mut(here).unwrap();
            place.visits[mv.index()] += 1;
            place.pending[mv.index()] -= 1;
            place.sums[mv.index()] += value;
            let mut game = self.game.clone();
            for &mv in here {
                game.play(mv).unwrap();
            }
            let known: Vec<_> = game.legal_moves().iter().map(|mv| self.exact(here, mv)).collect();
            let best = known.iter().flatten().copied().fold(-1.0, f32::max);
            if known.iter().all(Option::is_some) || known.contains(&Some(1.0)) {
                self.places.get_mut(here).unwrap().exact = Some(best);
            }
        }
    }

    /// Makes simulations and returns the visits of the first moves.
    fn search(&mut self, simulations: u32, leaves: u32) -> [u32; ROW] {
        self.places.insert(Vec::new(), Place { waits: self.guided, ..Place::default() });
        let mut left = simulations;
        while left > 0 && self.places[&vec![]].exact.is_none() {
            let mut waiting: Vec<(Vec<Move>, Game, Stream)> = Vec::new();
            for _ in 0..leaves.min(left) {
                if self.places[&vec![]].exact.is_some() {
                    break;
                }
                let (mut game, mut line) = (self.game.clone(), Vec::new());
                loop {
                    let place = &self.places[&line];
                    if place.exact.is_some() || place.waits {
                        break;
                    }
                    let legal: Vec<_> = game.legal_moves().iter().collect();
                    let mv = self.choose(&line, &legal);
                    self.places.get_mut(&line).unwrap().pending[mv.index()] += 1;
                    game.play(mv).unwrap();
                    line.push(mv);
                    if !self.places.contains_key(&line) {
                        break;
                    }
                }
                let new = !self.places.contains_key(&line);
                if !new && self.places[&line].waits && !line.is_empty() {
                    for length in 0..line.len() {
                        self.places.get_mut(&line[..length]).unwrap().pending[line[length].index()] -= 1;
                    }
                    break;
                }
                left -= u32::from(!line.is_empty());
                if game.is_over() {
                    let margin = Words::of(game.position()).margin();
                    let exact = Some(f32::from(margin.signum()));
                    self.places.insert(line.clone(), Place { exact, ..Place::default() });
                }
                if let Some(value) = self.places.get(&line).and_then(|place| place.exact) {
                    self.back_up(&line, value);
                    continue;
                }
                self.places.insert(line.clone(), Place { waits: self.guided, ..Place::default() });
                let stream = if self.guided { self.stream } else { Stream::from_state(self.stream.draw()) };
                let first = line.is_empty();
                waiting.push((line, game, stream));
                if first {
                    break;
                }
            }
            for (line, game, stream) in waiting {
                let value = if self.guided {
                    let legal = game.legal_moves();
                    let answer = answer(&Question { board: Words::of(game.position()), legal });
                    let place = self.places.get_mut(&line).unwrap();
                    let shares = answer.logits.map(libm::expf);
                    let all: f32 = legal.iter().map(|mv| shares[mv.index()]).sum();
                    place.priors = shares.map(|share| share / all);
                    (place.value, place.waits) = (answer.value, false);
                    answer.value
                } else {
                    played_out(&game, stream)
                };
                self.back_up(&line, value);
            }
        }
        self.places[&vec![]].visits
    }
}

/// How a random game ends for its first mover.
fn played_out(game: &Game, stream: Stream) -> f32 {
    let settings = playout::Settings { kernel: Some(KernelName::Words), ..playout::Settings::default() };
    let playouts = Playouts::from_streams(*game.rules(), vec![(Slot::of(game), stream)], settings);
    let margin = playouts.play(&|| true).unwrap().margins[0];
    f32::from(if game.position().mover == Seat::South { margin } else { -margin }.signum())
}

/// An evaluator's answer that is made up from the board; the greatest logit is 0.
fn answer(question: &Question) -> Evaluation {
    let mut stream = Stream::from_seed(0);
    for count in question.board.observation() {
        stream = Stream::from_state(stream.draw() ^ u64::from(count));
    }
    let mut logits = [0.0; ROW];
    for mv in question.legal.iter().skip(1) {
        logits[mv.index()] = -((stream.draw() >> 40) as f32) / (1 << 23) as f32;
    }
    Evaluation { logits, value: (stream.draw() >> 40) as f32 / (1 << 24) as f32 - 0.5 }
}

struct MadeUp;

impl Evaluator for MadeUp {
    fn evaluate(&mut self, questions: &[Question]) -> Result<Vec<Evaluation>, Box<dyn Error + Send + Sync>> {
        Ok(questions.iter().map(answer).collect())
    }
}

fn compare(game: &Game, seed: u64, guided: bool, leaves: u32) {
    let settings =
        Settings { simulations: 80, leaves: NonZeroU32::new(leaves).unwrap(), exploration: 1.1, ..Settings::default() };
    let stream = Stream::from_seed(seed);
    let mut forest = Forest::of_games(std::slice::from_ref(game), |_| stream, Score::Outcome).unwrap();
    if guided {
        let batch = NonZeroUsize::new(3).unwrap();
        forest.search_with(&settings, &mut MadeUp, batch, &mut || true).unwrap();
    } else {
        forest.search(&settings, &mut || true).unwrap();
    }
    let found = forest.found(0).unwrap();
    let mut twin = Twin { game: game.clone(), places: HashMap::new(), stream, guided, exploration: 1.1 };
    assert_eq!(twin.search(80, leaves), found.visits, "guided {guided}, {leaves} leaves: {game:?}");
    assert_eq!(twin.places[&vec![]].exact, found.exact.then_some(found.value));
}

#[test]
fn the_twin_visits_the_same_moves() {
    for name in ["abapa", "awari", "open_spiel", "codingame"] {
        let rules = Rules::named(name).unwrap();
        for seed in 0..10 {
            let mut stream = Stream::from_seed(seed);
            let mut game = Game::from_position(rules, Position::start(&rules), 0);
            let mut before = game.clone();
            for _ in 0..seed * 9 {
                if game.is_over() {
                    break;
                }
                before = game.clone();
                game.play(stream.choose(game.legal_moves()).unwrap()).unwrap();
            }
            let game = if game.is_over() { before } else { game };
            for guided in [false, true] {
                for leaves in [1, 8] {
                    compare(&game, seed, guided, leaves);
                }
            }
        }
    }
}
