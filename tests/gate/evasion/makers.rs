//! Keys as their makers' documentation describes them, apart from the table of the gate: what that does not know fails here.
//!
//! The samples are drawn when the test runs. No key is written here.

use std::collections::BTreeMap;

use noctuary::{PiiFilter, SecretGate};

use super::{DISGUISES, Dice, Share};

const SAMPLES: u64 = 6;

// Of 186 formats of makers 93 were found whole; many have a prefix that nobody else uses.
#[test]
#[ignore = "sweep"]
fn keys_of_every_maker_are_found_plain_and_in_every_disguise() {
    let gate = SecretGate::new();
    let mut shares: BTreeMap<usize, Share> = BTreeMap::new();
    let mut missed: BTreeMap<(usize, &str), u32> = BTreeMap::new();
    for_each_sample(|(maker, _), dice, [before, secret, after]| {
        for (which, (_, _, disguise)) in DISGUISES.iter().enumerate() {
            let front = format!("- 09:12 [user] note this: {before}");
            let worn = disguise(secret, dice);
            let text = format!("{front}{worn}{after} and keep it\n- 09:13 [user] That was it.\n");
            let place = front.len()..front.len() + worn.len();
            let is_seen = gate.scan(&text).iter().any(|finding| {
                let left = &text[place.start..finding.span.start.clamp(place.start, place.end)];
                let right = &text[finding.span.end.clamp(place.start, place.end)..place.end];
                // What is left on either side, in characters of the secret.
                (shown(left) + shown(right)) * secret.len() < 6 * shown(&worn)
            });
            shares.entry(which).or_default().count(is_seen);
            if !is_seen {
                *missed.entry((which, maker)).or_default() += 1;
            }
        }
    });
    for (which, share) in &shares {
        let (name, ..) = DISGUISES[*which];
        let of: Vec<String> = missed
            .iter()
            .filter(|((it, _), _)| it == which)
            .map(|((_, maker), count)| format!("{maker} {count}"))
            .collect();
        println!("{name:<16} {:>8.4}   {}", share.get(), of.join(", "));
    }
    for (which, share) in &shares {
        let (name, ..) = DISGUISES[*which];
        assert!(share.get() >= 0.98, "{name}: {:.4}", share.get());
    }
}

// A token of Telegram stands in most texts as `bot<token>`, and was missed there.
#[test]
#[ignore = "sweep"]
fn keys_of_every_maker_are_found_beside_other_signs_and_behind_a_word_where_the_prefix_is_their_own() {
    let gate = SecretGate::new();
    let beside = [
        ("鍵は", "です"),
        ("é", "é"),
        ("「", "」"),
        ("(", ")"),
        ("[", "],"),
        ("{\"", "\"}"),
        ("`", "`."),
        ("**", "**"),
        ("\\n", "\\n"),
        ("<td>", "</td>"),
        ("| ", " | open | 2026-11-21 |"),
    ];
    let mut missed: BTreeMap<String, u32> = BTreeMap::new();
    let (mut all, mut is_missed) = (0, 0);
    for_each_sample(|(maker, format), _, [before, secret, after]| {
        let mut finds = |front: &str, back: &str| {
            all += 1;
            if gate.scan(&format!("note {front}{before}{secret}{after}{back}")).is_empty() {
                is_missed += 1;
                *missed.entry(format!("{maker} {front}…{back}")).or_default() += 1;
            }
        };
        for (front, back) in beside {
            finds(front, back);
        }
        if has_own_prefix(format) {
            for front in ["x", "7", "bot", "Key", "key_"] {
                finds(front, " then");
            }
        }
    });
    println!("{is_missed} of {all}: {missed:#?}");
    assert!(is_missed * 100 <= all, "{is_missed} of {all}: {missed:#?}");
}

