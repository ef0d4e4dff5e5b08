//! The state of an environment as bytes.
//!
//! ```text
//! magic "OWAREENV" · version u32 · rules (length u32, text) · self-play 0|1 · networks u8 · rows u64
//! per network: name (length u32, text) · checksum u32 · simulations u32 · temperature f32 · seeds of its database u8
//! per row: phase u8 · steps u32 · stream u64 · agent u8 · opponent u8 · plies, simulations or network u32
//!          place in the pool u8 · pits 12 × u8 · stores 2 × u8 · mover u8 · ply u32
//!          moves (length u32, one byte each)
//! CRC-32 of all that u32
//! ```
//!
//! Numbers are little-endian; 255 seeds stand for no database. A network's parameters are no part of the state: the
//! checksum tells which it was, and the name where it may be had. A row's game is a position and the moves since, so
//! that reading it is playing it: what the rules forbid cannot get in, and nothing depends on how a kernel keeps its
//! boards.

use std::error::Error;
use std::fmt;

use crate::batch::slot::Slot;
use crate::env::config::{Config, MOST_EXTERNALS, Opponent, Scenario};
use crate::env::episode::{Episode, Phase};
use crate::env::player::NetworkMark;
use crate::env::pool::MOST_CHOICES;
use crate::env::searcher::{MOST_PLIES_AHEAD, MOST_SIMULATIONS, Method, Searcher};
use crate::game::Game;
use crate::pit::{Move, PITS};
use crate::position::Position;
use crate::rules::Rules;
use crate::seat::Seat;
use crate::setup::Setup;
use crate::stream::Stream;

const MAGIC: &[u8; 8] = b"OWAREENV";
const VERSION: u32 = 4;
/// No game has as many plies or steps, and from here on it is as far again to where a counter ends.
const MOST_PLIES: u32 = 1 << 31;

/// What stands for no endgame database.
const NO_DATABASE: u8 = u8::MAX;
/// The longest name of a network.
const LONGEST_NAME: usize = 1 << 16;

/// Why a state cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateError {
    /// The bytes are no state at all.
    Foreign,
    /// The state has a version that is unknown here.
    Version(u32),
    /// The bytes are cut or altered.
    Damaged,
    /// The state belongs to another rule set.
    Rules,
    /// The state has another number of rows.
    Rows {
        /// The rows of this environment.
        expected: usize,
        /// The rows of the state.
        found: u64,
    },
    /// The state is of self-play and the environment is not, or the other way round.
    MatchUp,
    /// An opponent is a network that is not known here.
    Network(NetworkMark),
    /// A row's entries contradict each other.
    Row(usize),
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => f.write_str("the bytes are not the state of an environment"),
            Self::Version(version) => write!(f, "the state has version {version}; this release reads {VERSION}"),
            Self::Damaged => f.write_str("the state is damaged: it was cut or altered"),
            Self::Rules => f.write_str("the state was saved under other rules"),
            Self::Rows { expected, found } => {
                write!(f, "the state has {found} environments, this one has {expected}")
            }
            Self::MatchUp => f.write_str("only one of the state and the environment has an opponent"),
            Self::Network(NetworkMark { name, .. }) if name.is_empty() => f.write_str(
                "the state has an opponent with a network that this environment does not know; \
                 give it to set_opponent before",
            ),
            Self::Network(NetworkMark { name, .. }) => write!(
                f,
                "the state has the opponent {name:?} as it was then, which this environment does not know; \
                 give it to set_opponent before"
            ),
            Self::Row(row) => write!(f, "environment {row}: its saved entries contradict each other"),
        }
    }
}

impl Error for StateError {}

