//! A sign of life on stderr, for what takes longer than a second.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};

/// A sign of life, until it is dropped.
pub(crate) struct Progress {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// For so long nothing is shown.
const PATIENCE: Duration = Duration::from_secs(1);

impl Progress {
    /// Begins a work of this name.
    pub(crate) fn begin(name: &'static str) -> Self {
        Self::counting(name, String::new)
    }

    /// Begins a work of this name, and says on a terminal how far it is.
    pub(crate) fn counting(name: &'static str, count: impl Fn() -> String + Send + 'static) -> Self {
        let (done, is_done) = channel::<()>();
        let thread = std::thread::spawn(move || {
            if is_done.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            if !std::io::stderr().is_terminal() {
                eprintln!("noctuary: {name} …");
                return;
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = indicatif::ProgressStyle::with_template("{spinner} {msg} {elapsed}");
            bar.set_style(style.unwrap_or_else(|_| indicatif::ProgressStyle::default_spinner()));
            while is_done.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                bar.set_message(format!("{name} … {}", count()));
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Self { done: Some(done), thread: Some(thread) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
