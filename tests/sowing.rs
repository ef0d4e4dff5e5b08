//! How one move works: sowing, laps, captures, grand slams, feeding. Pits in test names are counted 1 to 6 from
//! their owner's left, as rule pages count them; in the code they are counted from 0, South's first.

mod support;

use oware::{Feeding, Game, GrandSlam, IllegalReason, Rules, Termination};
use support::{game, moves, mv, named, per_pit, play, stand, turned};

/// Plays one move from a set-up, from either side of the board, and says what board and what capture came of it.
fn played(rules: Rules, dashed: &str, index: usize) -> (String, u8) {
    let mut south = game(rules, dashed);
    let mut north = Game::from_position(rules, turned(south.position()), 0);
    let captured = play(&mut south, &[index]);
    assert_eq!(play(&mut north, &[index]), captured, "captures from the other side");
    assert_eq!(turned(north.position()), *south.position(), "the board from the other side");
    assert_eq!(north.outcome().map(|end| end.termination), south.outcome().map(|end| end.termination));
    (south.position().to_dashed(), captured)
}

fn slam(grand_slam: GrandSlam) -> Rules {
    Rules { grand_slam, ..Rules::default() }
}

#[test]
fn three_seeds_from_pit_3_end_in_pit_6() {
    let after = played(Rules::default(), "0-0-3-0-0-0-4-4-4-4-4-4-0-0-S", 2);
    assert_eq!(after, ("0-0-0-1-1-1-4-4-4-4-4-4-0-0-N".to_owned(), 0));
}

#[test]
fn twelve_seeds_from_pit_1_pass_over_it_and_end_in_pit_2() {
    let after = played(Rules::default(), "12-0-0-0-0-0-4-4-4-4-4-4-0-0-S", 0);
    assert_eq!(after, ("0-2-1-1-1-1-5-5-5-5-5-5-0-0-N".to_owned(), 0));
}

#[test]
fn four_seeds_from_pit_4_take_the_opponents_pit_2_and_not_their_pit_1() {
    let after = played(Rules::default(), "0-0-0-4-0-0-3-2-1-0-0-0-0-0-S", 3);
    assert_eq!(after, ("0-0-0-0-1-1-4-0-1-0-0-0-3-0-N".to_owned(), 3));
}

#[test]
fn eleven_seeds_reach_every_other_pit() {
    let after = played(Rules::default(), "0-0-11-0-0-0-4-4-4-4-4-4-0-0-S", 2);
    assert_eq!(after, ("1-1-0-1-1-1-5-5-5-5-5-5-0-0-N".to_owned(), 0));
}

#[test]
fn a_lap_passes_over_the_origin_each_time() {
    // 23 = 2 x 11 + 1: two seeds in every other pit, a third in the next one.
    let after = played(Rules::default(), "0-0-0-0-0-23-4-4-4-4-4-4-0-0-S", 5);
    assert_eq!(after, ("2-2-2-2-2-0-7-6-6-6-6-6-0-0-N".to_owned(), 0));
    // 36 = 3 x 11 + 3 falls in the same pit as 3 seeds do.
    let after = played(Rules::default(), "36-0-0-0-0-0-0-0-0-0-0-0-0-0-S", 0);
    assert_eq!(after, ("0-4-4-4-3-3-3-3-3-3-3-3-0-0-N".to_owned(), 0));
}

#[test]
fn a_lap_captures_what_it_makes_two_or_three() {
    // 18 = 11 + 7: a second seed falls in pits 1 and 2 of the opponent.
    let after = played(Rules::default(), "18-0-0-0-0-0-0-1-3-0-0-0-0-0-S", 0);
    assert_eq!(after, ("0-2-2-2-2-2-0-0-4-1-1-1-5-0-N".to_owned(), 5));
}

#[test]
fn the_most_seeds_there_can_be_are_sown() {
    // 240 = 21 x 11 + 9.
    let rules = Rules { seeds_per_pit: per_pit(20), ..Rules::default() };
    let after = played(rules, "0-240-0-0-0-0-0-0-0-0-0-0-0-0-S", 1);
    assert_eq!(after, ("21-0-22-22-22-22-22-22-22-22-22-21-0-0-N".to_owned(), 0));
}

#[test]
fn a_capture_walks_backwards_over_twos_and_threes() {
    let after = played(Rules::default(), "0-0-0-0-0-4-1-2-1-2-0-5-0-0-S", 5);
    assert_eq!(after, ("0-0-0-0-0-0-0-0-0-0-0-5-10-0-N".to_owned(), 10));
}

#[test]
fn a_capture_stops_at_the_first_other_pit() {
    let after = played(Rules::default(), "0-0-0-0-0-4-1-3-1-2-0-5-0-0-S", 5);
    assert_eq!(after, ("0-0-0-0-0-0-2-4-0-0-0-5-5-0-N".to_owned(), 5));
}

