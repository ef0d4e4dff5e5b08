//! The rules as data: every dispute is one field, a named rule set is a value of all fields.

use std::error::Error;
use std::fmt;
use std::num::NonZeroU32;

/// A word that is none of the names a field or a rule set can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// What was to be named.
    pub what: &'static str,
    /// The word.
    pub name: String,
    /// The names there are.
    pub known: Vec<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, name, known } = self;
        write!(f, "unknown {what} {name:?}; known: {}", known.join(", "))
    }
}

impl Error for UnknownName {}

/// Declares an enum whose variants have the names that Python and the case files use.
macro_rules! named_enum {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// Every value, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The value's name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::rules::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                match name {
                    $($word => Ok(Self::$variant),)+
                    _ => {
                        let known = vec![$($word,)+];
                        Err($crate::rules::UnknownName { what: $what, name: name.to_owned(), known })
                    }
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub(crate) use named_enum;

named_enum! {
    /// What becomes of a capture that would take every seed the opponent has left.
    GrandSlam, "grand_slam" {
        /// The move is legal, the seeds stay where they were sown.
        CaptureNothing = "capture_nothing",
        /// A move that leaves the opponent without a seed is illegal while another leaves them one.
        Forbidden = "forbidden",
        /// The move is legal and takes them.
        CaptureAll = "capture_all",
        /// All but the pit where the last seed fell is taken.
        LeaveLandingPit = "leave_landing_pit",
        /// All but the captured pit that is first in sowing order is taken.
        LeaveFarPit = "leave_far_pit",
        /// The capture is made and every seed left on the board goes to the opponent.
        OpponentTakesRest = "opponent_takes_rest",
    }
}

named_enum! {
    /// Whether a player must give seeds to an opponent who has none in their row.
    Feeding, "feeding" {
        /// Only moves that put a seed into the empty row are legal.
        Required = "required",
        /// There is no such duty.
        Free = "free",
    }
}

named_enum! {
    /// How an ending shares out the seeds that are left on the board.
    Share, "share" {
        /// Each player takes the seeds of their own row.
        OwnSide = "own_side",
        /// Half each; an odd seed is nobody's.
        Split = "split",
        /// The seeds stay where they are.
        Stay = "stay",
    }
}

/// How many times a position arises before repetition ends the game: two or more.
///
/// ```
/// use oware::{Occurrences, Rules};
///
/// let patient = Rules { repetition: Occurrences::new(5), ..Rules::default() };
/// assert_eq!(patient.repetition.map(Occurrences::get), Some(5));
/// assert_eq!(Occurrences::new(1), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Occurrences(NonZeroU32);

impl Occurrences {
    /// The second occurrence.
    pub const TWICE: Self = Self(NonZeroU32::MIN.saturating_add(1));
    /// The third occurrence.
    pub const THRICE: Self = Self(NonZeroU32::MIN.saturating_add(2));

    /// A count, if it is at least 2.
    #[must_use]
    pub fn new(count: u32) -> Option<Self> {
        NonZeroU32::new(count).filter(|count| count.get() >= 2).map(Self)
    }

    /// The count.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

/// The seeds in each pit at the start: 1 to 20.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SeedsPerPit(u8);

impl SeedsPerPit {
    /// Four, as nearly everywhere.
    pub const FOUR: Self = Self(4);
    /// The most that there can be.
    pub const MAX: u8 = 20;

    /// A number of seeds, if it is 1 to 20.
    #[must_use]
    pub const fn new(seeds: u8) -> Option<Self> {
        if seeds >= 1 && seeds <= Self::MAX { Some(Self(seeds)) } else { None }
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }

    /// The seeds of the whole game, 12 to 240.
    #[must_use]
    pub const fn total(self) -> u8 {
        self.0 * crate::pit::PITS as u8
    }
}

/// A rule set: one value for every point on which players disagree.
///
/// ```
/// use oware::{GrandSlam, Rules};
///
/// let house = Rules { grand_slam: GrandSlam::CaptureAll, ..Rules::default() };
/// assert_eq!(house.diff(&Rules::default())[0].field, "grand_slam");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// What becomes of a capture that would take every seed the opponent has left.
    pub grand_slam: GrandSlam,
    /// Whether an empty opponent's row must be fed; without effect under [`GrandSlam::Forbidden`].
    pub feeding: Feeding,
    /// How the seeds are shared when the mover has no legal move.
    pub no_move: Share,
    /// How often a position arises, counted since the last capture, before the game ends; `None`: no such rule.
    pub repetition: Option<Occurrences>,
    /// Whether a position with an empty row is left out of that count.
    pub repetition_needs_both_rows: bool,
    /// How the seeds are shared when repetition ends the game.
    pub repetition_share: Share,
    /// The plies after which the game ends; `None`: no such rule.
    pub max_plies: Option<NonZeroU32>,
    /// How the seeds are shared when the ply limit ends the game.
    pub limit_share: Share,
    /// Whether more than half of all seeds, or half for each player, ends the game.
    pub majority_ends: bool,
    /// The seeds in each pit at the start.
    pub seeds_per_pit: SeedsPerPit,
}

const ABAPA: Rules = Rules {
    grand_slam: GrandSlam::CaptureNothing,
    feeding: Feeding::Required,
    no_move: Share::OwnSide,
    repetition: Some(Occurrences::THRICE),
    repetition_needs_both_rows: true,
    repetition_share: Share::OwnSide,
    max_plies: None,
    limit_share: Share::OwnSide,
    majority_ends: true,
    seeds_per_pit: SeedsPerPit::FOUR,
};

/// The named rule sets, the default one first.
pub const RULE_SETS: [(&str, Rules); 8] = [
    ("abapa", ABAPA),
    ("harvest", Rules { repetition: None, max_plies: NonZeroU32::new(200), ..ABAPA }),
    ("nineqm", ABAPA),
    ("village", Rules { grand_slam: GrandSlam::Forbidden, repetition: None, ..ABAPA }),
    (
        "awari",
        Rules {
            grand_slam: GrandSlam::Forbidden,
            repetition: Some(Occurrences::TWICE),
            repetition_needs_both_rows: false,
            repetition_share: Share::Split,
            majority_ends: false,
            ..ABAPA
        },
    ),
    ("open_spiel", Rules { repetition: Some(Occurrences::TWICE), repetition_needs_both_rows: false, ..ABAPA }),
    ("auale", Rules { repetition: Some(Occurrences::TWICE), ..ABAPA }),
    ("codingame", Rules { repetition: None, max_plies: NonZeroU32::new(200), limit_share: Share::Stay, ..ABAPA }),
];

impl Default for Rules {
    /// The rule set `abapa`.
    fn default() -> Self {
        ABAPA
    }
}

/// One field in which two rule sets differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDiff {
    /// The field's name.
    pub field: &'static str,
    /// Its value in the first rule set, as text.
    pub left: String,
    /// Its value in the second one, as text.
    pub right: String,
}

