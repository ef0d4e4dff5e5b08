//! Networks: against a slow twin, alone and in batches, as files, and in a search.
#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in the tests but not in their helpers")]

use oware::net::{
    Board, COLUMNS, INPUTS, Network, NetworkError, NetworkEvaluator, Output, Parameter, SCALE, SOWN, Scratch, columns,
};
use oware::search::mcts::{Evaluation, Evaluator, Forest, Noise, Question, Score, Settings};
use oware::{Game, GrandSlam, Rules, Stream, Words};

/// Boards from random games, and some that no game has.
fn boards(count: usize) -> Vec<Board> {
    let mut stream = Stream::from_seed(7);
    let mut boards = vec![[0; 14], [255; 14], [48; 14], [49; 14], [24; 14], [25; 14]];
    let mut game = Game::new(Rules::default());
    while boards.len() < count {
        boards.push(Words::of(game.position()).observation());
        // Drawn: mostly few seeds, which are captured, and some for a lap or more.
        boards.push(std::array::from_fn(|_| match stream.draw() % 8 {
            0 => (stream.draw() % 256) as u8,
            1 | 2 => (stream.draw() % 40) as u8,
            _ => (stream.draw() % 3) as u8,
        }));
        match stream.choose(game.legal_moves()) {
            Some(mv) if !game.is_over() => drop(game.play(mv)),
            _ => game = Game::new(Rules::default()),
        }
    }
    boards.truncate(count);
    boards
}

/// A layer of a network by its parameters alone, in 64 bits.
fn layer(network: &Network, name: &str, inputs: &[f64]) -> Vec<f64> {
    let find = |what: &str| {
        let full = format!("{name}.{what}");
        network.parameters().iter().find(|parameter| parameter.name == full).unwrap()
    };
    let rows = find("weight").values.chunks_exact(inputs.len());
    let sum = |row: &[f32]| row.iter().zip(inputs).map(|(&weight, input)| f64::from(weight) * input).sum::<f64>();
    find("bias").values.iter().zip(rows).map(|(&bias, row)| f64::from(bias) + sum(row)).collect()
}

/// The seeds that sowing a pit would capture, and those in the last one's pit before that, seed by seed.
fn sown(board: &Board, pit: usize) -> (u32, u32) {
    let mut pits: Vec<u32> = board[..12].iter().map(|&seeds| u32::from(seeds)).collect();
    let mut at = pit;
    for _ in 0..std::mem::take(&mut pits[pit]) {
        at = (at + 1) % 12;
        if at == pit {
            at = (at + 1) % 12;
        }
        pits[at] += 1;
    }
    let last = if at == pit { 0 } else { pits[at] };
    let mut captured = 0;
    while (at < 6) != (pit < 6) && (pits[at] == 2 || pits[at] == 3) {
        captured += std::mem::take(&mut pits[at]);
        at = (at + 11) % 12;
    }
    (captured, last)
}

/// What `columns` says of sowing each pit.
fn seen(board: &Board) -> [(u32, u32); 12] {
    let seen = columns(board);
    let of = |group: usize| u32::from(seen[14 + group]) - (14 * COLUMNS + group * SOWN) as u32;
    std::array::from_fn(|pit| (of(pit), of(12 + pit)))
}

/// What a network says of a board, from its description.
fn slowly(network: &Network, board: &Board) -> (Vec<f64>, f64, f64) {
    let mut numbers = vec![0.0; INPUTS];
    for (place, &count) in board.iter().enumerate() {
        numbers[place * COLUMNS + usize::from(count).min(COLUMNS - 1)] = 1.0;
        numbers[INPUTS - board.len() + place] = f64::from(count) / f64::from(SCALE);
    }
    for pit in 0..12 {
        let (captured, last) = sown(board, pit);
        for (group, seeds) in [(pit, captured), (12 + pit, last)] {
            numbers[14 * COLUMNS + group * SOWN + (seeds as usize).min(SOWN - 1)] = 1.0;
        }
    }
    let ones = columns(board).map(usize::from);
    assert!(ones.iter().all(|&input| numbers[input] == 1.0), "{board:?}");
    assert_eq!(numbers[..INPUTS - 14].iter().sum::<f64>(), ones.len() as f64, "{board:?}");
    for number in 0..network.hidden().len() {
        numbers = layer(network, &format!("hidden.{number}"), &numbers);
        numbers.iter_mut().for_each(|number| *number = number.max(0.0));
    }
    let head = |name: &str| layer(network, name, &numbers);
    (head("policy"), head("value")[0].tanh(), head("margin")[0].tanh())
}

