//! Python's signal handlers, Ctrl-C above all, in the midst of long work without the interpreter.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How long the handlers wait for their turn.
const PATIENCE: Duration = Duration::from_millis(50);

/// Gives the handlers their turn now and then.
pub(super) struct Signals {
    asked: Instant,
}

impl Signals {
    pub(super) fn new() -> Self {
        Self { asked: Instant::now() }
    }

    /// Runs the handlers if they have waited long enough; what they raise is a reason to stop.
    pub(super) fn ask(&mut self) -> ControlFlow<PyErr> {
        if self.asked.elapsed() < PATIENCE {
            return ControlFlow::Continue(());
        }
        self.asked = Instant::now();
        // There is nobody to ask when the interpreter is shutting down.
        match Python::try_attach(|py| py.check_signals()) {
            Some(Err(raised)) => ControlFlow::Break(raised),
            Some(Ok(())) | None => ControlFlow::Continue(()),
        }
    }

    /// [`Signals::ask`], with what is raised put aside.
    pub(super) fn ask_or(&mut self, raised: &mut Option<PyErr>) -> ControlFlow<()> {
        match self.ask() {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(error) => {
                *raised = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}