impl Rules {
    /// The rule set with this name.
    ///
    /// # Errors
    /// [`UnknownName`] lists the names there are.
    pub fn named(name: &str) -> Result<Self, UnknownName> {
        RULE_SETS.iter().find(|(known, _)| *known == name).map(|&(_, rules)| rules).ok_or_else(|| UnknownName {
            what: "rule set",
            name: name.to_owned(),
            known: RULE_SETS.iter().map(|&(known, _)| known).collect(),
        })
    }

    /// Every field with its value as text, in the order of declaration; `0` and `None` stand for a rule that is off.
    #[must_use]
    pub fn fields(&self) -> [(&'static str, String); 10] {
        [
            ("grand_slam", self.grand_slam.to_string()),
            ("feeding", self.feeding.to_string()),
            ("no_move", self.no_move.to_string()),
            ("repetition", self.repetition.map_or(0, Occurrences::get).to_string()),
            ("repetition_needs_both_rows", self.repetition_needs_both_rows.to_string()),
            ("repetition_share", self.repetition_share.to_string()),
            ("max_plies", self.max_plies.map_or_else(|| "None".to_owned(), |plies| plies.to_string())),
            ("limit_share", self.limit_share.to_string()),
            ("majority_ends", self.majority_ends.to_string()),
            ("seeds_per_pit", self.seeds_per_pit.get().to_string()),
        ]
    }

    /// The rules whose [`fields`](Self::fields) have these values; those that are missing have their default. `None`
    /// for a field that there is not, and for a value that it cannot have.
    ///
    /// ```
    /// let rules = oware::Rules::from_fields([("repetition", "0"), ("max_plies", "200")]);
    /// assert_eq!(rules.and_then(|rules| rules.repetition), None);
    /// assert_eq!(oware::Rules::from_fields([("feeding", "always")]), None);
    /// ```
    #[must_use]
    pub fn from_fields<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let mut rules = Self::default();
        for (field, value) in fields {
            match (field, value) {
                ("grand_slam", _) => rules.grand_slam = value.parse().ok()?,
                ("feeding", _) => rules.feeding = value.parse().ok()?,
                ("no_move", _) => rules.no_move = value.parse().ok()?,
                ("repetition", "0") => rules.repetition = None,
                ("repetition", _) => rules.repetition = Some(Occurrences::new(value.parse().ok()?)?),
                ("repetition_needs_both_rows", _) => rules.repetition_needs_both_rows = value.parse().ok()?,
                ("repetition_share", _) => rules.repetition_share = value.parse().ok()?,
                ("max_plies", "None") => rules.max_plies = None,
                ("max_plies", _) => rules.max_plies = Some(value.parse().ok()?),
                ("limit_share", _) => rules.limit_share = value.parse().ok()?,
                ("majority_ends", _) => rules.majority_ends = value.parse().ok()?,
                ("seeds_per_pit", _) => rules.seeds_per_pit = SeedsPerPit::new(value.parse().ok()?)?,
                _ => return None,
            }
        }
        Some(rules)
    }

