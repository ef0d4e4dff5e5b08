//! Published and cross-checked counts of the lines of play from the start.

use oware::{Game, Rules, perft};

const ABAPA: [u64; 12] =
    [6, 36, 190, 1014, 5219, 27332, 139_157, 711_414, 3_592_872, 18_137_964, 91_558_687, 460_005_710];

#[test]
fn counts_from_the_start() {
    for rules in ["abapa", "awari"] {
        let game = Game::new(Rules::named(rules).unwrap());
        for (depth, &lines) in (1..=10).zip(&ABAPA) {
            assert_eq!(perft(&game, depth), lines, "{rules} at depth {depth}");
        }
    }
}

#[test]
#[ignore = "slow: `make test-slow` runs it"]
fn deep_counts_from_the_start() {
    let abapa = Game::new(Rules::named("abapa").unwrap());
    assert_eq!(perft(&abapa, 11), ABAPA[10]);
    assert_eq!(perft(&abapa, 12), ABAPA[11]);
    let awari = Game::new(Rules::named("awari").unwrap());
    assert_eq!(perft(&awari, 11), ABAPA[10]);
    assert_eq!(perft(&awari, 12), 460_000_575);
}
