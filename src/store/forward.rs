//! The contracts of a store, for a type that has one.

/// Implements the contracts of rows, facts and learnings for a type with a [`Store`](super::Store) in its field `store`. The
/// type's `engine` returns that store as one over any backend.
macro_rules! contracts_of {
    ($type:ty) => {
        const _: () = {
            use chrono::{DateTime, Utc};

            use $crate::base::access::{Access, Scope};
            use $crate::base::error::Result;
            use $crate::base::receipt::PlaceReceipt;
            use $crate::edges::{CitedSource, EdgeStore, Neighborhood, TopEntity};
            use $crate::facts::{
                ConsolidationEvent, Decision, EventId, Fact, FactKey, FactStore, Recorded, Settled, Superseded,
                Suspicion,
            };
            use $crate::learning::{
                Case, Constraint, Method, MethodId, MethodStore, NewMethod, NewOutcome, NewPreference, Preference,
                NewRoleNote, PreferenceId, PreferenceStore, Reflection, Reported, RoleNote, RoleNoteId, RoleStore,
            };
            use $crate::memory::{
                AuditEntry, Filter, ForgetRequest, Found, Learning, LearningId, LearningStore, Memory, MemoryId,
                MemoryStore, NewLearning, NewMemory, Query, SnapshotRow,
            };

            $crate::store::forward::forward! { MemoryStore for $type {
                write(access: &Access, memory: &NewMemory, now: DateTime<Utc>) -> Result<MemoryId>;
                write_all(
                    access: &Access,
                    memories: &[NewMemory],
                    now: DateTime<Utc>
                ) -> Result<Vec<Result<MemoryId>>>;
                get(access: &Access, id: MemoryId) -> Result<Option<Memory>>;
                list(access: &Access, filter: &Filter) -> Result<Vec<Memory>>;
                snapshot(access: &Access, limit: usize, now: DateTime<Utc>) -> Result<Vec<SnapshotRow>>;
                search(access: &Access, query: &Query) -> Result<Found>;
                search_unmasked(access: &Access, query: &Query) -> Result<Found>;
                update(access: &Access, id: MemoryId, content: &str, now: DateTime<Utc>) -> Result<bool>;
                delete(access: &Access, id: MemoryId, now: DateTime<Utc>) -> Result<bool>;
                restore(access: &Access, id: MemoryId, now: DateTime<Utc>) -> Result<bool>;
                pin(access: &Access, id: MemoryId, pinned: bool, now: DateTime<Utc>) -> Result<bool>;
                purge(cutoff: DateTime<Utc>, now: DateTime<Utc>) -> Result<u64>;
                forget_all(
                    access: &Access,
                    request: &ForgetRequest,
                    now: DateTime<Utc>
                ) -> Result<Vec<PlaceReceipt>>;
                lift(access: &Access, text: &str, now: DateTime<Utc>) -> Result<bool>;
                set_profile(access: &Access, key: &str, value: &str, now: DateTime<Utc>) -> Result<()>;
                profile(access: &Access) -> Result<Vec<(String, String)>>;
                audit(access: &Access, limit: usize) -> Result<Vec<AuditEntry>>;
            } {
                fn location(&self) -> String {
                    self.store.location()
                }

                fn scope(&self) -> Option<&Scope> {
                    Some(self.store.scope())
                }
            } }

            $crate::store::forward::forward! { FactStore for $type {
                record(access: &Access, fact: &NewMemory, now: DateTime<Utc>) -> Result<Recorded>;
                replace(access: &Access, fact: &NewMemory, now: DateTime<Utc>) -> Result<Recorded>;
                correct(access: &Access, id: MemoryId, fact: &NewMemory, now: DateTime<Utc>) -> Result<Recorded>;
                values(access: &Access, key: &FactKey) -> Result<Vec<Fact>>;
                settle(now: DateTime<Utc>) -> Result<Settled>;
                is_settling_due() -> Result<bool>;
                fact(access: &Access, id: MemoryId) -> Result<Option<Fact>>;
                history(access: &Access, id: MemoryId) -> Result<Vec<Fact>>;
                superseded(access: &Access) -> Result<Vec<Superseded>>;
                suspicions(access: &Access, limit: usize) -> Result<Vec<Suspicion>>;
                decide(access: &Access, decision: &Decision, now: DateTime<Utc>) -> Result<ConsolidationEvent>;
                revert(access: &Access, event: EventId, now: DateTime<Utc>) -> Result<ConsolidationEvent>;
                decisions(access: &Access, limit: usize) -> Result<Vec<ConsolidationEvent>>;
            } {
                fn takes_rulings(&self) -> bool {
                    self.store.config().facts.consolidation
                }

                fn facts_of(&self) -> Option<&Scope> {
                    Some(self.store.scope())
                }
            } }

            $crate::store::forward::forward! { LearningStore for $type {
                learn(access: &Access, learning: &NewLearning, now: DateTime<Utc>) -> Result<LearningId>;
                learnings(access: &Access, limit: usize) -> Result<Vec<Learning>>;
            } {} }

            $crate::store::forward::forward! { MethodStore for $type {
                create_method(access: &Access, method: &NewMethod, now: DateTime<Utc>) -> Result<MethodId>;
                report_outcome(access: &Access, outcome: &NewOutcome, now: DateTime<Utc>) -> Result<Reported>;
                graduate_method(access: &Access, id: MethodId, now: DateTime<Utc>) -> Result<Method>;
                quarantine_method(
                    access: &Access,
                    id: MethodId,
                    quarantined: bool,
                    now: DateTime<Utc>
                ) -> Result<Method>;
                methods(access: &Access) -> Result<Vec<Method>>;
                method_cases(access: &Access, id: MethodId, limit: usize) -> Result<Vec<Case>>;
            } {} }

            $crate::store::forward::forward! { PreferenceStore for $type {
                propose_preference(
                    access: &Access,
                    preference: &NewPreference,
                    now: DateTime<Utc>
                ) -> Result<PreferenceId>;
                approve_preference(access: &Access, id: PreferenceId, now: DateTime<Utc>) -> Result<Preference>;
                withdraw_preference(access: &Access, id: PreferenceId, now: DateTime<Utc>) -> Result<Preference>;
                preferences(access: &Access) -> Result<Vec<Preference>>;
                constraints(access: &Access) -> Result<Vec<Constraint>>;
                constraints_for(
                    access: &Access,
                    tool: &str,
                    arguments: &serde_json::Value
                ) -> Result<Vec<Constraint>>;
            } {} }

            $crate::store::forward::forward! { RoleStore for $type {
                take_note(access: &Access, note: &NewRoleNote, now: DateTime<Utc>) -> Result<RoleNoteId>;
                reflect(access: &Access, id: RoleNoteId, reflection: &Reflection) -> Result<bool>;
                notes(access: &Access, pending: bool) -> Result<Vec<RoleNote>>;
            } {
                fn roles_of(&self) -> Option<&Scope> {
                    Some(self.store.scope())
                }
            } }
            $crate::store::forward::forward! { EdgeStore for $type {
                neighborhood(
                    access: &Access,
                    asked: &str,
                    limit: usize,
                    now: DateTime<Utc>
                ) -> Result<Neighborhood>;
                top_entities(access: &Access, limit: usize) -> Result<Vec<TopEntity>>;
                words(access: &Access, source: &CitedSource) -> Result<Option<String>>;
                extract_edges() -> Result<u64>;
                edition() -> Result<u64>;
            } {} }
        };
    };
}