#[test]
fn a_capture_needs_two_or_three_where_the_last_seed_falls() {
    for (before, after) in [("0", "1"), ("3", "4")] {
        let after = format!("0-0-0-0-0-0-2-{after}-0-0-0-5-0-0-N");
        assert_eq!(played(Rules::default(), &format!("0-0-0-0-0-2-1-{before}-0-0-0-5-0-0-S"), 5), (after, 0));
    }
}

#[test]
fn a_capture_never_reaches_the_movers_own_row() {
    // The chain runs down to the opponent's pit 1; the mover's pits 5 and 6, which hold 2 and 3, stay.
    let after = played(Rules::default(), "0-0-0-3-1-2-1-0-0-0-0-5-0-0-S", 3);
    assert_eq!(after, ("0-0-0-0-2-3-0-0-0-0-0-5-2-0-N".to_owned(), 2));
}

#[test]
fn nothing_is_captured_in_the_movers_own_row() {
    let after = played(Rules::default(), "1-1-0-0-0-0-4-4-4-4-4-4-0-0-S", 0);
    assert_eq!(after, ("0-2-0-0-0-0-4-4-4-4-4-4-0-0-N".to_owned(), 0));
}

/// South's pit 6 makes two, three and two of the opponent's three pits, which are all that they have.
const SLAM: &str = "1-0-0-0-0-3-1-2-1-0-0-0-0-0-S";

#[test]
fn grand_slam_capture_nothing() {
    let after = played(slam(GrandSlam::CaptureNothing), SLAM, 5);
    assert_eq!(after, ("1-0-0-0-0-0-2-3-2-0-0-0-0-0-N".to_owned(), 0));
}

#[test]
fn grand_slam_forbidden() {
    let mut game = game(slam(GrandSlam::Forbidden), SLAM);
    assert_eq!(game.legal_moves(), moves(&[0]));
    let refusal = game.play(mv(5)).unwrap_err();
    assert_eq!((refusal.reason, refusal.legal), (IllegalReason::Starves, moves(&[0])));
    assert_eq!(refusal.to_string(), "action 5 leaves the opponent without a seed; legal: 0");
}

#[test]
fn grand_slam_forbidden_captures_where_every_move_starves() {
    // Without another pit to play, the slam is legal; nothing is left, so nobody shares anything.
    let mut game = game(Rules { majority_ends: false, ..slam(GrandSlam::Forbidden) }, "0-0-0-0-0-3-1-2-1-0-0-0-0-0-S");
    assert_eq!(game.legal_moves(), moves(&[5]));
    assert_eq!(play(&mut game, &[5]), 7);
    assert_eq!(stand(&game), ("0-0-0-0-0-0-0-0-0-0-0-0-7-0-N".to_owned(), Some(Termination::BoardEmpty)));
}

#[test]
fn grand_slam_forbidden_lets_every_pit_be_played_where_every_move_starves() {
    // The opponent has nothing and nothing can reach them: the mover sweeps the board afterwards.
    let rules = Rules { majority_ends: false, ..named("village") };
    let mut game = game(rules, "2-0-1-0-0-0-0-0-0-0-0-0-0-0-S");
    assert_eq!(game.legal_moves(), moves(&[0, 2]));
    play(&mut game, &[0]);
    assert_eq!(stand(&game), ("0-0-0-0-0-0-0-0-0-0-0-0-3-0-N".to_owned(), Some(Termination::NoMove)));
}

#[test]
fn grand_slam_forbidden_allows_a_smaller_capture() {
    let after = played(slam(GrandSlam::Forbidden), "1-0-0-0-0-3-1-2-1-0-0-1-0-0-S", 5);
    assert_eq!(after, ("1-0-0-0-0-0-0-0-0-0-0-1-7-0-N".to_owned(), 7));
}

#[test]
fn grand_slam_capture_all() {
    let rules = Rules { majority_ends: false, ..slam(GrandSlam::CaptureAll) };
    let mut game = game(rules, SLAM);
    assert_eq!(play(&mut game, &[5]), 7);
    // North has nothing to play: South takes the seed in their own row.
    assert_eq!(stand(&game), ("0-0-0-0-0-0-0-0-0-0-0-0-8-0-N".to_owned(), Some(Termination::NoMove)));
}

#[test]
fn grand_slam_leave_landing_pit() {
    let after = played(slam(GrandSlam::LeaveLandingPit), SLAM, 5);
    assert_eq!(after, ("1-0-0-0-0-0-0-0-2-0-0-0-5-0-N".to_owned(), 5));
}

#[test]
fn grand_slam_leave_far_pit() {
    let after = played(slam(GrandSlam::LeaveFarPit), SLAM, 5);
    assert_eq!(after, ("1-0-0-0-0-0-2-0-0-0-0-0-5-0-N".to_owned(), 5));
}

#[test]
fn grand_slam_of_one_pit_leaves_that_one() {
    for kind in [GrandSlam::LeaveLandingPit, GrandSlam::LeaveFarPit] {
        let after = played(slam(kind), "1-0-0-0-0-1-1-0-0-0-0-0-0-0-S", 5);
        assert_eq!(after, ("1-0-0-0-0-0-2-0-0-0-0-0-0-0-N".to_owned(), 0), "{kind}");
    }
}

