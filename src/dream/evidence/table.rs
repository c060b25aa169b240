//! Lines that a curator may honestly write, lines that it must not, and lines that the rules judge wrongly.

use proptest::prelude::*;

use std::collections::BTreeMap;

use super::judge::judge;
use super::shown::Shown;
use crate::base::name::DocName;
use crate::dreamer::{Hold, HoldReason};
use crate::format::JournalName;
use crate::format::replies::fences::ShownLine;
use crate::format::replies::reply::split_citations;

const FRI: &str = "2026-11-20";
const TUE: &str = "2026-12-01";
const JAN: &str = "2027-01-14";

/// Judges a bullet that cites all lines of one journal.
fn verdict(claim: &str, lines: &str, day: &str) -> Option<Hold> {
    let journal = JournalName::parse(&DocName::parse(format!("memory/{day}-repl.md")).unwrap()).unwrap();
    let lines: Vec<ShownLine> = lines
        .split('\n')
        .zip(7..)
        .map(|(text, number)| ShownLine { number, text: text.to_owned() })
        .collect();
    let last = lines.last().unwrap().number;
    let mut shown = Shown::default();
    shown.add(&journal, 7, last, &lines, &BTreeMap::new());
    let (claim, citations) = split_citations(&format!("{claim} (memory/{day}-repl.md#L7-L{last})"));
    judge(&claim, &citations, &shown)
}