pub(crate) fn encode(config: &Config, rows: impl ExactSizeIterator<Item = Episode>) -> Vec<u8> {
    let rules = &config.rules;
    let rows: Vec<_> = rows.collect();
    // The numbers of the networks that are in play, in that order.
    let mut networks = Vec::new();
    for episode in &rows {
        if let Some((_, Opponent::Network(number))) = episode.match_up
            && !networks.contains(&number)
        {
            networks.push(number);
        }
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    let rules_text = rules_text(rules);
    bytes.extend((rules_text.len() as u32).to_le_bytes());
    bytes.extend(rules_text.as_bytes());
    bytes.push(u8::from(config.opponent.is_none()));
    bytes.push(networks.len() as u8);
    for player in networks.iter().filter_map(|&number| config.networks.get(usize::from(number))) {
        encode_network(&mut bytes, player.mark());
    }
    bytes.extend((rows.len() as u64).to_le_bytes());
    for episode in &rows {
        encode_row(&mut bytes, rules, episode, &networks);
    }
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

fn encode_network(bytes: &mut Vec<u8>, mark: &NetworkMark) {
    let NetworkMark { name, checksum, simulations, temperature, endgame } = mark;
    bytes.extend((name.len() as u32).to_le_bytes());
    bytes.extend(name.as_bytes());
    bytes.extend(checksum.to_le_bytes());
    bytes.extend(simulations.to_le_bytes());
    bytes.extend(temperature.to_le_bytes());
    bytes.push(endgame.unwrap_or(NO_DATABASE));
}

fn encode_row(bytes: &mut Vec<u8>, rules: &Rules, episode: &Episode, networks: &[u8]) {
    bytes.push(match episode.phase {
        Phase::Unstarted => 0,
        Phase::Live => 1,
        Phase::Finished => 2,
    });
    bytes.extend(episode.steps.to_le_bytes());
    bytes.extend(episode.stream.state().to_le_bytes());
    let (agent, opponent) = match episode.match_up {
        None => (0, (0, 0)),
        Some((seat, opponent)) => (seat.index() as u8, opponent_code(opponent, networks)),
    };
    let (code, number) = opponent;
    bytes.extend([agent, code]);
    bytes.extend(number.to_le_bytes());
    bytes.push(episode.place);
    let game = episode.slot.game(rules);
    let Position { board, mover, .. } = game.start();
    bytes.extend(board.pits());
    bytes.extend([board.stores.south, board.stores.north, mover.index() as u8]);
    bytes.extend(game.start_ply().to_le_bytes());
    bytes.extend((game.moves().len() as u32).to_le_bytes());
    bytes.extend(game.moves().map(|mv| mv.index() as u8));
}

/// Codes of outside opponents begin here, one for each number.
const FIRST_EXTERNAL: u8 = u8::MAX - MOST_EXTERNALS + 1;

/// The code of an opponent, and the plies or simulations of its search or its rank among the networks.
fn opponent_code(opponent: Opponent, networks: &[u8]) -> (u8, u32) {
    match opponent {
        Opponent::Random => (1, 0),
        Opponent::Greedy => (2, 0),
        Opponent::Search(Searcher { method: Method::Minimax(plies), aided }) => (3 + u8::from(aided), plies.into()),
        Opponent::Search(Searcher { method: Method::Mcts(simulations), aided }) => (5 + u8::from(aided), simulations),
        Opponent::Network(number) => (7, networks.iter().position(|&other| other == number).unwrap_or_default() as u32),
        Opponent::External(number) => (FIRST_EXTERNAL + number, 0),
    }
}

fn opponent_of(code: u8, number: u32, networks: &[u8]) -> Option<Opponent> {
    let method = match (code, number) {
        (1, 0) => return Some(Opponent::Random),
        (2, 0) => return Some(Opponent::Greedy),
        (FIRST_EXTERNAL.., 0) => return Some(Opponent::External(code - FIRST_EXTERNAL)),
        (3 | 4, 1..) => Method::Minimax(u8::try_from(number).ok().filter(|&plies| plies <= MOST_PLIES_AHEAD)?),
        (7, _) => return networks.get(number as usize).copied().map(Opponent::Network),
        (5 | 6, 1..=MOST_SIMULATIONS) => Method::Mcts(number),
        _ => return None,
    };
    Some(Opponent::Search(Searcher { method, aided: code.is_multiple_of(2) }))
}

fn rules_text(rules: &Rules) -> String {
    rules.fields().iter().map(|(field, value)| format!("{field}={value};")).collect()
}

/// The networks that a state names, in their order.
pub(crate) fn networks(bytes: &[u8], scenario: &Scenario) -> Result<Vec<NetworkMark>, StateError> {
    head(bytes, scenario).map(|(_, networks)| networks)
}

/// What stands before the rows: the networks. The reader is at the number of rows then.
fn head<'a>(bytes: &'a [u8], scenario: &Scenario) -> Result<(Reader<'a>, Vec<NetworkMark>), StateError> {
    let (body, checksum) = bytes.split_last_chunk().ok_or(StateError::Foreign)?;
    let mut reader = Reader { bytes: body };
    if reader.take::<8>()? != *MAGIC {
        return Err(StateError::Foreign);
    }
    let version = reader.u32()?;
    if version != VERSION {
        return Err(StateError::Version(version));
    }
    if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
        return Err(StateError::Damaged);
    }
    let length = reader.u32()? as usize;
    if reader.slice(length)? != rules_text(&scenario.config.rules).as_bytes() {
        return Err(StateError::Rules);
    }
    let self_play = match reader.u8()? {
        0 => false,
        1 => true,
        _ => return Err(StateError::Damaged),
    };
    if self_play == scenario.config.opponent.is_some() {
        return Err(StateError::MatchUp);
    }
    let networks = (0..reader.u8()?).map(|_| decode_network(&mut reader)).collect::<Result<_, _>>()?;
    Ok((reader, networks))
}

