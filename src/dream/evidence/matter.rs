//! Matter: what the claim and its sources are about, and whether one says the opposite of the other.

use std::sync::LazyLock;

use regex::Regex;

use super::names::fold;
use super::shown::Source;
use crate::base::gather::Gather as _;
use crate::base::list::List;
use crate::base::order;
use crate::base::pattern::pattern;
use crate::base::spread::Spread;
use crate::base::text;
use crate::dreamer::{Hold, HoldReason};
use crate::format::documents::negations::negates;

/// Words that carry no matter.
static SMALL_WORDS: List = List::new(
    "the and but for with from that this these those are was were has have had will would should \
    could can may must its his her their our your they them she him you who which what when where \
    how why all any some into onto about than then there here also only just very been being does \
    did user agent human operator said says always now out",
);

/// Returns whether a character is of a script that parts no words.
pub(crate) fn is_unparted(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{e00}'..='\u{e7f}')
}

/// Returns the words of matter of a text; of a script that parts no words, each two characters that are neighbours.
pub(crate) fn matter(text: &str) -> Vec<String> {
    matter_of(text::words(text))
}

/// Returns the words of matter among words.
fn matter_of(words: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
    let mut matter = Vec::new();
    for word in words {
        let word = word.as_ref();
        let runs: Vec<char> = word.chars().filter(|c| is_unparted(*c)).gather();
        if !runs.is_empty() {
            matter.extend(runs.windows(2).map(|pair| pair.iter().collect::<String>()));
            matter.extend((runs.len() == 1).then(|| runs.iter().collect::<String>()));
            continue;
        }
        let is_small = word.chars().count() <= 2 || SMALL_WORDS.has(word);
        if !is_small && !is_negation(word) {
            matter.push(fold(word));
        }
    }
    matter
}

/// Words of labels, folded: they say nothing of what is behind them.
static LABELS: List = List::new(
    "decision decisions decide decides decided deciding agreed agreement remember remembers remembered reminder note notes \
    noted fact facts preference preferences question questions lesson lessons todo wish \
    entscheidung entscheidungen entschieden beschluss beschlossen vorliebe wunsch merke notiz merken \
    decidee decidido decidimos souvenir rappel preferencia recuerda nota notas \
    decyzja zdecydowano preferencja pamietaj uwaga karar kararı karari hatırla hatirla tercih \
    quyết định quyet dinh ghi nhớ nho lưu ý luu решение решили помни заметка החלטה החלטנו לזכור הערה قرار تفضيل تذكر ملاحظة \
    निर्णय फैसला पसंद याद 決定 決め 好み 記憶 覚え 决定 偏好 记住 記住 선호 결정 결정했다 결정했습니다 기억",
);

/// Refuses a claim without a common word of matter: it is about something else. Labels, and the tags of who speaks, count
/// for nothing.
pub(crate) fn check_overlap(claim: &str, evidence: &str) -> Result<(), Hold> {
    static TAGS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"(?m)^(?:[\s>*+•-]|\d{1,2}:\d\d(?::\d\d)?|\[[^\[\]\n]{1,80}\](?:[ \t]|$))+")
    });
    let evidence = TAGS.replace_all(evidence, "");
    let words: Vec<String> = text::words(&evidence).gather();
    let known: Vec<String> = matter_of(&words).into_iter().chain(words).gather();
    let mut matter = matter(claim);
    if matter.iter().any(|word| !LABELS.has(word)) {
        order::retain(&mut matter, |word| !LABELS.has(word));
    }
    // "vscode" is about code.
    let holds = |one: &str, other: &str| other.chars().count() > 3 && one.contains(other);
    let shares = |word: &String| {
        known.iter().any(|other| same_stem(other, word) || holds(other, word) || holds(word, other))
    };
    if matter.is_empty() || matter.iter().any(shares) {
        Ok(())
    } else {
        Err(Hold { reason: HoldReason::Unrelated, word: None })
    }
}