/// A claim, the lines that it cites, the day of their journal.
const HONEST: &[(&str, &str, &str)] = &[
    // Numbers in another notation.
    (
        "The offer is 12,000 EUR, below 10,000 EUR is not profitable.",
        "[user] they offered 12k EUR. under 10k it's not profitable for us",
        FRI,
    ),
    ("Backups run at 03:00, the vacuum at 02:00.", "[user] backup runs at 3am, vacuum at 2am", FRI),
    ("The dentist appointment is at 15:00.", "[user] dentist at 3pm btw", FRI),
    ("Office hours are 09:00–17:00.", "[user] I'm in the office 9 to 5", FRI),
    ("Daily standup at 09:00.", "[user] standup is at 9 every day", FRI),
    ("About 50 % of the requests hit the cache.", "[agent] half of all requests hit the cache", FRI),
    (
        "Revenue was 1.2 million USD, up 25 %.",
        "[user] we did $1.2M in revenue, up a quarter from before",
        FRI,
    ),
    ("Rent is 1,250.50 EUR.", "[user] Die Miete kostet jetzt 1.250,50 €, rent went up", FRI),
    ("Runs 10 km twice a week.", "[user] I run 10k two times a week", FRI),
    ("Wants 12 eggs delivered each week.", "[user] order a dozen eggs every week please", FRI),
    ("The team has 25 people.", "[user] we're twenty-five people on the team now", FRI),
    ("The table has 1,200,000 rows.", "[tool:psql] count: 1.2M rows in the table", FRI),
    ("Runs on Rust 1.95.", "[agent] toolchain pinned to rust-1.95.0", FRI),
    ("Version 4 of the API is live.", "[agent] v4 api went live", FRI),
    ("Uses GPT-4 for summaries.", "[user] summaries go through gpt4", FRI),
    ("The meeting takes 90 minutes.", "[user] the meeting is an hour and a half", FRI),
    ("Takes 1 tablet each morning.", "[user] I take one tablet in the morning", FRI),
    // Dates.
    ("The contract ends on 2026-12-31.", "[user] contract runs until 31.12.2026", FRI),
    ("The contract ends on 2026-12-31.", "[user] contract runs until 31/12/2026", FRI),
    (
        "Flies to Rome on 2026-12-05, back on 2026-12-09.",
        "[user] flying to Rome on the 5th, back on the 9th",
        FRI,
    ),
    ("Stopped smoking in 2024.", "[user] I quit smoking two years ago", FRI),
    ("The audit is due by the end of Q1 2027.", "[user] audit must be done by end of Q1", FRI),
    ("In Lisbon from 2026-12-05 to 2026-12-09.", "[user] I'm in Lisbon December 5-9", FRI),
    ("The conference is on 12 May 2027.", "[user] the conference moved to 12. Mai 2027", FRI),
    (
        "The visa interview is on Friday, 2026-11-27.",
        "[user] visa interview a week from today, on the 27th",
        FRI,
    ),
    ("The tax return is due on 2027-03-31.", "[user] tax return due end of March", JAN),
    ("Handed in the thesis on 2026-11-30.", "[user] handed my thesis in yesterday!!", TUE),
    ("Taxes were paid by 2026-12-31.", "[user] taxes have to be paid no later than Dec 31", TUE),
    ("The lease starts in January 2027.", "[user] new lease starts next month, in January", TUE),
    ("Trip to Norway in summer 2027.", "[user] we plan to go to Norway next summer", FRI),
    // Names, and words that only look like them.
    ("Editor: VS Code.", "[user] I do everything in vscode", FRI),
    ("Dentist: Dr. Weber in Mainz.", "[user] my dentist is Dr Weber, in Mainz", FRI),
    (
        "Vegetarian since childhood, allergic to peanuts.",
        "[user] been vegetarian since I was a child; peanuts are an allergy",
        FRI,
    ),
    ("Timezone: Europe/Oslo.", "[user] I'm on Oslo time", FRI),
    ("Birthday: 3 June.", "[user] my birthday is June 3rd", FRI),
    ("The user's sister Ana lives in Porto.", "[user] my sister Ana lives in Porto now", FRI),
    ("PRs need two reviews.", "[user] every pull request needs 2 reviews", FRI),
    ("The CI pipeline uses GitHub Actions.", "[agent] pipeline is on github actions", FRI),
    ("Zoe and Jose own the billing service.", "[user] billing service is owned by Zoë and José", FRI),
    ("Mueller AG pays within 30 days.", "[user] Müller AG always pays in 30 days", FRI),
    (
        "Weekly sync with Priya moved to Thursdays.",
        "[user] weekly sync with Priya is on Thursday from now on",
        FRI,
    ),
    ("Decision: use Postgres for billing.", "[user] let's go with Postgres for billing then", FRI),
    ("Grandmother speaks Norwegian.", "[user] my grandmother only speaks Norwegian", FRI),
    (
        "Landlord agreed to replace the boiler.",
        "[user] the landlord will replace the boiler, he agreed today",
        FRI,
    ),
    // Negations said another way.
    ("PHI must never appear in logs.", "[user] we're in healthcare, so no PHI in logs, ever", FRI),
    ("Invoices go to Bolt, never to Acme.", "[user] send invoices to Bolt. Don't send them to Acme", FRI),
    ("Prefers tea over coffee.", "[user] I like tea, not coffee", FRI),
    ("Does not eat meat.", "[user] I'm vegetarian, I avoid meat", FRI),
    ("Deploy freeze on Fridays.", "[user] we don't deploy on Fridays", FRI),
    ("Moved from Lisbon to Porto.", "[user] I moved from Lisbon to Porto last year", FRI),
    ("Use pnpm instead of npm.", "[user] Use pnpm, not npm", FRI),
    ("Chose Postgres rather than Mongo.", "[user] use Postgres instead of Mongo", FRI),
    ("Logs must be free of personal data.", "[user] no personal data in the logs", FRI),
    (
        "No longer uses Jenkins; CI is on Buildkite.",
        "[user] we moved away from Jenkins, CI is Buildkite now",
        FRI,
    ),
    ("The hotel is still undecided.", "[user] we haven't decided on the hotel yet", FRI),
    ("Remember to water the plants.", "[user] don't forget to water the plants", FRI),
    ("The report is ready on Friday at the earliest.", "[user] the report is not ready before Friday", FRI),
    (
        "Reviews happen on Mondays, not on Fridays.",
        "[user] reviews on Mondays please. Never on Fridays.",
        FRI,
    ),
    ("Ilya cannot make it, Marta joins.", "[user] Marta joins, but Ilya can't make it", FRI),
    // Health, money, code, homes, other languages.
    ("Takes 50 mg sertraline at night.", "[user] my sertraline is 50mg, I take it at night", FRI),
    ("Max HR is 182 bpm according to the lab test.", "[user] lab test said max hr 182 bpm", FRI),
    ("Invests 500 EUR a month in an index fund.", "[user] I put 500€ per month into an index fund", FRI),
    (
        "`cargo nextest` runs the suite in 42 s.",
        "[tool:shell] cargo nextest run: 312 tests passed in 42s",
        FRI,
    ),
    (
        "Never use unwrap in library code; return a Result.",
        "[user] no unwrap in library code please, return Result",
        FRI,
    ),
    ("Redis listens on port 6380.", "[agent] redis now listens on 6380 because the port was taken", FRI),
    (
        "The cat is called Mochi and needs food at 18:00.",
        "[user] Mochi (the cat) needs to be fed at 6pm",
        FRI,
    ),
    (
        "Wohnt seit 2024 in Köln und arbeitet bei Müller.",
        "[user] ich wohne seit zwei Jahren in Köln, arbeite bei Müller, 2024 umgezogen",
        FRI,
    ),
    ("Der Nutzer trinkt keinen Kaffee.", "[user] Ich trinke keinen Kaffee mehr", FRI),
    ("Nutzer bevorzugt kurze Antworten.", "[user] bitte kurze Antworten, das bevorzuge ich", FRI),
    ("Die Besprechung ist am 2026-12-05 um 15:00 Uhr.", "[user] Besprechung am 5.12. um 15 Uhr", FRI),
    ("用户喜欢喝绿茶。", "[user] 我喜欢喝绿茶", FRI),
    ("用户不吃猪肉。", "[user] 我不吃猪肉", FRI),
    ("会议定于2026-12-05。", "[user] 会议改到12月5日", FRI),
    ("ユーザーは東京に住んでいる。", "[user] 東京に住んでいます", FRI),
    ("Пользователь живёт в Осло.", "[user] я живу в Осло", FRI),
    ("L'utilisateur habite à Lyon.", "[user] j'habite à Lyon depuis mars", FRI),
    (
        "Caroline: I went to the support group yesterday.",
        "[09:14] **Caroline:** I went to the support group yesterday.",
        FRI,
    ),
    ("Myth: Acme is bankrupt.", "- Myth: Acme is bankrupt.", FRI),
    // Written after the rules were, to measure them.
    (
        "Rollback takes about 20 minutes; announce it in #ops first.",
        "[user] a rollback takes roughly twenty minutes, always announce in #ops before",
        FRI,
    ),
    (
        "The user's manager is Henrik; one-on-ones are on Wednesdays.",
        "[user] 1:1 with my manager Henrik every wednesday",
        FRI,
    ),
    (
        "Salary negotiation is planned for January 2027.",
        "[user] going to negotiate my salary in january",
        FRI,
    ),
    ("Lactose intolerant; uses oat milk.", "[user] I can't have lactose so oat milk it is", FRI),
    ("Deploys are frozen from 2026-12-18 to 2027-01-04.", "[user] deploy freeze Dec 18 until Jan 4", FRI),
    ("Owes Tomas 40 EUR for the concert.", "[user] I still owe Tomas 40 euros for the concert", FRI),
    (
        "Staging database was wiped by accident; always check the hostname before running migrations.",
        "[agent] I ran the migration on the wrong host and wiped staging db\n[user] lesson: check the hostname first, always",
        FRI,
    ),
    ("Wants answers in metric units.", "[user] metric please, not imperial", FRI),
    ("Never merges on red CI.", "[user] don't merge if ci is red", FRI),
    ("Blood pressure was 128/82 on 2026-11-19.", "[user] bp yesterday: 128/82", FRI),
    ("Mortgage rate is 3.4 % fixed for 10 years.", "[user] we fixed the mortgage at 3.4% for ten years", FRI),
    ("Son Emil starts school in August 2027.", "[user] my son Emil starts school next August", FRI),
    ("Has a daughter, Lea, aged 4.", "[user] Lea (my daughter) just turned four", FRI),
    ("The error was caused by an expired TLS certificate.", "[agent] root cause: tls cert had expired", FRI),
    ("API rate limit is 600 requests per minute.", "[tool:http] X-RateLimit-Limit: 600 req/min api", FRI),
    (
        "Switched from Notion to Obsidian for notes.",
        "[user] I've moved all my notes from Notion to Obsidian",
        FRI,
    ),
    ("Do not call before 10:00.", "[user] don't call me before 10am", FRI),
    ("Car insurance renews on 2027-02-01.", "[user] car insurance renews 1 Feb", FRI),
    ("Passport expires in 2029.", "[user] my passport is valid until 2029", FRI),
    ("Team retro every second Friday at 14:30.", "[user] retro is every 2nd friday 2:30pm", FRI),
    ("Prefers British spelling.", "[user] use british spelling please", FRI),
    ("Agreed with Sofia to split the rent 50/50.", "[user] Sofia and I agreed to split rent 50/50", FRI),
    (
        "Workaround: set RUST_BACKTRACE=1 and rerun.",
        "[agent] workaround is to rerun with RUST_BACKTRACE=1",
        FRI,
    ),
    ("Uses a MacBook Pro with an M3 chip.", "[user] I'm on a macbook pro, m3", FRI),
    ("Promised to send Anna the slides by Monday.", "[agent] I'll send Anna the slides by Monday", FRI),
    ("The user dislikes meetings before 09:00.", "[user] please no meetings before 9", FRI),
    ("Quarterly goal: reduce latency below 200 ms.", "[user] goal this quarter is latency under 200ms", FRI),
    ("Swims on Tuesdays and Saturdays.", "[user] I go swimming tue and sat", FRI),
    ("The flight to Tokyo is LH716 on 2027-01-21.", "[user] booked! LH 716 to Tokyo, Jan 21", JAN),
    (
        "Plans to propose to Nina in spring 2027.",
        "[user] secret: I want to propose to Nina in the spring",
        FRI,
    ),
    ("Physio twice a week because of a torn ACL.", "[user] tore my ACL, physio 2x a week", FRI),
    (
        "Mother's birthday is 14 March; she turns 70 in 2027.",
        "[user] mum turns 70 next year on March 14, her birthday",
        FRI,
    ),
    ("Asked not to be contacted on weekends.", "[user] please do not contact me on the weekend", FRI),
    ("Tests must not touch the network.", "[user] tests shouldn't ever touch network", FRI),
    ("Sells the old flat in Graz for 310,000 EUR.", "[user] we're selling our old flat in Graz, 310k €", FRI),
    (
        "Feature flags live in LaunchDarkly, not in the database.",
        "[user] feature flags are in LaunchDarkly not in the db",
        FRI,
    ),
    ("Chapter 3 of the novel is finished.", "[user] finished chapter three of my novel!", FRI),
    ("Keine Meetings vor 10 Uhr.", "[user] bitte keine Meetings vor 10", FRI),
    ("Le rendez-vous est le 5 décembre 2026.", "[user] rendez-vous décalé au 5 décembre", FRI),
    ("预算是12万元。", "[user] 我们的预算是120000元", FRI),
    (
        "The bakery order is 6 baguettes for Sunday.",
        "[user] order half a dozen baguettes for sunday from the bakery",
        FRI,
    ),
    (
        "Vaccinated against tick-borne encephalitis in October 2026.",
        "[user] got my tick-borne encephalitis vaccine last month",
        FRI,
    ),
    (
        "Kitchen renovation costs at most 18,500 EUR including VAT.",
        "[user] kitchen must not cost more than 18.5k incl VAT (EUR)",
        FRI,
    ),
    (
        "Daughter Mia has swimming lessons at 16:30 on Tuesdays.",
        "[user] Mia, my daughter, has swimming at half past four on tuesdays",
        FRI,
    ),
    (
        "Knee surgery is scheduled for 2027-02-11 at Charité.",
        "[user] knee op scheduled at Charité on 11 February",
        JAN,
    ),
    (
        "Retries use exponential backoff with a cap of 30 s.",
        "[user] exponential backoff for retries pls, capped at 30 seconds",
        FRI,
    ),
    ("Logs are kept for 90 days, then deleted.", "[user] keep logs 90 days and delete them after that", FRI),
    ("Does not want to be called \"sir\".", "[user] stop calling me sir", FRI),
    (
        "Vim keybindings everywhere, including the browser.",
        "[user] I use vim keybindings everywhere even in the browser",
        FRI,
    ),
    (
        "The user has been learning Japanese for 3 years.",
        "[user] three years of learning Japanese and I still can't read kanji",
        FRI,
    ),
    (
        "Deployment to Hetzner failed twice due to disk space.",
        "[agent] deploy to hetzner failed two times, disk full\n[user] free up disk space",
        FRI,
    ),
    ("Hetzner disk was extended to 200 GB.", "[user] ok I extended the hetzner disk to 200 gigs", FRI),
    ("Parents visit from 2026-12-23 to 2026-12-27.", "[user] my parents visit 23rd to 27th december", FRI),
    ("Works 4 days a week, Wednesdays off.", "[user] I work four days a week, never on Wednesdays", FRI),
    (
        "Ask before deleting anything outside /tmp.",
        "[user] never delete anything outside /tmp without asking",
        FRI,
    ),
    (
        "Savings goal: 20,000 USD by the end of 2027.",
        "[user] I want $20k in savings by end of next year",
        FRI,
    ),
    ("The library's MSRV is 1.89.", "[user] MSRV stays at 1.89 for the library", FRI),
    (
        "Training for the Berlin Marathon; target time 3:45.",
        "[user] I'm training for berlin marathon, want to finish in 3:45",
        FRI,
    ),
    ("Kids may not use screens after 19:00.", "[user] no screens for the kids after 7pm", FRI),
    ("Project Falcon was cancelled.", "[user] falcon isn't happening, the project got cancelled", FRI),
    (
        "Prod DB credentials live in Vault, never in the repo.",
        "[user] credentials for the prod DB: Vault only, don't put them in the repo",
        FRI,
    ),
    (
        "Sprint length changed from 2 weeks to 3 weeks.",
        "[user] sprints are now three weeks instead of two",
        FRI,
    ),
    (
        "Has an appointment with Dr. Okafor on Thursday, 2026-11-26.",
        "[user] seeing Dr. Okafor next thursday",
        FRI,
    ),
    (
        "Hiring: two backend engineers by March 2027.",
        "[user] we need to hire 2 backend engineers by march",
        FRI,
    ),
    (
        "Grew up in São Paulo, now lives in Zürich.",
        "[user] I'm from Sao Paulo originally (grew up there), living in Zurich",
        FRI,
    ),
    (
        "Newsletter goes out on the first Monday of each month.",
        "[user] newsletter goes out 1st monday every month",
        FRI,
    ),
    (
        "Never suggest crypto investments.",
        "[user] please don't suggest crypto to me again, not an investment",
        FRI,
    ),
    (
        "Invoice #2041 to Nordwind GmbH is overdue by 14 days.",
        "[user] Nordwind GmbH hasn't paid invoice 2041, it's two weeks overdue",
        FRI,
    ),
    (
        "Python 3.12 is required because 3.13 breaks numba.",
        "[agent] numba breaks on 3.13 so python 3.12 it is",
        FRI,
    ),
    (
        "Sleeps badly after caffeine past 14:00.",
        "[user] if I have caffeine after 2 in the afternoon I sleep badly",
        FRI,
    ),
    (
        "Dog Bruno is 12 years old and on heart medication.",
        "[user] Bruno's 12 now, the old dog, gets heart meds",
        FRI,
    ),
    (
        "Code style: no comments that restate the code.",
        "[user] don't write comments that just restate the code",
        FRI,
    ),
    (
        "Book club reads \"Middlemarch\" in December.",
        "[user] book club is doing Middlemarch for december",
        FRI,
    ),
    ("Wife Chiara is a nurse and works nights.", "[user] my wife Chiara works nights, she's a nurse", FRI),
    (
        "Alerts go to PagerDuty between 08:00 and 20:00, otherwise to e-mail.",
        "[user] alerts: PagerDuty 8am-8pm, email otherwise",
        FRI,
    ),
    ("Half of the bonus goes to the pension fund.", "[user] 50% of my bonus goes into the pension fund", FRI),
    (
        "Tried Ozempic in 2025, stopped because of nausea.",
        "[user] took Ozempic last year but nausea made me stop",
        FRI,
    ),
    (
        "Lesson: test restores, not just backups.",
        "[user] lesson learned: we must test restores, backups alone aren't enough",
        FRI,
    ),
    ("Kündigungsfrist beträgt drei Monate.", "[user] Kündigungsfrist sind 3 Monate", FRI),
    ("Bevorzugt Zug statt Flug.", "[user] ich fahre lieber Zug statt Flug", FRI),
    ("下周三在上海见客户。", "[user] 下周三要去上海见客户", FRI),
    (
        "The agent should ask clarifying questions at most once per task.",
        "[user] ask me clarifying questions once per task max",
        FRI,
    ),
    (
        "Prefers Signal to WhatsApp for family chats.",
        "[user] Signal over whatsapp for the family chat please",
        FRI,
    ),
    ("Cholesterol fell from 240 to 195 mg/dL.", "[user] cholesterol is down to 195 from 240 mg/dl", FRI),
    (
        "The `users` table is partitioned by region since 2026-11-19.",
        "[agent] partitioned users table by region yesterday",
        FRI,
    ),
    (
        "Hannah's wedding is on 12 June 2027 in Siena.",
        "[user] hannah gets married june 12 next year, wedding is in Siena",
        FRI,
    ),
    (
        "Electricity contract with Tibber at 0.28 EUR/kWh.",
        "[user] switched to Tibber, 28 ct/kWh → 0.28 € electricity",
        FRI,
    ),
    (
        "Never schedules anything during school pickup (15:15–16:00).",
        "[user] school pickup is 3:15pm to 4pm, never schedule anything then",
        FRI,
    ),
    ("Uses Arch Linux with Sway.", "[user] btw I use arch, sway as wm, linux since 2009", FRI),
    (
        "The release branch is cut two days before the release.",
        "[user] cut release branch 2 days before release",
        FRI,
    ),
    (
        "Do not mention the surprise party to Lena.",
        "[user] the party is a surprise, so nothing to Lena!",
        FRI,
    ),
    (
        "Bug #4312 is fixed in 2.7.1, not in 2.7.0.",
        "[agent] #4312 fix landed in 2.7.1; 2.7.0 doesn't have it",
        FRI,
    ),
    (
        "Meets the tax adviser, Frau Schäfer, on 2026-12-03 at 11:00.",
        "[user] tax adviser appointment (Frau Schäfer) Dec 3rd 11am",
        FRI,
    ),
    (
        "Watering schedule: ficus weekly, cactus monthly.",
        "[user] ficus gets water every week, cactus once a month",
        FRI,
    ),
    ("The budget was raised from 5,000 to 8,000 USD.", "[user] budget went up, 5k to 8k dollars", FRI),
    (
        "Thesis supervisor is Prof. Lindqvist at KTH.",
        "[user] my supervisor prof lindqvist (KTH) wants the thesis outline",
        FRI,
    ),
    ("Reads on a Kindle in the evenings.", "[user] evenings are for reading, on my kindle", FRI),
    (
        "Cannot travel in February because of the move.",
        "[user] we're moving in february so no travel then",
        FRI,
    ),
    (
        "Rust edition 2024; `unsafe` is forbidden.",
        "[user] edition 2024, forbid unsafe please, it's rust",
        FRI,
    ),
    (
        "SLA: respond to P1 incidents within 15 minutes.",
        "[user] p1 incidents: response within 15min per SLA",
        FRI,
    ),
    (
        "The old server `atlas` was shut down on 2026-11-18.",
        "[agent] shut down atlas (old server) two days ago",
        FRI,
    ),
    ("Has been married to Jonas since 2014.", "[user] Jonas and I have been married since 2014", FRI),
    ("Wants summaries as bullet points, not prose.", "[user] summaries in bullets please, no prose", FRI),
    (
        "Training plan: 3 sessions per week, each 45 minutes.",
        "[user] training plan is three 45-min sessions weekly",
        FRI,
    ),
    (
        "Bought the flat in Leipzig for 289,000 EUR in 2021.",
        "[user] we got the Leipzig flat in 2021, bought for 289k euro",
        FRI,
    ),
    ("Email from ops@acme.test is legitimate.", "[user] mails from ops@acme.test are legit", FRI),
    (
        "Olga leads the migration until Pavel is back.",
        "[user] Pavel's on leave, Olga leads the migration til he's back",
        FRI,
    ),
    ("Does not drink alcohol since January 2026.", "[user] haven't had alcohol since january", FRI),
    ("Tokyo office opens at 01:00 UTC.", "[agent] tokyo office opens 1:00 UTC", FRI),
    ("Wichtig: keine Anrufe am Wochenende.", "[user] bitte am Wochenende nicht anrufen, keine Anrufe", FRI),
    ("El usuario vive en Sevilla y no come carne.", "[user] vivo en Sevilla, no como carne", FRI),
    ("Nightly build must finish before 06:00.", "[user] nightly build has to be done before 6am", FRI),
    (
        "The user's brother-in-law Mateo fixes the car.",
        "[user] car gets fixed by Mateo, my brother-in-law",
        FRI,
    ),
    (
        "Ski trip to Zermatt, 2027-02-06 to 2027-02-13, 6 people.",
        "[user] ski trip Zermatt Feb 6-13, six of us",
        FRI,
    ),
    (
        "Compile with `-C target-cpu=native` only on the bench host.",
        "[user] target-cpu=native only on bench host, don't compile like that elsewhere",
        FRI,
    ),
    (
        "Blocked senders: newsletters from Shopwave.",
        "[user] I don't want Shopwave newsletters, block the sender",
        FRI,
    ),
    ("Prefers window seats.", "[user] always book me a window seat", FRI),
    (
        "Loan of 15,000 EUR from Omar, repaid in 30 monthly instalments of 500 EUR.",
        "[user] Omar lent me 15k €; paying it back 500 a month, 30 months",
        FRI,
    ),
    ("Standup moved to 09:30 from 2026-11-23.", "[user] from Monday standup is 9.30", FRI),
    ("Uses metformin 500 mg twice daily.", "[user] metformin 500mg 2x/day", FRI),
    (
        "The mobile app does not support offline mode yet.",
        "[agent] offline mode isn't supported in the mobile app yet",
        FRI,
    ),
    ("Anniversary with Ines: 8 September.", "[user] Ines and I have our anniversary Sept 8", FRI),
    (
        "Two approvals are required for production changes.",
        "[user] prod changes need two approvals (production only)",
        FRI,
    ),
    ("Left Initech in June 2026 and now freelances.", "[user] I quit Initech in june, freelancing now", FRI),
    (
        "Wi-Fi at the cabin is unreliable; download files first.",
        "[user] cabin wifi is not reliable, so download files beforehand",
        FRI,
    ),
    ("Kafka retention is 7 days.", "[agent] kafka retention set to a week", FRI),
    ("Grandfather Otto turns 90 on 2027-03-02.", "[user] grandpa Otto turns ninety on 2 March", FRI),
    ("Keys are under the blue pot at Rosa's place.", "[user] Rosa's place: keys under blue pot", FRI),
    (
        "No meetings on Wednesday afternoons.",
        "[user] keep wednesday afternoons meeting-free, no meetings",
        FRI,
    ),
    ("Emails are answered within 24 hours.", "[user] we answer emails within a day, 24h", FRI),
    (
        "Learned that `git push --force` overwrote Kenji's commits; use `--force-with-lease`.",
        "[agent] force push overwrote commits by kenji\n[user] use git push --force-with-lease",
        FRI,
    ),
    ("Hält sich an eine glutenfreie Diät.", "[user] ich halte Diät, glutenfrei", FRI),
    ("猫の名前はモチです。", "[user] うちの猫の名前はモチ", FRI),
];

