//! Many games searched at once.

use crate::batch::slot::Slot;
use crate::game::Game;
use crate::pit::{Move, MoveSet, ROW};
use crate::rules::Rules;
use crate::stream::Stream;
use crate::threads::{share_among, while_caller};

use super::settings::{MctsError, Score, Settings};
use super::tree::{Kind, Tree};
use super::uct;

/// Leaves that a thread values at a time: so many that blocks of playouts are full, so few that their trees stay in
/// the cache.
const LEAVES_AT_A_TIME: usize = 512;

/// A tree for each of many games under the same rules.
///
/// A tree's growth depends on its game, its stream and the settings alone, whatever else is searched with it and on
/// however many threads.
///
/// ```
/// use oware::search::mcts::{Forest, Score, Settings};
/// use oware::{Game, Rules, Stream};
///
/// let games = vec![Game::new(Rules::default()); 3];
/// let mut forest = Forest::of_games(&games, |game| Stream::from_seed(game as u64), Score::Outcome)?;
/// forest.search(&Settings { simulations: 100, ..Settings::default() }, &mut || true)?;
/// let found = forest.found(2).unwrap();
/// assert_eq!(found.visits.iter().sum::<u32>(), 100);
/// assert!(found.best.iter().all(|mv| found.visits[mv.index()] >= 10));
/// # Ok::<(), oware::search::mcts::MctsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Forest {
    score: Score,
    /// Those that values are reckoned by.
    rules: Rules,
    games: Vec<Game>,
    /// One for each game, and those of places that have none now.
    trees: Vec<Tree>,
}

/// What a search has found of one game.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Found {
    /// The simulations that went through each move.
    pub visits: [u32; ROW],
    /// The exact value of each move, or else the mean of those visits; `None` where there was none.
    pub values: [Option<f32>; ROW],
    /// The exact value of the game, or else the mean of all visits.
    pub value: f32,
    /// Whether the value is exact.
    pub exact: bool,
    /// The moves that are best as far as is known.
    pub best: MoveSet,
    /// Each move's share of the visits; of an exact game, equal shares of the best moves.
    pub policy: [f32; ROW],
}

impl Forest {
    /// A tree for each game; `stream` gives the stream that it draws from.
    ///
    /// # Errors
    /// [`MctsError::GameOver`], [`MctsError::Rules`].
    pub fn of_games(games: &[Game], stream: impl Fn(usize) -> Stream, score: Score) -> Result<Self, MctsError> {
        let mut forest = Self { score, rules: Rules::default(), games: Vec::new(), trees: Vec::new() };
        forest.replace(games, false, stream)?;
        Ok(forest)
    }

    /// Goes over to other games. With `reuse` a game that has gone on from the one before in its place keeps what is
    /// known of it. Each place keeps its stream; `stream` gives those of further ones.
    ///
    /// # Errors
    /// [`MctsError::GameOver`], [`MctsError::Rules`]; nothing has changed then.
    pub fn replace(&mut self, games: &[Game], reuse: bool, stream: impl Fn(usize) -> Stream) -> Result<(), MctsError> {
        let rules = games.first().map_or_else(Rules::default, |game| *game.rules());
        for (number, game) in games.iter().enumerate() {
            if *game.rules() != rules {
                return Err(MctsError::Rules(number));
            }
            if game.is_over() {
                return Err(MctsError::GameOver(number));
            }
        }
        self.rules = self.score.rules(&rules);
        for (number, game) in games.iter().enumerate() {
            let line = self.games.get(number).filter(|_| reuse).and_then(|before| line(before, game));
            match (line, self.trees.get_mut(number)) {
                (Some(moves), Some(tree)) => moves.into_iter().for_each(|mv| tree.advance(mv, &self.rules)),
                (None, Some(tree)) => *tree = Tree::new(Slot::of_under(game, &self.rules), tree.stream),
                (_, None) => self.trees.push(Tree::new(Slot::of_under(game, &self.rules), stream(number))),
            }
        }
        self.games = games.to_vec();
        Ok(())
    }

