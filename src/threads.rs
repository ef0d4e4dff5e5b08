//! Work shared out among threads that are started when they are first needed, and kept.
//!
//! ```text
//! caller   open a call with a seat for each thread that may help; do pieces of the work until none is left;
//!          close the call, so that nobody takes a seat any more; wait for those who have one
//! helper   for ever: wait for a call with a free seat and take it; do pieces until none is left; get up
//! ```
//!
//! So a caller never waits for a helper that has not begun: where helpers are late, busy with another call or cannot
//! be had, it does the work itself. That holds for a process that was forked, too, where the helpers are gone: it
//! starts its own, and leaves alone the locks of those that it has not.
//!
//! A helper outlives what it works on, so the work is lent to it with a lifetime that is not the true one. That is
//! what is unsafe here, and its contract: a call is closed before the work goes, and [`Crew::close`] returns only when
//! no helper has the work any more.
#![allow(unsafe_code)]

use std::any::Any;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Does all pieces of work, on so many threads at most, this one among them, and on no more than there are pieces. No
/// piece may wait for another one. A piece that panics makes the call panic, when the others are done.
pub(crate) fn share_among<T: Send>(threads: usize, pieces: Vec<T>, work: impl Fn(T) + Sync) {
    let threads = threads.min(pieces.len());
    if threads <= 1 {
        pieces.into_iter().for_each(work);
    } else {
        Crew::of_this_process().share_among(threads, pieces, work);
    }
}

/// Does some work that asks from any thread whether to go on, where only this thread may ask `go_on`; the others look
/// at what it was told. Whether the work was to go on to its end.
pub(crate) fn while_caller(
    go_on: &mut (dyn FnMut() -> bool + Send),
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)),
) -> bool {
    let (caller, go_on, stop) = (thread::current().id(), Mutex::new(go_on), AtomicBool::new(false));
    work(&|| {
        if thread::current().id() == caller
            && let Ok(mut go_on) = go_on.lock()
            && !go_on()
        {
            stop.store(true, Ordering::Relaxed);
        }
        !stop.load(Ordering::Relaxed)
    });
    !stop.into_inner()
}

/// Does pieces of a call's work until none is left.
type Work<'a> = dyn Fn() + Sync + 'a;
/// What a panic leaves.
type Payload = Box<dyn Any + Send>;

/// The helpers of one process.
struct Crew {
    process: u32,
    state: Mutex<State>,
    /// A call has been opened.
    opened: Condvar,
    /// The last helper has left a closed call.
    left: Condvar,
}

#[derive(Default)]
struct State {
    helpers: usize,
    calls: Vec<Call>,
    last_call: u64,
}

struct Call {
    number: u64,
    work: &'static Work<'static>,
    /// How many helpers may still join.
    seats: usize,
    /// How many are at work.
    seated: usize,
    closed: bool,
    panic: Option<Payload>,
}

/// The crew of the process that this memory was made in; null before the first.
static CREW: AtomicPtr<Crew> = AtomicPtr::new(ptr::null_mut());