const DISHONEST: &[(&str, &str, HoldReason)] = &[
    // Invented numbers.
    ("The offer is 13,000 EUR.", "[user] they offered 12k EUR", HoldReason::Number),
    ("The offer is 12 EUR.", "[user] they offered 12k EUR", HoldReason::Number),
    ("Backups run at 04:00.", "[user] backup runs at 3am", HoldReason::Number),
    ("The dentist appointment is at 03:00.", "[user] dentist at 3pm", HoldReason::Number),
    (
        "About 60 % of the requests hit the cache.",
        "[agent] half of all requests hit the cache",
        HoldReason::Number,
    ),
    ("The team has 52 people.", "[user] twenty-five people are on the team", HoldReason::Number),
    ("Runs on Rust 1.96.", "[agent] toolchain pinned to rust-1.95.0", HoldReason::Number),
    ("Version 5 of the API is live.", "[agent] v4 api went live", HoldReason::Number),
    ("The release needs 27 people.", "[user] the release is on 2026-11-27, needs people", HoldReason::Number),
    ("Takes 500 mg sertraline.", "[user] my sertraline is 50mg", HoldReason::Number),
    ("Has three children.", "[user] my two children go to school", HoldReason::Number),
    ("Stopped smoking in 2021.", "[user] I quit smoking two years ago", HoldReason::Number),
    ("The audit is due in Q1 2029.", "[user] audit must be done by end of Q1", HoldReason::Number),
    ("Redis listens on port 6379.", "[agent] redis now listens on port 6380", HoldReason::Number),
    ("用户有3只猫。", "[user] 我有两只猫", HoldReason::Number),
    // Invented dates.
    ("The contract ends on 2026-12-30.", "[user] contract runs until 31.12.2026", HoldReason::Date),
    ("The contract ends on 2027-12-31.", "[user] contract runs until 31/12/2026", HoldReason::Date),
    ("Flies to Rome on 2026-12-06.", "[user] flying to Rome on the 5th, back on the 9th", HoldReason::Date),
    ("Flies to Rome on 2027-03-05.", "[user] flying to Rome on the 5th", HoldReason::Date),
    ("In Lisbon until 2026-12-08.", "[user] I'm in Lisbon December 5-9", HoldReason::Date),
    ("The party is on 27 March 2035.", "[user] the party is on 27 March", HoldReason::Date),
    ("The conference is in May 2027.", "[user] the conference moved to June", HoldReason::Date),
    ("Handed in the thesis on 2026-11-12.", "[user] handed my thesis in yesterday", HoldReason::Date),
    ("会议定于2026-12-06。", "[user] 会议改到12月5日", HoldReason::Date),
    // Invented names.
    ("Marta signs the release off.", "[user] the release is signed off by Ilya", HoldReason::Name),
    (
        "Marta: I went to the support group.",
        "[09:14] **Caroline:** I went to the support group.",
        HoldReason::Name,
    ),
    ("Marta: prefers short answers.", "[user] I prefer short answers", HoldReason::Name),
    ("The release is signed off by Marta.", "[user] Ilya signs the release off", HoldReason::Name),
    ("Postgres is the billing database.", "[user] the billing database is MySQL", HoldReason::Name),
    ("Kubernetes for the release.", "[user] we do the release by hand", HoldReason::Name),
    ("Martin owns billing.", "[user] Marta owns billing", HoldReason::Name),
    ("Decision: Marta and Ilya own billing.", "[user] Ilya owns billing", HoldReason::Name),
    ("Editor: Emacs.", "[user] I do everything in vscode, my editor", HoldReason::Name),
    ("Works at Siemens in Munich.", "[user] I work in Munich", HoldReason::Name),
    ("The visa interview is on Monday.", "[user] visa interview on the 27th", HoldReason::Name),
    ("Wohnt mit Greta in Köln.", "[user] ich wohne in Köln", HoldReason::Name),
    ("Der Nutzer arbeitet bei Siemens.", "[user] ich arbeite bei Bosch, bin Nutzer", HoldReason::Name),
    // Flipped negations.
    ("Ilya is coming.", "[user] We sail with 7 people, Ilya is not coming.", HoldReason::Negation),
    ("PHI may appear in logs.", "[user] we're in healthcare, so no PHI in logs, ever", HoldReason::Negation),
    ("Deploys happen on Fridays.", "[user] we never deploy on Fridays", HoldReason::Negation),
    ("Mondays are not fine.", "[user] we never deploy on Fridays; Mondays are fine", HoldReason::Negation),
    ("Does not like tea.", "[user] I like tea\n[user] the server does not start", HoldReason::Negation),
    ("Eats meat.", "[user] I don't eat meat", HoldReason::Negation),
    ("Hates coffee.", "[user] I love coffee", HoldReason::Negation),
    ("Acme is bankrupt.", "[user] Myth: Acme is bankrupt.", HoldReason::Negation),
    ("Acme is bankrupt", "- False: Acme is bankrupt", HoldReason::Negation),
    ("Uses Jenkins for builds.", "[user] we moved away from Jenkins for builds", HoldReason::Negation),
    ("用户吃猪肉。", "[user] 我不吃猪肉", HoldReason::Negation),
    ("Trinkt Kaffee.", "[user] Ich trinke keinen Kaffee", HoldReason::Negation),
    // Swapped sides.
    ("Use Mongo instead of Postgres.", "[user] use Postgres instead of Mongo", HoldReason::Negation),
    ("Use Mongo.", "[user] use Postgres instead of Mongo", HoldReason::Negation),
    ("Prefers spaces over tabs.", "[user] I prefer tabs over spaces", HoldReason::Negation),
    ("Prefers spaces.", "[user] I prefer tabs over spaces", HoldReason::Negation),
    ("Moved from Porto to Lisbon.", "[user] moved from Lisbon to Porto", HoldReason::Negation),
    ("Use npm.", "[user] Use pnpm, not npm", HoldReason::Negation),
    ("Uses npm rather than pnpm.", "[user] Use pnpm, not npm", HoldReason::Negation),
    ("The backup runs at 2am.", "[user] the backup runs not at 2am but at 3am", HoldReason::Negation),
    ("The backup runs at 02:00.", "[user] the backup runs not at 2am but at 3am", HoldReason::Negation),
    ("Replaced Postgres with Mongo.", "[user] we replaced Mongo with Postgres", HoldReason::Negation),
    // Of every kind, written after the rules were.
    ("The budget was raised to 9,000 USD.", "[user] budget went up, 5k to 8k dollars", HoldReason::Number),
    ("Cholesterol is 159 mg/dL.", "[user] cholesterol is down to 195 from 240 mg/dl", HoldReason::Number),
    ("School pickup is at 03:15.", "[user] school pickup is 3:15pm", HoldReason::Number),
    ("Bug #4321 is fixed in 2.7.1.", "[agent] bug #4312 fix landed in 2.7.1", HoldReason::Number),
    ("Bug #4312 is fixed in 2.7.2.", "[agent] bug #4312 fix landed in 2.7.1", HoldReason::Number),
    ("Married to Jonas since 2015.", "[user] Jonas and I have been married since 2014", HoldReason::Number),
    ("The wedding is on 13 June 2027.", "[user] the wedding is june 12 next year", HoldReason::Date),
    (
        "The old server was shut down on 2026-11-10.",
        "[agent] shut down the old server two days ago",
        HoldReason::Date,
    ),
    ("Cannot travel in March 2027.", "[user] no travel in february", HoldReason::Date),
    (
        "Thesis supervisor is Prof. Nyström.",
        "[user] my thesis supervisor is prof lindqvist",
        HoldReason::Name,
    ),
    ("Grafana shows the latency.", "[user] the dashboard shows latency", HoldReason::Name),
    ("Olga leads the migration with Pavel.", "[user] Olga leads the migration", HoldReason::Name),
    ("Lives in Leipzig with Marc.", "[user] I live in Leipzig", HoldReason::Name),
    ("Uses Linux with KDE.", "[user] I use linux with sway", HoldReason::Name),
    ("Call on weekends.", "[user] please do not call on weekends", HoldReason::Negation),
    ("Drinks alcohol.", "[user] I don't drink alcohol", HoldReason::Negation),
    ("Never reads on a Kindle.", "[user] I read on my kindle", HoldReason::Negation),
    ("Prefers WhatsApp over Signal.", "[user] I prefer Signal over WhatsApp", HoldReason::Negation),
    (
        "Wants prose instead of bullet points.",
        "[user] I want bullet points instead of prose",
        HoldReason::Negation,
    ),
    ("Come carne.", "[user] no como carne", HoldReason::Negation),
    // Something else.
    ("The cat eats fish.", "[user] the release moves to Friday", HoldReason::Unrelated),
    ("用户喜欢咖啡。", "[user] 会议改到下午", HoldReason::Unrelated),
];