/// Returns whether two words are forms of one: their first letters agree, and what follows is an ending.
pub(crate) fn same_stem(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let shared: usize =
        one.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    shared >= 4 && one.len() - shared <= 4 && other.len() - shared <= 4
}

/// Words that deny what follows, and are matter in another sentence.
static DENIALS: List = List::new(
    "stopped stop stops stopping quit quits refuses refused refuse unable avoid avoids avoided avoiding dislike dislikes \
    disliked hates hate hated forbidden forbid forbids banned ban bans myth untrue debunked fake hoax false",
);

/// Words with which a sentence without a negation may say what a negated one says, and the other way round.
static HINTS: List = List::new(
    "only instead rather except unless until till free freeze frozen off lack lacks lacking drop drops dropped \
    remove removes removed removal skip skips skipped against fail fails failed failure less few hardly rarely seldom barely allergic allergy \
    former formerly previously ex prohibited blocked blocks block reject rejects rejected decline declines declined deny \
    denied exclude excludes excluded excluding cancel cancels cancelled canceled miss misses missed missing away absent moved abandoned gave \
    ended leave leaves left opposed undecided unclear unknown unresolved untested unavailable unsupported unused open \
    pending yet still outstanding waiting awaits vegetarian vegan disabled disable disables off-limits restricted limited \
    prevent prevents instead deprecated empty zero needs requires required before first must beyond bad wrong broken nur außer statt noch intolerant intolerance \
    impossible illegal alone enough just merely solely overdue unpaid lost expired postponed delayed sceptical skeptical reluctant doubts unhappy ignore ignores ignored minus private exempt late lately anymore",
);

pub(crate) fn is_negation(word: &str) -> bool {
    negates(word) || DENIALS.has(word)
}

/// Returns whether a text negates in a script that parts no words.
pub(crate) fn negates_unparted(text: &str) -> bool {
    static UNPARTED: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"不|没有|没|ません|ない(?:。|$|で)|なし|なかった|ไม่"));
    !text.is_ascii() && UNPARTED.is_match(text)
}

/// Phrases with a negation in them that negate nothing.
static IDIOM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:not only|not just|no doubt|no problems?|no worries|no matter|no sooner|no (?:less|more|later|earlier|fewer) than|not (?:less|more|later|earlier) than|(?:can't|can’t|cannot|can not) (?:wait|help)|whether or not|or not|if not|nothing but|(?:don't|don’t|do not|never|must not|mustn't) forget(?: to)?|never ?mind|not bad|not least|why not|nicht nur)\b|\bno\. ?\d|不错|不过|不仅|不但|不断|不同",
    )
});

/// A part of a text that says one thing.
struct Clause {
    words: Vec<String>,
    negates: bool,
    /// It may mean the same as its negation: "not before Friday", "only on Mondays".
    hints: bool,
}

impl Clause {
    fn new(text: &str, is_denied: bool) -> Self {
        let all: Vec<String> = text::words(text).gather();
        let is_away = text.contains("away from");
        let negates =
            is_denied || is_away || all.iter().any(|word| is_negation(word)) || negates_unparted(text);
        let hints = !is_away
            && all.iter().any(|word| {
                HINTS.has(word) || word.ends_with("less") || (word.starts_with("un") && word.len() > 5)
            });
        let mut words = matter_of(&all);
        order::sort(&mut words);
        order::dedup(&mut words);
        Self { words, negates, hints }
    }

    /// Counts the words that occur in the clause.
    fn shared(&self, words: &[String]) -> usize {
        words.iter().filter(|word| self.words.iter().any(|known| same_stem(known, word))).count()
    }
}

/// Returns the clauses of a text.
fn clauses(text: &str) -> Vec<Clause> {
    static PART: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)[.;!?\n]+(?:\s|$)|, |[。；！？，、]| [-–—] | but | aber | sondern | although | though | however | whereas |\(|\)",
        )
    });
    let is_denied = is_distanced(text);
    let text = IDIOM.replace_all(text, " ");
    PART.split(&text)
        .map(|clause| Clause::new(clause, is_denied))
        .filter(|clause| !clause.words.is_empty() || clause.negates)
        .gather()
}

