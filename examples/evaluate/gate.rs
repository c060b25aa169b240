//! How many secrets of other scanners' tests the shipped filter finds, and how often it is wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use noctuary::{PiiFilter, SecretGate};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Result;

#[derive(Deserialize)]
struct Example {
    src: String,
    rule: String,
    kind: String,
    text: String,
}

#[derive(Serialize)]
struct Judged<'a> {
    src: &'a str,
    rule: &'a str,
    kind: &'a str,
    found: BTreeSet<String>,
}

/// Of so many examples, so many were found.
#[derive(Default, Clone, Copy)]
struct Share {
    all: usize,
    found: usize,
}

impl Share {
    fn count(&mut self, found: bool) {
        self.all += 1;
        self.found += usize::from(found);
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        #[expect(clippy::cast_precision_loss, reason = "counts of a test set")]
        let share = self.found as f64 / self.all.max(1) as f64;
        write!(f, "{:>6} of {:<6} {share:.3}", self.found, self.all)
    }
}

/// Judges each example of a folder, prints the shares, and writes one line for each example.
pub(crate) fn run(arguments: impl Iterator<Item = String>) -> Result<()> {
    let (mut folder, mut json) = (None, None);
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => json = Some(PathBuf::from(arguments.next().ok_or("--json needs a path")?)),
            path => folder = Some(PathBuf::from(path)),
        }
    }
    let examples = read::<Example>(&folder.ok_or("a folder with examples is needed")?)?;
    let judged = judge(&examples);
    if let Some(path) = json {
        let mut lines = String::new();
        for line in &judged {
            lines += &serde_json::to_string(line)?;
            lines.push('\n');
        }
        fs::write(path, lines)?;
    }
    report(&examples, &judged);
    Ok(())
}

/// Judges each example of a folder, prints the shares, and returns the counts.
pub(crate) fn figures(folder: &Path) -> Result<Value> {
    let examples = read::<Example>(folder)?;
    Ok(report(&examples, &judge(&examples)))
}

fn judge<'a>(examples: &'a [Example]) -> Vec<Judged<'a>> {
    let gate = SecretGate::new();
    let judge = |example: &'a Example| {
        let found = gate.scan(&example.text).into_iter().map(|finding| finding.class.into_owned()).collect();
        Judged { src: &example.src, rule: &example.rule, kind: &example.kind, found }
    };
    examples.iter().map(judge).collect()
}

/// The folder that `clean` reads if none is named.
const CLEAN: &str = include_str!("clean/Cargo.toml");

/// Classes that only a proof gives away, with those that name a person: none may be found in clean text.
const PROVEN: &[&str] = &[
    "base58_address",
    "bech32_address",
    "btc_legacy",
    "extended_key",
    "hex_private_key",
    "iban",
    "jwt",
    "mnemonic",
    "payment_card",
    "solana_secret",
    "wif_key",
];

/// So many findings of all classes may stand in a megabyte of clean text.
const MOST_IN_A_MEGABYTE: f64 = 0.2;

