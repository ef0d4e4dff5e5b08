//! Positions, moves and games as text: round trips, and each way in which a text is wrong.

mod support;

use std::error::Error;

use oware::{Game, IllegalReason, Move, NotationError, Position, Rules, Seat, SetupFault};
use support::{fen, game, moves, mv, play};

const DASHED: &str = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
const FEN: &str = "4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S 1";

fn dashed(text: &str) -> Result<Position, NotationError> {
    Position::from_dashed(text, &Rules::default())
}

fn number(what: &'static str, text: &str) -> NotationError {
    NotationError::Number { what, text: text.to_owned() }
}

#[test]
fn the_start_as_text() {
    let game = Game::new(Rules::default());
    assert_eq!((game.position().to_dashed().as_str(), game.to_fen().as_str()), (DASHED, FEN));
    assert_eq!(dashed(DASHED), Ok(*game.position()));
    assert_eq!(fen(FEN), Ok(game));
}

#[test]
fn dashed_strings_round_trip() {
    for text in [
        "0-1-2-3-4-5-6-7-0-0-0-9-3-8-N",
        "0-0-0-0-0-0-0-0-0-0-0-0-0-0-S",
        "0-0-0-0-0-48-0-0-0-0-0-0-0-0-N",
        "0-0-0-0-0-0-0-0-0-0-0-0-24-24-S",
    ] {
        assert_eq!(dashed(text).unwrap().to_dashed(), text);
    }
}

#[test]
fn dashed_strings_may_have_space_around_them_and_leading_zeros() {
    assert_eq!(dashed(&format!("  {DASHED}\n")), dashed(DASHED));
    assert_eq!(dashed("04-4-4-4-4-4-4-4-4-4-4-0004-0-00-S"), dashed(DASHED));
}

#[test]
fn dashed_strings_have_fifteen_parts() {
    for text in [
        "",
        "-",
        "S",
        "4-4-4",
        "4-4-4-4-4-4-4-4-4-4-4-4-0-S",
        "4-4-4-4-4-4-4-4-4-4-4-4-0-0",
        "4-4-4-4-4-4-4-4-4-4-4-4-0-0-0-S",
        "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S-",
        "-4-4-4-4-4-4-4-4-4-4-4-4-0-0-S",
        "4--4-4-4-4-4-4-4-4-4-4-4-4-0-0-S",
        "4 4 4 4 4 4 4 4 4 4 4 4 0 0 S",
        FEN,
    ] {
        let expected = NotationError::Form { expected: DASHED, text: text.to_owned() };
        assert_eq!(dashed(text), Err(expected), "{text:?}");
    }
}

#[test]
fn dashed_strings_hold_counts() {
    for bad in ["x", "+4", " 4", "4 ", "4.0", "4S", "٤", "99999999999999999999"] {
        let text = format!("4-{bad}-4-4-4-4-4-4-4-4-4-4-0-0-S");
        assert_eq!(dashed(&text), Err(number("a pit", bad)), "{text:?}");
        let text = format!("4-4-4-4-4-4-4-4-4-4-4-4-0-{bad}-S");
        assert_eq!(dashed(&text), Err(number("a store", bad)), "{text:?}");
    }
}

#[test]
fn the_mover_is_s_or_n() {
    for bad in ["s", "n", "0", "1", "", "South", "SN", " S"] {
        let expected = Err(NotationError::Mover(bad.to_owned()));
        assert_eq!(dashed(&format!("4-4-4-4-4-4-4-4-4-4-4-4-0-0-{bad}")), expected, "{bad:?}");
    }
    for bad in ["s", "n", "0", "w", "South"] {
        let expected = Err(NotationError::Mover(bad.to_owned()));
        assert_eq!(fen(&format!("4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 {bad} 1")), expected, "{bad:?}");
    }
}

