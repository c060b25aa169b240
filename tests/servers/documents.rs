//! A server alone: several machines, rows that a scope may not see, and connections that end.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chrono::{TimeZone, Utc};
use noctuary::artifacts::{ArtifactKind, ArtifactStore, NewArtifact};
use noctuary::life::Indexed;
use noctuary::postgres::{Postgres, PostgresConfig, PostgresTls, PostgresWorkspace};
use noctuary::workspace::{Claim, ClaimTerms, LostBy, StateName, WorkspaceExt};
use noctuary::{
    Access, DocName, Error, Extractive, JournalDreamer, LlmReply, LlmRequest, Outcome, Scope, Workspace,
    WriteMode, dream_once, dream_once_at, llm_fn,
};
use postgres::{Client, NoTls};

use noctuary_tests::common::server::{self, config};
use noctuary_tests::common::{Peer, listen, role, tell};

/// A scope that no other test and no earlier run has.
fn somebody() -> Scope {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let run = Utc::now().timestamp_nanos_opt().unwrap();
    Scope::user(format!("p-{}-{run}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)))
}

fn open(scope: &Scope) -> PostgresWorkspace {
    server::server().workspace(scope.clone()).unwrap()
}

/// A server of another process, as far as the first one can tell.
fn machine(settings: PostgresConfig) -> Postgres {
    // Whichever test is first makes the tables.
    server::server();
    Postgres::connect_with(&server::url().unwrap(), settings).unwrap()
}

fn tests() -> PostgresConfig {
    config("noctuary_tests")
}

/// A connection beside the library's, as the same role.
fn beside() -> Client {
    let mut client = Client::connect(&server::url().unwrap(), NoTls).unwrap();
    client.batch_execute("SET search_path = noctuary_tests").unwrap();
    client
}

fn claim(workspace: &PostgresWorkspace, terms: &ClaimTerms) -> Claim {
    workspace.claim(terms).unwrap()
}

fn granted(workspace: &PostgresWorkspace) -> Box<dyn noctuary::workspace::Lease> {
    match claim(workspace, &ClaimTerms::default()) {
        Claim::Granted(lease) => lease,
        Claim::Held(holder) => panic!("held by {holder}"),
    }
}

macro_rules! needs_a_server {
    () => {
        if server::url().is_none() {
            return;
        }
    };
}

#[test]
fn tables_are_made_once_by_an_explicit_call_and_a_newer_schema_is_refused() {
    needs_a_server!();
    let schema = format!("made_{}", std::process::id());
    let server = machine(config(&schema));
    assert!(matches!(server.workspace(somebody()), Err(Error::Corrupt { .. })), "nothing is made by the way");
    let pending = server.pending().unwrap();
    assert!(!pending.is_empty());
    // Several replicas that start at once.
    let done: Vec<Vec<&str>> = std::thread::scope(|threads| {
        let each: Vec<_> = (0..4)
            .map(|_| {
                let schema = &schema;
                threads.spawn(move || machine(config(schema)).migrate().unwrap())
            })
            .collect();
        each.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(done.iter().filter(|steps| **steps == pending).count(), 1, "{done:?}");
    assert_eq!(done.iter().filter(|steps| steps.is_empty()).count(), 3, "{done:?}");
    assert!(server.pending().unwrap().is_empty());
    let life = server.workspace(somebody()).unwrap();
    life.write(&DocName::SOUL, b"# Soul\n", WriteMode::Create).unwrap();

    let mut beside = beside();
    beside.batch_execute(&format!("UPDATE {schema}.schema_version SET version = 99")).unwrap();
    for refused in
        [server.workspace(somebody()).map(drop), server.pending().map(drop), server.migrate().map(drop)]
    {
        assert!(matches!(refused, Err(Error::NewerVersion { found: 99, .. })), "{refused:?}");
    }
    beside.batch_execute(&format!("DROP SCHEMA {schema} CASCADE")).unwrap();
}

#[test]
fn a_scope_sees_its_own_rows_alone_down_to_the_database() {
    needs_a_server!();
    let (marta, ilya) = (somebody(), somebody());
    let trader = Scope { agent: "trader".to_owned(), ..marta.clone() };
    for scope in [&marta, &ilya, &trader] {
        open(scope).write(&DocName::SOUL, format!("{scope:?}").as_bytes(), WriteMode::Create).unwrap();
        open(scope).write(&DocName::SOUL, b"again", WriteMode::Replace).unwrap();
        drop(granted(&open(scope)));
    }
    for scope in [&marta, &ilya, &trader] {
        assert_eq!(open(scope).list(None).unwrap().documents, [DocName::SOUL]);
        assert_eq!(open(scope).versions(&DocName::SOUL).unwrap().len(), 1);
    }
    let mut beside = beside();
    let tables = ["lives", "documents", "document_versions", "leases"];
    let count = |client: &mut Client, table: &str| -> i64 {
        client.query_one(&format!("SELECT count(*) FROM {table}"), &[]).unwrap().get(0)
    };
    for table in tables {
        assert_eq!(count(&mut beside, table), 0, "{table}: without a scope its owner sees nothing");
    }
    for (user, agent, seen) in [
        (marta.user.as_str(), "", 1),
        (&marta.user, "trader", 1),
        (&ilya.user, "", 1),
        ("", "", 0),
        (&ilya.user, "x", 0),
    ] {
        let mut transaction = beside.transaction().unwrap();
        let set = "SELECT set_config('noctuary.user', $1, true), set_config('noctuary.agent', $2, true)";
        transaction.query(set, &[&user, &agent]).unwrap();
        for table in tables {
            let rows = transaction.query(&format!("SELECT user_id, agent_id FROM {table}"), &[]).unwrap();
            assert_eq!(rows.len(), seen, "{table} as {user:?}, {agent:?}");
        }
        let stolen = transaction.execute("UPDATE documents SET user_id = 'thief'", &[]);
        assert!(seen == 0 || stolen.is_err(), "no row moves to another scope");
        drop(transaction);
        for table in tables {
            assert_eq!(count(&mut beside, table), 0, "{table}: the scope ends with its transaction");
        }
    }
    for bad in [Scope::user(""), Scope::user("a\0b")] {
        assert!(matches!(server::server().workspace(bad), Err(Error::Config { setting: "scope", .. })));
    }
}

#[test]
fn a_role_that_row_level_security_does_not_bind_is_refused() {
    needs_a_server!();
    let url = server::url().unwrap();
    server::server();
    let above = url.replace("user=noctuary_test", "user=postgres");
    if above == url {
        println!("skipped: the server is not the one of .ci/postgres");
        return;
    }
    let server = Postgres::connect_with(&above, tests()).unwrap();
    assert!(matches!(server.workspace(somebody()), Err(Error::Config { setting: "url", .. })));
    // A role that owns nothing and may change no table is enough.
    let mut beside = Client::connect(&above, NoTls).unwrap();
    beside
        .batch_execute(
            "SELECT pg_advisory_lock(17);
             DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'noctuary_app')
             THEN CREATE ROLE noctuary_app LOGIN; END IF;
             IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'noctuary_''other')
             THEN CREATE ROLE \"noctuary_'other\" LOGIN; END IF; END $$",
        )
        .unwrap();
    server::server().grant_to("noctuary_app").unwrap();
    let app = url.replace("user=noctuary_test", "user=noctuary_app");
    let app = Postgres::connect_with(&app, tests()).unwrap();
    let scope = somebody();
    let life = app.workspace(scope.clone()).unwrap();
    life.append(&DocName::MEMORY, b"- tea\n").unwrap();
    let lease = granted(&life);
    lease.append(&DocName::MEMORY, b"- rye\n").unwrap();
    assert!(
        matches!(claim(&open(&scope), &ClaimTerms::default()), Claim::Held(_)),
        "a holder of another role counts as alive"
    );
    drop(lease);
    assert_eq!(open(&scope).read_text(&DocName::MEMORY).unwrap().as_deref(), Some("- tea\n- rye\n"));
    // A server only warns of rights that a role may not give.
    assert!(matches!(app.grant_to("noctuary_'other"), Err(Error::Database { .. })));
    assert_eq!(app.migrate().unwrap(), [""; 0], "nothing is pending");
    beside.batch_execute("SELECT pg_advisory_unlock(17)").unwrap();
}

#[test]
fn a_database_that_keeps_no_other_letters_is_refused() {
    needs_a_server!();
    let url = server::url().unwrap();
    let mut above = Client::connect(&url.replace("user=noctuary_test", "user=postgres"), NoTls).unwrap();
    let name = format!("noctuary_latin_{}", std::process::id());
    above
        .batch_execute(&format!(
            "CREATE DATABASE {name} OWNER noctuary_test ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
        ))
        .unwrap();
    let latin =
        Postgres::connect_with(&url.replace("dbname=postgres", &format!("dbname={name}")), tests()).unwrap();
    let refused = [latin.migrate().map(drop), latin.workspace(somebody()).map(drop)];
    drop(latin);
    above.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).unwrap();
    for refused in refused {
        assert!(
            matches!(&refused, Err(Error::Config { setting: "url", rule }) if rule.contains("UTF8")),
            "{refused:?}"
        );
    }
}

#[test]
fn verbs_may_be_called_on_worker_threads_of_both_runtimes() {
    needs_a_server!();
    let mut both = [
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap(),
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap(),
    ];
    for runtime in &mut both {
        let scope = somebody();
        runtime.block_on(async {
            let server = machine(tests());
            let life = server.workspace(scope.clone()).unwrap();
            life.append(&DocName::MEMORY, b"- one\n").unwrap();
            let (there, beside) = (life.clone(), life.clone());
            let (one, two) = tokio::join!(
                tokio::spawn(async move { there.append(&DocName::MEMORY, b"- two\n") }),
                tokio::spawn(async move { granted(&beside).append(&DocName::MEMORY, b"- two\n") }),
            );
            one.unwrap().unwrap();
            two.unwrap().unwrap();
            // The last of the pool ends on a worker thread as well.
        });
        let text = open(&scope).read_text(&DocName::MEMORY).unwrap().unwrap();
        assert_eq!(text, "- one\n- two\n- two\n");
    }
}

#[test]
fn two_hundred_lives_share_the_connections_of_a_pool() {
    needs_a_server!();
    // In a process that does nothing else.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("user"), &somebody().user).unwrap();
    let mut peer = Peer::start(module_path!(), "many", folder.path());
    let told = peer.hear().unwrap();
    println!("200 lives: {told}");
    let counts: Vec<usize> = told.split(' ').filter_map(|word| word.parse().ok()).collect();
    assert!(counts[0] <= 20 && counts[1] <= 60, "{told}");
    drop(peer);
    let mut settings = tests();
    settings.max_connections = 1;
    settings.lock_timeout = Duration::from_millis(50);
    let one = machine(settings).workspace(somebody()).unwrap();
    let busy = one.drop_versions(&|_, _| true).map(drop);
    busy.unwrap();
    one.write(&DocName::SOUL, b"1", WriteMode::Create).unwrap();
    one.write(&DocName::SOUL, b"2", WriteMode::Replace).unwrap();
    let within = |_: &str, _: &[u8]| matches!(one.read(&DocName::SOUL), Err(Error::Busy { .. }));
    assert_eq!(
        one.drop_versions(&within).unwrap(),
        1,
        "a verb inside of a verb finds no connection, and says so"
    );
}

#[test]
fn a_held_lease_excludes_other_machines_and_its_end_by_time_lets_them_in() {
    needs_a_server!();
    let scope = somebody();
    let (one, other) = (machine(tests()), machine(tests()));
    let (here, there) = (one.workspace(scope.clone()).unwrap(), other.workspace(scope.clone()).unwrap());
    let lease = granted(&here);
    match claim(&there, &ClaimTerms::default()) {
        Claim::Held(holder) => assert_eq!(holder.pid, Some(std::process::id())),
        Claim::Granted(_) => panic!("two at once"),
    }
    lease.append(&DocName::MEMORY, b"- mine\n").unwrap();
    let first = lease.epoch();
    // Its time is up by the server's clock, whatever those of the clients say.
    let mut beside = beside();
    let mut expire = || {
        let mut transaction = beside.transaction().unwrap();
        transaction.query("SELECT set_config('noctuary.user', $1, true)", &[&scope.user]).unwrap();
        let sql = "UPDATE leases SET expires_at = clock_timestamp() - interval '1 second'";
        assert_eq!(transaction.execute(sql, &[]).unwrap(), 1);
        transaction.commit().unwrap();
    };
    expire();
    lease.append(&DocName::MEMORY, b"- still mine, since nobody claimed\n").unwrap();
    let next = granted(&there);
    assert!(next.epoch() > first);
    let late = [
        lease.append(&DocName::MEMORY, b"- late\n"),
        lease.replace(&DocName::MEMORY, b"- late\n"),
        lease.remove(&DocName::MEMORY).map(drop),
        lease.finish(&DocName::MEMORY, 0, b"late").map(drop),
        lease.check(),
    ];
    for late in late {
        assert!(matches!(late, Err(Error::LeaseLost(LostBy::Token))), "{late:?}");
    }
    lease.release().unwrap();
    next.append(&DocName::MEMORY, b"- the other's\n").unwrap();
    let text = here.read_text(&DocName::MEMORY).unwrap().unwrap();
    assert_eq!(text, "- mine\n- still mine, since nobody claimed\n- the other's\n");
    drop(next);
    let terms = ClaimTerms { max_hold: Duration::ZERO, ..ClaimTerms::default() };
    let Claim::Granted(over) = claim(&here, &terms) else { panic!("it was given back") };
    assert!(matches!(over.append(&DocName::MEMORY, b"x"), Err(Error::LeaseLost(LostBy::Deadline))));
}

#[test]
fn behind_a_pooler_a_holder_lives_until_its_time_is_up() {
    needs_a_server!();
    let scope = somebody();
    let mut settings = tests();
    settings.is_pooled = true;
    let server = machine(settings.clone());
    let life = server.workspace(scope.clone()).unwrap();
    let short = ClaimTerms { ttl: Duration::from_secs(2), ..ClaimTerms::default() };
    let Claim::Granted(lease) = claim(&life, &short) else { panic!("free") };
    assert!(matches!(claim(&life, &short), Claim::Held(_)));
    // What a killed process leaves: a row that nobody refreshes.
    std::mem::forget(lease);
    drop((life, server));
    let other = machine(settings).workspace(scope.clone()).unwrap();
    assert!(matches!(claim(&other, &short), Claim::Held(_)), "nothing tells that it is dead");
}

#[test]
fn a_killed_holder_is_taken_over_at_once() {
    needs_a_server!();
    let scope = somebody();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("user"), &scope.user).unwrap();
    let life = open(&scope);
    let mut peer = Peer::start(module_path!(), "hold", folder.path());
    let epoch: u64 = peer.hear().unwrap().parse().unwrap();
    match claim(&life, &ClaimTerms::default()) {
        Claim::Held(holder) => assert_eq!(holder.pid, Some(peer.child.id())),
        Claim::Granted(_) => panic!("two at once"),
    }
    drop(peer);
    // The server needs a moment to notice the end of a connection.
    let lease = (0..2000).find_map(|_| match claim(&life, &ClaimTerms::default()) {
        Claim::Granted(lease) => Some(lease),
        Claim::Held(_) => {
            std::thread::sleep(Duration::from_millis(5));
            None
        }
    });
    assert!(lease.expect("its half an hour is not waited for").epoch() > epoch);
}