    /// The fields in which two rule sets differ.
    #[must_use]
    pub fn diff(&self, other: &Self) -> Vec<FieldDiff> {
        self.fields()
            .into_iter()
            .zip(other.fields())
            .filter(|((_, left), (_, right))| left != right)
            .map(|((field, left), (_, right))| FieldDiff { field, left, right })
            .collect()
    }

    /// The rules in plain words, one sentence a line.
    ///
    /// ```
    /// let text = oware::Rules::default().describe();
    /// assert_eq!(text.lines().next(), Some("Each pit holds 4 seeds at the start, 48 seeds in all."));
    /// ```
    #[must_use]
    pub fn describe(&self) -> String {
        let mut lines = vec![
            format!(
                "Each pit holds {} at the start, {} in all.",
                seeds(self.seeds_per_pit.get()),
                seeds(self.seeds_per_pit.total())
            ),
            match self.grand_slam {
                GrandSlam::CaptureNothing => {
                    "A capture that would take every seed the opponent has left takes nothing."
                }
                GrandSlam::Forbidden => {
                    "A move that leaves the opponent without a seed, by capturing all or by not feeding, is illegal \
                     while another move leaves them one; if none does, any non-empty pit may be played, and captures."
                }
                GrandSlam::CaptureAll => "A capture may take every seed the opponent has left.",
                GrandSlam::LeaveLandingPit => {
                    "A capture that would take every seed the opponent has left leaves the pit where the last seed \
                     fell."
                }
                GrandSlam::LeaveFarPit => {
                    "A capture that would take every seed the opponent has left leaves the captured pit that is \
                     first in sowing order."
                }
                GrandSlam::OpponentTakesRest => {
                    "A capture of every seed the opponent has left is made, but all seeds that remain on the board go \
                     to the opponent and the game ends."
                }
            }
            .to_owned(),
        ];
        if self.grand_slam != GrandSlam::Forbidden {
            lines.push(
                match self.feeding {
                    Feeding::Required => "While the opponent's row is empty, a move must put a seed into it.",
                    Feeding::Free => "An opponent whose row is empty need not be given a seed.",
                }
                .to_owned(),
            );
        }
        if self.majority_ends {
            lines.push(
                "The game ends when a player has more than half of all seeds, or both have exactly half.".to_owned(),
            );
        }
        lines.push(format!("The game ends when the mover has no legal move: {}.", shared(self.no_move)));
        match self.repetition {
            Some(count) => lines.push(format!(
                "The game ends when a position{} has arisen {} since the last capture: {}.",
                if self.repetition_needs_both_rows { " with seeds in both rows" } else { "" },
                times(count.get()),
                shared(self.repetition_share)
            )),
            None => lines.push("Repeated positions do not end the game.".to_owned()),
        }
        match self.max_plies {
            Some(plies) => lines.push(format!(
                "The game ends after {plies} {}: {}.",
                if plies.get() == 1 { "ply" } else { "plies" },
                shared(self.limit_share)
            )),
            None => lines.push("There is no limit on the number of plies.".to_owned()),
        }
        lines.push("The player with more seeds in store wins.".to_owned());
        lines.join("\n")
    }
}

fn seeds(count: u8) -> String {
    if count == 1 { "1 seed".to_owned() } else { format!("{count} seeds") }
}

fn times(count: u32) -> String {
    match count {
        2 => "twice".to_owned(),
        3 => "three times".to_owned(),
        _ => format!("{count} times"),
    }
}

const fn shared(share: Share) -> &'static str {
    match share {
        Share::OwnSide => "each player takes the seeds in their own row",
        Share::Split => "the seeds on the board are split in half, an odd one is nobody's",
        Share::Stay => "the seeds on the board count for nobody",
    }
}