/// A network whose biases are not 0 either, as random ones have them.
fn network(hidden: &[usize]) -> Network {
    let mut stream = Stream::from_seed(3);
    let mut parameters = Network::random(hidden, 5, Rules::default()).unwrap().parameters().to_vec();
    for parameter in parameters.iter_mut().filter(|parameter| parameter.name.ends_with("bias")) {
        parameter.values.iter_mut().for_each(|bias| *bias = (stream.draw() >> 40) as f32 / (1_u32 << 24) as f32 - 0.5);
    }
    Network::new(parameters, Rules::named("awari").unwrap()).unwrap()
}

fn bits(output: &Output) -> Vec<u32> {
    output.logits.iter().chain([&output.value, &output.margin]).map(|number| number.to_bits()).collect()
}

#[test]
fn outputs_are_those_of_the_slow_twin() {
    for hidden in [&[1][..], &[40], &[65, 33], &[17, 300, 9]] {
        let network = network(hidden);
        let boards = boards(300);
        let outputs = network.evaluate(&boards, &mut Scratch::default());
        for (board, output) in boards.iter().zip(outputs) {
            let (logits, value, margin) = slowly(&network, board);
            for (fast, slow) in output.logits.iter().zip(logits) {
                assert!((f64::from(*fast) - slow).abs() <= 1e-4 * (1.0 + slow.abs()), "{fast} {slow} {board:?}");
            }
            assert!((f64::from(output.value) - value).abs() < 1e-4, "{board:?}");
            assert!((f64::from(output.margin) - margin).abs() < 1e-4, "{board:?}");
        }
    }
}

#[test]
fn what_a_network_sees_sown_is_what_sowing_seed_by_seed_comes_to() {
    let mut stream = Stream::from_seed(5);
    // Any number of seeds in a pit, among others of few and of many.
    let sowings = (0..12 * 256 * 4).map(|drawn| {
        let (pit, seeds, most) = (drawn % 12, drawn / 12 % 256, if drawn < 12 * 256 * 3 { 3 } else { 256 });
        let mut board: Board = std::array::from_fn(|_| (stream.draw() % most) as u8);
        board[pit] = seeds as u8;
        board
    });
    for board in sowings.chain(boards(5000)) {
        for (pit, seen) in seen(&board).into_iter().enumerate() {
            let (captured, last) = sown(&board, pit);
            assert_eq!(seen, (captured.min(9), last.min(9)), "{board:?}, pit {pit}");
        }
    }
}

#[test]
fn what_a_network_sees_captured_is_what_the_rules_say() {
    // Here a grand slam is a capture as any other.
    let rules = Rules { grand_slam: GrandSlam::CaptureAll, ..Rules::default() };
    let (mut stream, mut game, mut captures) = (Stream::from_seed(11), Game::new(rules), 0);
    for _ in 0..20_000 {
        let seen = seen(&Words::of(game.position()).observation());
        for mv in game.legal_moves().iter() {
            let taken = u32::from(game.clone().play(mv).unwrap());
            assert_eq!(seen[mv.index()].0, taken.min(9), "{:?} {mv:?}", game.position());
            captures += usize::from(taken > 0);
        }
        match stream.choose(game.legal_moves()) {
            Some(mv) if !game.is_over() => drop(game.play(mv)),
            _ => game = Game::new(rules),
        }
    }
    assert!(captures > 1000, "{captures}");
}

