//! Work shared out among threads.

use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does all pieces of work, each on one of as many threads as there are pieces, this one among them.
pub(crate) fn share_out<T: Send>(mut pieces: Vec<T>, work: impl Fn(T) + Sync) {
    if pieces.len() <= 1 {
        pieces.into_iter().for_each(work);
        return;
    }
    let helpers = pieces.len() - 1;
    pieces.reverse();
    // Threads take what is left to do, so that this one does it all where no other can be had.
    let pieces = Mutex::new(pieces);
    let next = || pieces.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let work_off = || {
        while let Some(piece) = next() {
            work(piece);
        }
    };
    thread::scope(|scope| {
        for _ in 0..helpers {
            if thread::Builder::new().spawn_scoped(scope, work_off).is_err() {
                break;
            }
        }
        work_off();
    });
}
