//! How a game ends: each ending, their order, and what becomes of the seeds.

mod support;

use std::num::NonZeroU32;

use oware::{Feeding, Game, GrandSlam, Occurrences, Rules, Seat, Share, Termination};
use support::{game, named, play, stand, turned};

fn limited(max_plies: u32, limit_share: Share) -> Rules {
    Rules { max_plies: NonZeroU32::new(max_plies), limit_share, ..Rules::default() }
}

/// What a game that is over at once settles to, from either side of the board.
fn settled(rules: Rules, dashed: &str) -> (String, Option<Termination>) {
    let south = game(rules, dashed);
    let north = Game::from_position(rules, turned(south.start()), 0);
    assert_eq!(turned(north.position()), *south.position(), "the board from the other side");
    assert_eq!(north.outcome().map(|end| end.termination), south.outcome().map(|end| end.termination));
    stand(&south)
}

fn open(dashed: &str) -> (String, Option<Termination>) {
    (dashed.to_owned(), None)
}

fn over(dashed: &str, ending: Termination) -> (String, Option<Termination>) {
    (dashed.to_owned(), Some(ending))
}

#[test]
fn more_than_half_of_all_seeds_ends_the_game() {
    let board = "4-4-4-0-0-0-4-4-3-0-0-0-25-0-S";
    assert_eq!(settled(Rules::default(), board), over(board, Termination::Majority));
    let board = "4-4-4-0-0-0-4-4-4-0-0-0-24-0-S";
    assert_eq!(settled(Rules::default(), board), open(board));
}

#[test]
fn a_majority_is_of_the_seeds_that_are_there() {
    for (board, ends) in [("1-0-0-0-0-0-1-1-1-0-0-0-5-0-N", true), ("1-0-0-0-0-0-1-1-1-1-0-0-5-0-N", false)] {
        assert_eq!(settled(Rules::default(), board), (board.to_owned(), ends.then_some(Termination::Majority)));
    }
}

#[test]
fn half_for_each_ends_the_game() {
    let board = "0-0-0-0-0-0-0-0-0-0-0-0-24-24-S";
    assert_eq!(settled(Rules::default(), board), over(board, Termination::EvenSplit));
}

#[test]
fn without_majority_ends_play_goes_on() {
    let rules = Rules { majority_ends: false, ..Rules::default() };
    let board = "4-4-4-0-0-0-4-4-3-0-0-0-25-0-S";
    assert_eq!(settled(rules, board), open(board));
    let board = "0-0-0-0-0-0-0-0-0-0-0-0-24-24-S";
    assert_eq!(settled(rules, board), over(board, Termination::BoardEmpty));
}

#[test]
fn an_empty_board_ends_the_game() {
    let board = "0-0-0-0-0-0-0-0-0-0-0-0-20-10-N";
    assert_eq!(
        settled(Rules { majority_ends: false, ..Rules::default() }, board),
        over(board, Termination::BoardEmpty)
    );
    // With no seed at all, both have exactly half of them.
    let board = "0-0-0-0-0-0-0-0-0-0-0-0-0-0-S";
    assert_eq!(settled(Rules::default(), board), over(board, Termination::EvenSplit));
}

#[test]
fn a_majority_comes_before_the_lack_of_a_move() {
    let board = "0-0-0-0-0-0-1-2-0-0-0-0-10-0-S";
    assert_eq!(settled(Rules::default(), board), over(board, Termination::Majority));
}

/// South has nothing to play, and nobody has a majority.
const STUCK: &str = "0-0-0-0-0-0-3-0-0-0-0-2-3-4-S";

#[test]
fn no_move_own_side() {
    let rules = Rules { no_move: Share::OwnSide, ..Rules::default() };
    assert_eq!(settled(rules, STUCK), over("0-0-0-0-0-0-0-0-0-0-0-0-3-9-S", Termination::NoMove));
}

#[test]
fn no_move_split() {
    let rules = Rules { no_move: Share::Split, ..Rules::default() };
    let game = game(rules, STUCK);
    assert_eq!(stand(&game), over("0-0-0-0-0-0-0-0-0-0-0-0-5-6-S", Termination::NoMove));
    assert_eq!(game.position().unawarded, 1);
}

#[test]
fn no_move_stay() {
    let rules = Rules { no_move: Share::Stay, ..Rules::default() };
    assert_eq!(settled(rules, STUCK), over(STUCK, Termination::NoMove));
}