/// Implements the contract of vectors for such a type, whose backend keeps them.
macro_rules! vectors_of {
    ($type:ty) => {
        const _: () = {
            use $crate::base::error::Result;
            use $crate::embed::store::{
                BatchFrom, BatchSize, EmbedBatch, EmbeddingStatus, KeptVectors, VectorStore,
            };
            use $crate::embed::{EmbedError, EmbedderId};
            use $crate::store::vectors::Fill;

            $crate::store::forward::forward! { VectorStore for $type {
                embedding_status(embedder: &EmbedderId) -> Result<EmbeddingStatus>;
                embed_batch(
                    embedder: &EmbedderId,
                    from: &BatchFrom,
                    size: BatchSize
                ) -> Result<Option<EmbedBatch>>;
                keep_vectors(
                    embedder: &EmbedderId,
                    batch: &EmbedBatch,
                    answer: std::result::Result<Vec<Vec<f32>>, EmbedError>
                ) -> Result<KeptVectors>;
                serve_vectors(embedder: &EmbedderId) -> Result<bool>;
                drop_vectors(embedder: &EmbedderId) -> Result<u64>;
            } {} }
        };
    };
}

/// Hands verbs on to the store.
macro_rules! forward {
    ($contract:ident for $type:ty {
        $($verb:ident($($argument:ident: $of:ty),*) -> $answer:ty;)*
    } { $($own:item)* }) => {
        impl $contract for $type {
            $($own)*

            $(fn $verb(&self $(, $argument: $of)*) -> $answer {
                self.engine().$verb($($argument),*)
            })*
        }
    };
}

pub(crate) use {contracts_of, forward, vectors_of};
