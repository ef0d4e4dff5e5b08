//! The boards of a block, which lie in planes, as rows: an observation each.

use crate::batch::lanes::{BLOCK, Lanes};
use crate::batch::observe::PLANES;
use crate::batch::ply::{Boards, load_all};
use crate::pit::PITS;

/// Bytes of the rows of a block, with room for the last store of [`rows`].
pub(crate) const ROWS_BYTES: usize = BLOCK * PLANES + 2;

/// A row of 14 bytes for each board from a plane for each column, as observations are.
#[inline(always)]
pub(crate) fn rows<L: Lanes>(boards: &Boards, out: &mut [u8; ROWS_BYTES]) {
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
                out[first..first + 16].copy_from_slice(&lines[i].sixteen(part));
                i += 1;
            }
            part += 1;
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