#[test]
fn no_move_where_the_mover_cannot_feed() {
    let hungry = "2-0-3-0-0-0-0-0-0-0-0-0-3-4-S";
    let rules = Rules { no_move: Share::OwnSide, ..Rules::default() };
    assert_eq!(settled(rules, hungry), over("0-0-0-0-0-0-0-0-0-0-0-0-8-4-S", Termination::NoMove));
    assert_eq!(settled(Rules { feeding: Feeding::Free, ..rules }, hungry), open(hungry));
    assert_eq!(settled(Rules { grand_slam: GrandSlam::Forbidden, ..rules }, hungry), open(hungry));
}

/// One seed each goes once around the board in twelve plies; after the eleventh, South's row is empty.
const ROUND: &str = "1-0-0-0-0-0-1-0-0-0-0-0-4-4-S";
const ROUND_MOVES: [usize; 12] = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5];
/// The same round from where South's row is empty.
const BARE_ROUND: &str = "0-0-0-0-0-0-1-0-0-0-0-1-4-4-N";
const BARE_ROUND_MOVES: [usize; 12] = [5, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5];
/// Three seeds that are back in twelve plies, with seeds in both rows all the way.
const ODD_ROUND: &str = "1-1-0-0-0-0-1-0-0-0-0-0-4-4-S";
const ODD_ROUND_MOVES: [usize; 12] = [1, 0, 0, 1, 2, 2, 3, 3, 4, 4, 5, 5];

fn repeating(count: u32, needs_both_rows: bool) -> Rules {
    Rules {
        repetition: Occurrences::new(count),
        repetition_needs_both_rows: needs_both_rows,
        repetition_share: Share::Stay,
        ..Rules::default()
    }
}

#[test]
fn repetition_at_the_second_occurrence() {
    for needs_both_rows in [false, true] {
        let mut game = game(repeating(2, needs_both_rows), ROUND);
        play(&mut game, &ROUND_MOVES[..11]);
        assert!(!game.is_over());
        play(&mut game, &ROUND_MOVES[11..]);
        assert_eq!(stand(&game), over(ROUND, Termination::Repetition));
    }
}

#[test]
fn repetition_at_a_later_occurrence() {
    for count in 3_u32..=6 {
        let mut game = game(repeating(count, true), ROUND);
        for round in 1..count {
            assert_eq!((game.is_over(), game.occurrences()), (false, round));
            play(&mut game, &ROUND_MOVES);
        }
        assert_eq!(stand(&game), over(ROUND, Termination::Repetition));
        assert_eq!(game.ply(), 12 * (count - 1));
    }
}

#[test]
fn repetition_of_a_position_with_an_empty_row() {
    let mut game = game(repeating(2, false), BARE_ROUND);
    play(&mut game, &BARE_ROUND_MOVES);
    assert_eq!(stand(&game), over(BARE_ROUND, Termination::Repetition));
}

#[test]
fn repetition_that_needs_both_rows_passes_over_a_position_with_an_empty_row() {
    let mut game = game(repeating(2, true), BARE_ROUND);
    play(&mut game, &BARE_ROUND_MOVES);
    assert_eq!((stand(&game), game.occurrences()), (open(BARE_ROUND), 0));
    // The row is fed, and the position after that has been there before.
    play(&mut game, &BARE_ROUND_MOVES[..1]);
    assert_eq!(stand(&game), over(ROUND, Termination::Repetition));
}

#[test]
fn repetition_is_of_the_pits_and_the_mover() {
    // After 19 plies the seeds lie as at the start, but it is North's turn.
    let mut game = game(repeating(2, true), "2-0-1-1-0-0-1-0-0-0-0-0-4-4-S");
    play(&mut game, &[2, 0, 3, 1, 4, 2, 5, 0, 0, 1, 1, 2, 2, 3, 4, 4, 5, 5, 1]);
    assert_eq!((stand(&game), game.occurrences()), (open("2-0-1-1-0-0-1-0-0-0-0-0-4-4-N"), 1));
}

#[test]
fn repetition_off() {
    let mut game = game(named("village"), ROUND);
    for _ in 0..50 {
        play(&mut game, &ROUND_MOVES);
    }
    assert_eq!((stand(&game), game.occurrences()), (open(ROUND), 51));
}

#[test]
fn repetition_own_side() {
    let mut game = game(Rules { repetition_share: Share::OwnSide, ..repeating(2, true) }, ODD_ROUND);
    play(&mut game, &ODD_ROUND_MOVES);
    assert_eq!(stand(&game), over("0-0-0-0-0-0-0-0-0-0-0-0-6-5-S", Termination::Repetition));
    assert_eq!(game.outcome().unwrap().winner, Some(Seat::South));
}