// `basic demotion2746` was refused as a login, `linkedin: internationalize` as a secret.
#[test]
#[ignore = "sweep"]
fn ordinary_words_under_a_name_are_no_secrets() {
    let gate = SecretGate::new();
    let mut taken: BTreeMap<String, _> = BTreeMap::new();
    let mut look = |line: &str| {
        if let Some(finding) = gate.scan(line).into_iter().next() {
            taken.insert(line.to_owned(), finding.class);
        }
    };
    for line in PROSE {
        look(line);
    }
    // The names of all classes that a name gives away, but those that ask for a password.
    let patterns: Vec<_> = gate.patterns().collect();
    let names = patterns.iter().filter_map(|(_, pattern)| pattern.strip_prefix("(?i:")?.split_once(')'));
    let names: Vec<String> = names
        .flat_map(|(names, _)| names.split('|'))
        .map(|name| name.replace("[ _.-]?", " "))
        .filter(|name| !["pass", "pwd"].iter().any(|word| name.contains(word)))
        .collect();
    assert!(names.len() > 300, "{}", names.len());
    let mut dice = Dice(16);
    for name in &names {
        for value in values(&mut dice) {
            look(&format!("- the {name} team: {value} is what we call it"));
            look(&format!("{name}_branch = \"{value}\""));
            look(&format!("{name} => {value}, as before"));
        }
    }
    assert!(taken.is_empty(), "{}: {taken:#?}", taken.len());
}

// `EAAA` in base64, with which a line of it may begin too, was taken for a token of Square.
#[test]
fn base64_of_anything_holds_no_key() {
    let gate = SecretGate::new();
    let mut dice = Dice(272);
    for _ in 0..50 {
        for format in [
            "EAAA{B72}",
            "{B20}EAAA{B52}",
            "{B71}/\nEAAA{B72}",
            "EAAAAAAAAAAA{B50}",
            "EAAAAAAAAAAAAAAAAAAAAAA{B41}=",
            "![](data:image/png;base64,{B30}/EAAA{B61}==)",
            "sha384-{B20}+EAAA{B40}",
        ] {
            let text = drawn(format, &mut dice);
            assert_eq!(gate.scan(&text), [], "{text}");
        }
    }
}

/// Words of prose, joined in the ways of names and titles, at many lengths, and with numbers.
fn values(dice: &mut Dice) -> Vec<String> {
    let mut word = || WORDS[dice.below(WORDS.len())];
    let mut values = Vec::new();
    for count in 1..=6 {
        let words: Vec<&str> = (0..count).map(|_| word()).collect();
        let great = words.iter().map(|word| word[..1].to_uppercase() + &word[1..]);
        values.extend([words.join("-"), words.join("_"), words.concat(), great.collect()]);
    }
    let numbers = ["7", "42", "2026", "27465", "-2026-11", "_v2"];
    let numbered = values.iter().map(|value| format!("{value}{}", numbers[dice.below(numbers.len())]));
    let numbered: Vec<String> = numbered.collect();
    values.into_iter().chain(numbered).collect()
}

/// Hands over six made-up keys of each maker, each with what stands before and after it where it is set.
fn for_each_sample(mut hand_over: impl FnMut((&'static str, &'static str), &mut Dice, [&str; 3])) {
    for (number, maker) in (0..).zip(MAKERS) {
        for sample in 0..SAMPLES {
            let mut dice = Dice(sample * 1_000 + number);
            let text = drawn(maker.1, &mut dice);
            let parts: Vec<&str> = text.split('§').collect();
            let parts = match parts[..] {
                [before, secret, after] => [before, secret, after],
                _ => ["", &text, ""],
            };
            hand_over(maker, &mut dice, parts);
        }
    }
}

/// How much of a secret a text tells: the tags of a cell are none of it.
fn shown(worn: &str) -> usize {
    worn.len() - worn.matches("</td>\n  <td>").map(str::len).sum::<usize>()
}

/// Whether a format begins with what no word has, so that a key is known behind one.
fn has_own_prefix(format: &str) -> bool {
    let prefix = format.split('{').next().unwrap_or_default();
    prefix.len() >= 6 && prefix.ends_with(['_', '-', '.', '/', ':']) && !prefix.contains('§')
}