#[test]
fn a_board_has_the_same_outputs_in_any_batch() {
    // Wider than a block of the products, and of no round width.
    for hidden in [&[600, 70][..], &[64, 32], &[9]] {
        let network = network(hidden);
        let boards = boards(600);
        let mut scratch = Scratch::default();
        let alone: Vec<_> = boards.iter().map(|board| bits(&network.evaluate(&[*board], &mut scratch)[0])).collect();
        for batch in [2, 3, 5, 7, 8, 9, 31, 255, 256, 257, 600] {
            let outputs: Vec<_> = boards.chunks(batch).flat_map(|some| network.evaluate(some, &mut scratch)).collect();
            assert!(outputs.iter().map(bits).eq(alone.iter().cloned()), "batches of {batch}, {hidden:?}");
        }
    }
    assert_eq!(network(&[8]).evaluate(&[], &mut Scratch::default()), []);
}

#[test]
fn memory_may_be_shared_by_networks() {
    let (one, other) = (network(&[20, 10]), network(&[30]));
    let (boards, mut scratch) = (boards(40), Scratch::default());
    for _ in 0..2 {
        for network in [&one, &other] {
            let outputs = network.evaluate(&boards, &mut scratch);
            assert_eq!(outputs, network.evaluate(&boards, &mut Scratch::default()));
        }
    }
}

#[test]
fn a_seed_decides_a_random_network() {
    let random = |seed| Network::random(&[16, 8], seed, Rules::default()).unwrap();
    assert_eq!(random(1).parameters(), random(1).parameters());
    assert_ne!(random(1).parameters(), random(2).parameters());
}

#[test]
fn what_is_no_network_is_refused() {
    let rules = Rules::default();
    assert_eq!(Network::random(&[], 0, rules).unwrap_err(), NetworkError::Layers(0));
    assert_eq!(Network::random(&[1; 9], 0, rules).unwrap_err(), NetworkError::Layers(9));
    assert_eq!(Network::random(&[4, 0], 0, rules).unwrap_err(), NetworkError::Width { layer: 1, width: 0 });
    assert!(matches!(Network::random(&[4096; 3], 0, rules).unwrap_err(), NetworkError::Parameters(_)));
    let good = network(&[6, 5]).parameters().to_vec();
    assert_eq!(Network::new(Vec::new(), rules).unwrap_err(), NetworkError::Missing("hidden.0.bias".to_owned()));
    for number in 0..good.len() {
        let mut bad = good.clone();
        let Parameter { name, .. } = bad.remove(number);
        let error = Network::new(bad, rules).unwrap_err();
        assert!(
            matches!(error, NetworkError::Missing(_) | NetworkError::Unknown(_) | NetworkError::Shape { .. }),
            "{name}"
        );
        let mut bad = good.clone();
        bad[number].values.pop();
        assert!(matches!(Network::new(bad, rules).unwrap_err(), NetworkError::Shape { .. }), "{name}");
        for number_of_none in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut bad = good.clone();
            *bad[number].values.last_mut().unwrap() = number_of_none;
            let at = bad[number].values.len() - 1;
            assert_eq!(Network::new(bad, rules).unwrap_err(), NetworkError::NotFinite { name: name.clone(), at });
        }
    }
    let mut more = good.clone();
    more.push(Parameter { name: "extra".to_owned(), shape: vec![1], values: vec![0.0] });
    assert_eq!(Network::new(more, rules).unwrap_err(), NetworkError::Unknown("extra".to_owned()));
    let mut reversed = good.clone();
    reversed.reverse();
    assert_eq!(Network::new(reversed, rules).unwrap().parameters(), good);
}

#[test]
fn a_file_gives_the_same_network() {
    let rules = [
        Rules::default(),
        Rules::named("codingame").unwrap(),
        Rules { max_plies: std::num::NonZeroU32::new(77), repetition: None, majority_ends: false, ..Rules::default() },
    ];
    for rules in rules {
        let network = Network::random(&[12, 7], 4, rules).unwrap();
        let bytes = network.to_bytes().unwrap();
        assert_eq!(bytes, network.to_bytes().unwrap());
        let read = Network::from_bytes(&bytes).unwrap();
        assert_eq!((read.rules(), read.hidden()), (&rules, &[12, 7][..]));
        assert_eq!(read.parameters(), network.parameters());
        assert_eq!(read.to_bytes().unwrap(), bytes);
    }
}

