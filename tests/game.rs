//! Games: history, undo, outcome, the counting of positions and plies.

mod support;

use std::num::NonZeroU32;

use oware::{
    Game, GrandSlam, IllegalReason, Move, MoveSet, Occurrences, Outcome, Pit, PitSet, Position, Rules, Seat, Share,
    Termination,
};
use support::{fen, game, moves, mv, named, play, stand};

/// The fifth move captures.
const OPENING: &str = "AbCcBaDdEe";

#[test]
fn a_game_starts_with_four_seeds_in_each_pit_and_south_to_move() {
    let game = Game::new(Rules::default());
    assert_eq!(stand(&game), ("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S".to_owned(), None));
    assert_eq!((game.ply(), game.start_ply(), game.moves().len()), (0, 0, 0));
    assert_eq!((game.legal_moves(), game.occurrences()), (MoveSet::ALL, 1));
    assert_eq!((game.last_move(), game.last_captures().is_empty()), (None, true));
    assert_eq!(game.start(), &Position::start(&Rules::default()));
}

#[test]
fn a_game_keeps_its_moves_and_shows_the_last_one_with_its_captures() {
    let mut game = game(Rules::default(), "1-1-0-0-0-4-1-2-1-2-4-1-0-9-S");
    play(&mut game, &[5]);
    assert_eq!(game.last_move().map(Pit::index), Some(5));
    assert!(game.last_captures().iter().map(Pit::index).eq([6, 7, 8, 9]));
    play(&mut game, &[5]);
    assert_eq!(game.last_move().map(Pit::index), Some(11));
    assert!(game.last_captures().iter().map(Pit::index).eq([0]));
    play(&mut game, &[1]);
    assert_eq!((game.last_move().map(Pit::index), game.last_captures()), (Some(1), PitSet::EMPTY));
    assert!(game.moves().map(Move::index).eq([5, 5, 1]));
    assert_eq!(game.start().to_dashed(), "1-1-0-0-0-4-1-2-1-2-4-1-0-9-S");
}

#[test]
fn play_returns_the_captures_of_the_move_without_the_shares_of_an_ending() {
    // The capture leaves nothing that North could play, and South takes the rest of their own row.
    let rules = Rules { grand_slam: GrandSlam::CaptureAll, majority_ends: false, ..Rules::default() };
    let mut game = game(rules, "1-0-0-0-0-1-1-0-0-0-0-0-0-0-S");
    assert_eq!(play(&mut game, &[5]), 2);
    assert_eq!(game.position().board.stores.south, 3);
}

#[test]
fn a_refused_move_changes_nothing() {
    let mut game = game(Rules::default(), "0-4-0-0-0-0-4-0-0-0-0-0-3-4-S");
    let before = game.clone();
    let refusal = game.play(mv(0)).unwrap_err();
    assert_eq!((refusal.mv, refusal.reason, refusal.legal), (mv(0), IllegalReason::EmptyPit, moves(&[1])));
    assert_eq!(refusal.to_string(), "action 0 is an empty pit; legal: 1");
    assert_eq!(game, before);
}

#[test]
fn a_finished_game_has_no_moves() {
    let mut game = game(Rules::default(), "4-0-0-0-0-0-4-0-0-0-0-0-9-0-S");
    let before = game.clone();
    assert_eq!(game.legal_moves(), MoveSet::EMPTY);
    let refusal = game.play(mv(0)).unwrap_err();
    assert_eq!((refusal.reason, refusal.legal), (IllegalReason::GameOver, MoveSet::EMPTY));
    assert_eq!(refusal.to_string(), "action 0 comes after the end of the game");
    assert_eq!(game, before);
}

#[test]
fn outcome_names_the_ending_and_the_winner() {
    let outcome = |stores: &str| game(Rules::default(), &format!("0-0-0-0-0-0-1-0-0-0-0-0-{stores}-S")).outcome();
    let ended = |termination, winner| Some(Outcome { termination, winner });
    assert_eq!(outcome("5-3"), ended(Termination::Majority, Some(Seat::South)));
    assert_eq!(outcome("3-5"), ended(Termination::Majority, Some(Seat::North)));
    // The last seed is North's.
    assert_eq!(outcome("5-4"), ended(Termination::NoMove, None));
    assert_eq!(outcome("4-4"), ended(Termination::NoMove, Some(Seat::North)));
    assert_eq!(Game::new(Rules::default()).outcome(), None);
}

#[test]
fn undo_takes_back_every_move_to_the_start() {
    let mut game = Game::new(Rules::default());
    let mut before = vec![game.clone()];
    for letter in OPENING.chars() {
        game.play_transcript(&letter.to_string()).unwrap();
        before.push(game.clone());
    }
    let last = before.pop().unwrap();
    assert_eq!(game, last);
    for earlier in before.iter().rev() {
        let mv = game.moves().next_back();
        assert_eq!(game.undo(), mv);
        assert_eq!(game, *earlier);
    }
    assert_eq!(game.undo(), None);
    assert_eq!(game, Game::new(Rules::default()));
}

