//! Set-ups: what is accepted, and every reason for a refusal.

#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in the tests but not in their helpers")]

mod support;

use oware::{BySeat, Rules, Seat, Setup, SetupFault};
use support::{per_pit, setup};

const PITS: [i64; 12] = [4; 12];

fn faults(setup: &Setup) -> Vec<SetupFault> {
    let error = setup.validate(&Rules::default()).unwrap_err();
    // The text is that of the faults.
    let texts: Vec<String> = error.faults.iter().map(ToString::to_string).collect();
    assert_eq!(error.to_string(), texts.join("; "));
    error.faults
}

#[test]
fn a_set_up_is_taken_as_it_is() {
    let pits = [0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 9];
    let position = setup(pits, [3, 8], 1).validate(&Rules::default()).unwrap();
    assert_eq!(position.board.pits().map(i64::from), pits);
    assert_eq!(position.board.stores, BySeat::new(3, 8));
    assert_eq!((position.mover, position.unawarded, position.total_seeds()), (Seat::North, 0, 48));
}

#[test]
fn unreachable_and_finished_positions_are_taken() {
    let rules = Rules::default();
    for (pits, stores) in [([0; 12], [0, 0]), ([0; 12], [48, 0]), ([0; 12], [24, 24])] {
        assert!(setup(pits, stores, 0).validate(&rules).is_ok(), "{pits:?} {stores:?}");
    }
    let mut one_pit = [0; 12];
    one_pit[7] = 48;
    assert!(setup(one_pit, [0, 0], 0).validate(&rules).is_ok());
}

#[test]
fn as_many_seeds_as_the_rules_have_and_no_more() {
    for seeds in 1..=20 {
        let rules = Rules { seeds_per_pit: per_pit(seeds), ..Rules::default() };
        let most = 12 * seeds;
        let all = i64::from(most);
        for claim in [
            setup([i64::from(seeds); 12], [0, 0], 0),
            setup([0; 12], [all, 0], 0),
            setup([0; 12], [0, all], 1),
            setup([0, 0, 0, 0, 0, all, 0, 0, 0, 0, 0, 0], [0, 0], 1),
        ] {
            assert_eq!(claim.validate(&rules).unwrap().total_seeds(), most);
            let mut more = claim.clone();
            more.stores[0] += 1;
            let fault = SetupFault::TooManySeeds { total: all + 1, most };
            assert_eq!(more.validate(&rules).unwrap_err().faults, [fault]);
        }
    }
}

#[test]
fn there_are_twelve_pits() {
    for count in [0, 6, 11, 13, 14] {
        let claim = Setup { pits: vec![1; count], stores: vec![0, 0], to_move: 0 };
        assert_eq!(faults(&claim), [SetupFault::PitCount(count)]);
    }
    assert_eq!(SetupFault::PitCount(6).to_string(), "6 pits instead of 12");
}

#[test]
fn there_are_two_stores() {
    for count in [0, 1, 3] {
        let claim = Setup { pits: PITS.to_vec(), stores: vec![0; count], to_move: 0 };
        assert_eq!(faults(&claim), [SetupFault::StoreCount(count)]);
    }
    assert_eq!(SetupFault::StoreCount(3).to_string(), "3 stores instead of 2");
}

#[test]
fn no_pit_holds_fewer_than_no_seeds() {
    for pit in 0..12 {
        let mut pits = PITS;
        pits[pit] = -1;
        assert_eq!(faults(&setup(pits, [0, 0], 0)), [SetupFault::NegativePit { pit, seeds: -1 }]);
    }
    let fault = SetupFault::NegativePit { pit: 11, seeds: i64::MIN };
    assert_eq!(fault.to_string(), "pit 11 holds -9223372036854775808 seeds");
}

#[test]
fn no_store_holds_fewer_than_no_seeds() {
    assert_eq!(faults(&setup(PITS, [-7, 0], 0)), [SetupFault::NegativeStore { seat: Seat::South, seeds: -7 }]);
    assert_eq!(faults(&setup(PITS, [0, -7], 0)), [SetupFault::NegativeStore { seat: Seat::North, seeds: -7 }]);
    let fault = SetupFault::NegativeStore { seat: Seat::North, seeds: -7 };
    assert_eq!(fault.to_string(), "store of North holds -7 seeds");
}

#[test]
fn negative_counts_make_no_room_for_others() {
    let mut pits = PITS;
    pits[0] = -44;
    let expected = [SetupFault::NegativePit { pit: 0, seeds: -44 }, SetupFault::TooManySeeds { total: 92, most: 48 }];
    assert_eq!(faults(&setup(pits, [48, 0], 0)), expected);
}

#[test]
fn huge_counts_are_refused_without_overflow() {
    let fault = SetupFault::TooManySeeds { total: i64::MAX, most: 48 };
    assert_eq!(faults(&setup([i64::MAX; 12], [i64::MAX; 2], 0)), [fault]);
    assert_eq!(faults(&setup([256, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0], 0)).len(), 1);
    assert_eq!(
        fault.to_string(),
        "9223372036854775807 seeds in pits and stores, the rules have 48 (12 x seeds_per_pit)"
    );
}

#[test]
fn the_mover_is_0_or_1() {
    for to_move in [-1, 2, 255, 256, i64::MIN, i64::MAX] {
        assert_eq!(faults(&setup(PITS, [0, 0], to_move)), [SetupFault::Mover(to_move)]);
    }
    assert_eq!(SetupFault::Mover(2).to_string(), "to_move is 2, not 0 (South) or 1 (North)");
}

#[test]
fn every_fault_is_reported_at_once() {
    let claim = Setup { pits: vec![50, -1, 0, -2], stores: vec![-3, -4, 5], to_move: 9 };
    assert_eq!(
        faults(&claim),
        [
            SetupFault::PitCount(4),
            SetupFault::StoreCount(3),
            SetupFault::NegativePit { pit: 1, seeds: -1 },
            SetupFault::NegativePit { pit: 3, seeds: -2 },
            SetupFault::NegativeStore { seat: Seat::South, seeds: -3 },
            SetupFault::NegativeStore { seat: Seat::North, seeds: -4 },
            SetupFault::TooManySeeds { total: 55, most: 48 },
            SetupFault::Mover(9),
        ]
    );
}