/// Writes a key of a format: between braces stand a set of symbols and how many of them are drawn.
fn drawn(format: &str, dice: &mut Dice) -> String {
    const SMALL: &str = "abcdefghijklmnopqrstuvwxyz";
    const GREAT: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const DIGITS: &str = "0123456789";
    let mut text = String::new();
    for (at, part) in format.split(['{', '}']).enumerate() {
        if at % 2 == 0 {
            text += part;
            continue;
        }
        let (set, count) = part.split_at(1);
        let symbols = match set {
            "h" => "0123456789abcdef".to_owned(),
            "H" => "0123456789ABCDEF".to_owned(),
            "d" => DIGITS.to_owned(),
            "l" => [SMALL, DIGITS].concat(),
            "u" => [GREAT, DIGITS].concat(),
            "c" => [SMALL, GREAT].concat(),
            "a" => [SMALL, GREAT, DIGITS].concat(),
            "b" => [SMALL, GREAT, DIGITS, "-_"].concat(),
            "B" => [SMALL, GREAT, DIGITS, "+/"].concat(),
            _ => panic!("{format}: no set of symbols is called {set}"),
        };
        for _ in 0..count.parse().unwrap() {
            text.push(char::from(symbols.as_bytes()[dice.below(symbols.len())]));
        }
    }
    text
}

/// Words of prose that are longer than most.
const WORDS: [&str; 65] = [
    "harbour",
    "moor",
    "demotion",
    "authentication",
    "responsibility",
    "internationalize",
    "integration",
    "suite",
    "migration",
    "release",
    "deployment",
    "environment",
    "production",
    "configuration",
    "documentation",
    "marketing",
    "campaign",
    "summer",
    "quarterly",
    "planning",
    "retrospective",
    "onboarding",
    "checklist",
    "customer",
    "interview",
    "translation",
    "pipeline",
    "warehouse",
    "inventory",
    "accounting",
    "dashboard",
    "monitoring",
    "incident",
    "review",
    "schedule",
    "reservation",
    "boat",
    "sailing",
    "winter",
    "vegetable",
    "garden",
    "kitchen",
    "recipe",
    "holiday",
    "birthday",
    "photograph",
    "collection",
    "library",
    "reading",
    "telephone",
    "conference",
    "meeting",
    "minute",
    "performance",
    "security",
    "subscription",
    "newsletter",
    "workspace",
    "notebook",
    "template",
    "archive",
    "picture",
    "gallery",
    "orchestra",
    "rehearsal",
];

