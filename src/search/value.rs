//! What a position is worth: net seeds, in hundredths.

use std::fmt;
use std::ops::Neg;

/// Net seeds in hundredths: the mover's less the opponent's.
///
/// A value from the rules or from a database is a whole number of seeds, an evaluation need not be.
///
/// ```
/// use oware::search::Value;
///
/// let value = Value::from_hundredths(-250);
/// assert_eq!(value.seeds(), -2.5);
/// assert_eq!((-value).to_string(), "2.50");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(i32);

/// A seed in the unit of a value.
pub(super) const SEED: i32 = 100;

impl Value {
    /// So many hundredths of a seed.
    #[must_use]
    pub const fn from_hundredths(hundredths: i32) -> Self {
        Self(hundredths)
    }

    /// The value in hundredths of a seed.
    #[must_use]
    pub const fn hundredths(self) -> i32 {
        self.0
    }

    /// The value in seeds.
    #[must_use]
    pub fn seeds(self) -> f64 {
        f64::from(self.0) / f64::from(SEED)
    }
}

impl Neg for Value {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2}", self.seeds())
    }
}