impl Crew {
    fn of_this_process() -> &'static Self {
        let process = process::id();
        let found = CREW.load(Ordering::Acquire);
        // SAFETY: what is not null was leaked below.
        if let Some(crew) = unsafe { found.as_ref() }
            && crew.process == process
        {
            return crew;
        }
        let made: &'static mut Self = Box::leak(Box::new(Self::new(process)));
        // Of two threads that get here at once, one leaks a crew without helpers.
        match CREW.compare_exchange(found, made, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => made,
            // SAFETY: as above; another thread of this process has stored it just now.
            Err(other) => unsafe { &*other },
        }
    }

    fn new(process: u32) -> Self {
        Self { process, state: Mutex::default(), opened: Condvar::new(), left: Condvar::new() }
    }

    /// The state. Nothing that can panic is done while it is locked.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn share_among<T: Send>(&'static self, threads: usize, pieces: Vec<T>, work: impl Fn(T) + Sync) {
        let pieces = Mutex::new(pieces.into_iter());
        let next = || pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
        self.run(threads - 1, &|| {
            while let Some(piece) = next() {
                work(piece);
            }
        });
    }

    /// Does some work with so many helpers at most.
    fn run(&'static self, helpers: usize, work: &Work<'_>) {
        // SAFETY: only the lifetime is another one. The work is borrowed for the whole of this function, and nothing
        // leaves it between opening the call and closing it, after which no helper has the work.
        let lent = unsafe { mem::transmute::<&Work<'_>, &'static Work<'static>>(work) };
        let number = self.open(helpers, lent);
        let mine = panic::catch_unwind(AssertUnwindSafe(work));
        let theirs = self.close(number);
        if let Some(payload) = mine.err().or(theirs) {
            panic::resume_unwind(payload);
        }
    }

    /// Opens a call and returns its number.
    fn open(&'static self, helpers: usize, work: &'static Work<'static>) -> u64 {
        let mut state = self.lock();
        while state.helpers < helpers {
            if thread::Builder::new().name("oware".to_owned()).spawn(|| self.help()).is_err() {
                break;
            }
            state.helpers += 1;
        }
        state.last_call += 1;
        let number = state.last_call;
        state.calls.push(Call { number, work, seats: helpers, seated: 0, closed: false, panic: None });
        drop(state);
        for _ in 0..helpers {
            self.opened.notify_one();
        }
        number
    }

    /// Closes a call, waits until no helper is at work on it, and returns what a panic of one has left.
    fn close(&self, number: u64) -> Option<Payload> {
        let mut state = self.lock();
        loop {
            let at = state.calls.iter().position(|call| call.number == number)?;
            let call = &mut state.calls[at];
            if call.seated == 0 {
                return state.calls.swap_remove(at).panic;
            }
            (call.seats, call.closed) = (0, true);
            state = self.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// What a helper does all its life.
    fn help(&self) {
        let mut state = self.lock();
        loop {
            let Some(call) = state.calls.iter_mut().find(|call| call.seats > 0) else {
                state = self.opened.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            call.seats -= 1;
            call.seated += 1;
            let (number, work) = (call.number, call.work);
            drop(state);
            let done = panic::catch_unwind(AssertUnwindSafe(work));
            state = self.lock();
            if let Some(call) = state.calls.iter_mut().find(|call| call.number == number) {
                call.seated -= 1;
                call.panic = call.panic.take().or(done.err());
                if call.closed && call.seated == 0 {
                    self.left.notify_all();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Barrier;

    use super::*;

    /// The squares of the numbers below `count`, worked out in pieces.
    fn squares(count: usize) -> Vec<usize> {
        let mut squares = vec![0; count];
        share_among(count, squares.iter_mut().enumerate().collect(), |(number, square)| *square = number * number);
        squares
    }

    /// A crew that nobody else has, so that all its helpers are free.
    fn crew() -> &'static Crew {
        Box::leak(Box::new(Crew::new(process::id())))
    }

    #[test]
    fn every_piece_is_done_once() {
        for count in [0, 1, 2, 3, 7, 100] {
            assert_eq!(squares(count), (0..count).map(|number| number * number).collect::<Vec<_>>());
        }
    }

    #[test]
    fn as_many_threads_as_pieces_work_at_once_and_are_kept() {
        let crew = crew();
        let mut known = HashSet::new();
        for (pieces, known_after) in [(2, 2), (5, 5), (3, 5), (5, 5)] {
            let met = Barrier::new(pieces);
            let threads = Mutex::new(HashSet::new());
            crew.share_among(pieces, vec![(); pieces], |()| {
                met.wait();
                threads.lock().unwrap().insert(thread::current().id());
            });
            let threads = threads.into_inner().unwrap();
            assert_eq!(threads.len(), pieces);
            assert!(threads.contains(&thread::current().id()));
            known.extend(threads);
            assert_eq!(known.len(), known_after);
        }
        assert!(crew.lock().calls.is_empty());
    }

    #[test]
    fn a_caller_does_alone_what_nobody_helps_with() {
        let crew = crew();
        let (busy, done) = (Barrier::new(3), Barrier::new(3));
        thread::scope(|scope| {
            scope.spawn(|| {
                crew.share_among(2, vec![(); 2], |()| {
                    busy.wait();
                    done.wait();
                });
            });
            busy.wait();
            // The only helper is at work until `done`.
            let caller = thread::current().id();
            crew.share_among(2, vec![(); 2], |()| assert_eq!(thread::current().id(), caller));
            done.wait();
        });
    }

    #[test]
    fn calls_from_several_threads_at_once() {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..60).for_each(|count| assert_eq!(squares(count % 9)[..], squares(9)[..count % 9])));
            }
        });
    }

    #[test]
    fn a_call_in_a_piece_of_another() {
        let sums = Mutex::new(Vec::new());
        share_among(6, (0..6).collect(), |count| {
            let sum: usize = squares(count).iter().sum();
            sums.lock().unwrap().push(sum);
        });
        let mut sums = sums.into_inner().unwrap();
        sums.sort_unstable();
        assert_eq!(sums, [0, 0, 1, 5, 14, 30]);
    }

    #[test]
    fn a_panic_reaches_the_caller_when_all_other_pieces_are_done() {
        let crew = crew();
        for bad in 0..3 {
            let met = Barrier::new(3);
            let done = Mutex::new(Vec::new());
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
                crew.share_among(3, (0..3).collect(), |piece| {
                    met.wait();
                    assert_ne!(piece, bad, "the bad one");
                    done.lock().unwrap().push(piece);
                });
            }));
            let payload = outcome.unwrap_err();
            assert!(payload.downcast_ref::<String>().unwrap().contains("the bad one"));
            assert_eq!(done.into_inner().unwrap().len(), 2);
            let sum = Mutex::new(0);
            crew.share_among(3, (1..=3).collect(), |piece| *sum.lock().unwrap() += piece);
            assert_eq!(sum.into_inner().unwrap(), 6);
        }
    }
}