#[test]
fn connections_that_the_server_ends_cost_nothing_and_lose_nothing() {
    needs_a_server!();
    let scope = somebody();
    let mut settings = tests();
    let name = format!("cut-{}", std::process::id());
    settings.max_connections = 2;
    let url = format!("{} application_name={name}", server::url().unwrap());
    let server = Postgres::connect_with(&url, settings).unwrap();
    let life = server.workspace(scope.clone()).unwrap();
    let lease = granted(&life);
    let mut beside = beside();
    let mut cut = || {
        let sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = $1";
        beside.query_one(sql, &[&name]).unwrap().get::<_, i64>(0)
    };
    life.append(&DocName::MEMORY, b"- 0\n").unwrap();
    assert!(cut() >= 2, "a connection for verbs, and the guard");
    // Each verb finds only dead connections.
    life.append(&DocName::MEMORY, b"- 1\n").unwrap();
    cut();
    assert!(life.read(&DocName::MEMORY).unwrap().is_some());
    cut();
    lease.append(&DocName::MEMORY, b"- 2\n").unwrap();
    cut();
    lease.check().unwrap();
    // Cut while writers are busy: what was acknowledged is there once, what was refused is not.
    let unknown = std::sync::Mutex::new(BTreeSet::new());
    let acknowledged: BTreeSet<u32> = std::thread::scope(|threads| {
        let writers: Vec<_> = (0..2_u32)
            .map(|writer| {
                let (life, unknown) = (life.clone(), &unknown);
                threads.spawn(move || {
                    let mut there = Vec::new();
                    for number in 0..400 {
                        let mark = writer * 1000 + number;
                        match life.append(&DocName::USER, format!("{mark}\n").as_bytes()) {
                            Ok(()) => there.push(mark),
                            Err(Error::Unavailable { .. } | Error::Busy { .. }) => {}
                            // On a slow machine each look at the end was cut too.
                            Err(Error::DurabilityUnknown { .. }) => {
                                unknown.lock().unwrap().insert(mark);
                            }
                            Err(other) => panic!("{other:?}"),
                        }
                    }
                    there
                })
            })
            .collect();
        let mut cuts = 0;
        while writers.iter().any(|writer| !writer.is_finished()) {
            cuts += cut();
            std::thread::sleep(Duration::from_millis(40));
        }
        println!("{cuts} connections were cut");
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    let text = life.read_text(&DocName::USER).unwrap().unwrap_or_default();
    let there: Vec<u32> = text.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(there.iter().copied().collect::<BTreeSet<_>>().len(), there.len(), "none twice");
    let unknown = unknown.into_inner().unwrap();
    let there: BTreeSet<u32> = there.into_iter().filter(|mark| !unknown.contains(mark)).collect();
    assert_eq!(there, acknowledged);
    println!("{} of 800 were acknowledged", acknowledged.len());
    drop(lease);
}

#[test]
fn a_server_that_is_not_there_is_unavailable_and_no_password_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("host={} user=marta password=sesame dbname=lives", folder.path().display());
    let error = Postgres::connect(&url).unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("sesame"));
    let far = Postgres::connect("postgres://marta:sesame@db.example/lives?sslmode=disable").unwrap_err();
    assert!(matches!(far, Error::Config { setting: "url", .. }), "{far:?}");
}

