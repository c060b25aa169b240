//! The word lists of the picker: plain English, in lower case.
//!
//! They are asked for membership only, so no order of a set reaches an answer.

use std::collections::HashSet;
use std::sync::LazyLock;

/// A list of words that is looked up, built once.
pub(crate) type Words = LazyLock<HashSet<&'static str>>;

fn words(list: &'static str) -> HashSet<&'static str> {
    list.split_whitespace().collect()
}

/// Returns whether one of `words` is in the list.
pub(crate) fn any(list: &Words, words: &[String]) -> bool {
    words.iter().any(|word| list.contains(word.as_str()))
}

/// Counts those of `words` that are in the list.
pub(crate) fn count(list: &Words, words: &[String]) -> usize {
    words.iter().filter(|word| list.contains(word.as_str())).count()
}

/// Returns whether two neighbours in `words` are one of the pairs.
pub(crate) fn any_pair(pairs: &[[&str; 2]], words: &[String]) -> bool {
    words.windows(2).any(|two| pairs.iter().any(|pair| two[0] == pair[0] && two[1] == pair[1]))
}

/// Words that say nothing about what a line is about.
pub(crate) static STOP: Words = LazyLock::new(|| {
    words(
        "a an the and or but so if then than that this these those there here it it's is are was were be \
         been being am do does did done has have had having to of in on at by for with from as into about \
         over up down out off again just very really too also not no yes i me my we our us you your he \
         him his she her they them their who what when where why how which will would can could should \
         may might must i'm i've i'd i'll you're you've we're we've he's she's they're that's what's \
         there's let's don't didn't can't doesn't isn't wasn't won't all any some more most much many lot \
         lots one get got like",
    )
});

/// The speaker, as the one who acts.
pub(crate) static SELF: Words = LazyLock::new(|| words("i i'm i've i'd i'll"));

/// The speaker, as the one who owns.
pub(crate) static MINE: Words = LazyLock::new(|| words("my our mine ours"));

/// The one spoken to.
pub(crate) static YOU: Words = LazyLock::new(|| words("you your yours you're you've you'd you'll yourself"));

/// The speaker in any form: a line with one of these needs the speaker's name to be understood alone.
pub(crate) static FIRST_PERSON: Words =
    LazyLock::new(|| words("i i'm i've i'd i'll my mine myself me we we're we've we'd we'll our ours us"));

/// First words of a sentence that only answers the one before.
pub(crate) static REACTION: Words = LazyLock::new(|| {
    words(
        "wow woah whoa yeah yep yup yes sure thanks thank congrats congratulations cool awesome nice \
         great haha ha lol oh ah aww absolutely definitely totally exactly agreed okay ok right bye \
         goodbye later hey hi hello sounds glad sorry no nah welcome amazing true indeed alright \
         appreciate hope wonderful perfect good that's",
    )
});

/// Words of praise and comfort.
pub(crate) static PRAISE: Words = LazyLock::new(|| {
    words(
        "awesome amazing great cool nice wonderful incredible inspiring fantastic impressive beautiful \
         lovely sweet proud glad happy support supportive appreciate thankful grateful encouragement kind \
         kindness important special determination dedication motivated motivating passion dreams power \
         strength journey worth luck congrats difference",
    )
});

/// Words that place a line in time by themselves.
pub(crate) static TIME: Words = LazyLock::new(|| {
    words(
        "yesterday today tonight tomorrow ago recently lately weekend monday tuesday wednesday thursday \
         friday saturday sunday january february march april june july august september october november \
         december spring summer autumn winter christmas birthday anniversary mon tue wed thu fri sat",
    )
});

/// Spans of time: with a number or one of [`RELATIVE`] in front, they place a line in time.
pub(crate) static UNIT: Words = LazyLock::new(|| {
    words("day days week weeks month months year years night nights morning afternoon evening hour hours")
});

/// Words before a span of time.
pub(crate) static RELATIVE: Words =
    LazyLock::new(|| words("last next past few couple every each first since this"));

/// Numbers in words.
pub(crate) static NUMBER: Words = LazyLock::new(|| {
    words("two three four five six seven eight nine ten eleven twelve twenty thirty hundred")
});

/// Subjects of a verb in the past tense.
pub(crate) static ACTOR: Words = LazyLock::new(|| words("i we he she they my"));

/// Verbs in the past tense that do not end in `ed`.
pub(crate) static PAST: Words = LazyLock::new(|| {
    words(
        "was were had did went got made took met saw bought found gave told said came left lost won began \
         became felt thought knew kept held brought wrote read ran built broke fell grew drew drove ate \
         sold sent spent taught caught heard put set hit hurt chose",
    )
});

/// Words that mark what should be kept.
pub(crate) static STRONG: Words = LazyLock::new(|| {
    words(
        "decision decisions decided approved policy requirement prefer prefers preferred preference \
         dislike dislikes allergic deadline promised lesson gotcha workaround",
    )
});

/// Pairs of words that mark what should be kept.
pub(crate) const STRONG_PAIRS: &[[&str; 2]] = &[
    ["from", "now"],
    ["root", "cause"],
    ["turned", "out"],
    ["turns", "out"],
    ["my", "name"],
    ["due", "by"],
    ["due", "on"],
    ["was", "caused"],
    ["rely", "on"],
    ["relies", "on"],
    ["failed", "because"],
    ["fails", "because"],
    ["agreed", "to"],
    ["agreed", "on"],
    ["agreed", "that"],
    ["must", "not"],
    ["do", "not"],
];

/// Pairs of words with which somebody states a wish that stands, or who they are.
pub(crate) const STANDING_PAIRS: &[[&str; 2]] = &[
    ["i", "prefer"],
    ["i", "dislike"],
    ["i", "always"],
    ["i", "never"],
    ["i'm", "allergic"],
    ["am", "allergic"],
    ["i", "live"],
    ["my", "name"],
    ["call", "me"],
    ["always", "ask"],
    ["never", "use"],
    ["never", "deploy"],
    ["from", "now"],
    ["please", "always"],
    ["please", "never"],
];

/// First words of a sentence that leans on the one before.
pub(crate) static LEANING: Words = LazyLock::new(|| {
    words(
        "it it's its he he's him his she she's her they they're them their that that's this these those \
         there there's here then so and but or also both either neither which same one since because \
         otherwise",
    )
});

/// First words of a question, by which it is known without a question mark.
pub(crate) static ASKING: Words = LazyLock::new(|| {
    words(
        "what what's who who's whose where where's when why how how's which do does did is are am was were \
         can could shall should will would may have has any anything anyone",
    )
});

/// First words of a line that asks for something to be done, or thinks aloud.
pub(crate) static ERRAND: Words = LazyLock::new(|| {
    words(
        "please add ask check create delete deploy draft explain find fix generate give install look looks \
         make merge put remind remove rename restart revert run search send show summarise summarize tell \
         think try wait write",
    )
});

/// Words of what holds for long: rules, habits, costs, terms, reasons.
pub(crate) static LASTING: Words = LazyLock::new(|| {
    words(
        "always never cannot must may only every each everyone everything nobody nothing except unless until \
         by because due rule remember promised allergic named called means counts lives live belongs belong \
         stays stay keeps keep kept uses use needs need wants want costs cost paid pays licensed insured \
         expires moved moves limit minimum most least",
    )
});

/// Words of a line that puts an earlier one right.
pub(crate) static CHANGE: Words = LazyLock::new(|| words("correction corrected"));

/// Pairs of words of a line that puts an earlier one right.
pub(crate) const CHANGE_PAIRS: &[[&str; 2]] = &[
    ["moved", "from"],
    ["moved", "to"],
    ["moves", "from"],
    ["moves", "to"],
    ["changed", "from"],
    ["changed", "to"],
    ["changes", "from"],
    ["changes", "to"],
    ["has", "moved"],
    ["have", "moved"],
    ["no", "longer"],
    ["instead", "of"],
];

/// First words of a line in which an agent says what it is doing right now.
pub(crate) static CHATTER: Words = LazyLock::new(|| {
    words(
        "ran running run checking checked reading read looking looked searching searched opening opened \
         let now next done noted understood fetching fetched compiling building starting working updated \
         pushed ok okay heartbeat trying testing will status draft successfully created found fixed \
         added changed removed renamed verified confirmed here",
    )
});

/// Words that may stand before the first word that counts for [`CHATTER`].
pub(crate) static LEAD: Words = LazyLock::new(|| words("i i'm i'll i've have am"));

/// Words in a heading under which lines are worth more.
pub(crate) static SECTION: Words = LazyLock::new(|| {
    words(
        "decision decisions lesson lessons learned preference preferences fact facts rule rules deadline \
         deadlines policy policies constraints",
    )
});

/// Words that put a line under `### Decisions`.
pub(crate) static DECISION: Words = LazyLock::new(|| {
    words("decision decisions decided approved policy policies rule rules deadline deadlines")
});

/// Pairs that put a line under `### Decisions`. "Agreed" alone is a nod.
pub(crate) const DECISION_PAIRS: &[[&str; 2]] = &[
    ["from", "now"],
    ["we", "agreed"],
    ["agreed", "on"],
    ["agreed", "to"],
    ["agreed", "that"],
    ["agreed", "with"],
];

/// Words that put a line under `### Preferences`.
pub(crate) static PREFERENCE: Words = LazyLock::new(|| {
    words(
        "prefer prefers preferred preference preferences dislike dislikes favourite favourites favorite \
         favorites likes wants",
    )
});

/// Pairs that put a line under `### Preferences`. "Like" alone is mostly a comparison.
pub(crate) const PREFERENCE_PAIRS: &[[&str; 2]] = &[
    ["i", "like"],
    ["we", "like"],
    ["really", "like"],
    ["don't", "like"],
    ["i", "love"],
    ["i", "hate"],
    ["i'd", "rather"],
    ["would", "rather"],
    ["rather", "not"],
];