/// Scans the text files below folders, or of the packages of `clean/Cargo.toml`, and prints each finding, masked, and how
/// often each class is found; with `--with CLASS` of that class too, which is off by default. Fails where that is more
/// than clean text may hold.
pub(crate) fn clean(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let mut gate = SecretGate::new().with("payment_card").with("iban");
    let mut waiting = Vec::new();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--with" => gate = gate.with(arguments.next().ok_or("--with needs a class")?),
            path => waiting.push(PathBuf::from(path)),
        }
    }
    let (mut bytes, mut files) = (0_usize, 0_usize);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    if waiting.is_empty() {
        waiting = packages()?;
    }
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(&path)? {
                waiting.push(entry?.path());
            }
            waiting.sort();
            continue;
        }
        let is_text =
            path.extension().is_some_and(|kind| ["md", "rs", "toml", "txt"].iter().any(|it| kind == *it));
        let Some(text) = is_text.then(|| fs::read_to_string(&path).ok()).flatten() else { continue };
        bytes += text.len();
        files += 1;
        for finding in gate.scan(&text) {
            let line = text[..finding.span.start].matches('\n').count() + 1;
            println!("{} {}:{line} {}", finding.class, path.display(), masked(&text[finding.span]));
            *counts.entry(finding.class.into_owned()).or_default() += 1;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "sizes of a test set")]
    let in_a_megabyte = |count: usize| count as f64 * 1e6 / bytes.max(1) as f64;
    println!("\n{files} files of {:.1} MB", 1.0 / in_a_megabyte(1));
    for (class, count) in &counts {
        println!("{class:<28} {count:>6} {:>9.3} in a MB", in_a_megabyte(*count));
    }
    let rate = in_a_megabyte(counts.values().sum());
    println!("{:<28} {:>6} {rate:>9.3} in a MB", "all classes", counts.values().sum::<usize>());
    let proven: usize = PROVEN.iter().filter_map(|class| counts.get(*class)).sum();
    if proven > 0 || rate > MOST_IN_A_MEGABYTE {
        return Err(format!(
            "clean text may hold no finding of a wallet, card, account or token, and {MOST_IN_A_MEGABYTE} of all in a MB: \
             {proven} and {rate:.3}"
        )
        .into());
    }
    Ok(())
}

/// The first two characters and the last two.
fn masked(text: &str) -> String {
    let symbols: Vec<char> = text.chars().filter(|symbol| !symbol.is_control()).collect();
    if symbols.len() < 8 {
        return "…".to_owned();
    }
    let (head, tail) = (&symbols[..2], &symbols[symbols.len() - 2..]);
    format!("{}…{}", String::from_iter(head), String::from_iter(tail))
}

/// The folders of the packages of [`CLEAN`], in what cargo has fetched.
fn packages() -> Result<Vec<PathBuf>> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
        .ok_or("no home of cargo: set CARGO_HOME")?;
    let sources = home.join("registry/src");
    let registries: Vec<PathBuf> = fs::read_dir(&sources)
        .map_err(|error| format!("cannot read {}: {error}", sources.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for line in CLEAN.lines() {
        let Some((name, version)) = line.split_once(" = \"=") else { continue };
        let package = format!("{name}-{}", version.trim_end_matches('"'));
        match registries.iter().map(|registry| registry.join(&package)).find(|folder| folder.is_dir()) {
            Some(folder) => found.push(folder),
            None => missing.push(package),
        }
    }
    if !missing.is_empty() {
        let missing = missing.join(" ");
        return Err(format!(
            "not fetched: {missing}\n`cargo fetch --manifest-path examples/evaluate/clean/Cargo.toml` gets them"
        )
        .into());
    }
    Ok(found)
}

/// The lines of JSON of all files of a folder, packed or not.
pub(crate) fn read<T: DeserializeOwned>(folder: &Path) -> Result<Vec<T>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))? {
        paths.push(entry?.path());
    }
    paths.sort();
    let mut examples = Vec::new();
    for path in paths {
        let is = |extension| path.extension().is_some_and(|its| its == extension);
        let is_packed = is("gz")
            && path
                .file_stem()
                .is_some_and(|stem| Path::new(stem).extension().is_some_and(|its| its == "jsonl"));
        let reader: Box<dyn Read> = if is_packed {
            Box::new(GzDecoder::new(File::open(&path)?))
        } else if is("jsonl") {
            Box::new(File::open(&path)?)
        } else {
            continue;
        };
        for line in BufReader::new(reader).lines() {
            examples.push(serde_json::from_str(&line?)?);
        }
    }
    if examples.is_empty() {
        return Err(format!("no *.jsonl or *.jsonl.gz in {}", folder.display()).into());
    }
    Ok(examples)
}

/// Whether an example is one that must be found: a network's address among strings of every kind of bech32 counts only
/// where it is an address.
fn is_declared(example: &Example) -> bool {
    let text = example.text.to_ascii_lowercase();
    example.rule != "valid" || ["bc1", "tb1", "bcrt1"].iter().any(|prefix| text.starts_with(prefix))
}

