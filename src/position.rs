//! A board and the player to move: everything that a rule without memory needs.

use std::error::Error;
use std::fmt;

use crate::board::Board;
use crate::pit::{Move, MoveSet, PITS, PitSet};
use crate::rules::{GrandSlam, Rules, Share, named_enum};
use crate::seat::{BySeat, Seat};
use crate::sowing;

named_enum! {
    /// Why a game has ended.
    Termination, "termination" {
        /// A store holds more than half of all seeds.
        Majority = "majority",
        /// Both stores hold exactly half.
        EvenSplit = "even_split",
        /// No seed is on the board.
        BoardEmpty = "board_empty",
        /// The mover has no legal move.
        NoMove = "no_move",
        /// The position has arisen as often as the rules allow.
        Repetition = "repetition",
        /// As many plies as the rules allow have been played.
        PlyLimit = "ply_limit",
    }
}

impl Termination {
    /// The number that stands for an ending in arrays, 1 to 6; 0 there is a game that goes on.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8 + 1
    }

    /// How the rules share out what is on the board then; `None` where they leave it.
    #[must_use]
    pub const fn share(self, rules: &Rules) -> Option<Share> {
        match self {
            Self::NoMove => Some(rules.no_move),
            Self::Repetition => Some(rules.repetition_share),
            Self::PlyLimit => Some(rules.limit_share),
            Self::Majority | Self::EvenSplit | Self::BoardEmpty => None,
        }
    }

    /// The ending that a number stands for; `None` for 0, a game that goes on.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|ending| ending.code() == code)
    }
}

/// A board, the player to move and the seeds that an ending gave to nobody.
///
/// ```
/// use oware::{Move, Position, Rules, Termination};
///
/// let rules = Rules::default();
/// let position = Position::from_dashed("1-0-0-0-0-1-1-3-0-0-0-0-4-1-S", &rules)?;
/// let ply = position.play(&rules, Move::new(5).unwrap())?;
/// assert_eq!(ply.taken, 2);
/// assert_eq!(ply.after.to_dashed(), "1-0-0-0-0-0-0-3-0-0-0-0-6-1-N");
/// assert_eq!(ply.after.ending(&rules), Some(Termination::Majority));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// Pits and stores.
    pub board: Board,
    /// The player to move.
    pub mover: Seat,
    /// 1 after the split of an odd number of seeds, else 0.
    pub unawarded: u8,
}

/// Why a move cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IllegalReason {
    /// The game is over.
    GameOver,
    /// There is nothing to sow.
    EmptyPit,
    /// The opponent's row is empty and the move puts no seed into it.
    DoesNotFeed,
    /// The move leaves the opponent without a seed and another one would not.
    Starves,
}

/// A move that the rules do not allow here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalMove {
    /// The move.
    pub mv: Move,
    /// What is wrong with it.
    pub reason: IllegalReason,
    /// The moves that are legal.
    pub legal: MoveSet,
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "action {} ", self.mv.index())?;
        f.write_str(match self.reason {
            IllegalReason::GameOver => return f.write_str("comes after the end of the game"),
            IllegalReason::EmptyPit => "is an empty pit",
            IllegalReason::DoesNotFeed => "does not feed the opponent, whose row is empty",
            IllegalReason::Starves => "leaves the opponent without a seed",
        })?;
        write!(f, "; legal: {}", self.legal)
    }
}

impl Error for IllegalMove {}

/// A move that was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The position that arose, before any ending shares out its seeds.
    pub after: Position,
    /// The pits that the mover captured.
    pub captured: PitSet,
    /// The seeds that the mover captured.
    pub taken: u8,
}

impl Position {
    /// The position in which a game starts.
    #[must_use]
    pub const fn start(rules: &Rules) -> Self {
        let board = Board::new([rules.seeds_per_pit.get(); PITS], BySeat::new(0, 0));
        Self { board, mover: Seat::South, unawarded: 0 }
    }

    /// The moves that the rules allow the mover, as if nothing had ended the game.
    #[must_use]
    pub fn legal_moves(&self, rules: &Rules) -> MoveSet {
        sowing::legal_moves(&self.board, self.mover, rules)
    }

    /// Plays a legal move.
    ///
    /// # Errors
    /// [`IllegalMove`] says why the rules do not allow it.
    pub fn play(&self, rules: &Rules, mv: Move) -> Result<Ply, IllegalMove> {
        let legal = self.legal_moves(rules);
        if !legal.contains(mv) {
            return Err(self.refusal(rules, mv, legal));
        }
        let sown = sowing::sow(&self.board, self.mover, mv, rules.grand_slam);
        let after = Self { board: sown.board, mover: self.mover.other(), unawarded: self.unawarded };
        Ok(Ply { after, captured: sown.captured, taken: sown.taken })
    }

    /// Why `mv` is not among the legal moves.
    pub(crate) fn refusal(&self, rules: &Rules, mv: Move, legal: MoveSet) -> IllegalMove {
        let reason = if self.board.seeds(mv.pit(self.mover)) == 0 {
            IllegalReason::EmptyPit
        } else if rules.grand_slam == GrandSlam::Forbidden {
            IllegalReason::Starves
        } else {
            IllegalReason::DoesNotFeed
        };
        IllegalMove { mv, reason, legal }
    }

    /// The ending that this position brings by itself, with no regard to history.
    #[must_use]
    pub fn ending(&self, rules: &Rules) -> Option<Termination> {
        let Board { stores, .. } = self.board;
        if rules.majority_ends {
            let total = u16::from(self.total_seeds());
            let twice = |store: u8| 2 * u16::from(store);
            if twice(stores.south) > total || twice(stores.north) > total {
                return Some(Termination::Majority);
            }
            if twice(stores.south) == total && twice(stores.north) == total {
                return Some(Termination::EvenSplit);
            }
        }
        if self.board.board_seeds() == 0 {
            Some(Termination::BoardEmpty)
        } else if self.legal_moves(rules).is_empty() {
            Some(Termination::NoMove)
        } else {
            None
        }
    }

    /// The seeds of the whole game: pits, stores and what an ending gave to nobody.
    #[must_use]
    pub fn total_seeds(&self) -> u8 {
        self.board.total_seeds() + self.unawarded
    }

    /// Shares out the seeds on the board.
    pub(crate) fn share_out(&mut self, share: Share) {
        match share {
            Share::OwnSide => {
                for seat in Seat::ALL {
                    self.board.stores[seat] += self.board.lift_row(seat);
                }
            }
            Share::Split => {
                let left: u8 = Seat::ALL.into_iter().map(|seat| self.board.lift_row(seat)).sum();
                for seat in Seat::ALL {
                    self.board.stores[seat] += left / 2;
                }
                self.unawarded += left % 2;
            }
            Share::Stay => {}
        }
    }

    /// The player with more seeds in store; `None` when they are equal.
    #[must_use]
    pub fn leader(&self) -> Option<Seat> {
        let BySeat { south, north } = self.board.stores;
        match south.cmp(&north) {
            std::cmp::Ordering::Greater => Some(Seat::South),
            std::cmp::Ordering::Less => Some(Seat::North),
            std::cmp::Ordering::Equal => None,
        }
    }
}