#[test]
fn a_damaged_file_is_refused() {
    let bytes = Network::random(&[2], 4, Rules::default()).unwrap().to_bytes().unwrap();
    for length in 0..bytes.len() {
        assert!(Network::from_bytes(&bytes[..length]).is_err(), "the first {length} bytes");
    }
    for at in 0..bytes.len() {
        for change in [1, 2, 0x20, 0x80, 0xFF] {
            let mut bad = bytes.clone();
            bad[at] ^= change;
            assert!(Network::from_bytes(&bad).is_err(), "byte {at} changed by {change}");
        }
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(matches!(Network::from_bytes(&longer).unwrap_err(), NetworkError::Format(_)));
    assert!(matches!(Network::from_bytes(&vec![0; 1 << 26]).unwrap_err(), NetworkError::Large(_)));
    let foreign = b"\x02\0\0\0\0\0\0\0{}";
    assert_eq!(Network::from_bytes(foreign).unwrap_err(), NetworkError::Foreign);
}

#[test]
fn errors_tell_what_to_do() {
    for (error, text) in [
        (NetworkError::Layers(0), "hidden has 0 layers; give 1 to 8"),
        (NetworkError::Version("1".to_owned()), "it has version \"1\", this release reads 2"),
    ] {
        assert_eq!(error.to_string(), text);
    }
}

/// The network through the general door, which gives its leaves in batches over all trees.
struct General<'a>(NetworkEvaluator<'a>);

impl Evaluator for General<'_> {
    fn evaluate(
        &mut self,
        questions: &[Question],
    ) -> Result<Vec<Evaluation>, Box<dyn std::error::Error + Send + Sync>> {
        self.0.evaluate(questions)
    }
}

#[test]
fn threads_and_batches_of_a_search_change_no_tree() {
    let network = network(&[24, 12]);
    let games = vec![Game::new(*network.rules()); 40];
    for score in [Score::Outcome, Score::Margin] {
        let forest = || Forest::of_games(&games, |game| Stream::from_seed(game as u64), score).unwrap();
        let settings = Settings {
            simulations: 40,
            score,
            noise: Some(Noise { alpha: 1.0, fraction: 0.25 }),
            ..Settings::default()
        };
        let mut once = forest();
        let mut general = General(NetworkEvaluator::new(&network, score));
        let asked = once.search_with(&settings, &mut general, 256.try_into().unwrap(), &mut || true).unwrap();
        for (threads, batch) in [(1, 256), (1, 8), (3, 16), (2, 1)] {
            let settings = Settings { num_threads: threads.try_into().unwrap(), ..settings };
            let mut again = forest();
            let evaluator = || NetworkEvaluator::new(&network, score);
            let batch = batch.try_into().unwrap();
            let each = again.search_each(&settings, evaluator, batch, &mut || true).unwrap();
            assert_eq!(each.positions, asked.positions);
            for game in 0..games.len() {
                assert_eq!(again.found(game), once.found(game), "{threads} threads, game {game}");
            }
        }
    }
}

#[test]
fn a_search_that_stops_or_fails_can_go_on() {
    struct Failing;
    impl Evaluator for Failing {
        fn evaluate(&mut self, _: &[Question]) -> Result<Vec<Evaluation>, Box<dyn std::error::Error + Send + Sync>> {
            Err("no answer".into())
        }
    }
    let network = network(&[8]);
    let games = vec![Game::new(Rules::default()); 9];
    let mut forest = Forest::of_games(&games, |_| Stream::from_seed(0), Score::Outcome).unwrap();
    let settings = Settings { simulations: 30, num_threads: 2.try_into().unwrap(), ..Settings::default() };
    let batch = 8.try_into().unwrap();
    let error = forest.search_each(&settings, || Failing, batch, &mut || true).unwrap_err();
    assert_eq!(error.to_string(), "no answer");
    let evaluator = || NetworkEvaluator::new(&network, Score::Outcome);
    assert!(forest.search_each(&settings, evaluator, batch, &mut || false).is_err());
    forest.search_each(&settings, evaluator, batch, &mut || true).unwrap();
    assert!((0..9).all(|game| forest.found(game).unwrap().visits.iter().sum::<u32>() >= 30));
}
