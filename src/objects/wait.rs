//! Waiting for a future on the calling thread, without a runtime.
//!
//! The clients of `object_store` are async in name: here each answers at once, because its requests block. Only two things are
//! waited for: a token from another thread, and a folder's verbs on the pool of a host's runtime. Both wake this thread.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

struct Waiting(Thread);

impl Wake for Waiting {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits until a future has its result.
pub(super) fn wait<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Waiting(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(result) => return result,
            Poll::Pending => thread::park(),
        }
    }
}
