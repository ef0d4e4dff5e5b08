//! Rule sets: the named ones, their names, what they say of themselves, their bounds.

mod support;

use std::collections::HashSet;
use std::num::NonZeroU32;

use oware::{
    Feeding, FieldDiff, GrandSlam, Occurrences, RULE_SETS, Rules, SeedsPerPit, Share, Termination, UnknownName,
};
use support::cases::rule_sets;
use support::{named, per_pit};

#[test]
fn named_sets_are_those_of_the_case_files() {
    let written = rule_sets();
    for (name, rules) in RULE_SETS {
        assert_eq!(rules, written[name], "{name}");
        assert_eq!(named(name), rules, "{name}");
    }
    let named: HashSet<&str> = RULE_SETS.iter().map(|&(name, _)| name).collect();
    assert_eq!(named.len(), RULE_SETS.len(), "a name stands for two rule sets");
    // Whatever else the case files use is a variation of the default.
    assert!(written.keys().all(|name| named.contains(name.as_str()) || name.starts_with("abapa+")));
}

#[test]
fn the_default_is_abapa() {
    assert_eq!(Rules::default(), named("abapa"));
    assert_eq!(RULE_SETS[0], ("abapa", Rules::default()));
}

#[test]
fn names_round_trip() {
    for &value in GrandSlam::ALL {
        assert_eq!(value.name().parse(), Ok(value));
        assert_eq!(value.to_string(), value.name());
    }
    for &value in Feeding::ALL {
        assert_eq!(value.name().parse(), Ok(value));
    }
    for &value in Share::ALL {
        assert_eq!(value.name().parse(), Ok(value));
    }
    for &value in Termination::ALL {
        assert_eq!(value.name().parse(), Ok(value));
    }
}

#[test]
fn names_are_those_of_the_rules_page() {
    let names: Vec<&str> = GrandSlam::ALL.iter().map(|value| value.name()).collect();
    assert_eq!(
        names,
        ["capture_nothing", "forbidden", "capture_all", "leave_landing_pit", "leave_far_pit", "opponent_takes_rest"]
    );
    let names: Vec<&str> = Feeding::ALL.iter().map(|value| value.name()).collect();
    assert_eq!(names, ["required", "free"]);
    let names: Vec<&str> = Share::ALL.iter().map(|value| value.name()).collect();
    assert_eq!(names, ["own_side", "split", "stay"]);
    let names: Vec<&str> = Termination::ALL.iter().map(|value| value.name()).collect();
    assert_eq!(names, ["majority", "even_split", "board_empty", "no_move", "repetition", "ply_limit"]);
}

#[test]
fn endings_have_codes_from_one() {
    let codes: Vec<u8> = Termination::ALL.iter().map(|ending| ending.code()).collect();
    assert_eq!(codes, [1, 2, 3, 4, 5, 6]);
    for &ending in Termination::ALL {
        assert_eq!(Termination::from_code(ending.code()), Some(ending));
    }
    assert_eq!((Termination::from_code(0), Termination::from_code(7)), (None, None));
}

#[test]
fn unknown_names_are_refused_with_the_known_ones() {
    let error = Rules::named("Abapa").unwrap_err();
    assert_eq!((error.what, error.name.as_str()), ("rule set", "Abapa"));
    assert_eq!(
        error.to_string(),
        "unknown rule set \"Abapa\"; known: abapa, harvest, nineqm, village, awari, open_spiel, auale, codingame"
    );
    let refusal = |error: UnknownName| error.to_string();
    assert_eq!(
        refusal("none".parse::<GrandSlam>().unwrap_err()),
        "unknown grand_slam \"none\"; known: capture_nothing, forbidden, capture_all, leave_landing_pit, \
         leave_far_pit, opponent_takes_rest"
    );
    assert_eq!(refusal("".parse::<Feeding>().unwrap_err()), "unknown feeding \"\"; known: required, free");
    assert_eq!(
        refusal("own_side ".parse::<Share>().unwrap_err()),
        "unknown share \"own_side \"; known: own_side, split, stay"
    );
    assert_eq!(
        refusal("going_on".parse::<Termination>().unwrap_err()),
        "unknown termination \"going_on\"; known: majority, even_split, board_empty, no_move, repetition, ply_limit"
    );
}