/// Returns a line of the sources with a comma before a second half that begins without one. Examples: "in the vault
/// not in the repo", "I can't have lactose so oat milk it is".
fn in_halves(text: &str) -> String {
    static HALF: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?i)(\w+) not (in|on|at|with|for|from|the|by|via)\b"));
    static VERBS: List = List::new(
        "is are was were am be been do does did has have had will would can could should must may \
        might shall it's that's better please why if or and",
    );
    static REASON: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i) (so|because|since) "));
    let text = REASON.replace_all(text, ", $1 ");
    let halves = HALF.replace_all(&text, |found: &regex::Captures<'_>| {
        if VERBS.has(&found[1].to_lowercase()) {
            found[0].to_owned()
        } else {
            format!("{}, not {}", &found[1], &found[2])
        }
    });
    halves.into_owned()
}

/// Returns whether a line begins with a label that takes back what follows: "Myth: …".
fn is_distanced(line: &str) -> bool {
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^[^\p{L}]*(?:\[[^\]]*\]\s*)*(?:\p{L}+:\s*)?\**(?:myth|false|wrong|rumou?r|fake|hoax|joke|untrue|incorrect|fiction|not true|lie|debunked)\b\**\s*:",
        )
    });
    LABEL.is_match(line)
}

/// Checks each clause of the claim: the nearest clause of the sources must not say the opposite of the same
/// matter.
pub(crate) fn check_negation(claim: &str, sources: &[Source]) -> Result<(), Hold> {
    let lines: Vec<Vec<Clause>> =
        sources.iter().spread(|source| &source.lines).map(|line| clauses(&in_halves(&line.text))).gather();
    let claim = clauses(claim);
    let said: Vec<String> = claim.iter().spread(|clause| clause.words.clone()).gather();
    let negates_elsewhere = claim.iter().any(|clause| clause.negates);
    let flips = |clause: &Clause| {
        if clause.negates {
            !is_denied(&clause.words, &said, &lines)
        } else {
            !clause.hints && is_affirmed_wrongly(&clause.words, &lines, negates_elsewhere)
        }
    };
    if claim.iter().any(flips) { Err(Hold { reason: HoldReason::Negation, word: None }) } else { Ok(()) }
}

/// Returns whether a line that shares a word with the claim (`said`) has a negation, for a negated clause of it
/// (`words`). A negation in a clause about something else does not count if another clause says all that the claim
/// denies.
fn is_denied(words: &[String], said: &[String], lines: &[Vec<Clause>]) -> bool {
    lines.iter().any(|line| {
        let denies = |clause: &Clause| clause.negates || clause.hints;
        let shares = said.is_empty() || line.iter().any(|clause| clause.shared(said) > 0);
        let says_it = line.iter().any(|clause| !denies(clause) && clause.shared(words) == words.len());
        let is_of_it =
            |clause: &Clause| denies(clause) && (clause.words.is_empty() || clause.shared(words) > 0);
        shares && line.iter().any(denies) && (words.len() < 2 || !says_it || line.iter().any(is_of_it))
    })
}

/// Returns whether the sources deny what a clause of the claim says: they are nearer to it, and about the same.
fn is_affirmed_wrongly(words: &[String], lines: &[Vec<Clause>], negates_elsewhere: bool) -> bool {
    let nearest = |wanted: &dyn Fn(&Clause) -> bool| {
        let clauses = lines.iter().flatten().filter(|clause| wanted(clause));
        clauses.map(|clause| clause.shared(words)).max().unwrap_or(0)
    };
    let same = nearest(&|clause| !clause.negates || clause.hints);
    let opposite = nearest(&|clause| clause.negates && !clause.hints);
    // A claim that negates too, elsewhere, may part its clauses differently.
    let enough = if negates_elsewhere { words.len() } else { words.len().div_ceil(2) };
    opposite > same && opposite >= enough
}