#[test]
fn grand_slam_opponent_takes_rest() {
    let rules = slam(GrandSlam::OpponentTakesRest);
    for (before, captured, after, ending) in [
        // 7 seeds against the one left on the board, in all three ways to end.
        (SLAM, 7, "0-0-0-0-0-0-0-0-0-0-0-0-7-1-N", Termination::Majority),
        ("3-4-0-0-0-3-1-2-1-0-0-0-0-0-S", 7, "0-0-0-0-0-0-0-0-0-0-0-0-7-7-N", Termination::EvenSplit),
    ] {
        let mut game = game(rules, before);
        assert_eq!(play(&mut game, &[5]), captured, "shares of an ending are no captures");
        assert_eq!(stand(&game), (after.to_owned(), Some(ending)));
    }
    let mut game = game(Rules { majority_ends: false, ..rules }, SLAM);
    play(&mut game, &[5]);
    assert_eq!(stand(&game), ("0-0-0-0-0-0-0-0-0-0-0-0-7-1-N".to_owned(), Some(Termination::BoardEmpty)));
}

#[test]
fn grand_slam_is_no_matter_where_the_opponent_keeps_a_seed() {
    for &kind in GrandSlam::ALL {
        let after = played(slam(kind), "9-0-0-0-0-3-1-2-1-0-0-1-0-0-S", 5);
        assert_eq!(after, ("9-0-0-0-0-0-0-0-0-0-0-1-7-0-N".to_owned(), 7), "{kind}");
    }
}

/// North has no seed; of South's pits, 4 and 6 reach them and 1 does not.
const HUNGRY: &str = "2-0-0-3-0-1-0-0-0-0-0-0-0-0-S";

#[test]
fn feeding_required() {
    let mut game = game(Rules::default(), HUNGRY);
    assert_eq!(game.legal_moves(), moves(&[3, 5]));
    let refusal = game.play(mv(0)).unwrap_err();
    assert_eq!(refusal.reason, IllegalReason::DoesNotFeed);
    assert_eq!(refusal.to_string(), "action 0 does not feed the opponent, whose row is empty; legal: 3, 5");
    assert_eq!(game.play(mv(1)).unwrap_err().reason, IllegalReason::EmptyPit);
    play(&mut game, &[3]);
    assert_eq!(stand(&game), ("2-0-0-0-1-2-1-0-0-0-0-0-0-0-N".to_owned(), None));
}

#[test]
fn feeding_required_and_impossible_ends_the_game() {
    let game = game(Rules { majority_ends: false, ..Rules::default() }, "5-0-0-2-1-0-0-0-0-0-0-0-9-1-S");
    assert_eq!(stand(&game), ("0-0-0-0-0-0-0-0-0-0-0-0-17-1-S".to_owned(), Some(Termination::NoMove)));
    assert!(game.legal_moves().is_empty());
}

#[test]
fn feeding_required_asks_nothing_while_the_opponent_has_a_seed() {
    let game = game(Rules::default(), "2-0-0-3-0-1-0-0-0-0-0-1-0-0-S");
    assert_eq!(game.legal_moves(), moves(&[0, 3, 5]));
}

#[test]
fn feeding_required_lets_a_mover_give_their_last_seed_away() {
    let mut game = game(Rules { majority_ends: false, ..Rules::default() }, "0-0-0-0-0-1-0-0-0-0-0-0-0-0-S");
    play(&mut game, &[5]);
    // North cannot feed South from there.
    assert_eq!(stand(&game), ("0-0-0-0-0-0-0-0-0-0-0-0-0-1-N".to_owned(), Some(Termination::NoMove)));
}

#[test]
fn feeding_required_looks_at_the_sowing_and_not_at_the_capture() {
    // Two laps put two seeds into each pit of the empty row, and the slam takes them all.
    let rules = Rules { majority_ends: false, ..slam(GrandSlam::CaptureAll) };
    let mut game = game(rules, "22-0-0-0-0-0-0-0-0-0-0-0-0-0-S");
    assert_eq!(game.legal_moves(), moves(&[0]));
    assert_eq!(play(&mut game, &[0]), 12);
    assert_eq!(stand(&game), ("0-0-0-0-0-0-0-0-0-0-0-0-22-0-N".to_owned(), Some(Termination::NoMove)));
}

#[test]
fn feeding_free() {
    let rules = Rules { feeding: Feeding::Free, majority_ends: false, ..Rules::default() };
    let mut game = game(rules, HUNGRY);
    assert_eq!(game.legal_moves(), moves(&[0, 3, 5]));
    play(&mut game, &[0]);
    assert_eq!(stand(&game), ("0-0-0-0-0-0-0-0-0-0-0-0-6-0-N".to_owned(), Some(Termination::NoMove)));
}

#[test]
fn feeding_has_no_effect_where_starving_is_forbidden() {
    for &feeding in Feeding::ALL {
        let game = game(Rules { feeding, ..slam(GrandSlam::Forbidden) }, HUNGRY);
        assert_eq!(game.legal_moves(), moves(&[3, 5]), "{feeding}");
    }
}