#[test]
fn texts_of_impossible_positions_are_refused_as_set_ups_are() {
    let fault = SetupFault::TooManySeeds { total: 49, most: 48 };
    for error in [
        dashed("5-4-4-4-4-4-4-4-4-4-4-4-0-0-S").unwrap_err(),
        fen("4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 1 0 S 1").unwrap_err(),
    ] {
        let NotationError::Setup(setup) = &error else { panic!("{error:?}") };
        assert_eq!(setup.faults, [fault]);
        assert_eq!(error.to_string(), setup.to_string());
    }
}

#[test]
fn fen_rows_run_as_on_the_board() {
    // North's pits from right to left, 11 down to 6; then South's, 0 to 5.
    let game = game(Rules::default(), "1-0-0-2-0-3-4-0-0-0-5-6-7-8-N");
    assert_eq!(game.to_fen(), "6S,5S,3,4S/1S,2,2S,1,3S 7 8 N 1");
    assert_eq!(fen(&game.to_fen()).unwrap().position(), game.position());
}

#[test]
fn fens_round_trip() {
    for text in [
        "6/6 0 0 S 1",
        "6/6 24 24 N 73",
        "5,4S/4S,5 20 20 S 12",
        "12S,1,1S,1,1S,1/1,1S,1,1S,1,1S 10 11 N 2147483648",
        "48S,5/6 0 0 N 7",
    ] {
        assert_eq!(fen(text).unwrap().to_fen(), text);
    }
}

#[test]
fn fens_may_have_more_space_and_split_runs_of_empty_pits() {
    let expected = fen("3,1S,2/6 0 0 S 1").unwrap();
    assert_eq!(fen(" 1,2,1S,1,1/6\t0  0 S 1\n"), Ok(expected.clone()));
    assert_eq!(fen("3,1S,0S,1/6 0 0 S 1"), Ok(expected));
}

#[test]
fn fens_have_five_parts_and_two_rows_of_six() {
    for text in [
        "",
        "4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S",
        "4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S 1 1",
        "4S,4S,4S,4S,4S,4S 0 0 S 1",
        "4S,4S,4S,4S,4S,4S/ 0 0 S 1",
        "/6 0 0 S 1",
        "6/6/6 0 0 S 1",
        "5/6 0 0 S 1",
        "6/7 0 0 S 1",
        "6/3,4 0 0 S 1",
        "6/4S,6 0 0 S 1",
        "6/0,6 0 0 S 1",
        "6/5,4s 0 0 S 1",
        "6/5,4N 0 0 S 1",
        "6/5,S 0 0 S 1",
        "6/5,-4S 0 0 S 1",
        "6/5,+4S 0 0 S 1",
        "6/5,,4S 0 0 S 1",
        "6/5,4S, 0 0 S 1",
        "6/99999999999999999999 0 0 S 1",
        "6/5,99999999999999999999S 0 0 S 1",
        DASHED,
    ] {
        assert_eq!(fen(text), Err(NotationError::Form { expected: FEN, text: text.to_owned() }), "{text:?}");
    }
}

#[test]
fn fens_hold_counts() {
    for bad in ["x", "-1", "1.5", "99999999999999999999"] {
        assert_eq!(fen(&format!("6/6 {bad} 0 S 1")), Err(number("South's store", bad)));
        assert_eq!(fen(&format!("6/6 0 {bad} S 1")), Err(number("North's store", bad)));
        assert_eq!(fen(&format!("6/6 0 0 S {bad}")), Err(number("the move number", bad)));
    }
}

#[test]
fn fen_move_numbers_start_at_one_and_fit_the_plies() {
    for (mover, last) in [("S", 2_147_483_648_u64), ("N", 2_147_483_648)] {
        assert!(fen(&format!("6/6 0 0 {mover} {last}")).is_ok());
        for bad in [0, last + 1, 1 << 62, (1 << 63) - 1] {
            let expected = number("the move number", &bad.to_string());
            assert_eq!(fen(&format!("6/6 0 0 {mover} {bad}")), Err(expected));
        }
    }
}

#[test]
fn moves_have_letters() {
    let letters = |seat| Move::all().map(|mv| mv.letter(seat)).collect::<String>();
    assert_eq!((letters(Seat::South).as_str(), letters(Seat::North).as_str()), ("ABCDEF", "abcdef"));
}