#[test]
fn no_honest_line_is_held() {
    let held: Vec<_> = HONEST
        .iter()
        .filter_map(|(claim, lines, day)| verdict(claim, lines, day).map(|hold| (claim, lines, hold)))
        .collect();
    assert!(HONEST.len() >= 40);
    assert!(held.is_empty(), "{} of {} are held: {held:#?}", held.len(), HONEST.len());
}

#[test]
fn every_dishonest_line_is_held_for_its_reason() {
    let wrong: Vec<_> = DISHONEST
        .iter()
        .map(|(claim, lines, reason)| {
            (claim, lines, verdict(claim, lines, FRI).map(|hold| hold.reason), reason)
        })
        .filter(|(.., found, reason)| *found != Some(**reason))
        .collect();
    assert!(DISHONEST.len() >= 40);
    assert!(wrong.is_empty(), "{} of {} differ: {wrong:#?}", wrong.len(), DISHONEST.len());
}

/// False, and not held: the words, numbers and names all stand in the sources. Kept here so that the module's
/// doc stays true.
const STILL_PASSES: &[(&str, &str)] = &[
    ("Marta called Ilya.", "[user] Ilya called Marta"),
    ("The rent is 300 and the deposit 900.", "[user] rent 900, deposit 300"),
    ("Lives in Lisbon.", "[user] moved from Lisbon to Porto"),
    ("Deploys on Fridays.", "[user] do we deploy on Fridays? No."),
    ("The talk is on 2026-11-23.", "[user] the talk is next week"),
    ("Will buy the boat.", "[user] if we win we buy the boat"),
    ("Twice a week.", "[user] I run once a week"),
    ("Bolt is more expensive than Acme.", "[user] Acme is more expensive than Bolt"),
    ("用户住在北京。", "[user] 用户住在上海"),
];