#[test]
fn a_server_on_another_machine_is_reached_encrypted_and_must_be_who_it_says() {
    needs_a_server!();
    let server = server::Private::start(true);
    let far = |host: &str| {
        format!("host={host} hostaddr=127.0.0.1 port={} user=noctuary_test dbname=postgres", server.port())
    };
    let roots = std::fs::read(server.path().join("tls/ca.pem")).unwrap();
    let mut settings = tests();
    settings.tls = PostgresTls::default().roots(roots);
    let url = format!("{} application_name=encrypted", far("db.test"));
    let there = Postgres::connect_with(&url, settings.clone()).unwrap();
    there.migrate().unwrap();
    let life = there.workspace(somebody()).unwrap();
    life.append(&DocName::MEMORY, b"- tea\n").unwrap();
    let lease = granted(&life);
    lease.append(&DocName::MEMORY, b"- rye\n").unwrap();
    assert_eq!(life.read_text(&DocName::MEMORY).unwrap().as_deref(), Some("- tea\n- rye\n"));
    let above = server.url.replace("user=noctuary_test", "user=postgres");
    let sql =
        "SELECT count(*), count(*) FILTER (WHERE ssl) FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
        WHERE application_name = 'encrypted'";
    let row = Client::connect(&above, NoTls).unwrap().query_one(sql, &[]).unwrap();
    let (all, encrypted): (i64, i64) = (row.get(0), row.get(1));
    assert_eq!((all, encrypted), (2, 2), "a connection for verbs, and the guard");
    // Somebody else's authority, another name, and no encryption.
    let others = Postgres::connect_with(&far("db.test"), tests());
    assert!(matches!(others, Err(Error::Unavailable { .. })), "{others:?}");
    let named = Postgres::connect_with(&far("other.test"), settings.clone());
    assert!(matches!(named, Err(Error::Unavailable { .. })), "{named:?}");
    let off = Postgres::connect_with(&format!("{} sslmode=disable", far("db.test")), settings.clone());
    assert!(matches!(off, Err(Error::Config { setting: "url", .. })), "{off:?}");
    settings.allow_plaintext = true;
    let plain = Postgres::connect_with(&far("db.test"), settings.clone());
    assert!(plain.is_err(), "this server takes encrypted connections alone: {plain:?}");
    let asked = Postgres::connect_with(&format!("{} sslmode=require", far("db.test")), settings);
    assert!(asked.is_ok(), "{asked:?}");
}