#[test]
fn transcripts_round_trip() {
    let mut played = Game::new(Rules::default());
    play(&mut played, &[5, 5, 4, 4, 0, 1]);
    assert_eq!(played.transcript(), "FfEeAb");
    let mut read = Game::new(Rules::default());
    read.play_transcript("Ff Ee\n\tA b ").unwrap();
    assert_eq!(read, played);
    read.play_transcript("").unwrap();
    assert_eq!(read, played);
}

#[test]
fn transcripts_begin_with_whoever_moves() {
    let mut game = game(Rules::default(), "4-4-4-4-4-4-4-4-4-4-4-4-0-0-N");
    game.play_transcript("aB").unwrap();
    assert_eq!(game.transcript(), "aB");
}

#[test]
fn transcripts_name_the_letter_that_is_no_move() {
    for (text, number, letter, mover) in [
        ("FF", 2, 'F', Seat::North),
        ("f", 1, 'f', Seat::South),
        ("F g", 2, 'g', Seat::North),
        ("FfÉ", 3, 'É', Seat::South),
    ] {
        let mut game = Game::new(Rules::default());
        let error = game.play_transcript(text).unwrap_err();
        assert_eq!(error, NotationError::Letter { number, letter, mover });
        assert_eq!(game, Game::new(Rules::default()), "a refused transcript changed the game");
    }
}

#[test]
fn transcripts_name_the_move_that_is_illegal() {
    let mut game = Game::new(Rules::default());
    let error = game.play_transcript("Ff F").unwrap_err();
    let NotationError::Move { number, source } = error else { panic!("{error:?}") };
    assert_eq!((number, source.mv, source.reason), (3, mv(5), IllegalReason::EmptyPit));
    assert_eq!(source.legal, moves(&[0, 1, 2, 3, 4]));
    assert_eq!(game, Game::new(Rules::default()), "a refused transcript changed the game");

    let mut finished = support::game(Rules::default(), "0-0-0-0-0-0-1-0-0-0-0-0-4-4-S");
    let error = finished.play_transcript("A").unwrap_err();
    let NotationError::Move { number: 1, source } = error else { panic!("{error:?}") };
    assert_eq!(source.reason, IllegalReason::GameOver);
}

#[test]
fn errors_say_what_is_wrong() {
    let letter = NotationError::Letter { number: 3, letter: 'x', mover: Seat::North };
    let illegal = Game::new(Rules::default()).play_transcript("FfF").unwrap_err();
    for (error, text) in [
        (dashed("4").unwrap_err(), r#""4" does not have the form "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S""#),
        (number("a pit", "x"), r#"a pit is "x", not a number in range"#),
        (NotationError::Mover("w".to_owned()), r#"the mover is "w", not "S" or "N""#),
        (letter, "move 3 is 'x', but North is to move: a to f"),
        (illegal, "move 3: action 5 is an empty pit; legal: 0, 1, 2, 3, 4"),
    ] {
        assert_eq!(error.to_string(), text);
        let _: &dyn Error = &error;
    }
}

#[test]
fn games_show_as_a_board() {
    let mut game = game(Rules::default(), "0-1-2-3-4-5-6-7-0-0-0-10-3-7-N");
    assert_eq!(
        game.to_string(),
        concat!(
            "            f    e    d    c    b    a\n",
            "North   7 [ 10][  0][  0][  0][  7][  6]\n",
            "          [  0][  1][  2][  3][  4][  5]   3 South\n",
            "            A    B    C    D    E    F\n",
            "North to move",
        )
    );
    play(&mut game, &[0]);
    assert_eq!(game.status(), "South to move");
}

#[test]
fn the_status_of_a_finished_game_is_its_result() {
    let status = |stores: &str| game(Rules::default(), &format!("0-0-0-0-0-0-1-0-0-0-0-0-{stores}-S")).status();
    assert_eq!(status("6-3"), "South wins 6-3 (majority)");
    assert_eq!(status("4-4"), "North wins 4-5 (no_move)");
    assert_eq!(status("5-4"), "Draw 5-5 (no_move)");
}
