//! Random games from given positions to their ends.
//!
//! Game *j* from position *i* has a stream of its own, of which a byte chooses each move: see `Chance`. So it is the
//! same game whatever plays it: one board after the other, as here, or sixty-four in `lockstep`.

mod lockstep;

use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::batch::choice;
use crate::batch::kernel::KernelName;
use crate::batch::lanes::{self, Isa};
use crate::batch::slot::Slot;
use crate::game::Game;
use crate::pit::{Move, MoveSet};
use crate::position::{Position, Termination};
use crate::rules::Rules;
use crate::seat::Seat;
use crate::stream::Stream;
use crate::threads::share_among;
use crate::words::Words;

/// Games that one thread plays at a time: so many that its boards are seldom idle, so few that they are soon over.
const MOST_AT_A_TIME: usize = 8192;
/// Fewer games are not worth another thread.
const FEWEST_AT_A_TIME: usize = 512;

/// How random games are played.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The games from each position.
    pub games: usize,
    /// Where chance comes from: the same seed gives the same games, whatever plays them.
    pub seed: u64,
    /// The plies after which a game is left unfinished; `None`: only the rules end it.
    pub max_plies: Option<NonZeroU32>,
    /// The most threads that play.
    pub num_threads: NonZeroUsize,
    /// What plays; `None` for what is best on this machine.
    pub kernel: Option<KernelName>,
}

impl Default for Settings {
    /// One game from each position, on one thread, with seed 0.
    fn default() -> Self {
        Self { games: 1, seed: 0, max_plies: None, num_threads: NonZeroUsize::MIN, kernel: None }
    }
}

/// Random games to be played from some positions.
///
/// ```
/// use oware::batch::playout::{Playouts, Settings};
/// use oware::{Position, Rules};
///
/// let rules = Rules::default();
/// let start = vec![Position::start(&rules)];
/// let results = Playouts::from_positions(rules, start, Settings { games: 100, ..Settings::default() }).play(&|| true);
/// let margins = results.unwrap().margins;
/// assert_eq!(margins.len(), 100);
/// assert!(margins.iter().all(|margin| margin.abs() <= 48));
/// ```
#[derive(Clone, Debug)]
pub struct Playouts {
    settings: Settings,
    rules: Rules,
    starts: Starts,
}

#[derive(Clone, Debug)]
enum Starts {
    Games(Vec<Slot>),
    Positions(Vec<Position>),
    /// Games that have streams of their own.
    Streams(Vec<(Slot, Stream)>),
}

/// How games have ended: all those from the first position, then all those from the second one, and so on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// South's store less North's.
    pub margins: Vec<i16>,
    /// The plies played from the position.
    pub plies: Vec<u32>,
    /// What ended the games, as [`Termination::code`] has it; 0 for one that is unfinished.
    pub terminations: Vec<u8>,
}

impl Playouts {
    /// Games from positions.
    #[must_use]
    pub const fn from_positions(rules: Rules, positions: Vec<Position>, settings: Settings) -> Self {
        Self { settings, rules, starts: Starts::Positions(positions) }
    }

