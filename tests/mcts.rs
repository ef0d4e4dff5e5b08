//! Monte-Carlo tree search: small positions with known answers, and that nothing but its stream and settings decides.
#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in the tests but not in their helpers")]

use std::error::Error;
use std::num::{NonZeroU32, NonZeroUsize};

use oware::search::Probe;
use oware::search::mcts::{
    Asked, Evaluation, Evaluator, Forest, Found, MctsError, Noise, PUCT_LEAVES, Question, Score, Settings,
};
use oware::{BySeat, Game, Move, PITS, Rules, Setup, Stream};

fn named(name: &str) -> Rules {
    Rules::named(name).unwrap()
}

fn at(rules: Rules, pits: [u8; PITS], stores: [u8; 2]) -> Game {
    let setup = Setup { pits: pits.map(i64::from).to_vec(), stores: stores.map(i64::from).to_vec(), to_move: 0 };
    Game::from_position(rules, setup.validate(&rules).unwrap(), 0)
}

/// Games in all phases.
fn games(rules: Rules, count: usize) -> Vec<Game> {
    (0..count)
        .map(|number| {
            let mut stream = Stream::from_seed(number as u64);
            let mut game = Game::new(rules);
            for _ in 0..number % 50 {
                let before = game.clone();
                game.play(stream.choose(game.legal_moves()).unwrap()).unwrap();
                if game.is_over() {
                    game = before;
                    break;
                }
            }
            game
        })
        .collect()
}

fn stream(game: usize) -> Stream {
    Stream::from_seed(1000 + game as u64)
}

fn settings(simulations: u32) -> Settings<'static> {
    Settings { simulations, ..Settings::default() }
}

fn all(forest: &Forest) -> Vec<Found> {
    (0..forest.len()).map(|game| forest.found(game).unwrap()).collect()
}

fn searched(games: &[Game], settings: &Settings<'_>) -> Vec<Found> {
    let mut forest = Forest::of_games(games, stream, settings.score).unwrap();
    forest.search(settings, &mut || true).unwrap();
    all(&forest)
}

/// An evaluator that makes its answers up, from the board alone.
struct Invented {
    batches: Vec<usize>,
    fails_at: usize,
}

impl Invented {
    fn new() -> Self {
        Self { batches: Vec::new(), fails_at: usize::MAX }
    }
}

impl Evaluator for Invented {
    fn evaluate(&mut self, questions: &[Question]) -> Result<Vec<Evaluation>, Box<dyn Error + Send + Sync>> {
        self.batches.push(questions.len());
        if self.batches.len() == self.fails_at {
            return Err("no more".into());
        }
        let answer = |question: &Question| {
            let mut stream = Stream::from_seed(0);
            for count in question.board.observation() {
                stream = Stream::from_state(stream.draw() ^ u64::from(count));
            }
            let mut number = || (stream.draw() >> 40) as f32 / (1 << 23) as f32 - 1.0;
            Evaluation { logits: std::array::from_fn(|_| 2.0 * number()), value: 0.8 * number() }
        };
        Ok(questions.iter().map(answer).collect())
    }
}

fn guided(games: &[Game], settings: &Settings<'_>, batch: usize) -> (Vec<Found>, Asked) {
    let mut forest = Forest::of_games(games, stream, settings.score).unwrap();
    let mut evaluator = Invented::new();
    let batch = NonZeroUsize::new(batch).unwrap();
    let asked = forest.search_with(settings, &mut evaluator, batch, &mut || true).unwrap();
    assert_eq!(asked.calls, evaluator.batches.len() as u64);
    assert_eq!(asked.positions, evaluator.batches.iter().sum::<usize>() as u64);
    assert!(evaluator.batches.iter().all(|&positions| positions <= batch.get()));
    (all(&forest), asked)
}

/// Both ways of searching, for what holds of either.
fn either(game: &Game, settings: &Settings<'_>) -> [Found; 2] {
    let games = std::slice::from_ref(game);
    [searched(games, settings)[0], guided(games, settings, 64).0[0]]
}