#[test]
fn occurrences_are_two_or_more() {
    assert_eq!((Occurrences::new(0), Occurrences::new(1)), (None, None));
    assert_eq!(Occurrences::new(2), Some(Occurrences::TWICE));
    assert_eq!(Occurrences::new(3), Some(Occurrences::THRICE));
    for count in [2, 3, 4, 1_000, u32::MAX] {
        assert_eq!(Occurrences::new(count).map(Occurrences::get), Some(count));
    }
}

#[test]
fn seeds_per_pit_are_one_to_twenty() {
    assert_eq!((SeedsPerPit::new(0), SeedsPerPit::new(21), SeedsPerPit::new(u8::MAX)), (None, None, None));
    assert_eq!(SeedsPerPit::new(4), Some(SeedsPerPit::FOUR));
    for seeds in 1..=20 {
        let per_pit = SeedsPerPit::new(seeds).unwrap();
        assert_eq!((per_pit.get(), per_pit.total()), (seeds, 12 * seeds));
    }
}

/// Every field of `base` changed in turn, with the field's name and both values as text.
fn changes(base: Rules) -> [(Rules, &'static str, &'static str, &'static str); 10] {
    let (split, stay) = (Share::Split, Share::Stay);
    [
        (Rules { grand_slam: GrandSlam::LeaveFarPit, ..base }, "grand_slam", "capture_nothing", "leave_far_pit"),
        (Rules { feeding: Feeding::Free, ..base }, "feeding", "required", "free"),
        (Rules { no_move: split, ..base }, "no_move", "own_side", "split"),
        (Rules { repetition: None, ..base }, "repetition", "3", "0"),
        (Rules { repetition_needs_both_rows: false, ..base }, "repetition_needs_both_rows", "true", "false"),
        (Rules { repetition_share: stay, ..base }, "repetition_share", "own_side", "stay"),
        (Rules { max_plies: NonZeroU32::new(200), ..base }, "max_plies", "None", "200"),
        (Rules { limit_share: split, ..base }, "limit_share", "own_side", "split"),
        (Rules { majority_ends: false, ..base }, "majority_ends", "true", "false"),
        (Rules { seeds_per_pit: per_pit(5), ..base }, "seeds_per_pit", "4", "5"),
    ]
}

#[test]
fn diff_names_the_field_that_differs() {
    let base = Rules::default();
    assert_eq!(base.diff(&base), []);
    for (changed, field, left, right) in changes(base) {
        let expected = |left: &str, right: &str| [FieldDiff { field, left: left.into(), right: right.into() }];
        assert_eq!(base.diff(&changed), expected(left, right));
        assert_eq!(changed.diff(&base), expected(right, left));
    }
}

#[test]
fn diff_names_all_fields_in_their_order() {
    let fields: Vec<&str> = named("abapa").diff(&named("awari")).iter().map(|diff| diff.field).collect();
    assert_eq!(fields, ["grand_slam", "repetition", "repetition_needs_both_rows", "repetition_share", "majority_ends"]);
    let every: Vec<&str> = changes(Rules::default()).iter().map(|&(_, field, ..)| field).collect();
    let named: Vec<&str> = Rules::default().fields().iter().map(|&(field, _)| field).collect();
    assert_eq!(named, every);
}

#[test]
fn rules_are_those_of_their_fields() {
    let (base, other) = (Rules::default(), named("codingame"));
    let both = [base, other].map(changes);
    for rules in both.iter().flatten().map(|&(rules, ..)| rules).chain([base, other]) {
        let fields = rules.fields();
        let given = || fields.iter().map(|(field, value)| (*field, value.as_str()));
        assert_eq!(Rules::from_fields(given()), Some(rules));
        for (field, _) in given() {
            for wrong in ["", "-1", "x", "1.5", "TRUE", "99999999999"] {
                assert_eq!(Rules::from_fields(given().chain([(field, wrong)])), None, "{field}: {wrong}");
            }
        }
    }
    assert_eq!(Rules::from_fields([("repetition", "1")]), None);
    assert_eq!(Rules::from_fields([("max_plies", "0")]), None);
    assert_eq!(Rules::from_fields([("seeds_per_pit", "21")]), None);
    assert_eq!(Rules::from_fields([("colour", "red")]), None);
    assert_eq!(Rules::from_fields([]), Some(base));
}

#[test]
fn describe_tells_the_rules_in_plain_words() {
    assert_eq!(
        named("abapa").describe(),
        "Each pit holds 4 seeds at the start, 48 seeds in all.\n\
         A capture that would take every seed the opponent has left takes nothing.\n\
         While the opponent's row is empty, a move must put a seed into it.\n\
         The game ends when a player has more than half of all seeds, or both have exactly half.\n\
         The game ends when the mover has no legal move: each player takes the seeds in their own row.\n\
         The game ends when a position with seeds in both rows has arisen three times since the last capture: \
         each player takes the seeds in their own row.\n\
         There is no limit on the number of plies.\n\
         The player with more seeds in store wins."
    );
    assert_eq!(
        named("awari").describe(),
        "Each pit holds 4 seeds at the start, 48 seeds in all.\n\
         A move that leaves the opponent without a seed, by capturing all or by not feeding, is illegal while another \
         move leaves them one; if none does, any non-empty pit may be played, and captures.\n\
         The game ends when the mover has no legal move: each player takes the seeds in their own row.\n\
         The game ends when a position has arisen twice since the last capture: \
         the seeds on the board are split in half, an odd one is nobody's.\n\
         There is no limit on the number of plies.\n\
         The player with more seeds in store wins."
    );
}

#[test]
fn describe_has_a_sentence_for_every_value() {
    let base = Rules::default();
    let one = NonZeroU32::new(1);
    for (rules, sentence) in [
        (Rules { grand_slam: GrandSlam::CaptureAll, ..base }, "A capture may take every seed the opponent has left."),
        (
            Rules { grand_slam: GrandSlam::LeaveLandingPit, ..base },
            "A capture that would take every seed the opponent has left leaves the pit where the last seed fell.",
        ),
        (
            Rules { grand_slam: GrandSlam::LeaveFarPit, ..base },
            "A capture that would take every seed the opponent has left leaves the captured pit that is first in \
             sowing order.",
        ),
        (
            Rules { grand_slam: GrandSlam::OpponentTakesRest, ..base },
            "A capture of every seed the opponent has left is made, but all seeds that remain on the board go to the \
             opponent and the game ends.",
        ),
        (Rules { feeding: Feeding::Free, ..base }, "An opponent whose row is empty need not be given a seed."),
        (
            Rules { no_move: Share::Stay, ..base },
            "The game ends when the mover has no legal move: the seeds on the board count for nobody.",
        ),
        (
            Rules { repetition: Occurrences::new(5), repetition_needs_both_rows: false, ..base },
            "The game ends when a position has arisen 5 times since the last capture: each player takes the seeds in \
             their own row.",
        ),
        (Rules { repetition: None, ..base }, "Repeated positions do not end the game."),
        (
            Rules { max_plies: NonZeroU32::new(200), limit_share: Share::Stay, ..base },
            "The game ends after 200 plies: the seeds on the board count for nobody.",
        ),
        (Rules { max_plies: one, ..base }, "The game ends after 1 ply: each player takes the seeds in their own row."),
        (Rules { seeds_per_pit: per_pit(1), ..base }, "Each pit holds 1 seed at the start, 12 seeds in all."),
    ] {
        let text = rules.describe();
        assert!(text.lines().any(|line| line == sentence), "{sentence:?} is missing from\n{text}");
    }
}

#[test]
fn describe_tells_every_change_that_matters() {
    // The share of a rule that is off changes nothing, so both limits are on.
    let base = Rules { max_plies: NonZeroU32::new(300), ..Rules::default() };
    for (changed, field, ..) in changes(base) {
        assert_ne!(changed.describe(), base.describe(), "{field}");
    }
    let forbidden = named("village");
    assert_eq!(Rules { feeding: Feeding::Free, ..forbidden }.describe(), forbidden.describe());
    assert!(!Rules { majority_ends: false, ..base }.describe().contains("half"));
}
