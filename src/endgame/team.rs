//! Threads that work on one thing while the caller's keeps watch.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How often the watch looks up.
const ROUND: Duration = Duration::from_millis(40);

/// The work was called off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

/// Has `threads` threads do `work`, all of them the same, and calls `watch` now and then until they are done; when
/// that breaks, the flag that they are given is set. With no thread, or where none can be had, `work` is done here,
/// without a watch.
pub(super) fn run(
    threads: usize,
    work: impl Fn(&AtomicBool) + Sync,
    watch: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<(), Stopped> {
    let stop = AtomicBool::new(false);
    let (done, finished) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let mut started = 0;
        for _ in 0..threads {
            let done = done.clone();
            let (work, stop) = (&work, &stop);
            let hand = move || {
                work(stop);
                drop(done);
            };
            if thread::Builder::new().spawn_scoped(scope, hand).is_err() {
                break;
            }
            started += 1;
        }
        drop(done);
        if started == 0 {
            work(&stop);
            return;
        }
        // Nothing is ever sent: the channel closes when the last thread has dropped its end.
        while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(ROUND) {
            if watch().is_break() {
                stop.store(true, Ordering::Relaxed);
            }
        }
    });
    if stop.into_inner() { Err(Stopped) } else { Ok(()) }
}

/// Numbers handed out in chunks, each once.
pub(super) struct Chunks {
    next: AtomicU64,
    end: u64,
}

impl Chunks {
    /// The numbers of a chunk.
    const SIZE: u64 = 1 << 13;

    /// The numbers below `end`.
    pub(super) const fn below(end: u64) -> Self {
        Self { next: AtomicU64::new(0), end }
    }

    /// The next chunk.
    pub(super) fn next(&self) -> Option<std::ops::Range<u64>> {
        let start = self.next.fetch_add(Self::SIZE, Ordering::Relaxed);
        (start < self.end).then(|| start..self.end.min(start + Self::SIZE))
    }
}

/// Where threads with much to do leave some of it to those that have run out.
pub(super) struct Exchange<T> {
    inner: Mutex<Inner<T>>,
    changed: Condvar,
    /// The threads that wait, to be read without the lock.
    hungry: AtomicUsize,
}

struct Inner<T> {
    parcels: Vec<Vec<T>>,
    present: usize,
    waiting: usize,
}

impl<T> Exchange<T> {
    /// Work below this size is not worth parting.
    const LEAST: usize = 256;

    pub(super) const fn new() -> Self {
        let inner = Mutex::new(Inner { parcels: Vec::new(), present: 0, waiting: 0 });
        Self { inner, changed: Condvar::new(), hungry: AtomicUsize::new(0) }
    }

    /// A thread says this before anything else.
    pub(super) fn enter(&self) {
        self.lock().present += 1;
    }

    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves half of the work when somebody waits for some.
    #[inline]
    pub(super) fn part(&self, work: &mut Vec<T>) {
        if self.hungry.load(Ordering::Relaxed) > 0 && work.len() >= Self::LEAST {
            let mut inner = self.lock();
            if inner.parcels.len() < inner.waiting {
                // The older half: what lies deepest has most behind it.
                let rest = work.split_off(work.len() / 2);
                inner.parcels.push(std::mem::replace(work, rest));
                self.changed.notify_one();
            }
        }
    }

    /// Waits for work; `None` once every thread that has entered waits, or all is called off.
    pub(super) fn take(&self, stop: &AtomicBool) -> Option<Vec<T>> {
        let mut inner = self.lock();
        inner.waiting += 1;
        self.hungry.fetch_add(1, Ordering::Relaxed);
        loop {
            if let Some(parcel) = inner.parcels.pop() {
                inner.waiting -= 1;
                self.hungry.fetch_sub(1, Ordering::Relaxed);
                return Some(parcel);
            }
            if inner.waiting == inner.present || stop.load(Ordering::Relaxed) {
                self.changed.notify_all();
                return None;
            }
            inner = self.changed.wait_timeout(inner, ROUND).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
