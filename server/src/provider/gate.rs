//! A gate before the first byte of a request. It makes "nothing was sent" provable: what has not passed it has
//! not left, and once it is sealed nothing ever will.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

type Check = Box<dyn FnOnce() -> bool + Send>;

enum State {
    /// No byte has been asked to leave.
    Waiting(Check),
    /// The first byte was let through.
    Passed,
    /// The check said no, or the gate was sealed: no byte left, and none will.
    Refused,
}

/// See the module.
pub struct Gate(Mutex<State>);

impl Gate {
    /// A gate that asks `check` when the first byte is about to leave, and only then.
    pub fn new(check: impl FnOnce() -> bool + Send + 'static) -> Arc<Self> {
        Arc::new(Self(Mutex::new(State::Waiting(Box::new(check)))))
    }

    /// A gate for requests that change nothing: always open.
    pub fn open() -> Arc<Self> {
        Arc::new(Self(Mutex::new(State::Passed)))
    }

    /// Whether nothing has left. From here on nothing will.
    pub fn seal(&self) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match *state {
            State::Passed => false,
            State::Waiting(_) | State::Refused => {
                *state = State::Refused;
                true
            }
        }
    }

    fn pass(&self) -> io::Result<()> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let passes = match std::mem::replace(&mut *state, State::Refused) {
            State::Passed => true,
            State::Refused => false,
            State::Waiting(check) => check(),
        };
        if passes {
            *state = State::Passed;
            Ok(())
        } else {
            Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the gate is shut",
            ))
        }
    }
}

/// A stream whose writes pass a gate.
pub(super) struct Gated<S> {
    inner: S,
    gate: Arc<Gate>,
}

impl<S> Gated<S> {
    pub(super) fn new(inner: S, gate: Arc<Gate>) -> Self {
        Self { inner, gate }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gated<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gated<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.gate.pass()?;
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.gate.pass()?;
        Pin::new(&mut self.inner).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::Gate;

    #[test]
    fn a_sealed_gate_lets_nothing_through() {
        let gate = Gate::new(|| true);
        assert!(gate.seal());
        assert!(gate.pass().is_err());
        assert!(gate.seal());
    }

    #[test]
    fn what_passed_can_not_be_called_back() {
        let gate = Gate::new(|| true);
        assert!(gate.pass().is_ok());
        assert!(!gate.seal());
        assert!(gate.pass().is_ok());
    }

    #[test]
    fn a_check_that_says_no_shuts_it() {
        let gate = Gate::new(|| false);
        assert!(gate.pass().is_err());
        assert!(gate.seal());
    }
}