#[test]
fn a_life_is_erased_whole_and_an_operator_lists_those_that_are_left() {
    let Some(url) = server::url() else { return };
    let fresh = server::Fresh::new();
    let (marta, ilya) = (Scope::user("marta"), Scope { agent: "trader".to_owned(), ..Scope::user("ilya") });
    let move_in = |scope: &Scope| {
        let workspace = Indexed::new(
            fresh.server.workspace(scope.clone()).unwrap(),
            fresh.server.index(scope.clone()).unwrap(),
        );
        workspace.append(&DocName::MEMORY, b"- the [[boat]] is called Brisk\n").unwrap();
        workspace.write(&DocName::SOUL, b"1", WriteMode::Create).unwrap();
        workspace.write(&DocName::SOUL, b"2", WriteMode::Replace).unwrap();
        drop(granted(workspace.workspace()));
        let dreamer = JournalDreamer::builder(Arc::new(workspace.workspace().clone())).enabled(true).build();
        dream_once(&dreamer.unwrap(), &Extractive::new()).unwrap();
        let artifacts = fresh.server.artifacts(scope.clone()).unwrap();
        let new = NewArtifact::new(ArtifactKind::Report, "Q3");
        artifacts.insert(&Access::agent(scope.clone()), &new, Utc::now()).unwrap();
    };
    move_in(&marta);
    move_in(&ilya);
    let refused = fresh.server.scopes();
    assert!(matches!(refused, Err(Error::Config { setting: "url", .. })), "{refused:?}");
    let above = url.replace("user=noctuary_test", "user=postgres");
    let operator = Postgres::connect_with(&above, config(fresh.schema())).unwrap();
    let counts = |client: &mut Client| {
        let sql = "SELECT table_name::text FROM information_schema.columns
            WHERE table_schema = $1 AND column_name = 'user_id' ORDER BY 1";
        let tables = client.query(sql, &[&fresh.schema()]).unwrap();
        let counted = tables.iter().map(|row| {
            let table: String = row.get(0);
            let sql = format!(
                "SELECT count(*), count(*) FILTER (WHERE user_id = 'ilya') FROM {}.{table}",
                fresh.schema()
            );
            let row = client.query_one(&sql, &[]).unwrap();
            (table, row.get::<_, i64>(0), row.get::<_, i64>(1))
        });
        counted.collect::<Vec<_>>()
    };
    let mut client = Client::connect(&above, NoTls).unwrap();
    let before = counts(&mut client);
    assert_eq!(operator.scopes().unwrap(), [ilya.clone(), marta.clone()]);

    let life = fresh.server.workspace(marta.clone()).unwrap();
    for access in [Access::agent(marta.clone()), Access::shared(marta.clone()), Access::human(ilya.clone())] {
        assert!(matches!(life.erase(&access), Err(Error::Denied { .. })), "{access:?}");
    }
    let human = Access::human(marta.clone());
    let lease = granted(&life);
    assert!(matches!(life.erase(&human), Err(Error::Busy { .. })), "a dream runs");
    drop(lease);
    let would = life.would_erase(&human).unwrap();
    let receipt = life.erase(&human).unwrap();
    assert!(receipt.erased && !would.erased);
    assert_eq!(receipt.rows, would.rows);
    for (table, all, of_ilya) in &before {
        let found = receipt.rows.get(table).copied().unwrap_or(0);
        assert_eq!(found, u64::try_from(all - of_ilya).unwrap(), "{table}");
    }
    assert!(receipt.rows.len() > 8, "{receipt}");
    println!("{receipt}");
    for (table, all, of_ilya) in counts(&mut client) {
        assert_eq!(all, of_ilya, "{table}");
        assert!(
            before.contains(&(table.clone(), before.iter().find(|it| it.0 == table).unwrap().1, of_ilya)),
            "{table}"
        );
    }
    assert_eq!(operator.scopes().unwrap(), [ilya]);
    assert!(life.read(&DocName::MEMORY).unwrap().is_none());
    assert_eq!(life.would_erase(&human).unwrap().total(), 0);
}