    /// The number of games.
    #[must_use]
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// Whether there is no game.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// Makes as many simulations in each tree as the settings say, with playouts, unless a game's value becomes exact
    /// before; `go_on` is asked now and then, from this thread.
    ///
    /// # Errors
    /// [`MctsError::OtherRules`], [`MctsError::Stopped`]; the trees then have fewer simulations.
    pub fn search(
        &mut self,
        settings: &Settings<'_>,
        go_on: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<(), MctsError> {
        let (rules, trees) = self.checked_parts(settings)?;
        let finished = while_caller(go_on, |goes_on| {
            let each = trees_at_a_time(trees.len(), settings);
            share_among(settings.num_threads.get(), trees.chunks_mut(each).collect(), |trees| {
                trees.iter_mut().take_while(|_| goes_on()).for_each(|tree| tree.begin(rules, settings, false));
                uct::search(trees, rules, settings, goes_on);
            });
        });
        if finished { Ok(()) } else { Err(MctsError::Stopped) }
    }

    /// The rules that values are reckoned by and the trees, for a search that can be made.
    pub(super) fn checked_parts(&mut self, settings: &Settings<'_>) -> Result<(&Rules, &mut [Tree]), MctsError> {
        if settings.endgame.is_some_and(|endgame| !endgame.holds_under(&self.rules)) {
            return Err(MctsError::OtherRules);
        }
        let Self { rules, trees, games, .. } = self;
        Ok((rules, &mut trees[..games.len()]))
    }

    /// What is known of a game; `None` where there is no such game.
    #[must_use]
    pub fn found(&self, game: usize) -> Option<Found> {
        self.trees[..self.len()].get(game).map(Tree::found)
    }

    /// A move of a game: one of the best at temperature 0, else each as likely as the power 1 / `temperature` of its
    /// share in [`Found::policy`]. Draws from the tree's stream once.
    ///
    /// Where a database knows the game's position, it is at temperature 0 one of those by which seeds are taken
    /// soonest, and of these the one that the evaluator finds likeliest.
    pub fn choose(&mut self, game: usize, temperature: f32) -> Option<Move> {
        self.trees[..self.games.len()].get_mut(game).and_then(|tree| tree.choose(temperature))
    }

    /// The games.
    #[must_use]
    pub fn games(&self) -> &[Game] {
        &self.games
    }

    /// Goes on by an action in each game, keeping what is known below it.
    ///
    /// # Errors
    /// [`MctsError::Move`] where an action is no legal move or ends the game; nothing changes then.
    pub fn advance(&mut self, actions: &[i64]) -> Result<(), MctsError> {
        let mut games = self.games.clone();
        let mut moves = Vec::with_capacity(games.len());
        for (number, (game, &action)) in games.iter_mut().zip(actions).enumerate() {
            let mv = usize::try_from(action).ok().and_then(Move::new).filter(|&mv| game.play(mv).is_ok());
            match mv.filter(|_| !game.is_over()) {
                Some(mv) => moves.push(mv),
                None => return Err(MctsError::Move { game: number, action }),
            }
        }
        self.games = games;
        for (tree, mv) in self.trees.iter_mut().zip(moves) {
            tree.advance(mv, &self.rules);
        }
        Ok(())
    }
}

/// The moves by which a game has gone on from another one.
fn line(before: &Game, game: &Game) -> Option<Vec<Move>> {
    if before.rules() != game.rules() || before.start() != game.start() || before.start_ply() != game.start_ply() {
        return None;
    }
    let mut moves = game.moves();
    let same = before.moves().all(|mv| moves.next() == Some(mv));
    same.then(|| moves.collect())
}

/// How many of some trees a thread searches at a time.
fn trees_at_a_time(trees: usize, settings: &Settings<'_>) -> usize {
    let most = (LEAVES_AT_A_TIME / settings.leaves.get() as usize).max(1);
    trees.div_ceil(settings.num_threads.get()).clamp(1, most)
}

/// The moves that are best in each game in play after a search with playouts; each game's tree draws from its stream.
pub(crate) fn best_of(
    rules: &Rules,
    games: &[(&Slot, Stream)],
    settings: &Settings<'_>,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Vec<MoveSet> {
    let mut best = vec![MoveSet::EMPTY; games.len()];
    let each = trees_at_a_time(games.len(), settings);
    let pieces = games.chunks(each).zip(best.chunks_mut(each)).collect();
    share_among(settings.num_threads.get(), pieces, |(games, best)| {
        let mut trees: Vec<_> = games.iter().map(|&(slot, stream)| Tree::new(slot.clone(), stream)).collect();
        trees.iter_mut().take_while(|_| goes_on()).for_each(|tree| tree.begin(rules, settings, false));
        uct::search(&mut trees, rules, settings, goes_on);
        best.iter_mut().zip(&trees).for_each(|(best, tree)| *best = tree.preferred());
    });
    best
}

impl Score {
    /// The rules that games are played by for such values.
    pub(crate) fn rules(self, rules: &Rules) -> Rules {
        match self {
            Self::Outcome => *rules,
            Self::Margin => Rules { majority_ends: false, ..*rules },
        }
    }
}

impl Tree {
    fn found(&self) -> Found {
        let (mut visits, mut values, mut policy) = ([0; ROW], [None; ROW], [0.0; ROW]);
        let best = self.best();
        let Some(root) = self.nodes.first() else {
            return Found { visits, values, value: 0.0, exact: false, best, policy };
        };
        let mut sum = 0.0;
        for mv in root.legal.iter() {
            let edge = root.edges[mv.index()];
            visits[mv.index()] = edge.visits;
            let mean = (edge.visits > 0).then(|| edge.sum / edge.visits as f32);
            values[mv.index()] = self.exact(root, mv).or(mean);
            sum += edge.sum;
        }
        let all = root.visits();
        let exact = root.kind == Kind::Exact;
        let equal = exact || self.known.is_some() || all == 0;
        for mv in if equal { best } else { root.legal }.iter() {
            let visits = visits[mv.index()] as f32 / all as f32;
            policy[mv.index()] = if equal { 1.0 / best.len() as f32 } else { visits };
        }
        let value = if exact || all == 0 { root.value } else { sum / all as f32 };
        Found { visits, values, value, exact, best, policy }
    }

    pub(super) fn choose(&mut self, temperature: f32) -> Option<Move> {
        if temperature <= 0.0 {
            let preferred = self.preferred();
            return self.stream.choose(preferred);
        }
        let policy = self.found().policy;
        let most = policy.iter().copied().fold(0.0, f32::max);
        // From the highest share, so that no power of it vanishes.
        let weights = policy.map(|share| libm::powf(share / most, 1.0 / temperature));
        by_weight(&weights, self.root.legal, &mut self.stream)
    }
}

/// One of some moves, each as likely as its share of their weights; always one draw.
pub(crate) fn by_weight(weights: &[f32; ROW], moves: MoveSet, stream: &mut Stream) -> Option<Move> {
    let weight = |mv: Move| weights[mv.index()];
    let mut rest = uniform(stream) * moves.iter().map(weight).sum::<f32>();
    let mut last = None;
    for mv in moves.iter().filter(|&mv| weight(mv) > 0.0) {
        last = Some(mv);
        rest -= weight(mv);
        if rest < 0.0 {
            break;
        }
    }
    last
}

/// A number from 0 to below 1.
pub(super) fn uniform(stream: &mut Stream) -> f32 {
    (stream.draw() >> 40) as f32 / (1_u32 << 24) as f32
}