    /// Games from where some games under these rules stand, with what repetition and the ply limit need of their
    /// histories. A finished game keeps its result, after no ply.
    #[must_use]
    pub fn from_games<'a>(rules: Rules, games: impl IntoIterator<Item = &'a Game>, settings: Settings) -> Self {
        Self { settings, rules, starts: Starts::Games(games.into_iter().map(Slot::of).collect()) }
    }

    /// One game from where each of some others stands, each by a stream of its own; the seed plays no part.
    pub(crate) const fn from_streams(rules: Rules, games: Vec<(Slot, Stream)>, settings: Settings) -> Self {
        Self { settings: Settings { games: 1, ..settings }, rules, starts: Starts::Streams(games) }
    }

    /// What [`Playouts::from_streams`] was given.
    pub(crate) fn into_streams(self) -> Vec<(Slot, Stream)> {
        match self.starts {
            Starts::Streams(games) => games,
            Starts::Games(_) | Starts::Positions(_) => Vec::new(),
        }
    }

    /// How many positions there are.
    #[must_use]
    pub fn positions(&self) -> usize {
        match &self.starts {
            Starts::Games(slots) => slots.len(),
            Starts::Positions(positions) => positions.len(),
            Starts::Streams(games) => games.len(),
        }
    }

    /// Plays all games. Every thread that plays asks many times a second whether it `goes_on`; `None` when it does not.
    #[must_use]
    pub fn play(&self, goes_on: &(dyn Fn() -> bool + Sync)) -> Option<Results> {
        let Settings { games, num_threads, kernel, .. } = self.settings;
        let total = self.positions() * games;
        let mut results = Results { margins: vec![0; total], plies: vec![0; total], terminations: vec![0; total] };
        let isa = match kernel {
            None => Isa::best_for(total),
            Some(KernelName::Words) => None,
            Some(kernel) => Isa::named(kernel.name()),
        };
        let threads = num_threads.get();
        let each = total.div_ceil(threads).clamp(FEWEST_AT_A_TIME, MOST_AT_A_TIME);
        let stopped = AtomicBool::new(false);
        let goes_on = || {
            let on = !stopped.load(Ordering::Relaxed) && goes_on();
            if !on {
                stopped.store(true, Ordering::Relaxed);
            }
            on
        };
        share_among(threads, results.pieces(each), |mut piece| {
            if goes_on() {
                match isa {
                    Some(isa) => lanes::on(isa, lockstep::Lockstep { playouts: self, piece, goes_on: &goes_on }),
                    None => self.play_singly(&mut piece, &goes_on),
                }
            }
        });
        (!stopped.into_inner()).then_some(results)
    }

    /// Plays one game after the other.
    fn play_singly(&self, piece: &mut Piece<'_>, goes_on: &dyn Fn() -> bool) {
        let mut made = None;
        for game in piece.games.clone() {
            // A game lasts some microseconds.
            if game % 64 == 0 && !goes_on() {
                return;
            }
            let mut slot = self.start(game, &mut made).clone();
            let mut chance = Chance::new(self.stream(game));
            let start = slot.ply;
            let cap = self.settings.max_plies.map_or(u32::MAX, NonZeroU32::get);
            while !slot.is_over() && slot.ply - start < cap {
                let Some(mv) = chance.choose(slot.legal) else { break };
                slot.play(mv, &self.rules);
            }
            piece.record(game, slot.words, slot.mover, slot.ply - start, slot.termination);
        }
    }

    /// Where a game starts. `made` keeps the last start that was not at hand.
    fn start<'a>(&'a self, game: usize, made: &'a mut Option<(usize, Slot)>) -> &'a Slot {
        let position = game / self.settings.games;
        match &self.starts {
            Starts::Games(slots) => &slots[position],
            Starts::Streams(games) => &games[position].0,
            Starts::Positions(positions) => {
                drop(made.take_if(|(of, _)| *of != position));
                &made.get_or_insert_with(|| (position, Slot::new(&positions[position], 0, &self.rules))).1
            }
        }
    }

    /// The stream of a game.
    fn stream(&self, game: usize) -> Stream {
        if let Starts::Streams(games) = &self.starts {
            return games[game].1;
        }
        let (position, rank) = (game / self.settings.games, game % self.settings.games);
        let of_position = Stream::from_state(Stream::from_seed(self.settings.seed).peek(position as u64));
        Stream::from_state(of_position.peek(rank as u64))
    }
}

impl Results {
    /// The results in pieces of so many games.
    fn pieces(&mut self, each: usize) -> Vec<Piece<'_>> {
        let Self { margins, plies, terminations } = self;
        let total = margins.len();
        let parts = margins.chunks_mut(each).zip(plies.chunks_mut(each)).zip(terminations.chunks_mut(each));
        let starts = (0..total).step_by(each);
        starts
            .zip(parts)
            .map(|(first, ((margins, plies), terminations))| Piece {
                games: first..first + margins.len(),
                margins,
                plies,
                terminations,
            })
            .collect()
    }
}

/// Some games and the places for their results.
struct Piece<'a> {
    games: Range<usize>,
    margins: &'a mut [i16],
    plies: &'a mut [u32],
    terminations: &'a mut [u8],
}

impl Piece<'_> {
    /// Writes down how a game has ended.
    #[inline(always)]
    fn record(&mut self, game: usize, words: Words, mover: Seat, plies: u32, ending: Option<Termination>) {
        let at = game - self.games.start;
        let margin = words.margin();
        self.margins[at] = if mover == Seat::South { margin } else { -margin };
        self.plies[at] = plies;
        self.terminations[at] = ending.map_or(0, Termination::code);
    }
}

/// The bytes of a stream, those of the first draw first, and of each draw the lowest one first.
struct Chance {
    stream: Stream,
    bytes: std::array::IntoIter<u8, 8>,
}

impl Chance {
    fn new(mut stream: Stream) -> Self {
        Self { bytes: stream.draw().to_le_bytes().into_iter(), stream }
    }

    /// A member of a set, each exactly as likely as the others: the next byte that [`choice::one_by_byte`] takes.
    fn choose(&mut self, moves: MoveSet) -> Option<Move> {
        if moves.is_empty() {
            return None;
        }
        loop {
            match self.bytes.next() {
                Some(byte) => {
                    if let Some(mv) = choice::one_by_byte(moves, byte) {
                        return Some(mv);
                    }
                }
                None => self.bytes = self.stream.draw().to_le_bytes().into_iter(),
            }
        }
    }
}