/// Honest, and held: it follows from the sources, and no rule here can see that it does.
const STILL_HELD: &[(&str, &str)] = &[
    ("Fasts until noon.", "[user] I don't eat before 12"),
    ("Has two children, Ana and Leo.", "[user] my kids Ana and Leo go to school"),
    ("Born in 1986.", "[user] I turned 40 today"),
    ("Contract ends on 2027-05-31.", "[user] contract of six months from 2026-12-01"),
    ("Spends Hanukkah with family.", "[user] the holidays are for family"),
];

#[test]
fn what_is_known_to_go_wrong_is_written_down() {
    for (claim, lines) in STILL_PASSES {
        assert!(verdict(claim, lines, FRI).is_none(), "{claim}");
    }
    for (claim, lines) in STILL_HELD {
        assert!(verdict(claim, lines, FRI).is_some(), "{claim}");
    }
}

#[test]
fn a_journal_that_is_named_without_a_line_is_held() {
    let lines = [ShownLine { number: 7, text: "We sail on Friday.".to_owned() }];
    let journal = JournalName::parse(&DocName::parse("memory/2026-11-20-repl.md").unwrap()).unwrap();
    let mut shown = Shown::default();
    shown.add(&journal, 7, 7, &lines, &BTreeMap::new());
    for (cited, reason) in [
        ("(memory/2026-11-20-repl.md#L7)", None),
        ("(2026-11-20-repl.md, line 7)", None),
        ("(memory/2026-11-20-repl.md)", Some(HoldReason::NoSuchLine)),
        ("(memory/2026-11-20-repl.md#L0)", Some(HoldReason::NoSuchLine)),
        ("(evil/memory/2026-11-20-repl.md#L7)", Some(HoldReason::NoSuchLine)),
        ("(memory/2026-11-20-repl.md#L7, L8)", Some(HoldReason::NoSuchLine)),
        ("(memory/2026-11-19-repl.md#L7)", Some(HoldReason::UnknownSource)),
    ] {
        let (claim, citations) = split_citations(&format!("We sail on Friday. {cited}"));
        assert!(!citations.is_empty(), "{cited}");
        assert_eq!(judge(&claim, &citations, &shown).map(|hold| hold.reason), reason, "{cited}");
    }
}

proptest! {
    #[test]
    fn a_verbatim_line_is_never_held(text in "\\PC{0,60}", words in "(not |no |2026-13-40 |12/40 |from |to |over |Myth: |不|[A-Z][a-z]{1,8} |[0-9]{1,12}[k.:%]?|\\PC){0,14}") {
        for line in [text, words] {
            let lines = line.replace('\n', " ");
            prop_assert_eq!(verdict(&lines, &lines, FRI), None);
            let tagged = format!("- 09:12 [user] {lines}");
            prop_assert_eq!(verdict(&lines, &tagged, FRI), None);
        }
    }

    #[test]
    fn any_claim_is_judged(claim in "\\PC{0,60}", lines in "[0-9a-z:.,/ 年月日-]{0,60}") {
        verdict(&claim, &lines, "9999-12-31");
        verdict(&format!("nine{}", " hundred".repeat(claim.len())), &lines, FRI);
        verdict(&lines, &claim, "0001-01-01");
    }
}