/// Prints the shares, and returns the counts of the whole.
fn report(examples: &[Example], judged: &[Judged<'_>]) -> Value {
    let known: BTreeSet<&str> = SecretGate::classes().collect();
    let mut owners: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for (class, rules) in COVERS {
        assert!(known.contains(class), "no class {class}");
        for rule in rules.split_whitespace() {
            let rule = rule.split_once(':').expect("a source and a rule");
            owners.entry(rule).or_default().insert(class);
        }
    }
    let mut by_rule: BTreeMap<(&str, &str), Share> = BTreeMap::new();
    let (mut by_class, mut by_source): (BTreeMap<&str, Share>, BTreeMap<&str, Share>) = Default::default();
    let (mut all, mut any) = (Share::default(), Share::default());
    let mut wrong: BTreeMap<&str, Share> = BTreeMap::new();
    let (mut counters, mut weak) = (Share::default(), Share::default());
    let mut by_design = Vec::new();
    for (example, line) in examples.iter().zip(judged) {
        let source = if line.src.starts_with("bip") { "crypto" } else { line.src };
        let source = if line.src == "bitcoinjs" { "crypto" } else { source };
        if line.kind == "fp" {
            let is_flagged = !line.found.is_empty();
            let is_shape = line.found.iter().any(|class| !WEAK.contains(&class.as_str()));
            counters.count(is_flagged);
            if is_flagged && is_shape {
                by_design.push((source, line));
            } else {
                weak.count(is_flagged);
                wrong.entry(source).or_default().count(is_flagged);
                if is_flagged {
                    println!("wrong: {source}:{} {:?} {:.90?}", line.rule, line.found, example.text);
                }
            }
            continue;
        }
        if line.kind != "tp" || !is_declared(example) {
            continue;
        }
        any.count(!line.found.is_empty());
        let Some(classes) = owners.get(&(source, line.rule)) else { continue };
        let is_found = line.found.iter().any(|class| classes.contains(class.as_str()));
        by_rule.entry((source, line.rule)).or_default().count(is_found);
        by_source.entry(source).or_default().count(is_found);
        for class in classes {
            by_class.entry(class).or_default().count(is_found);
        }
        all.count(is_found);
        if !is_found {
            println!("missed: {source}:{} {:?} {:.140?}", line.rule, line.found, example.text);
        }
    }
    println!("\nrecall by class, on the rules that it covers");
    for (class, share) in &by_class {
        println!("{class:<28} {share}");
    }
    println!("\nrecall by rule");
    by_rule.iter().filter(|(_, share)| share.found < share.all).for_each(|((source, rule), share)| {
        println!("{:<44} {share}", format!("{source}:{rule}"));
    });
    println!("\nrecall by source");
    for (source, share) in &by_source {
        println!("{source:<28} {share}");
    }
    println!("\n{:<28} {all}", format!("{} declared rules", by_rule.len()));
    println!("{:<28} {any}", "all rules, any finding");
    println!("\ncounter-examples with a distinctive prefix, which blocks by design");
    for (source, line) in &by_design {
        println!("  {source}:{} {:?}", line.rule, line.found);
    }
    println!("\nother counter-examples that were flagged");
    for (source, share) in &wrong {
        println!("{source:<28} {share}");
    }
    println!("{:<28} {weak}", "all of these");
    println!("{:<28} {counters}", "all, with those by design");
    let wallets = by_source.get("crypto").copied().unwrap_or_default();
    json!({
        "found": all.found, "examples": all.all,
        "wallets_found": wallets.found, "wallets": wallets.all,
        "flagged": weak.found, "counter_examples": weak.all,
        "flagged_by_prefix": by_design.len(),
    })
}

/// Classes without a prefix of their own: these may not be wrong.
const WEAK: &[&str] = &[
    "ably_key",
    "adafruit_key",
    "adobe_id",
    "adyen_key",
    "ai_labelled_key",
    "airtable_key",
    "alchemy_key",
    "algolia_key",
    "alibaba_secret",
    "asana_secret",
    "assemblyai_key",
    "atlassian_labelled_token",
    "auth0_secret",
    "aws_secret_key",
    "azure_header_key",
    "azure_labelled_secret",
    "backblaze_key",
    "base58_address",
    "baseten_key",
    "basic_auth",
    "beamer_key",
    "bearer_token",
    "bech32_address",
    "bitbucket_secret",
    "bittrex_key",
    "brave_search_key",
    "btc_legacy",
    "call_key",
    "circleci_labelled_token",
    "cloudant_key",
    "cloudflare_key",
    "codecov_token",
    "cohere_key",
    "coinbase_labelled_key",
    "confluent_secret",
    "content_token",
    "contentful_labelled_token",
    "contribsys_login",
    "curl_header",
    "curl_login",
    "curl_user",
    "datadog_key",
    "deepgram_key",
    "devin_key",
    "discord_secret",
    "discord_token",
    "docker_auth",
    "drone_token",
    "dropbox_secret",
    "elevenlabs_old_key",
    "email_address",
    "etsy_key",
    "exa_key",
    "exoscale_key",
    "expo_token",
    "extended_key",
    "facebook_secret",
    "facebook_token",
    "fal_key",
    "fastly_token",
    "fauna_key",
    "finicity_key",
    "finnhub_key",
    "fireworks_key",
    "flagsmith_key",
    "flickr_key",
    "freshbooks_token",
    "ghost_key",
    "gitea_token",
    "gitter_token",
    "harness_key",
    "heroku_labelled_key",
    "hetzner_token",
    "hex_private_key",
    "hosting_token",
    "hubspot_key",
    "iban",
    "ibm_iam_key",
    "ibm_key",
    "ibm_storage_key",
    "infura_key",
    "inngest_event_key",
    "intercom_labelled_token",
    "jenkins_token",
    "jfrog_token",
    "jwt",
    "klaviyo_key",
    "kraken_key",
    "kucoin_key",
    "launchdarkly_labelled_key",
    "linear_secret",
    "linkedin_secret",
    "livekit_secret",
    "looker_key",
    "mail_key",
    "mailchimp_key",
    "mailgun_labelled_key",
    "mandrill_key",
    "market_key",
    "mattermost_token",
    "media_key",
    "meraki_key",
    "messagebird_key",
    "mistral_key",
    "mnemonic",
    "modal_key",
    "mollie_key",
    "named_key",
    "named_password",
    "netlify_labelled_token",
    "netrc_password",
    "newrelic_id",
    "ngrok_token",
    "npmrc_token",
    "ntfy_token",
    "nuget_password",
    "nytimes_key",
    "okta_token",
    "openweather_key",
    "payment_card",
    "phone_number",
    "plaid_secret",
    "privateai_key",
    "pushbullet_token",
    "railway_token",
    "rapidapi_key",
    "runpod_labelled_key",
    "sendbird_token",
    "sentry_labelled_token",
    "serper_key",
    "sk_key",
    "sk_secret",
    "snyk_labelled_token",
    "solana_secret",
    "sonar_labelled_token",
    "sourcegraph_labelled_token",
    "spotify_secret",
    "square_token",
    "squarespace_token",
    "statsig_key",
    "steel_key",
    "sumologic_key",
    "terraform_password",
    "threat_key",
    "todoist_token",
    "together_key",
    "travis_token",
    "trello_token",
    "twilio_auth_token",
    "twilio_key",
    "twitch_secret",
    "twitter_bearer",
    "twitter_secret",
    "upstage_key",
    "upstash_token",
    "url_password",
    "us_ssn",
    "vault_old_token",
    "vercel_labelled_token",
    "voice_key",
    "voyage_key",
    "wandb_labelled_key",
    "watch_token",
    "wif_key",
    "work_token",
    "zendesk_secret",
    "zhipu_key",
];

/// The rules of other scanners that a class covers, as `source:rule`.
const COVERS: &[(&str, &str)] = &[
    ("adafruit_key", "gitleaks:adafruit-api-key"),
    ("adobe_id", "gitleaks:adobe-client-id"),
    ("adobe_secret", "gitleaks:adobe-client-secret"),
    ("age_key", "gitleaks:age-secret-key ripsecrets:age"),
    ("airtable_key", "gitleaks:airtable-api-key"),
    ("airtable_token", "gitleaks:airtable-personnal-access-token"),
    ("algolia_key", "gitleaks:algolia-api-key"),
    ("alibaba_key", "gitleaks:alibaba-access-key-id"),
    ("alibaba_secret", "gitleaks:alibaba-secret-key"),
    (
        "anthropic_key",
        "gitleaks:anthropic-admin-api-key gitleaks:anthropic-api-key secretlint:secretlint-rule-anthropic",
    ),
    ("artifactory_key", "gitleaks:artifactory-api-key"),
    ("artifactory_reference", "gitleaks:artifactory-reference-token"),
    ("asana_secret", "gitleaks:asana-client-secret"),
    ("atlassian_labelled_token", "gitleaks:atlassian-api-token"),
    ("atlassian_token", "gitleaks:atlassian-api-token"),
    ("aws_access_key", "detect-secrets:aws_key gitleaks:aws-access-token ripsecrets:aws_json"),
    (
        "aws_bedrock_key",
        "gitleaks:aws-amazon-bedrock-api-key-long-lived gitleaks:aws-amazon-bedrock-api-key-short-lived",
    ),
    ("aws_old_key", "detect-secrets:aws_key"),
    ("aws_secret_key", "detect-secrets:aws_key ripsecrets:aws"),
    ("aws_temporary_key", "detect-secrets:aws_key gitleaks:aws-access-token"),
    ("azure_account_key", "detect-secrets:azure_storage_key ripsecrets:azure"),
    ("azure_client_secret", "gitleaks:azure-ad-client-secret ripsecrets:azure"),
    ("base58_address", "crypto:base58check"),
    ("beamer_key", "gitleaks:beamer-api-token"),
    ("bech32_address", "crypto:bech32 crypto:valid"),
    ("bitbucket_secret", "gitleaks:bitbucket-client-id gitleaks:bitbucket-client-secret"),
    ("bittrex_key", "gitleaks:bittrex-access-key gitleaks:bittrex-secret-key"),
    ("btc_bech32", "crypto:bech32 crypto:valid"),
    ("btc_legacy", "crypto:base58check"),
    ("clickhouse_key", "gitleaks:clickhouse-cloud-api-secret-key"),
    ("clojars_token", "gitleaks:clojars-api-token"),
    ("cloudflare_key", "gitleaks:cloudflare-api-key gitleaks:cloudflare-global-api-key"),
    ("cloudflare_origin_key", "gitleaks:cloudflare-origin-ca-key"),
    ("cloudflare_token", "secretlint:secretlint-rule-cloudflare"),
    ("codecov_token", "gitleaks:codecov-access-token"),
    ("cohere_key", "gitleaks:cohere-api-token"),
    ("coinbase_labelled_key", "gitleaks:coinbase-access-token"),
    ("confluent_secret", "gitleaks:confluent-access-token gitleaks:confluent-secret-key"),
    ("contentful_labelled_token", "gitleaks:contentful-delivery-api-token"),
    ("contribsys_login", "gitleaks:sidekiq-secret"),
    ("contribsys_url", "gitleaks:sidekiq-sensitive-url"),
    ("curl_login", "gitleaks:curl-auth-user"),
    ("curl_user", "gitleaks:curl-auth-user"),
    ("databricks_token", "gitleaks:databricks-api-token secretlint:secretlint-rule-databricks"),
    ("datadog_key", "gitleaks:datadog-access-token"),
    ("defined_networking_key", "gitleaks:defined-networking-api-token"),
    (
        "digitalocean_token",
        "gitleaks:digitalocean-access-token gitleaks:digitalocean-pat gitleaks:digitalocean-refresh-token",
    ),
    ("discord_secret", "gitleaks:discord-api-token"),
    ("discord_token", "detect-secrets:discord"),
    ("dockerhub_token", "secretlint:secretlint-rule-docker"),
    ("doppler_token", "gitleaks:doppler-api-token"),
    ("drone_token", "gitleaks:droneci-access-token"),
    ("dropbox_secret", "gitleaks:dropbox-api-token"),
    ("duffel_token", "gitleaks:duffel-api-token"),
    ("dynatrace_token", "gitleaks:dynatrace-api-token"),
    ("easypost_key", "gitleaks:easypost-api-token gitleaks:easypost-test-api-token"),
    ("etsy_key", "gitleaks:etsy-access-token"),
    ("extended_key", "crypto:xprv"),
    ("facebook_secret", "gitleaks:facebook-secret"),
    ("facebook_token", "gitleaks:facebook-page-access-token"),
    ("fastly_token", "gitleaks:fastly-api-token"),
    ("figma_token", "secretlint:secretlint-rule-figma"),
    ("finicity_key", "gitleaks:finicity-api-token gitleaks:finicity-client-secret"),
    ("finnhub_key", "gitleaks:finnhub-access-token"),
    ("flickr_key", "gitleaks:flickr-access-token"),
    (
        "flutterwave_key",
        "gitleaks:flutterwave-encryption-key gitleaks:flutterwave-public-key gitleaks:flutterwave-secret-key",
    ),
    ("flyio_macaroon", "gitleaks:flyio-access-token"),
    ("flyio_token", "gitleaks:flyio-access-token"),
    ("frameio_token", "gitleaks:frameio-api-token"),
    ("freemius_key", "gitleaks:freemius-secret-key"),
    ("freshbooks_token", "gitleaks:freshbooks-access-token"),
    ("gcp_service_account", "gitleaks:gcp-service-account"),
    (
        "github_pat",
        "detect-secrets:github_token gitleaks:github-app-token gitleaks:github-fine-grained-pat gitleaks:github-oauth gitleaks:github-pat gitleaks:github-refresh-token ripsecrets:github secretlint:secretlint-rule-github",
    ),
    ("gitlab_session", "gitleaks:gitlab-session-cookie"),
    (
        "gitlab_token",
        "detect-secrets:gitlab_token gitleaks:gitlab-cicd-job-token gitleaks:gitlab-deploy-token gitleaks:gitlab-feature-flag-client-token gitleaks:gitlab-feed-token gitleaks:gitlab-incoming-mail-token gitleaks:gitlab-kubernetes-agent-token gitleaks:gitlab-oauth-app-secret gitleaks:gitlab-pat gitleaks:gitlab-pat-routable gitleaks:gitlab-ptt gitleaks:gitlab-rrt gitleaks:gitlab-runner-authentication-token gitleaks:gitlab-runner-authentication-token-routable gitleaks:gitlab-scim-token ripsecrets:gitlab secretlint:secretlint-rule-gitlab",
    ),
    ("gitter_token", "gitleaks:gitter-access-token"),
    ("gocardless_token", "gitleaks:gocardless-api-token"),
    ("google_api_key", "gitleaks:gcp-api-key ripsecrets:gcp"),
    ("grafana_account", "gitleaks:grafana-service-account-token secretlint:secretlint-rule-grafana"),
    ("grafana_key", "gitleaks:grafana-api-key"),
    ("grafana_token", "gitleaks:grafana-cloud-api-token secretlint:secretlint-rule-grafana"),
    ("groq_key", "secretlint:secretlint-rule-groq"),
    ("harness_key", "gitleaks:harness-api-key"),
    ("heroku_key", "gitleaks:heroku-api-key-v2"),
    ("heroku_labelled_key", "gitleaks:heroku-api-key"),
    ("hubspot_key", "gitleaks:hubspot-api-key"),
    (
        "huggingface_token",
        "gitleaks:huggingface-access-token gitleaks:huggingface-organization-api-token secretlint:secretlint-rule-huggingface",
    ),
    ("infracost_key", "gitleaks:infracost-api-token"),
    ("intercom_labelled_token", "gitleaks:intercom-api-key"),
    ("intra42_secret", "gitleaks:intra42-client-secret ripsecrets:intra42"),
    ("jfrog_token", "gitleaks:jfrog-api-key gitleaks:jfrog-identity-token"),
    ("jwt", "detect-secrets:jwt ripsecrets:jwt"),
    ("kraken_key", "gitleaks:kraken-access-token"),
    ("kucoin_key", "gitleaks:kucoin-access-token gitleaks:kucoin-secret-key"),
    ("launchdarkly_labelled_key", "gitleaks:launchdarkly-access-token"),
    ("linear_key", "gitleaks:linear-api-key secretlint:secretlint-rule-linear"),
    ("linear_secret", "gitleaks:linear-client-secret"),
    ("linkedin_secret", "gitleaks:linkedin-client-secret"),
    ("lob_key", "gitleaks:lob-api-key gitleaks:lob-pub-api-key"),
    ("looker_key", "gitleaks:looker-client-id gitleaks:looker-client-secret"),
    ("mailchimp_key", "detect-secrets:mailchimp_key gitleaks:mailchimp-api-key ripsecrets:mailchimp"),
    ("mailgun_key", "gitleaks:mailgun-private-api-token gitleaks:mailgun-pub-key"),
    ("mailgun_labelled_key", "gitleaks:mailgun-signing-key"),
    ("mapbox_token", "gitleaks:mapbox-api-token"),
    ("mattermost_token", "gitleaks:mattermost-access-token"),
    ("maxmind_key", "gitleaks:maxmind-license-key"),
    ("meraki_key", "gitleaks:cisco-meraki-api-key"),
    ("messagebird_key", "gitleaks:messagebird-api-token gitleaks:messagebird-client-id"),
    ("mnemonic", "crypto:mnemonic"),
    ("netlify_labelled_token", "gitleaks:netlify-access-token"),
    ("newrelic_id", "gitleaks:new-relic-user-api-id"),
    (
        "newrelic_key",
        "gitleaks:new-relic-browser-api-token gitleaks:new-relic-insert-key gitleaks:new-relic-user-api-key",
    ),
    ("notion_token", "gitleaks:notion-api-token secretlint:secretlint-rule-notion"),
    ("npm_token", "gitleaks:npm-access-token ripsecrets:npm secretlint:secretlint-rule-npm"),
    ("npmrc_token", "detect-secrets:npm ripsecrets:npm"),
    ("nuget_password", "gitleaks:nuget-config-password"),
    ("nytimes_key", "gitleaks:nytimes-access-token"),
    ("octopus_key", "gitleaks:octopus-deploy-api-key"),
    ("okta_token", "gitleaks:okta-access-token"),
    ("onepassword_account", "gitleaks:1password-service-account-token secretlint:secretlint-rule-1password"),
    ("onepassword_key", "gitleaks:1password-secret-key"),
    ("openai_key", "detect-secrets:openai secretlint:secretlint-rule-openai"),
    ("openshift_token", "gitleaks:openshift-user-token"),
    (
        "pem_private",
        "gitleaks:private-key ripsecrets:pem_key ripsecrets:private_key secretlint:secretlint-rule-privatekey",
    ),
    ("perplexity_key", "gitleaks:perplexity-api-key"),
    ("plaid_secret", "gitleaks:plaid-client-id gitleaks:plaid-secret-key"),
    ("plaid_token", "gitleaks:plaid-api-token"),
    (
        "planetscale_secret",
        "gitleaks:planetscale-api-token gitleaks:planetscale-oauth-token gitleaks:planetscale-password",
    ),
    ("postman_key", "gitleaks:postman-api-token"),
    ("prefect_key", "gitleaks:prefect-api-token"),
    ("privateai_key", "gitleaks:privateai-api-token"),
    ("pulumi_token", "gitleaks:pulumi-api-token"),
    ("pypi_token", "detect-secrets:pypi_token gitleaks:pypi-upload-token"),
    ("rapidapi_key", "gitleaks:rapidapi-access-token"),
    ("readme_key", "gitleaks:readme-api-token"),
    ("rubygems_key", "gitleaks:rubygems-api-token"),
    ("scalingo_token", "gitleaks:scalingo-api-token"),
    ("sendbird_token", "gitleaks:sendbird-access-id gitleaks:sendbird-access-token"),
    (
        "sendgrid_key",
        "detect-secrets:sendgrid gitleaks:sendgrid-api-token ripsecrets:sendgrid secretlint:secretlint-rule-sendgrid",
    ),
    ("sendinblue_key", "gitleaks:sendinblue-api-token"),
    ("sentry_labelled_token", "gitleaks:sentry-access-token"),
    ("sentry_token", "gitleaks:sentry-org-token"),
    ("sentry_user_token", "gitleaks:sentry-user-token"),
    (
        "settlemint_token",
        "gitleaks:settlemint-application-access-token gitleaks:settlemint-personal-access-token gitleaks:settlemint-service-access-token",
    ),
    ("shippo_token", "gitleaks:shippo-api-token"),
    (
        "shopify_long_token",
        "gitleaks:shopify-access-token gitleaks:shopify-custom-access-token gitleaks:shopify-private-app-access-token gitleaks:shopify-shared-secret secretlint:secretlint-rule-shopify",
    ),
    (
        "shopify_token",
        "gitleaks:shopify-access-token gitleaks:shopify-custom-access-token gitleaks:shopify-private-app-access-token gitleaks:shopify-shared-secret",
    ),
    ("slack_app_token", "gitleaks:slack-app-token secretlint:secretlint-rule-slack"),
    ("slack_config_token", "gitleaks:slack-config-refresh-token"),
    ("slack_other_token", "gitleaks:slack-legacy-token gitleaks:slack-user-token"),
    (
        "slack_token",
        "gitleaks:slack-bot-token gitleaks:slack-config-access-token gitleaks:slack-legacy-bot-token gitleaks:slack-legacy-token gitleaks:slack-legacy-workspace-token gitleaks:slack-user-token ripsecrets:slack secretlint:secretlint-rule-slack",
    ),
    ("slack_webhook", "gitleaks:slack-webhook-url ripsecrets:slack secretlint:secretlint-rule-slack"),
    ("snyk_labelled_token", "gitleaks:snyk-api-token"),
    ("sonar_labelled_token", "gitleaks:sonar-api-token"),
    ("sonar_token", "gitleaks:sonar-api-token"),
    ("sourcegraph_labelled_token", "gitleaks:sourcegraph-access-token"),
    ("sourcegraph_token", "gitleaks:sourcegraph-access-token"),
    ("square_token", "gitleaks:square-access-token gitleaks:square-secret ripsecrets:square"),
    ("squarespace_token", "gitleaks:squarespace-access-token"),
    ("stripe_key", "detect-secrets:stripe_key ripsecrets:stripe secretlint:secretlint-rule-stripe"),
    ("sumologic_key", "gitleaks:sumologic-access-id gitleaks:sumologic-access-token"),
    ("tailscale_key", "secretlint:secretlint-rule-tailscale"),
    ("teams_webhook", "gitleaks:microsoft-teams-webhook"),
    ("telegram_token", "detect-secrets:telegram_token"),
    ("terraform_token", "gitleaks:hashicorp-tf-api-token"),
    ("travis_token", "gitleaks:travisci-access-token"),
    ("trello_token", "gitleaks:trello-access-token"),
    ("twilio_key", "detect-secrets:twilio gitleaks:twilio-api-key ripsecrets:twilio"),
    ("twitch_secret", "gitleaks:twitch-api-token"),
    ("twitter_bearer", "gitleaks:twitter-bearer-token"),
    (
        "twitter_secret",
        "gitleaks:twitter-access-secret gitleaks:twitter-access-token gitleaks:twitter-api-key gitleaks:twitter-api-secret",
    ),
    ("typeform_token", "gitleaks:typeform-api-token"),
    (
        "url_password",
        "detect-secrets:basic_auth ripsecrets:url secretlint:secretlint-rule-basicauth secretlint:secretlint-rule-database-connection-string",
    ),
    ("vault_old_token", "gitleaks:vault-service-token"),
    (
        "vault_token",
        "gitleaks:vault-batch-token gitleaks:vault-service-token secretlint:secretlint-rule-hashicorp-vault",
    ),
    ("vercel_token", "secretlint:secretlint-rule-vercel"),
    ("yandex_token", "gitleaks:yandex-access-token gitleaks:yandex-api-key gitleaks:yandex-aws-access-token"),
    ("zendesk_secret", "gitleaks:zendesk-secret-key"),
];
