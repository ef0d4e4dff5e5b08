//! Every kernel of this machine and single rows against games of the rules core, over rules and environments of all
//! kinds.

#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in the tests but not in their helpers")]

mod support;

use oware::env::{Buffers, Config, Env, KernelName, NoExternals, kernels};
use oware::{Occurrences, RULE_SETS, Rules, Stream};
use support::contest::{Contest, OPPONENTS, play_bytes};
use support::drawn::{Draw, any_config, any_rules};
use support::effort;
use support::twin::Tally;

/// Sizes of environments: none of them is a multiple of a block but two.
const ROWS: [usize; 12] = [1, 2, 7, 31, 63, 64, 65, 100, 127, 128, 129, 257];

/// What was played: plies in every kernel, set-ups, and how often what is rare came up.
#[derive(Debug, Default)]
struct Played {
    plies: u64,
    set_ups: u64,
    tally: Tally,
}

/// Plays environments of all kinds and odd sizes, each under other rules, until there were so many plies and set-ups.
fn play(plies: u64, set_ups: u64, seed: u64, rules: &[Rules]) -> Played {
    let mut draw = Stream::from_seed(seed);
    let mut played = Played::default();
    let mut rules = rules.iter().cycle();
    while played.plies < plies || played.set_ups < set_ups {
        let config = any_config(&mut draw, *rules.next().unwrap(), &OPPONENTS);
        let rows = draw.one_of(&ROWS);
        let Some(mut contest) = Contest::new(config, &kernels(), rows, draw.stream()) else { continue };
        if played.plies < plies {
            contest.play(150);
        }
        if played.set_ups < set_ups {
            played.set_ups += contest.play_set_ups(25);
        }
        played.plies += contest.plies();
        played.tally = played.tally.plus(&contest.tally());
    }
    played
}

fn random_rules(count: usize, seed: u64) -> Vec<Rules> {
    let mut draw = Stream::from_seed(seed);
    (0..count).map(|_| any_rules(&mut draw)).collect()
}

fn named_rules() -> Vec<Rules> {
    RULE_SETS.map(|(_, rules)| rules).to_vec()
}

/// The rarest of what is rare is an even split: it takes a slam of the last seeds on the board.
fn assert_all_came_up(tally: &Tally) {
    assert!(tally.rarest() > 0 || effort(1000) < 1000, "{tally:?}");
}

#[test]
fn kernels_play_named_rules_like_games() {
    play(effort(500_000), 0, 1, &named_rules());
}

#[test]
fn kernels_play_random_rules_like_games() {
    let Played { tally, .. } = play(effort(500_000), 0, 2, &random_rules(1000, 2));
    assert_all_came_up(&tally);
}

#[test]
fn kernels_play_on_from_set_ups_like_games() {
    let rules = [named_rules(), random_rules(200, 3)].concat();
    let Played { tally, .. } = play(0, effort(100_000), 3, &rules);
    assert_all_came_up(&tally);
}

#[test]
#[ignore = "slow: `make test-slow` runs it"]
fn kernels_play_millions_of_plies_like_games() {
    let rules = [named_rules(), random_rules(200, 4)].concat();
    let played = play(effort(5_000_000), effort(1_000_000), 4, &rules);
    println!("{played:?}");
    assert_all_came_up(&played.tally);
}

/// What `fuzz/` does with bytes that it finds, with random ones.
#[test]
fn kernels_play_what_bytes_tell_like_games() {
    let mut draw = Stream::from_seed(6);
    let plies = (0..effort(100)).map(|number| {
        let bytes: Vec<u8> = (0..number % 20 * 100).map(|_| draw.draw() as u8).collect();
        play_bytes(&bytes)
    });
    assert!(plies.sum::<u64>() > 0 || effort(1000) < 1000);
}

/// A count of laps around the board that ends at 255 must do for more occurrences than that, too.
#[test]
fn kernels_count_hundreds_of_occurrences_like_games() {
    let rules: Vec<_> = random_rules(20, 5)
        .into_iter()
        .map(|rules| Rules { repetition: Occurrences::new(300), max_plies: None, ..rules })
        .collect();
    play(effort(100_000), 0, 5, &rules);
}

/// The last block of 65 rows has 63 lanes that no row ever plays.
#[test]
fn a_long_run_takes_no_more_memory_than_a_short_one() {
    for kernel in kernels() {
        let config = Config { kernel: Some(kernel), ..Config::default() };
        let mut env = Env::new(config.clone(), 65, 1).unwrap();
        let mut buffers = Buffers::new(&config, 65);
        let mut draw = Stream::from_seed(1);
        env.reset(None, None, &mut NoExternals).unwrap();
        env.write_views(&mut buffers.views.views());
        // All that an environment keeps can be seen in its debug output.
        let mut size_after = |steps: usize| {
            for _ in 0..steps {
                let masks = buffers.views.action_mask.chunks_exact(6);
                let legal = masks.map(|mask| (0..6).filter(|&mv| mask[mv] == 1).map(support::mv).collect());
                let actions: Vec<_> = legal.map(|legal| draw.choose(legal).unwrap().index() as i64).collect();
                env.step(&actions, &mut NoExternals, buffers.outputs()).unwrap();
            }
            format!("{env:?}").len()
        };
        let short = size_after(500);
        let long = size_after(4500);
        assert!(long < 2 * short, "{kernel}: {short} characters, later {long}");
    }
}

/// `OWARE_TEST_KERNELS` names the kernels that a machine must have, an emulated one for instance.
#[test]
fn the_kernels_are_those_of_the_machine() {
    let found = kernels();
    assert_eq!(found[found.len() - 2..], [KernelName::Portable, KernelName::Words]);
    if let Ok(expected) = std::env::var("OWARE_TEST_KERNELS") {
        let names: Vec<_> = found.iter().map(|kernel| kernel.name()).collect();
        assert_eq!(names.join(","), expected);
    }
}