const JOURNALS: u32 = 6;

fn journal(number: u32) -> DocName {
    DocName::parse(format!("memory/2026-11-{:02}-repl.md", 10 + number)).unwrap()
}

/// A dreamer of one journal a pass, and a model that answers each in words of its own.
fn dream(life: PostgresWorkspace, who: usize) -> noctuary::Result<noctuary::DreamReport> {
    let dreamer = JournalDreamer::builder(Arc::new(life))
        .enabled(true)
        .configure(|config| config.total_input_bytes = 1)
        .build()?;
    let model = llm_fn(move |request: &LlmRequest| {
        let shown = (0..JOURNALS).filter(|number| request.user.contains(journal(*number).as_str()));
        Ok(LlmReply::new(
            shown.map(|number| format!("- Told of journal {number} by {who}.\n")).collect::<String>(),
        ))
    });
    dream_once_at(&dreamer, &model, &|| Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap())
}

#[test]
fn many_dreamers_on_one_life_promote_each_line_once() {
    needs_a_server!();
    let scope = somebody();
    let life = open(&scope);
    life.write(&DocName::MEMORY, b"# Memory\n\n- Known already.\n", WriteMode::Create).unwrap();
    for number in 0..JOURNALS {
        life.append(&journal(number), format!("[user] what journal {number} was like\n").as_bytes()).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("user"), &scope.user).unwrap();
    let mut peers: Vec<Peer> =
        (0..4).map(|who| Peer::start(module_path!(), &format!("dream/{who}"), folder.path())).collect();
    for peer in &mut peers {
        assert_eq!(peer.hear().as_deref(), Some("ready"));
    }
    peers.iter_mut().for_each(Peer::go_on);
    let mut outcomes: Vec<String> = Vec::new();
    for peer in &mut peers {
        outcomes.extend(peer.finish());
    }
    println!("{outcomes:?}");
    let memory = life.read_text(&DocName::MEMORY).unwrap().unwrap();
    assert!(memory.starts_with("# Memory\n\n- Known already.\n"));
    for number in 0..JOURNALS {
        assert_eq!(memory.matches(&format!("Told of journal {number} by")).count(), 1, "{memory}");
    }
    assert!(life.read(&StateName::INTENT).unwrap().is_none());
    let again = JournalDreamer::builder(Arc::new(life)).enabled(true).build().unwrap();
    assert_eq!(dream_once(&again, &Extractive::new()).unwrap().calls, 0);
}

