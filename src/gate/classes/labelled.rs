//! Values without a mark of their own, under a name that says whose they are.

use super::{Bounds, Class, Proof, labelled, pattern};
use crate::gate::proof;

const UUID: &str = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";

pub(super) const LABELLED: &[Class] = &[
    labelled("aws_secret_key", "AWS secret keys", &["secret access key", "aws secret", "aws access key", "awssecret"], r"[A-Za-z0-9/+]{40}"),
    labelled("alibaba_secret", "secret keys of Alibaba", &["alibaba", "aliyun"], r"[a-zA-Z0-9]{30}"),
    labelled("azure_labelled_secret", "keys of Azure under a name", &["azure"], r"[A-Za-z0-9+/]{86}==|[0-9a-f]{32}"),
    labelled("cloudflare_key", "keys of Cloudflare under a name", &["cloudflare", "cf api"], r"[0-9a-f]{37}|[A-Za-z0-9_-]{40}"),
    labelled("datadog_key", "keys of Datadog under a name", &["datadog", "dd api key", "dd app key"], r"[a-z0-9]{40}|[0-9a-f]{32}"),
    labelled("heroku_labelled_key", "keys of Heroku under a name", &["heroku"], UUID),
    labelled("netlify_labelled_token", "tokens of Netlify under a name", &["netlify"], r"[A-Za-z0-9=_-]{40,46}"),
    labelled("fastly_token", "tokens of Fastly under a name", &["fastly"], r"[A-Za-z0-9=_-]{32}"),
    labelled("okta_token", "tokens of Okta under a name", &["okta"], r"00[A-Za-z0-9=_-]{40}"),
    labelled("ibm_key", "keys of IBM Cloud under a name", &["ibm", "softlayer"], r"[A-Za-z0-9_-]{44}|[0-9a-f]{48}|[a-z0-9]{64}"),
    labelled("ibm_storage_key", "keys of IBM object storage", &["secret access key"], r"[0-9a-f]{48}"),
    labelled("ibm_iam_key", "keys of IBM IAM", &["iam api key", "iam key", "iam pwd", "iam password"], r"[A-Za-z0-9_-]{44}"),
    labelled("cloudant_key", "keys of Cloudant under a name", &["cloudant"], r"[0-9a-f]{64}|[a-z]{24}"),
    labelled("contribsys_login", "logins of Sidekiq Pro under a name", &["contribsys"], r"[0-9a-f]{8}:[0-9a-f]{8}").proof(Proof::None).loose(),
    labelled("twilio_auth_token", "auth tokens of Twilio", &["twilio"], r"[0-9a-f]{32}"),
    labelled("mailgun_labelled_key", "signing keys of Mailgun under a name", &["mailgun"], r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}"),
    labelled("discord_secret", "secrets of Discord under a name", &["discord"], r"[0-9a-f]{64}|[A-Za-z0-9=_-]{32}"),
    labelled("facebook_secret", "secrets of Facebook under a name", &["facebook"], r"[0-9a-f]{32}|[0-9]{15,16}\|[A-Za-z0-9_-]{27}"),
    labelled("twitter_secret", "secrets of Twitter under a name", &["twitter"], r"[A-Za-z0-9]{45}|[A-Za-z0-9]{50}|[0-9]{15,25}-[A-Za-z0-9]{20,40}|[A-Za-z0-9]{25}"),
    labelled("linkedin_secret", "secrets of LinkedIn under a name", &["linkedin", "linked in"], r"[A-Za-z0-9]{16}"),
    labelled("twitch_secret", "secrets of Twitch under a name", &["twitch"], r"[a-z0-9]{30}"),
    labelled("mattermost_token", "tokens of Mattermost under a name", &["mattermost"], r"[a-z0-9]{26}"),
    labelled("snyk_labelled_token", "tokens of Snyk under a name", &["snyk"], UUID),
    labelled("sonar_labelled_token", "tokens of Sonar under a name", &["sonar"], r"[A-Za-z0-9=_-]{40}"),
    labelled("sentry_labelled_token", "tokens of Sentry under a name", &["sentry"], r"[0-9a-f]{64}"),
    labelled("sourcegraph_labelled_token", "tokens of Sourcegraph under a name", &["sourcegraph"], r"[0-9a-fA-F]{40}"),
    labelled("travis_token", "tokens of Travis under a name", &["travis"], r"[A-Za-z0-9]{22}"),
    labelled("drone_token", "tokens of Drone under a name", &["droneci", "drone"], r"[A-Za-z0-9]{32}"),
    labelled("codecov_token", "tokens of Codecov under a name", &["codecov"], r"[A-Za-z0-9]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    labelled("jfrog_token", "tokens of JFrog under a name", &["jfrog", "artifactory", "bintray", "xray"], r"[A-Za-z0-9]{73}|[A-Za-z0-9]{64}"),
    labelled("bitbucket_secret", "secrets of Bitbucket under a name", &["bitbucket"], r"[A-Za-z0-9=_-]{64}|[A-Za-z0-9]{32}"),
    labelled("atlassian_labelled_token", "tokens of Atlassian under a name", &["atlassian", "confluence", "jira"], r"[A-Za-z0-9]{24}"),
    labelled("confluent_secret", "secrets of Confluent under a name", &["confluent"], r"[A-Za-z0-9+/]{64}|[A-Za-z0-9]{16}"),
    labelled("asana_secret", "secrets of Asana under a name", &["asana"], r"[a-z0-9]{32}"),
    labelled("algolia_key", "keys of Algolia under a name", &["algolia"], r"[a-z0-9]{32}"),
    labelled("airtable_key", "keys of Airtable under a name", &["airtable"], r"[a-z0-9]{17}"),
    labelled("contentful_labelled_token", "tokens of Contentful under a name", &["contentful"], r"[A-Za-z0-9=_-]{43}"),
    labelled("dropbox_secret", "secrets of Dropbox under a name", &["dropbox"], r"[a-z0-9]{15}|[a-z0-9]{11}AAAAAAAAAA[A-Za-z0-9_=-]{43}"),
    labelled("hubspot_key", "keys of HubSpot under a name", &["hubspot"], UUID),
    labelled("intercom_labelled_token", "tokens of Intercom under a name", &["intercom"], r"[A-Za-z0-9=_-]{60}"),
    labelled("kraken_key", "keys of Kraken under a name", &["kraken"], r"[A-Za-z0-9/=_+-]{80,90}"),
    labelled("kucoin_key", "keys of KuCoin under a name", &["kucoin"], r"[0-9a-f]{24}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    labelled("bittrex_key", "keys of Bittrex under a name", &["bittrex"], r"[a-z0-9]{32}"),
    labelled("coinbase_labelled_key", "keys of Coinbase under a name", &["coinbase"], r"[A-Za-z0-9_-]{64}"),
    labelled("launchdarkly_labelled_key", "keys of LaunchDarkly under a name", &["launchdarkly"], r"[A-Za-z0-9=_-]{40}"),
    labelled("linear_secret", "client secrets of Linear under a name", &["linear"], r"[0-9a-f]{32}"),
    labelled("messagebird_key", "keys of MessageBird under a name", &["messagebird", "message bird"], r"[a-z0-9]{25}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"),
    labelled("newrelic_id", "ids of New Relic users under a name", &["new relic", "newrelic"], r"[a-z0-9]{64}"),
    labelled("plaid_secret", "secrets of Plaid under a name", &["plaid"], r"[a-z0-9]{30}|[A-Za-z0-9]{24}"),
    labelled("rapidapi_key", "keys of RapidAPI under a name", &["rapidapi"], r"[A-Za-z0-9_-]{50}"),
    labelled("sendbird_token", "tokens of Sendbird under a name", &["sendbird"], r"[0-9a-f]{40}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    labelled("sumologic_key", "ids and keys of Sumo Logic under a name", &["sumo"], r"[A-Za-z0-9]{64}|su[A-Za-z0-9]{12}"),
    labelled("squarespace_token", "tokens of Squarespace under a name", &["squarespace"], UUID),
    labelled("trello_token", "tokens of Trello under a name", &["trello"], r"[A-Za-z0-9-]{32}"),
    labelled("zendesk_secret", "secrets of Zendesk under a name", &["zendesk"], r"[a-z0-9]{40}"),
    labelled("cohere_key", "keys of Cohere under a name", &["cohere", "co api key"], r"[A-Za-z0-9]{40}"),
    labelled("mistral_key", "keys of Mistral under a name", &["mistral"], r"[A-Za-z0-9]{32}"),
    labelled("together_key", "keys of Together under a name", &["together api"], r"[0-9a-f]{64}"),
    labelled("openweather_key", "keys of OpenWeather under a name", &["openweather"], r"[0-9a-f]{32}"),
    labelled("finnhub_key", "keys of Finnhub under a name", &["finnhub"], r"[A-Za-z0-9]{20}"),
    labelled("flickr_key", "keys of Flickr under a name", &["flickr"], r"[A-Za-z0-9]{32}"),
    labelled("finicity_key", "keys of Finicity under a name", &["finicity"], r"[0-9a-f]{32}|[A-Za-z0-9]{20}"),
    labelled("nytimes_key", "keys of the New York Times under a name", &["nytimes", "new york times"], r"[A-Za-z0-9=_-]{32}"),
    labelled("gitter_token", "tokens of Gitter under a name", &["gitter"], r"[A-Za-z0-9_-]{40}"),
    labelled("freshbooks_token", "tokens of FreshBooks under a name", &["freshbooks"], r"[A-Za-z0-9]{64}"),
    labelled("looker_key", "ids and secrets of Looker under a name", &["looker"], r"[A-Za-z0-9]{24}|[A-Za-z0-9]{20}"),
    labelled("adafruit_key", "keys of Adafruit under a name", &["adafruit"], r"[A-Za-z0-9_-]{32}"),
    labelled("etsy_key", "keys of Etsy under a name", &["etsy"], r"[A-Za-z0-9]{24}"),
    labelled("meraki_key", "keys of Cisco Meraki under a name", &["meraki"], r"[0-9a-f]{40}"),
    labelled("privateai_key", "keys of Private AI under a name", &["privateai", "private ai"], r"[a-z0-9]{32}"),
    labelled("beamer_key", "keys of Beamer under a name", &["beamer"], r"b_[a-z0-9=_-]{44}"),
    labelled("adobe_id", "client ids of Adobe under a name", &["adobe"], r"[0-9a-f]{32}"),
    pattern(
        "freemius_key",
        "secret keys of Freemius",
        &["\"secret_key\"", "'secret_key'"],
        r#"["']secret_key["']\s{0,8}=>\s{0,8}["'](sk_\S{29})["']"#,
    )
    .loose()
    .bounds(Bounds::None),
    pattern(
        "nuget_password",
        "passwords in a configuration of NuGet",
        &["<add key=\""],
        r#"<add key="(?:ClearText)?Password"\s{1,8}value="([^"\r\n]{3,256})""#,
    )
    .loose()
    .bounds(Bounds::None)
    .proof(Proof::Required(proof::password)),
    pattern(
        "terraform_password",
        "passwords of database administrators in Terraform",
        &["administrator_login_password"],
        r#"administrator_login_password\s{0,16}=\s{0,8}"([^"\r\n]{8,128})""#,
    )
    .bounds(Bounds::Left)
    .proof(Proof::Required(proof::password)),
    pattern(
        "curl_header",
        "keys in headers on the command line of curl",
        &["curl "],
        r#"curl (?:[^\n|;\\]|\\\r?\n?){0,400}?(?:-H|--header)[ =]{1,3}["'](?i:authorization|[a-z-]{0,40}(?:key|token|secret)) {0,2}: {0,2}(?:(?i:token|key|apikey|api-token) {1,2})?([A-Za-z0-9._~+/=-]{16,1000})["']"#,
    )
    .loose()
    .bounds(Bounds::None)
    .proof(Proof::Required(proof::by_chance)),
    pattern(
        "curl_login",
        "logins on the command line of curl",
        &["curl "],
        r#"curl (?:[^\n|;\\]|\\\r?\n?){0,400}?(?:-u|--user)[ =]{1,3}["']?[^\s:"'$<{/]{1,64}:["']?([^\s"'<{}$][^\s"'<{}]{2,127})"#,
    )
    .loose()
    .bounds(Bounds::None)
    .proof(Proof::Required(proof::password)),
];