#[test]
fn repetition_split() {
    let mut game = game(Rules { repetition_share: Share::Split, ..repeating(2, true) }, ODD_ROUND);
    play(&mut game, &ODD_ROUND_MOVES);
    assert_eq!(stand(&game), over("0-0-0-0-0-0-0-0-0-0-0-0-5-5-S", Termination::Repetition));
    assert_eq!((game.position().unawarded, game.outcome().unwrap().winner), (1, None));
}

#[test]
fn repetition_stay() {
    let mut game = game(repeating(2, true), ODD_ROUND);
    play(&mut game, &ODD_ROUND_MOVES);
    assert_eq!(stand(&game), over(ODD_ROUND, Termination::Repetition));
}

#[test]
fn ply_limit_own_side() {
    let mut game = game(limited(1, Share::OwnSide), ODD_ROUND);
    play(&mut game, &ODD_ROUND_MOVES[..1]);
    assert_eq!(stand(&game), over("0-0-0-0-0-0-0-0-0-0-0-0-6-5-N", Termination::PlyLimit));
}

#[test]
fn ply_limit_split() {
    let mut odd = game(limited(1, Share::Split), ODD_ROUND);
    play(&mut odd, &ODD_ROUND_MOVES[..1]);
    assert_eq!(stand(&odd), over("0-0-0-0-0-0-0-0-0-0-0-0-5-5-N", Termination::PlyLimit));
    assert_eq!(odd.position().unawarded, 1);

    let mut even = game(limited(1, Share::Split), ROUND);
    play(&mut even, &ROUND_MOVES[..1]);
    assert_eq!(stand(&even), over("0-0-0-0-0-0-0-0-0-0-0-0-5-5-N", Termination::PlyLimit));
    assert_eq!(even.position().unawarded, 0);
}

#[test]
fn ply_limit_stay() {
    let mut game = game(limited(1, Share::Stay), ODD_ROUND);
    play(&mut game, &ODD_ROUND_MOVES[..1]);
    assert_eq!(stand(&game), over("1-0-1-0-0-0-1-0-0-0-0-0-4-4-N", Termination::PlyLimit));
}

#[test]
fn ply_limit_counts_every_ply() {
    let mut game = Game::new(limited(3, Share::OwnSide));
    play(&mut game, &[0, 0]);
    assert!(!game.is_over());
    play(&mut game, &[1]);
    assert_eq!((game.ply(), stand(&game).1), (3, Some(Termination::PlyLimit)));
}

#[test]
fn ply_limit_comes_after_a_majority() {
    let mut game = game(limited(1, Share::Split), "1-0-0-0-0-1-1-3-0-0-0-0-4-1-S");
    assert_eq!(play(&mut game, &[5]), 2);
    assert_eq!(stand(&game), over("1-0-0-0-0-0-0-3-0-0-0-0-6-1-N", Termination::Majority));
}

#[test]
fn ply_limit_comes_after_half_for_each() {
    let rules = Rules { grand_slam: GrandSlam::OpponentTakesRest, ..limited(1, Share::Split) };
    let mut game = game(rules, "2-0-0-0-0-1-1-0-0-0-0-0-0-0-S");
    play(&mut game, &[5]);
    assert_eq!(stand(&game), over("0-0-0-0-0-0-0-0-0-0-0-0-2-2-N", Termination::EvenSplit));
}

#[test]
fn ply_limit_comes_after_an_empty_board() {
    let rules = Rules { majority_ends: false, grand_slam: GrandSlam::CaptureAll, ..limited(1, Share::Split) };
    let mut game = game(rules, "0-0-0-0-0-1-1-0-0-0-0-0-0-0-S");
    play(&mut game, &[5]);
    assert_eq!(stand(&game), over("0-0-0-0-0-0-0-0-0-0-0-0-2-0-N", Termination::BoardEmpty));
}

#[test]
fn ply_limit_comes_after_the_lack_of_a_move() {
    let rules = Rules { no_move: Share::Stay, ..limited(1, Share::Split) };
    let mut game = game(rules, "0-0-0-0-0-1-0-0-0-0-0-0-4-4-S");
    play(&mut game, &[5]);
    assert_eq!(stand(&game), over("0-0-0-0-0-0-1-0-0-0-0-0-4-4-N", Termination::NoMove));
}

#[test]
fn ply_limit_comes_after_a_repetition() {
    let mut game = game(Rules { max_plies: NonZeroU32::new(12), ..repeating(2, true) }, ROUND);
    play(&mut game, &ROUND_MOVES);
    assert_eq!(stand(&game), over(ROUND, Termination::Repetition));
}