#[test]
fn undo_takes_back_an_ending_with_its_shares() {
    for (rules, dashed, index, ending) in [
        (Rules::default(), "1-0-0-0-0-1-1-3-0-0-0-0-4-1-S", 5, Termination::Majority),
        (Rules::default(), "0-0-0-0-0-1-0-0-0-0-0-0-4-4-S", 5, Termination::NoMove),
        (named("village"), "2-1-0-0-0-0-0-0-0-0-0-0-4-4-S", 0, Termination::NoMove),
        (
            Rules { max_plies: NonZeroU32::new(1), limit_share: Share::Split, ..Rules::default() },
            "1-1-0-0-0-0-1-0-0-0-0-0-4-4-S",
            0,
            Termination::PlyLimit,
        ),
    ] {
        let start = game(rules, dashed);
        let mut game = start.clone();
        play(&mut game, &[index]);
        assert_eq!(stand(&game).1, Some(ending));
        assert_eq!(game.undo(), Some(mv(index)));
        assert_eq!(game, start);
        // And it ends again in the same way.
        play(&mut game, &[index]);
        assert_eq!(stand(&game).1, Some(ending));
    }
}

#[test]
fn undo_leaves_a_start_that_is_finished() {
    let mut game = game(Rules::default(), "0-0-0-0-0-0-1-0-0-0-0-0-4-4-S");
    let before = game.clone();
    assert_eq!(game.undo(), None);
    assert_eq!(game, before);
    assert!(game.is_over());
}

/// One seed each goes once around the board in twelve plies.
const ROUND: &str = "1-0-0-0-0-0-1-0-0-0-0-0-4-4-S";
const ROUND_MOVES: [usize; 12] = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5];

#[test]
fn occurrences_count_the_set_up_itself() {
    let mut game = game(named("village"), ROUND);
    assert_eq!(game.occurrences(), 1);
    play(&mut game, &ROUND_MOVES[..1]);
    assert_eq!(game.occurrences(), 1);
    play(&mut game, &ROUND_MOVES[1..]);
    assert_eq!(game.occurrences(), 2);
    play(&mut game, &ROUND_MOVES);
    assert_eq!(game.occurrences(), 3);
}

#[test]
fn occurrences_go_back_with_undo() {
    let mut game = game(named("village"), ROUND);
    play(&mut game, &ROUND_MOVES);
    let twice = game.clone();
    play(&mut game, &ROUND_MOVES);
    for _ in 0..12 {
        game.undo();
    }
    assert_eq!((game.occurrences(), &game), (2, &twice));
}

#[test]
fn occurrences_count_the_position_after_a_capture() {
    // North takes South's pit 2 and leaves the round of one seed each.
    let rules = Rules { repetition: Some(Occurrences::TWICE), ..Rules::default() };
    let mut game = game(rules, "0-1-0-0-0-0-1-0-0-0-0-2-4-4-N");
    assert_eq!(play(&mut game, &[5]), 2);
    assert_eq!((stand(&game).0.as_str(), game.occurrences()), ("1-0-0-0-0-0-1-0-0-0-0-0-4-6-S", 1));
    play(&mut game, &ROUND_MOVES[..11]);
    assert!(!game.is_over());
    play(&mut game, &ROUND_MOVES[11..]);
    assert_eq!(stand(&game).1, Some(Termination::Repetition));
}

#[test]
fn moves_of_a_game_from_a_position_count_from_its_ply() {
    let rules = Rules { max_plies: NonZeroU32::new(10), ..Rules::default() };
    let mut game = Game::from_position(rules, Position::start(&rules), 8);
    assert_eq!((game.ply(), game.start_ply(), game.is_over()), (8, 8, false));
    play(&mut game, &[0]);
    assert_eq!((game.ply(), game.start_ply(), game.moves().len()), (9, 8, 1));
    play(&mut game, &[0]);
    assert_eq!(stand(&game).1, Some(Termination::PlyLimit));
    game.undo();
    assert_eq!((game.ply(), game.is_over()), (9, false));
}

#[test]
fn plies_stop_counting_at_the_largest_number() {
    let mut game = Game::from_position(Rules::default(), Position::start(&Rules::default()), u32::MAX);
    play(&mut game, &[0]);
    assert_eq!(game.ply(), u32::MAX);
}

#[test]
fn fen_move_numbers_count_for_the_ply_limit() {
    let south = "4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S";
    let north = "4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 N";
    for (text, number, ply) in [(south, 1, 0), (north, 1, 1), (south, 2, 2), (north, 100, 199), (south, 101, 200)] {
        assert_eq!(fen(&format!("{text} {number}")).unwrap().ply(), ply);
    }

    let rules = named("harvest");
    let mut game = Game::from_fen(&format!("{north} 100"), rules).unwrap();
    assert!(!game.is_over());
    play(&mut game, &[0]);
    assert_eq!(stand(&game).1, Some(Termination::PlyLimit));

    let finished = Game::from_fen(&format!("{south} 101"), rules).unwrap();
    assert_eq!(stand(&finished), ("0-0-0-0-0-0-0-0-0-0-0-0-24-24-S".to_owned(), Some(Termination::PlyLimit)));
    assert_eq!(finished.to_fen(), "6/6 24 24 S 101");
}

#[test]
fn games_are_equal_when_their_rules_and_histories_are() {
    let mut straight = Game::new(Rules::default());
    play(&mut straight, &[0, 0]);
    let mut detour = Game::new(Rules::default());
    play(&mut detour, &[1]);
    detour.undo();
    play(&mut detour, &[0, 0]);
    assert_eq!(straight, detour);
    assert_ne!(straight, Game::from_position(Rules::default(), *straight.position(), 2));
    assert_ne!(Game::new(named("auale")), Game::new(named("abapa")));
}
