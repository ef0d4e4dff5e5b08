//! Every position and every whole game that a separate referee worked out.

mod support;

use std::cmp::Ordering;

use oware::{Game, IllegalReason, Move, RULE_SETS, Seat, Setup, Termination};
use support::cases::{GameCase, PositionCase, State, lines, rule_sets};
use support::mv;

/// A game as the case files write it.
fn state(game: &Game) -> State {
    let position = game.position();
    State {
        pits: *position.board.pits(),
        stores: [position.board.stores.south, position.board.stores.north],
        to_move: position.mover.index(),
        unawarded: position.unawarded,
        over: game.is_over(),
        termination: game.outcome().map(|outcome| outcome.termination.name().to_owned()),
    }
}

/// The winner that follows from the stores of a case.
fn winner(case: &State) -> Option<Seat> {
    match case.stores[0].cmp(&case.stores[1]) {
        Ordering::Greater => Some(Seat::South),
        Ordering::Equal => None,
        Ordering::Less => Some(Seat::North),
    }
}

fn assert_state(game: &Game, expected: &State, what: &dyn std::fmt::Debug) {
    assert_eq!(state(game), *expected, "{what:?}");
    let outcome_winner = game.outcome().map(|outcome| outcome.winner);
    assert_eq!(outcome_winner, expected.over.then(|| winner(expected)), "winner of {what:?}");
}

#[test]
fn every_position() {
    let rules = rule_sets();
    let cases: Vec<PositionCase> = lines("positions.jsonl");
    assert_eq!(cases.len(), 1400);
    for case in &cases {
        let rules = rules[&case.rules];
        let claim = Setup { pits: case.pits.clone(), stores: case.stores.clone(), to_move: case.to_move };
        let game = Game::from_position(rules, claim.validate(&rules).unwrap(), 0);
        assert_state(&game, &case.start, case);
        assert_eq!(game.legal_moves(), case.moves.keys().map(|&index| mv(index)).collect(), "{case:?}");
        for mv in Move::all() {
            let mut game = game.clone();
            let Some(expected) = case.moves.get(&mv.index()) else {
                let before = game.clone();
                let refusal = game.play(mv).unwrap_err();
                assert_eq!(refusal.mv, mv);
                assert_eq!(refusal.legal, before.legal_moves(), "{case:?}");
                assert_eq!(refusal.reason == IllegalReason::GameOver, case.start.over, "{case:?}");
                assert_eq!(game, before, "a refused move changed {case:?}");
                continue;
            };
            assert_eq!(game.play(mv).unwrap(), expected.captured, "move {} of {case:?}", mv.index());
            assert_state(&game, &expected.after, &(mv, case));
        }
    }
}

#[test]
fn every_game() {
    let rules = rule_sets();
    let cases: Vec<GameCase> = lines("games.jsonl");
    assert_eq!(cases.len(), 420);
    for case in &cases {
        let mut game = Game::new(rules[&case.rules]);
        for &index in &case.moves {
            assert!(!game.is_over(), "over after {} plies: {case:?}", game.ply());
            game.play(mv(index)).unwrap();
        }
        assert_state(&game, &case.end, case);
        assert_eq!(game.ply(), case.plies);
        assert!(game.moves().map(Move::index).eq(case.moves.iter().copied()));
    }
}

#[test]
fn the_cases_use_every_rule_set_and_every_ending() {
    let positions: Vec<PositionCase> = lines("positions.jsonl");
    let games: Vec<GameCase> = lines("games.jsonl");
    for name in rule_sets().keys() {
        assert!(positions.iter().any(|case| case.rules == *name), "no position under {name}");
        assert!(games.iter().any(|case| case.rules == *name), "no game under {name}");
    }
    for (name, _) in RULE_SETS {
        assert!(rule_sets().contains_key(name), "rules.json lacks {name}");
    }
    let ends: Vec<&State> = games
        .iter()
        .map(|case| &case.end)
        .chain(positions.iter().flat_map(|case| case.moves.values().map(|played| &played.after).chain([&case.start])))
        .collect();
    for ending in Termination::ALL {
        assert!(ends.iter().any(|end| end.termination.as_deref() == Some(ending.name())), "no case ends by {ending}");
    }
}