/// Lives two hundred lives in this process; returns its connections and its descriptors.
fn many() -> String {
    let name = format!("many-{}", std::process::id());
    let url = format!("{} application_name={name}", server::url().unwrap());
    let server = Postgres::connect_with(&url, tests()).unwrap();
    let lives: Vec<_> = (0..200)
        .map(|_| {
            let scope = somebody();
            let workspace = server.workspace(scope.clone()).unwrap();
            (Indexed::new(workspace, server.index(scope.clone()).unwrap()), server.artifacts(scope).unwrap())
        })
        .collect();
    std::thread::scope(|threads| {
        for part in lives.chunks(20) {
            threads.spawn(move || {
                for (life, artifacts) in part {
                    let scope = life.workspace().scope().clone();
                    let lease = granted(life.workspace());
                    lease.append(&DocName::MEMORY, b"- the boat is called Brisk\n").unwrap();
                    life.sync(Utc::now()).unwrap();
                    let found = life.search(&Access::human(scope.clone()), "boat", 3).unwrap();
                    assert_eq!(found.results.len(), 1);
                    let new = NewArtifact::new(ArtifactKind::Report, "Q3");
                    artifacts.insert(&Access::agent(scope), &new, Utc::now()).unwrap();
                    lease.release().unwrap();
                }
            });
        }
    });
    let descriptors = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1";
    let connections: i64 = beside().query_one(sql, &[&name]).unwrap().get(0);
    format!("{connections} connections, {descriptors} descriptors").replace(',', "")
}

#[test]
fn a_child_plays_its_role() {
    let Some((role, folder)) = role() else { return };
    let user = std::fs::read_to_string(folder.join("user")).unwrap();
    let life = machine(tests()).workspace(Scope::user(user)).unwrap();
    match role.split_once('/').unwrap_or((&role, "")) {
        ("many", _) => tell(&many()),
        ("hold", _) => {
            let lease = granted(&life);
            tell(&lease.epoch().to_string());
            listen();
        }
        ("dream", who) => {
            tell("ready");
            listen();
            // A machine may be as slow as it likes: whoever never comes to its turn is stopped from outside.
            let outcome = loop {
                match dream(life.clone(), who.parse().unwrap()).unwrap().outcome {
                    Outcome::LockHeld => std::thread::sleep(Duration::from_millis(5)),
                    outcome => break outcome,
                }
            };
            tell(&format!("{outcome:?}"));
        }
        (other, _) => panic!("no role {other:?}"),
    }
}
