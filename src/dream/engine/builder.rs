//! The methods that several dreamers have, and their builders.

/// The setters that the builder of every dreamer has: over its configuration, its doors, and its observer.
macro_rules! configured_by {
    ($config:ty, $(#[$doors:meta])+ doors) => {
        /// Turns the dreamer on or off; it is off until somebody turns it on.
        pub fn enabled(mut self, enabled: bool) -> Self {
            self.config.enabled = enabled;
            self
        }

        /// Replaces the whole configuration.
        pub fn config(mut self, config: $config) -> Self {
            self.config = config;
            self
        }

        /// Changes the configuration in place.
        pub fn configure(mut self, change: impl FnOnce(&mut $config)) -> Self {
            change(&mut self.config);
            self
        }

        $(#[$doors])+
        pub fn doors(mut self, doors: $crate::gate::Doors) -> Self {
            self.host.doors = doors;
            self
        }

        /// Sets the name of this machine, by which [`dream_on`](crate::JournalDreamer::dream_on) knows it: the host name of the system
        /// unless set. For containers, whose host names change.
        pub fn machine(mut self, name: impl Into<String>) -> Self {
            self.host.machine = Some(name.into().into());
            self
        }

        /// Sets who hears how each pass ended.
        pub fn observer(mut self, observer: std::sync::Arc<dyn $crate::dreamer::Observer>) -> Self {
            self.host.observer = Some(observer);
            self
        }
    };
}
pub(crate) use configured_by;

/// The questions to a dreamer over a store: its state, and whether it is due.
macro_rules! stated_by {
    () => {
        /// Reads what the last run that called a model left: when, how it ended, and what the day has cost so far. Of a
        /// journal's watermark there is none.
        ///
        /// # Errors
        ///
        /// [`Error::Corrupt`](crate::Error::Corrupt) where the state file does not parse.
        pub fn state(&self) -> $crate::base::error::Result<$crate::format::DreamedState> {
            Ok(self.base.read()?.pace)
        }

        /// Says whether a host's scheduler should run it now. Calls nobody and writes nothing.
        ///
        /// # Errors
        ///
        /// [`Error::Corrupt`](crate::Error::Corrupt) where the state file does not parse.
        pub fn due(
            &self,
            now: chrono::DateTime<chrono::Utc>,
        ) -> $crate::base::error::Result<$crate::dream::Due> {
            Ok(self.config.pace.due(now, self.config.enabled, &self.base.read()?.pace))
        }
    };
}
pub(crate) use stated_by;