#[test]
fn finds_a_capture_that_wins() {
    // F takes six seeds, for 25.
    let game = at(Rules::default(), [1, 0, 0, 0, 1, 2, 2, 2, 8, 0, 0, 0], [19, 13]);
    let won = (0..6).filter_map(Move::new).filter(|&mv| {
        let mut after = game.clone();
        after.play(mv).is_ok() && after.outcome().is_some_and(|outcome| outcome.winner.is_some())
    });
    assert_eq!(won.map(Move::index).collect::<Vec<_>>(), [5]);
    for found in either(&game, &settings(100)) {
        assert!(found.exact);
        assert_eq!((found.value, found.best.iter().map(Move::index).collect::<Vec<_>>()), (1.0, vec![5]));
        assert_eq!(found.policy, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        assert!(found.visits.iter().sum::<u32>() < 100);
    }
}

#[test]
fn plays_a_forced_move() {
    let game = at(Rules::default(), [0, 0, 3, 0, 0, 0, 5, 5, 5, 5, 0, 0], [12, 13]);
    for found in either(&game, &settings(50)) {
        assert_eq!(found.best.iter().map(Move::index).collect::<Vec<_>>(), [2]);
        assert_eq!(found.policy[2], 1.0);
    }
}

#[test]
fn sees_repetition_in_the_history() {
    // Two lone seeds go round. After eleven plies the next one brings the start back, and each takes their own row.
    let rules = Rules { repetition: oware::Occurrences::new(2), majority_ends: false, ..Rules::default() };
    let mut game = at(rules, [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0], [4, 2]);
    for mv in [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5] {
        game.play(Move::new(mv).unwrap()).unwrap();
    }
    for found in either(&game, &settings(20)) {
        // North is to move and loses by 3 to 5.
        assert_eq!((found.exact, found.value), (true, -1.0));
        assert_eq!(found.visits.iter().sum::<u32>(), 1);
    }
    let fresh = Game::from_position(rules, *game.position(), 0);
    for found in either(&fresh, &settings(2)) {
        assert!(!found.exact);
    }
}

#[test]
fn sees_the_ply_limit() {
    let rules = Rules { max_plies: NonZeroU32::new(2), ..Rules::default() };
    let mut game = Game::new(rules);
    game.play(Move::new(0).unwrap()).unwrap();
    for found in either(&game, &settings(100)) {
        // North keeps half of the seeds by a and b, and gives some away by the others.
        assert_eq!((found.exact, found.value, found.best.bits()), (true, 0.0, 0b11));
    }
}

#[test]
fn makes_all_simulations_and_shares_them_out() {
    for score in [Score::Outcome, Score::Margin] {
        let settings = Settings { score, ..settings(77) };
        let games = games(Rules::default(), 60);
        for found in [searched(&games, &settings), guided(&games, &settings, 100).0].concat() {
            let visits: u32 = found.visits.iter().sum();
            assert!(found.exact || visits == 77, "{found:?}");
            assert!((found.policy.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(found.value.abs() <= 1.0);
            assert!(found.values.iter().flatten().all(|value| value.abs() <= 1.0));
        }
    }
}

#[test]
fn threads_batches_and_other_games_change_nothing() {
    for rules in ["abapa", "awari", "codingame"] {
        let games = games(named(rules), 90);
        let settings = Settings { noise: Some(Noise { alpha: 0.5, fraction: 0.25 }), ..settings(60) };
        let once = searched(&games, &settings);
        let (known, _) = guided(&games, &settings, 64);
        for threads in [2, 3] {
            let settings = Settings { num_threads: NonZeroUsize::new(threads).unwrap(), ..settings };
            assert_eq!(searched(&games, &settings), once);
            assert_eq!(guided(&games, &settings, 7).0, known);
            assert_eq!(guided(&games, &settings, 100_000).0, known);
        }
        for at in [0, 41, 89] {
            let mut forest = Forest::of_games(&games[at..=at], |_| stream(at), Score::Outcome).unwrap();
            forest.search(&settings, &mut || true).unwrap();
            assert_eq!(forest.found(0), Some(once[at]));
            forest = Forest::of_games(&games[at..=at], |_| stream(at), Score::Outcome).unwrap();
            let batch = NonZeroUsize::MIN;
            forest.search_with(&settings, &mut Invented::new(), batch, &mut || true).unwrap();
            assert_eq!(forest.found(0), Some(known[at]));
        }
    }
}

#[test]
fn batches_are_full() {
    let games = games(Rules::default(), 256);
    for batch in [64, 256, 512] {
        let settings = Settings { leaves: PUCT_LEAVES, ..settings(100) };
        let (_, asked) = guided(&games, &settings, batch);
        let mean = asked.positions as f64 / asked.calls as f64;
        println!("256 games, a limit of {batch}: {mean:.1} positions a batch");
        assert!(mean >= 0.8 * batch as f64, "{mean} of {batch}");
    }
}

#[test]
fn a_tree_goes_on_after_a_move() {
    let games = games(Rules::default(), 20);
    let mut forest = Forest::of_games(&games, stream, Score::Outcome).unwrap();
    forest.search(&settings(300), &mut || true).unwrap();
    let before = all(&forest);
    let mut actions = Vec::new();
    for (number, game) in games.iter().enumerate() {
        let on = |mv: &Move| {
            let mut after = game.clone();
            after.play(*mv).is_ok() && !after.is_over()
        };
        let tried = game.legal_moves().iter().filter(on).max_by_key(|mv| before[number].visits[mv.index()]);
        actions.push(tried.unwrap().index() as i64);
    }
    forest.advance(&actions).unwrap();
    for (number, &action) in actions.iter().enumerate() {
        let (found, tried) = (forest.found(number).unwrap(), before[number].visits[action as usize]);
        // The first visit of a position is its own, the further ones are its moves'.
        let kept: u32 = found.visits.iter().sum();
        assert!(found.exact || kept + 1 == tried, "{kept} of {tried}");
        let sum = f64::from(before[number].values[action as usize].unwrap()) * f64::from(tried);
        if !found.exact && !before[number].exact {
            assert!((sum + f64::from(found.value) * f64::from(kept)).abs() < 1.01);
        }
    }
    forest.search(&settings(100), &mut || true).unwrap();
    for (number, &action) in actions.iter().enumerate() {
        let found = forest.found(number).unwrap();
        let visits: u32 = found.visits.iter().sum();
        assert!(found.exact || visits + 1 == before[number].visits[action as usize] + 100);
    }
    // The same by giving the games that have gone on.
    let mut played = games.clone();
    played.iter_mut().zip(&actions).for_each(|(game, &action)| {
        game.play(Move::new(action as usize).unwrap()).unwrap();
    });
    let mut other = Forest::of_games(&games, stream, Score::Outcome).unwrap();
    other.search(&settings(300), &mut || true).unwrap();
    other.replace(&played, true, stream).unwrap();
    other.search(&settings(100), &mut || true).unwrap();
    assert_eq!(all(&other), all(&forest));
    assert_eq!(other.games(), forest.games());
}

#[test]
fn an_evaluator_that_fails_leaves_trees_that_can_be_searched() {
    let games = games(Rules::default(), 30);
    let mut forest = Forest::of_games(&games, stream, Score::Outcome).unwrap();
    let mut evaluator = Invented { fails_at: 9, ..Invented::new() };
    let batch = NonZeroUsize::new(50).unwrap();
    let error = forest.search_with(&settings(80), &mut evaluator, batch, &mut || true).unwrap_err();
    assert!(matches!(error, MctsError::Evaluator(error) if error.to_string() == "no more"));
    let before = all(&forest);
    assert!(before.iter().any(|found| found.visits.iter().sum::<u32>() > 0));
    forest.search_with(&settings(80), &mut evaluator, batch, &mut || true).unwrap();
    for (before, after) in before.iter().zip(all(&forest)) {
        let visits = |found: &Found| found.visits.iter().sum::<u32>();
        assert!(after.exact || visits(&after) == visits(before) + 80);
    }
}

/// An evaluator that always answers the same.
struct Constant(Vec<Evaluation>);

impl Evaluator for Constant {
    fn evaluate(&mut self, questions: &[Question]) -> Result<Vec<Evaluation>, Box<dyn Error + Send + Sync>> {
        Ok(self.0.iter().copied().cycle().take(questions.len().min(self.0.len() * 1000)).collect())
    }
}

#[test]
fn answers_that_make_no_sense_are_refused() {
    let good = Evaluation { logits: [0.0; 6], value: 0.0 };
    let bad = [
        (Evaluation { value: f32::NAN, ..good }, "answer 0: the value is NaN; give -1 to 1"),
        (Evaluation { value: 1.5, ..good }, "answer 0: the value is 1.5; give -1 to 1"),
        (
            Evaluation { logits: [0.0, f32::NAN, 0.0, 0.0, 0.0, 0.0], ..good },
            "answer 0: the logit of the legal move 1 is NaN",
        ),
        (Evaluation { logits: [f32::INFINITY; 6], ..good }, "answer 0: the logit of the legal move 0 is inf"),
        (Evaluation { logits: [f32::NEG_INFINITY; 6], ..good }, "answer 0: no legal move has a finite logit"),
    ];
    let mut forest = Forest::of_games(&[Game::new(Rules::default())], stream, Score::Outcome).unwrap();
    let batch = NonZeroUsize::MIN;
    for (answer, message) in bad {
        let error = forest.search_with(&settings(5), &mut Constant(vec![answer]), batch, &mut || true).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let error = forest.search_with(&settings(5), &mut Constant(Vec::new()), batch, &mut || true).unwrap_err();
    assert_eq!(error.to_string(), "0 answers for 1 positions");
    forest.search_with(&settings(5), &mut Constant(vec![good]), batch, &mut || true).unwrap();
    assert_eq!(forest.found(0).unwrap().visits.iter().sum::<u32>(), 5);
}

#[test]
fn noise_changes_the_priors_of_the_root() {
    let games = vec![Game::new(Rules::default()); 50];
    let plain = guided(&games, &settings(60), 64).0;
    assert!(plain.iter().all(|found| *found == plain[0]));
    let noise = Some(Noise { alpha: 0.3, fraction: 0.5 });
    let noisy = guided(&games, &Settings { noise, ..settings(60) }, 64).0;
    assert!(noisy.iter().any(|found| found.visits != plain[0].visits));
    assert!(noisy.windows(2).any(|pair| pair[0].visits != pair[1].visits));
}

#[test]
fn temperature_is_the_power_of_the_visits() {
    let game = Game::new(Rules::default());
    let mut forest = Forest::of_games(&[game], stream, Score::Outcome).unwrap();
    forest.search(&settings(60), &mut || true).unwrap();
    let found = forest.found(0).unwrap();
    for temperature in [0.5, 1.0, 3.0] {
        let weights = found.visits.map(|visits| f64::from(visits).powf(1.0 / f64::from(temperature)));
        let all: f64 = weights.iter().sum();
        let mut counts = [0.0; 6];
        let draws = 6000.0;
        for _ in 0..6000 {
            counts[forest.choose(0, temperature).unwrap().index()] += 1.0;
        }
        let squares = counts.iter().zip(weights).filter(|(_, weight)| *weight > 0.0).map(|(count, weight)| {
            let expected = draws * weight / all;
            (count - expected) * (count - expected) / expected
        });
        let chi_squared: f64 = squares.sum();
        // Five degrees of freedom: a value beyond 25.7 is one in ten thousand.
        assert!(chi_squared < 25.7, "{temperature}: {chi_squared}, {counts:?}");
    }
    for _ in 0..100 {
        let mv = forest.choose(0, 0.0).unwrap();
        assert!(found.best.contains(mv));
    }
}

/// A database that makes its values up.
#[derive(Debug)]
struct Made;

impl Probe for Made {
    fn holds_under(&self, rules: &Rules) -> bool {
        rules.grand_slam == named("awari").grand_slam
    }

    fn max_seeds(&self) -> u8 {
        47
    }

    fn value(&self, board: oware::Words) -> Option<i8> {
        (board.board_seeds() <= 47).then_some(-2)
    }
}

#[test]
fn believes_the_database() {
    let game = at(named("awari"), [4; PITS].map(|seeds| seeds - 1), [6, 6]);
    let settings = Settings { endgame: Some(&Made), ..settings(50) };
    for found in either(&game, &settings) {
        // After any move it is the opponent who loses two seeds: the first one is enough.
        assert_eq!((found.exact, found.value, found.visits.iter().sum::<u32>()), (true, 1.0, 1));
    }
    let margin = either(&game, &Settings { score: Score::Margin, ..settings });
    assert!(margin.iter().all(|found| found.exact && found.value == 2.0 / 48.0 && found.best == game.legal_moves()));
    let mut other = Forest::of_games(&[Game::new(Rules::default())], stream, Score::Outcome).unwrap();
    assert!(matches!(other.search(&settings, &mut || true), Err(MctsError::OtherRules)));
}

#[test]
fn games_that_cannot_be_searched() {
    let over = at(Rules::default(), [0; PITS], [20, 28]);
    let start = Game::new(Rules::default());
    let made = |games: &[Game]| Forest::of_games(games, stream, Score::Outcome).map(|_| ()).unwrap_err().to_string();
    assert_eq!(made(&[start.clone(), over.clone()]), "games[1] is over; there is no move to search for");
    let other = Game::new(named("awari"));
    assert!(made(&[start.clone(), other]).starts_with("games[1] has other rules than games[0]"));
    let mut forest = Forest::of_games(&[start.clone(), start], stream, Score::Outcome).unwrap();
    assert!(forest.replace(&[over], true, stream).is_err());
    assert_eq!(forest.len(), 2);
    for actions in [[0, 6], [0, -1], [-1, 0]] {
        assert!(matches!(forest.advance(&actions), Err(MctsError::Move { .. })));
        assert!(forest.games().iter().all(|game| game.ply() == 0));
    }
}

#[test]
fn stops_when_told() {
    let games = games(Rules::default(), 8);
    let mut forest = Forest::of_games(&games, stream, Score::Outcome).unwrap();
    let mut asked = 0;
    let stopped = forest.search(&settings(1 << 24), &mut || {
        asked += 1;
        asked < 20
    });
    assert!(matches!(stopped, Err(MctsError::Stopped)));
    let visits = |found: &Found| found.visits.iter().sum::<u32>();
    assert!(all(&forest).iter().all(|found| visits(found) < 1000));
    forest.search(&settings(10), &mut || true).unwrap();
    let BySeat { south, .. } = games[0].position().board.stores;
    assert_eq!(south, 0);
}