/// Lines of prose with the name of a maker, or a word for a secret.
const PROSE: [&str; 65] = [
    "the team went from basic demotion2746 to a proper title",
    "He was moved to basic training2024 in the spring",
    "basic authentication, basic responsibilities4711 and basic understanding are three things",
    "Authorization: Basic instructions are on page 12",
    "Bearer of good news: internationalization2026",
    "the bearer authentication-of-requests chapter is still a draft",
    "fastly: see the page on service-configuration-of-the-harbour-shop",
    "linkedin: internationalize",
    "LinkedIn title: SeniorEngineer42",
    "twitch channel: harbourmasterschannelwithfriends",
    "Twitter: a thread on responsibilities of maintainers",
    "twitter handle = \"HarbourMasterMarta2026xx\"",
    "facebook page: marta-and-the-boats-of-summer",
    "Datadog dashboard: production-harbour-overview",
    "datadog monitor = \"warehouse-inventory-production-eu-west-1\"",
    "mattermost channel: harbourmastersofthesouth",
    "Asana project: quarterly-planning-of-winter-2026",
    "algolia index: production_vegetable_garden_2026",
    "Airtable base: harbourinventory2",
    "Contentful space: marketing-campaign-for-the-summer-of-2026",
    "Dropbox folder: boatinventories",
    "jenkins job: nightly-integration-suite-of-the-harbour-2",
    "Cloudflare worker: redirect-of-the-old-shop-to-the-new-one-2",
    "netlify site: marta-writes-about-boats-and-vegetable-gardens",
    "Okta group: 00-administrators-of-the-harbour-workspace",
    "azure resource group: harbour-production-environment-westeurope-2",
    "AZURE_REGION=westeurope, AZURE_ENVIRONMENT=harbour-production-2",
    "the IBM machine: thinkcentre-of-the-accounting-office-2024",
    "Twilio voice: harbour-reservation-hotline-2026",
    "discord server = \"friends of the winter orchestra 2026\"",
    "spotify playlist: rehearsal-recordings-of-winter-2026",
    "Todoist section: onboarding-checklist-for-new-customers-2026",
    "zendesk view: unanswered-tickets-of-the-last-seven-days2",
    "railway line: Hamburg to Copenhagen, coach 12, seat 45",
    "Sentry environment: production-europe",
    "the drone: DJI Mini 4 Pro, bought 2026",
    "Linear cycle: responsibilities-of-the-harbour",
    "trello board: vegetable-garden-of-the-kitchen2",
    "ghost theme: harbour-magazine-of-the-winter",
    "Mistral: a wind of the Rhone valley that blew for nine days",
    "cohere: to stick together, from cohaerere",
    "hume: An Enquiry Concerning Human Understanding (1748)",
    "rime: hoar frost on 2026-11-21",
    "the sonar: HarbourDepthSounderMarkTwoOfTheOldShip",
    "kraken: TheOldSeaMonsterOfTheNorthernStories1752",
    "\"plaid\" => \"blanketsforthewinterorchestra\"",
    "New York Times: a review of the orchestra, page 17",
    "yelp: 4 of 5 stars, 2,746 reviews",
    "genius: 1 part inspiration, 99 parts perspiration",
    "strava segment: AroundTheHarbourAndBack2026",
    "reddit: r/selfhosted, thread of 2026-11-21",
    "steam key: in the drawer under the telephone",
    "travis: VegetableGardeners2026",
    "jira: HARBOUR-2746, HARBOUR-2747",
    "confluence: MeetingMinutesOfTheWinterOrchestra",
    "\"github\": \"harbour/inventory-of-boats#2746\"",
    "password: ask Marta, she keeps it in the drawer",
    "the token on the table: a wooden meeple from 1998",
    "secret ingredient: cardamom2",
    "api key: see the page of the harbour workspace",
    "postgres://user:password@localhost:5432/harbour",
    "https://username:password@example.com/path",
    "redis://:password@redis:6379/0",
    "amqp://guest:guest@localhost",
    "mysql://<user>:<password>@<host>/db",
];