fn decode_network(reader: &mut Reader<'_>) -> Result<NetworkMark, StateError> {
    let length = reader.u32()? as usize;
    let name = std::str::from_utf8(reader.slice(length)?).ok().filter(|name| name.len() <= LONGEST_NAME);
    let name = name.ok_or(StateError::Damaged)?.to_owned();
    let (checksum, simulations) = (reader.u32()?, reader.u32()?);
    let temperature = f32::from_le_bytes(reader.take()?);
    let endgame = Some(reader.u8()?).filter(|&seeds| seeds != NO_DATABASE);
    Ok(NetworkMark { name, checksum, simulations, temperature, endgame })
}

pub(crate) fn decode(
    bytes: &[u8],
    scenario: &Scenario,
    expected: usize,
    externals: u8,
) -> Result<Vec<Episode>, StateError> {
    let (mut reader, networks) = head(bytes, scenario)?;
    let found = u64::from_le_bytes(reader.take()?);
    if found != expected as u64 {
        return Err(StateError::Rows { expected, found });
    }
    let known = |mark: &NetworkMark| {
        let number = scenario.config.networks.iter().position(|player| player.mark() == mark);
        number.map(|number| number as u8).ok_or_else(|| StateError::Network(mark.clone()))
    };
    let networks = networks.iter().map(known).collect::<Result<Vec<_>, _>>()?;
    let rows = (0..expected)
        .map(|row| decode_row(&mut reader, scenario, externals, &networks)?.ok_or(StateError::Row(row)))
        .collect::<Result<_, _>>()?;
    if reader.bytes.is_empty() { Ok(rows) } else { Err(StateError::Damaged) }
}

/// The next row; `None` when its entries contradict each other.
fn decode_row(
    reader: &mut Reader<'_>,
    scenario: &Scenario,
    externals: u8,
    networks: &[u8],
) -> Result<Option<Episode>, StateError> {
    let phase = reader.u8()?;
    let steps = reader.u32()?;
    let stream = Stream::from_state(u64::from_le_bytes(reader.take()?));
    let [agent, opponent] = reader.take()?;
    let number = reader.u32()?;
    let place = reader.u8()?;
    let pits: [u8; PITS] = reader.take()?;
    let stores: [u8; 2] = reader.take()?;
    let mover = reader.u8()?;
    let ply = reader.u32()?;
    let length = reader.u32()? as usize;
    let moves = reader.slice(length)?;
    Ok((|| {
        let rules = scenario.config.rules;
        let setup = Setup {
            pits: pits.map(i64::from).to_vec(),
            stores: stores.map(i64::from).to_vec(),
            to_move: i64::from(mover),
        };
        let mut game = Game::from_position(rules, setup.validate(&rules).ok()?, ply);
        for &mv in moves {
            game.play(Move::new(usize::from(mv))?).ok()?;
        }
        let match_up = match scenario.config.opponent {
            None if (agent, opponent, number, place) == (0, 0, 0, 0) => None,
            None => return None,
            Some(_) => {
                let opponent = opponent_of(opponent, number, networks)?;
                let own = scenario.config.own_opponent(place)?;
                Some((Seat::from_index(usize::from(agent))?, known(opponent, externals, own)))
            }
        };
        let phase = match phase {
            0 => Phase::Unstarted,
            1 => Phase::Live,
            2 => Phase::Finished,
            _ => return None,
        };
        let agent_is_to_move = match_up.is_none_or(|(agent, _)| agent == game.position().mover);
        let fits = match phase {
            Phase::Live => !game.is_over() && agent_is_to_move,
            Phase::Unstarted => !game.is_over(),
            Phase::Finished => true,
        };
        let placed = usize::from(place) < MOST_CHOICES;
        let countable = game.ply() <= MOST_PLIES && steps <= MOST_PLIES;
        (fits && countable && placed).then(|| Episode { slot: Slot::of(&game), stream, steps, match_up, place, phase })
    })())
}

/// The opponent that a row goes on with: of an outside one only the number can be saved.
const fn known(saved: Opponent, externals: u8, current: Opponent) -> Opponent {
    match saved {
        Opponent::External(number) if number >= externals => current,
        _ => saved,
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], StateError> {
        let (head, tail) = self.bytes.split_first_chunk().ok_or(StateError::Damaged)?;
        self.bytes = tail;
        Ok(*head)
    }

    fn slice(&mut self, length: usize) -> Result<&'a [u8], StateError> {
        let (head, tail) = self.bytes.split_at_checked(length).ok_or(StateError::Damaged)?;
        self.bytes = tail;
        Ok(head)
    }

    fn u8(&mut self) -> Result<u8, StateError> {
        self.take().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Result<u32, StateError> {
        self.take().map(u32::from_le_bytes)
    }
}
