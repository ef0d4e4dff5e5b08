//! What of a rule set decides the values of a database.

use std::fmt;

use crate::rules::{Feeding, GrandSlam, RULE_SETS, Rules, Share};

/// The fields of [`Rules`] on which endgame values depend; a database has one key.
///
/// Rule sets that differ only in other fields share a database: a value takes no account of history, of stores or of
/// the start. Values that cannot matter are brought to one: under [`GrandSlam::Forbidden`], `feeding` has no effect;
/// [`Share::Split`] and [`Share::Stay`] both give the players as much as each other.
///
/// ```
/// use oware::Rules;
/// use oware::endgame::Key;
///
/// let key = |name| Rules::named(name).map(|rules| Key::of(&rules));
/// assert_eq!(key("village")?, key("awari")?);
/// assert_ne!(key("abapa")?, key("awari")?);
/// assert_eq!(key("awari")?.to_string(), "grand_slam=forbidden, feeding=required, no_move=own_side");
/// # Ok::<(), oware::UnknownName>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    grand_slam: GrandSlam,
    feeding: Feeding,
    no_move: Share,
}

impl Key {
    /// The key of a rule set.
    #[must_use]
    pub const fn of(rules: &Rules) -> Self {
        let Rules { grand_slam, feeding, no_move, .. } = *rules;
        Self {
            grand_slam,
            feeding: if matches!(grand_slam, GrandSlam::Forbidden) { Feeding::Required } else { feeding },
            no_move: if matches!(no_move, Share::OwnSide) { Share::OwnSide } else { Share::Split },
        }
    }

    /// Every key that there is.
    pub fn all() -> impl Iterator<Item = Self> {
        let mut keys = Vec::new();
        for &grand_slam in GrandSlam::ALL {
            for &feeding in Feeding::ALL {
                for &no_move in Share::ALL {
                    let key = Self::of(&Rules { grand_slam, feeding, no_move, ..Rules::default() });
                    if !keys.contains(&key) {
                        keys.push(key);
                    }
                }
            }
        }
        keys.into_iter()
    }

    /// What becomes of a capture of all the opponent's seeds.
    #[must_use]
    pub const fn grand_slam(self) -> GrandSlam {
        self.grand_slam
    }

    /// Whether an empty row must be fed.
    #[must_use]
    pub const fn feeding(self) -> Feeding {
        self.feeding
    }

    /// How the seeds are shared when the mover has no legal move.
    #[must_use]
    pub const fn no_move(self) -> Share {
        self.no_move
    }

    /// The named rule sets with this key.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        RULE_SETS.iter().filter(move |(_, rules)| Self::of(rules) == self).map(|&(name, _)| name)
    }

    /// Rules with this key, under which a move does what it does in the database.
    #[must_use]
    pub(crate) fn rules(self) -> Rules {
        let Self { grand_slam, feeding, no_move } = self;
        Rules { grand_slam, feeding, no_move, repetition: None, majority_ends: false, ..Rules::default() }
    }

    /// The key as three bytes.
    pub(super) const fn code(self) -> [u8; 3] {
        [
            match self.grand_slam {
                GrandSlam::CaptureNothing => 0,
                GrandSlam::Forbidden => 1,
                GrandSlam::CaptureAll => 2,
                GrandSlam::LeaveLandingPit => 3,
                GrandSlam::LeaveFarPit => 4,
                GrandSlam::OpponentTakesRest => 5,
            },
            match self.feeding {
                Feeding::Required => 0,
                Feeding::Free => 1,
            },
            match self.no_move {
                Share::OwnSide => 0,
                Share::Split | Share::Stay => 1,
            },
        ]
    }

    /// The key of three bytes.
    pub(super) fn from_code(code: [u8; 3]) -> Option<Self> {
        Self::all().find(|key| key.code() == code)
    }
}

/// The fields as `name=value`.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { grand_slam, feeding, no_move } = self;
        write!(f, "grand_slam={grand_slam}, feeding={feeding}, no_move={no_move}")
    }
}