/// The thing that it opens, and its looks. Where a name gives it away, the key stands between two `§`.
const MAKERS: [(&str, &str); 256] = [
    // Models, and what agents call.
    ("Anthropic", "sk-ant-api03-{b93}AA"),
    ("Anthropic OAuth", "sk-ant-oat01-{b80}AA"),
    ("OpenAI", "sk-proj-{b58}T3BlbkFJ{b58}"),
    ("OpenAI older", "sk-{a48}"),
    ("DeepSeek", "sk-{h32}"),
    ("MiniMax", "sk-api-{b100}"),
    ("Kimi", "sk-kimi-{a60}"),
    ("OpenRouter", "sk-or-v1-{h64}"),
    ("Helicone", "sk-helicone-{l7}-{l7}-{l7}-{l7}"),
    ("Google", "AIza{b35}"),
    ("Groq", "gsk_{a52}"),
    ("xAI", "xai-{a80}"),
    ("Perplexity", "pplx-{a48}"),
    ("Hugging Face", "hf_{c34}"),
    ("Replicate", "r8_{a37}"),
    ("LangSmith", "lsv2_pt_{h32}_{h10}"),
    ("Langfuse secret", "sk-lf-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("Langfuse public", "pk-lf-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("Jina", "jina_{h32}{b28}"),
    ("Firecrawl", "fc-{h32}"),
    ("E2B", "e2b_{h40}"),
    ("E2B letters", "e2b_{l40}"),
    ("Cerebras", "csk-{l48}"),
    ("Together", "tgp_v1_{b43}"),
    ("Voyage", "pa-{b43}"),
    ("Fireworks", "fw_{a22}"),
    ("Fireworks 3Z", "fw_3Z{a22}"),
    ("RunPod", "rpa_{u40}{l6}"),
    ("Browserbase", "bb_live_{b27}"),
    ("Browserbase test", "bb_test_{a27}"),
    ("W&B", "wandb_v1_{a27}_{a49}"),
    ("NVIDIA", "nvapi-{b64}"),
    ("ElevenLabs", "sk_{h48}"),
    ("Pinecone", "pcsk_{a6}_{a63}"),
    ("Tavily", "tvly-dev-{a32}"),
    ("Cartesia", "sk_car_{a22}"),
    ("Mem0", "m0-{a40}"),
    ("Apify", "apify_api_{a36}"),
    ("Scrapfly", "scp-live-{h32}"),
    ("Turbopuffer", "tpuf_{a32}"),
    ("Modal", "ak-{a22}"),
    ("Brave", "BSA{b28}"),
    ("Coze", "pat_{a64}"),
    ("Cursor", "key_{h64}"),
    ("Context7", "ctx7sk-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("Hyperbrowser", "hb_{h32}"),
    ("ScrapeGraph", "sgai-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("Novita", "sk_{b43}"),
    // Watching, analytics, work.
    ("PostHog", "phx_{a43}"),
    ("Axiom", "xaat-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("Axiom person", "xapt-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("Trigger.dev", "tr_dev_{a20}"),
    ("Trigger.dev prod", "tr_prod_{a24}"),
    ("SonarCloud", "sqco_{a40}"),
    ("SonarQube", "squ_{h40}"),
    ("New Relic", "NRAK-{u27}"),
    ("New Relic licence", "{h36}NRAL"),
    ("New Relic EU licence", "eu01xx{h30}NRAL"),
    ("Inngest", "signkey-prod-{h64}"),
    ("Inngest branch", "signkey-branch-{h64}"),
    ("Sentry", "sntryu_{h64}"),
    ("Grafana", "glsa_{a32}_{h8}"),
    ("Honeycomb", "hcaik_01{l56}"),
    ("Dynatrace", "dt0c01.{u24}.{u64}"),
    ("HubSpot", "pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("HubSpot EU", "pat-eu1-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("Trello", "ATTA{h64}{H8}"),
    ("Linear", "lin_api_{a40}"),
    ("Notion", "ntn_{d11}{a35}"),
    ("Airtable", "pat{a14}.{h64}"),
    ("Asana", "2/1{d15}/1{d15}:{h32}"),
    ("Figma", "figd_{b40}"),
    ("Postman", "PMAK-{h24}-{h34}"),
    ("ClickUp", "pk_{d8}_{u32}"),
    ("Typeform", "tfp_{b59}"),
    ("Checkly", "cu_{h32}"),
    ("Atlassian", "ATATT3xFfG{b176}"),
    ("Contentful", "CFPAT-{b43}"),
    ("Cal.com", "cal_live_{h32}"),
    ("Matrix", "syt_{a12}_{c20}_{a6}"),
    ("OneSignal", "os_v2_app_{l103}"),
    ("Shortcut token", "SHORTCUT_API_TOKEN=§{h8}-{h4}-{h4}-{h4}-{h12}§"),
    // Money.
    ("Stripe", "sk_live_{a99}"),
    ("Stripe restricted", "rk_live_{a24}"),
    ("Stripe webhook", "whsec_{a32}"),
    ("Polar", "polar_oat_{a43}"),
    ("Polar person", "polar_pat_{a43}"),
    ("Paddle", "pdl_live_apikey_{l26}_{a22}_{a3}"),
    ("Paddle sandbox", "pdl_sdbx_apikey_{l26}_{a22}_{a3}"),
    ("Square", "EAAA{b60}"),
    ("Square application", "sq0atp-{b22}"),
    ("Shopify", "shpat_{h32}"),
    ("Razorpay", "rzp_live_{a14}"),
    ("Flutterwave", "FLWSECK-{l32}-X"),
    ("Mollie", "live_{a30}"),
    ("Xendit", "xnd_production_{a48}"),
    ("Plaid", "access-production-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("WooCommerce", "ck_{h40}"),
    ("Mercado Pago", "APP_USR-{d16}-{d6}-{h32}-{d9}"),
    ("Adyen", "AQE{a80}-{a40}="),
    ("PayPal", "access_token$production${l16}${h32}"),
    // Clouds.
    ("AWS", "AKIA{u16}"),
    ("AWS session", "ASIA{u16}"),
    ("AWS secret", "aws_secret_access_key = §{B40}§"),
    ("AppSync", "da2-{l26}"),
    ("Azure DevOps", "{a52}JQQJ99{a18}AZDO{a4}"),
    ("Azure OpenAI long", "AZURE_OPENAI_API_KEY=§{a52}JQQJ99{a18}ACOG{a4}§"),
    ("Azure client", "{a3}8Q~{a34}"),
    ("Azure storage", "AccountKey=§{B86}==§"),
    ("Azure search", "{a42}AzSeA{a5}"),
    ("Google OAuth", "ya29.{b120}"),
    ("Google client", "GOCSPX-{b28}"),
    ("DigitalOcean", "dop_v1_{h64}"),
    ("Vercel", "vcp_{a56}"),
    ("Netlify", "nfp_{a36}"),
    ("Supabase", "sbp_{h40}"),
    ("Supabase secret", "sb_secret_{b22}_{b8}"),
    ("PlanetScale", "pscale_tkn_{b43}"),
    ("Neon", "napi_{l64}"),
    ("Render", "rnd_{a32}"),
    ("Fly.io", "fm2_{B200}"),
    ("Heroku", "HRKU-AA{b58}"),
    ("Cloudflare", "cfut_{a48}"),
    ("Databricks", "dapi{h32}"),
    ("Terraform", "{a14}.atlasv1.{a67}"),
    ("Vault", "hvs.{b95}"),
    ("Pulumi", "pul-{h40}"),
    ("Doppler", "dp.pt.{a43}"),
    ("1Password", "ops_eyJ{a300}"),
    ("Tailscale", "tskey-auth-{a12}CNTRL-{a32}"),
    ("ngrok key", "ak_2{a26}"),
    ("ngrok token", "2{a26}_{d1}{a20}"),
    ("ngrok config", "ngrok config add-authtoken §2{a26}_{d1}{a20}§"),
    ("MongoDB Atlas", "mdb_sa_sk_{b40}"),
    ("CockroachDB", "CCDB1_{a22}_{a40}"),
    ("dbt", "dbtc_{b43}"),
    ("UpCloud", "ucat_{a26}"),
    ("Exoscale", "EXO{h24}"),
    ("Deno", "ddp_{a36}"),
    ("Xata", "xau_{a40}"),
    ("Tinybird", "p.eyJ{b60}.{b43}"),
    ("Convex", "prod:happy-otter-123|{B60}"),
    ("Backblaze", "K005{B27}"),
    ("Elastic", "essu_{b80}=="),
    // Code.
    ("GitHub", "ghp_{a36}"),
    ("GitHub fine-grained", "github_pat_{a22}_{a59}"),
    ("GitLab", "glpat-{b20}"),
    ("npm", "npm_{a36}"),
    ("PyPI", "pypi-AgEIcHlwaS5vcmc{b150}"),
    ("crates.io", "cio{a32}"),
    ("RubyGems", "rubygems_{h48}"),
    ("Docker Hub", "dckr_pat_{b27}"),
    ("CircleCI", "CCIPAT_{a22}_{h40}"),
    ("Buildkite", "bkua_{h40}"),
    ("LaunchDarkly", "sdk-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("Snyk", "snyk_uat.{h8}.{a40}"),
    ("Socket", "sktsec_{b40}_api"),
    ("Packagist", "packagist_ort_{h68}"),
    ("Unkey", "unkey_{a24}"),
    ("Sourcegraph", "sgp_{h40}"),
    ("Prefect", "pnu_{l36}"),
    ("Bitbucket", "ATBB{a32}"),
    ("NuGet", "oy2{l43}"),
    ("JFrog", "AKCp{a69}"),
    // Talk.
    ("Slack bot", "xoxb-{d12}-{d13}-{a24}"),
    ("Slack app", "xapp-1-A{u10}-{d13}-{h64}"),
    ("Discord bot", "MTA{a21}.{b6}.{b38}"),
    ("Discord MD", "MDA{a21}.{b6}.{b38}"),
    ("Telegram", "{d9}:AA{b33}"),
    ("Telegram ten", "{d10}:AA{b33}"),
    ("Telegram URL", "https://api.telegram.org/bot§{d10}:AA{b33}§/sendMessage"),
    ("Telegram bot", "bot§{d10}:AA{b33}§"),
    ("Telegram URL 9", "https://api.telegram.org/bot§{d9}:AA{b33}§/getMe?x=1"),
    ("Twilio", "SK{h32}"),
    ("SendGrid", "SG.{b22}.{b43}"),
    ("Mailgun", "key-{h32}"),
    ("Mailchimp", "{h32}-us12"),
    ("Brevo", "xkeysib-{h64}-{a16}"),
    ("Resend", "re_{a8}_{a24}"),
    ("MailerSend", "mlsn.{h64}"),
    ("Mandrill", "md-{b22}"),
    ("Klaviyo", "pk_{h34}"),
    ("Telnyx", "KEY0{H31}_{a22}"),
    ("Firebase", "{b11}:APA91b{b134}"),
    ("Pushbullet", "o.{a32}"),
    ("Riot", "RGAPI-{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("Pinterest", "pina_{u60}"),
    // Addresses.
    ("Slack webhook", "https://§hooks.slack.com/services/T{u10}/B{u10}/{a24}§"),
    ("Discord webhook", "https://§discord.com/api/webhooks/{d19}/{b68}§"),
    ("Discord webhook v10", "https://§discord.com/api/v10/webhooks/{d19}/{b68}§"),
    ("Zapier", "https://§hooks.zapier.com/hooks/catch/{d7}/{l7}/§"),
    ("Make", "https://§hook.eu1.make.com/{l32}§"),
    ("Make US", "https://§hook.us2.make.com/{l32}§"),
    ("IFTTT", "https://§maker.ifttt.com/trigger/door_opened/with/key/{b22}§"),
    ("IFTTT json", "https://§maker.ifttt.com/trigger/door/json/with/key/{b43}§"),
    (
        "Teams",
        "https://§prod-12.westeurope.logic.azure.com:443/workflows/{h32}/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig={b43}§",
    ),
    (
        "Teams platform",
        "https://§default{h10}.12.environment.api.powerplatform.com:443/powerautomate/automations/direct/workflows/{h32}/triggers/manual/paths/invoke?api-version=1&sp=%2Ftriggers&sv=1.0&sig={b43}§",
    ),
    (
        "Teams older",
        "https://§acme.webhook.office.com/webhookb2/{h8}-{h4}-{h4}-{h4}-{h12}@{h8}-{h4}-{h4}-{h4}-{h12}/IncomingWebhook/{h32}/{h8}-{h4}-{h4}-{h4}-{h12}§",
    ),
    ("WeCom", "https://§qyapi.weixin.qq.com/cgi-bin/webhook/send?key={h8}-{h4}-{h4}-{h4}-{h12}§"),
    ("Feishu", "https://§open.feishu.cn/open-apis/bot/v2/hook/{h8}-{h4}-{h4}-{h4}-{h12}§"),
    ("Lark", "https://§open.larksuite.com/open-apis/bot/v2/hook/{h8}-{h4}-{h4}-{h4}-{h12}§"),
    ("DingTalk", "https://§oapi.dingtalk.com/robot/send?access_token={h64}§"),
    ("Google Chat", "https://§chat.googleapis.com/v1/spaces/AAAA{a7}/messages?key=AIza{b35}&token={b43}§"),
    ("Infura", "https://§mainnet.infura.io/v3/{h32}§"),
    ("Infura socket", "wss://§sepolia.infura.io/ws/v3/{h32}§"),
    ("Alchemy", "https://§eth-mainnet.g.alchemy.com/v2/{b32}§"),
    ("QuickNode", "https://§blue-fox.quiknode.pro/{h40}/§"),
    ("Pipedream", "https://§eo{l14}.m.pipedream.net§"),
    // Under a name.
    ("Deepgram", "DEEPGRAM_API_KEY=§{h40}§"),
    ("AssemblyAI", "assemblyai_api_key: \"§{h32}§\""),
    ("AssemblyAI prose", "AssemblyAI key: §{h32}§"),
    ("Auth0", "AUTH0_CLIENT_SECRET=§{b64}§"),
    ("Spotify", "SPOTIFY_CLIENT_SECRET=§{h32}§"),
    ("Todoist", "todoist token: §{h40}§"),
    ("Zendesk", "ZENDESK_API_TOKEN=§{a40}§"),
    ("Azure OpenAI", "AZURE_OPENAI_KEY=§{h32}§"),
    ("Railway", "RAILWAY_TOKEN=§{h8}-{h4}-{h4}-{h4}-{h12}§"),
    ("Hetzner", "HCLOUD_TOKEN=§{a64}§"),
    ("Hetzner name", "hetzner_api_token: §{a64}§"),
    ("Cohere", "COHERE_API_KEY=§{a40}§"),
    ("Mistral", "MISTRAL_API_KEY=§{a32}§"),
    ("W&B older", "WANDB_API_KEY=§{h40}§"),
    ("Datadog", "DD_API_KEY=§{h32}§"),
    ("Algolia", "ALGOLIA_ADMIN_KEY=§{h32}§"),
    ("Okta", "OKTA_API_TOKEN=§00{b40}§"),
    ("Exa", "EXA_API_KEY=§{h8}-{h4}-{h4}-{h4}-{h12}§"),
    ("Serper", "SERPER_API_KEY=§{h40}§"),
    ("SerpApi", "SERPAPI_API_KEY=§{h64}§"),
    ("fal", "FAL_KEY=§{h8}-{h4}-{h4}-{h4}-{h12}:{h32}§"),
    ("LiveKit", "LIVEKIT_API_SECRET=§{a43}§"),
    ("Vapi", "VAPI_API_KEY=§{h8}-{h4}-{h4}-{h4}-{h12}§"),
    ("Upstash", "UPSTASH_REDIS_REST_TOKEN=§{a60}§"),
    ("Linode", "LINODE_TOKEN=§{h64}§"),
    ("Vultr", "VULTR_API_KEY=§{u36}§"),
    ("Scaleway", "SCW_SECRET_KEY=§{h8}-{h4}-{h4}-{h4}-{h12}§"),
    ("PagerDuty", "PAGERDUTY_TOKEN=§{a20}§"),
    ("Rollbar", "ROLLBAR_ACCESS_TOKEN=§{h32}§"),
    ("Postmark", "POSTMARK_API_TOKEN=§{h8}-{h4}-{h4}-{h4}-{h12}§"),
    ("Pusher", "PUSHER_APP_SECRET=§{h20}§"),
    ("Mixpanel", "MIXPANEL_SECRET=§{h32}§"),
    ("Amplitude", "AMPLITUDE_SECRET_KEY=§{h32}§"),
    ("Segment", "SEGMENT_WRITE_KEY=§{a32}§"),
    ("Binance", "BINANCE_API_SECRET=§{a64}§"),
    ("Etherscan", "ETHERSCAN_API_KEY=§{u34}§"),
    ("Shodan", "SHODAN_API_KEY=§{a32}§"),
    ("VirusTotal", "VT_API_KEY=§{h64}§"),
    ("DeepL", "DEEPL_AUTH_KEY=§{h8}-{h4}-{h4}-{h4}-{h12}:fx§"),
    ("Unsplash", "UNSPLASH_ACCESS_KEY=§{b43}§"),
    ("OpenWeather", "OPENWEATHER_API_KEY=§{h32}§"),
    ("Cloudinary", "cloudinary://{d15}:§{b27}§@acme"),
    ("Pipedrive", "PIPEDRIVE_API_TOKEN=§{h40}§"),
    ("Coda", "CODA_API_TOKEN=§{h8}-{h4}-{h4}-{h4}-{h12}§"),
    ("Jenkins", "JENKINS_TOKEN=§11{h32}§"),
    ("Gitea", "GITEA_TOKEN=§{h40}§"),
    ("Twitter", "TWITTER_API_SECRET=§{a50}§"),
    ("Facebook", "FACEBOOK_APP_SECRET=§{h32}§"),
];
