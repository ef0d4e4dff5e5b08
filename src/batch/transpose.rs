//! What lies in the planes of a block, as rows: an observation and a mask for each board.

use crate::batch::lanes::{BLOCK, Lanes, Plane};
use crate::batch::observe::{PLANES, wide_mask};
use crate::batch::ply::{Boards, load_all};
use crate::pit::{MoveSet, PITS, ROW};

/// A row of 14 bytes for each board from a plane for each column, as observations are.
#[inline(always)]
pub(crate) fn rows<L: Lanes>(boards: &Boards, out: &mut [u8; BLOCK * PLANES]) {
    let mut at = 0;
    while at < BLOCK {
        let zero = L::splat(0);
        let pits: [L; PITS] = load_all(&boards.pits, at);
        let stores: [L; 2] = load_all(&boards.stores, at);
        let columns = [
            pits[0], pits[1], pits[2], pits[3], pits[4], pits[5], pits[6], pits[7], pits[8], pits[9], pits[10],
            pits[11], stores[0], stores[1], zero, zero,
        ];
        // Four times the perfect shuffle of sixteen vectors is their transposition.
        let lines = shuffle(shuffle(shuffle(shuffle(columns))));
        let mut part = 0;
        while part < L::WIDTH / 16 {
            let mut i = 0;
            while i < 16 {
                // Sixteen bytes are stored for each row, and the next row overwrites the last two.
                let first = (at + part * 16 + i) * PLANES;
                if let Some(place) = out.get_mut(first..first + 16) {
                    place.copy_from_slice(&lines[i].sixteen(part));
                }
                i += 1;
            }
            part += 1;
        }
        if at + L::WIDTH == BLOCK {
            // In two words, since there is no room for sixteen bytes and memory is a slow way around.
            let last = u128::from_le_bytes(lines[15].sixteen(L::WIDTH / 16 - 1));
            let row = &mut out[(BLOCK - 1) * PLANES..];
            row[..8].copy_from_slice(&(last as u64).to_le_bytes());
            row[PLANES - 8..].copy_from_slice(&((last >> (8 * (PLANES - 8))) as u64).to_le_bytes());
        }
        at += L::WIDTH;
    }
}

#[inline(always)]
fn shuffle<L: Lanes>(c: [L; 16]) -> [L; 16] {
    [
        c[0].zip_low(c[8]),
        c[0].zip_high(c[8]),
        c[1].zip_low(c[9]),
        c[1].zip_high(c[9]),
        c[2].zip_low(c[10]),
        c[2].zip_high(c[10]),
        c[3].zip_low(c[11]),
        c[3].zip_high(c[11]),
        c[4].zip_low(c[12]),
        c[4].zip_high(c[12]),
        c[5].zip_low(c[13]),
        c[5].zip_high(c[13]),
        c[6].zip_low(c[14]),
        c[6].zip_high(c[14]),
        c[7].zip_low(c[15]),
        c[7].zip_high(c[15]),
    ]
}

/// The bytes of the masks of a block.
const MASKS: usize = BLOCK * ROW;

/// A mask of six bytes for each board from its moves as bits.
#[inline(always)]
pub(crate) fn masks<L: Lanes>(moves: &Plane, out: &mut [i8; MASKS]) {
    if L::LOOKS_UP {
        let mut at = 0;
        while at < MASKS {
            // The boards of these bytes are among sixteen.
            let first = (at / ROW).min(BLOCK - 16);
            let mut sixteen = [0; 16];
            sixteen.copy_from_slice(&moves.0[first..first + 16]);
            let bit = L::read(&BITS[at..]);
            let here = L::look_up(sixteen, L::read(&BOARDS[at..]).sub(L::splat(first as u8)));
            let ones = L::splat(1).keep(here.and(bit).equals(bit));
            ones.write(&mut out[at..at + L::WIDTH]);
            at += L::WIDTH;
        }
    } else {
        let mut lane = 0;
        while lane < BLOCK {
            // Eight bytes are stored for each row but the last, and the next row overwrites two of them.
            let eight = wide_mask(MoveSet::from_bits(moves.0[lane]));
            let first = lane * ROW;
            if lane + 1 < BLOCK {
                out[first..first + 8].copy_from_slice(&eight);
            } else {
                out[first..first + ROW].copy_from_slice(&eight[..ROW]);
            }
            lane += 1;
        }
    }
}

/// The board of each byte of the masks.
static BOARDS: [u8; MASKS] = {
    let mut boards = [0; MASKS];
    let mut i = 0;
    while i < MASKS {
        boards[i] = (i / ROW) as u8;
        i += 1;
    }
    boards
};

/// The move of each byte of the masks, as a bit.
static BITS: [u8; MASKS] = {
    let mut bits = [0; MASKS];
    let mut i = 0;
    while i < MASKS {
        bits[i] = 1 << (i % ROW);
        i += 1;
    }
    bits
};

/// Eight planes from eight bytes of each board: those of board *i* at [`word_of`] *i*.
#[inline(always)]
pub(crate) fn planes<L: Lanes>(words: &[Plane; 8], out: &mut [Plane; 8]) {
    let mut part = 0;
    while part < BLOCK / L::WIDTH {
        let mut lines = [L::splat(0); 8];
        let mut i = 0;
        while i < 8 {
            let at = (part * 8 + i) * L::WIDTH;
            lines[i] = L::load(&words[at / BLOCK], at % BLOCK);
            i += 1;
        }
        // Four times the perfect shuffle of eight vectors puts the number of the byte before that of the word.
        let lines = shuffle_eight(shuffle_eight(shuffle_eight(shuffle_eight(lines))));
        i = 0;
        while i < 8 {
            lines[i].store(&mut out[i], part * L::WIDTH);
            i += 1;
        }
        part += 1;
    }
}

/// Where [`planes`] takes the bytes of a board from, among sixty-four words of eight bytes.
#[inline(always)]
pub(crate) const fn word_of<L: Lanes>(board: usize) -> usize {
    let (part, within) = (board / L::WIDTH, board % L::WIDTH);
    let (sixteen, pair, half) = (within / 16, within % 16 / 2, within % 2);
    part * L::WIDTH + pair * (L::WIDTH / 8) + 2 * sixteen + half
}

#[inline(always)]
fn shuffle_eight<L: Lanes>(c: [L; 8]) -> [L; 8] {
    [
        c[0].zip_low(c[4]),
        c[0].zip_high(c[4]),
        c[1].zip_low(c[5]),
        c[1].zip_high(c[5]),
        c[2].zip_low(c[6]),
        c[2].zip_high(c[6]),
        c[3].zip_low(c[7]),
        c[3].zip_high(c[7]),
    ]
}
