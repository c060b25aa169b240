//! Porter's stemmer for English words in lower case, as in SQLite's FTS5.

/// Returns the stem. Words of other letters, of fewer than three, and of more than 64 are their own.
#[must_use]
pub fn stem(word: &str) -> String {
    if !(3..=64).contains(&word.len()) || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let mut stem = Stem(word.as_bytes().to_vec());
    stem.plural_and_participle();
    stem.replace_first(&STEP_2, 0);
    stem.replace_first(&STEP_3, 0);
    stem.residue();
    String::from_utf8(stem.0).expect("ASCII went in, and only ASCII is put in")
}

/// Returns whether a word that begins so may have a stem. A stem is its word without the end, and the end may lie in
/// the beginning. All such stems begin with its first character.
pub fn may_begin(beginning: &str) -> impl Fn(&str) -> bool {
    let whole = stem(beginning);
    move |stem| {
        let mut shorter = stem.chars();
        shorter.next_back();
        let without_end = shorter.as_str();
        stem.starts_with(beginning) || stem == whole || (stem.len() > 2 && beginning.starts_with(without_end))
    }
}

const STEP_2: [(&str, &str); 21] = [
    ("ational", "ate"),
    ("ization", "ize"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("tional", "tion"),
    ("biliti", "ble"),
    ("entli", "ent"),
    ("ousli", "ous"),
    ("ation", "ate"),
    ("alism", "al"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("alli", "al"),
    ("ator", "ate"),
    ("logi", "log"),
    ("bli", "ble"),
    ("eli", "e"),
];
const STEP_3: [(&str, &str); 7] = [
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];
const STEP_4: [&str; 18] = [
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize",
    "al", "er", "ic", "ou",
];

struct Stem(Vec<u8>);

impl Stem {
    fn plural_and_participle(&mut self) {
        if self.ends("sses") || self.ends("ies") {
            self.cut(2);
        } else if self.ends("s") && !self.ends("ss") {
            self.cut(1);
        }
        if self.ends("eed") {
            if self.measure(3) > 0 {
                self.cut(1);
            }
        } else if let Some(cut) =
            [("ed", 2), ("ing", 3)].iter().find(|(end, cut)| self.ends(end) && self.has_vowel(*cut))
        {
            self.cut(cut.1);
            if self.ends("at") || self.ends("bl") || self.ends("iz") {
                self.0.push(b'e');
            } else if self.doubled() && !matches!(self.0.last(), Some(b'l' | b's' | b'z')) {
                self.cut(1);
            } else if self.measure(0) == 1 && self.short(0) {
                self.0.push(b'e');
            }
        }
        if self.ends("y") && self.has_vowel(1) {
            self.cut(1);
            self.0.push(b'i');
        }
    }

    /// Replaces the first ending that fits, where what is before it is long enough.
    fn replace_first(&mut self, endings: &[(&str, &str)], longer_than: usize) {
        let fits = endings.iter().find(|(ending, _)| self.ends(ending));
        if let Some((ending, with)) = fits
            && self.measure(ending.len()) > longer_than
        {
            self.cut(ending.len());
            self.0.extend_from_slice(with.as_bytes());
        }
    }

    fn residue(&mut self) {
        if let Some(ending) = STEP_4.iter().find(|ending| self.ends(ending)) {
            if self.measure(ending.len()) > 1 {
                self.cut(ending.len());
            }
        } else if (self.ends("sion") || self.ends("tion")) && self.measure(3) > 1 {
            self.cut(3);
        }
        if self.ends("e") {
            let measure = self.measure(1);
            if measure > 1 || (measure == 1 && !self.short(1)) {
                self.cut(1);
            }
        }
        if self.ends("ll") && self.measure(0) > 1 {
            self.cut(1);
        }
    }

    fn ends(&self, ending: &str) -> bool {
        self.0.ends_with(ending.as_bytes())
    }

    fn cut(&mut self, bytes: usize) {
        self.0.truncate(self.0.len() - bytes);
    }

    fn consonant(&self, at: usize) -> bool {
        match self.0[at] {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            b'y' => at == 0 || !self.consonant(at - 1),
            _ => true,
        }
    }

    /// Counts the vowels that a consonant follows, without the last `cut` bytes.
    fn measure(&self, cut: usize) -> usize {
        let end = self.0.len() - cut;
        (1..end).filter(|at| self.consonant(*at) && !self.consonant(at - 1)).count()
    }

    fn has_vowel(&self, cut: usize) -> bool {
        (0..self.0.len() - cut).any(|at| !self.consonant(at))
    }

    fn doubled(&self) -> bool {
        let len = self.0.len();
        len > 1 && self.0[len - 1] == self.0[len - 2] && self.consonant(len - 1)
    }

    /// Returns whether it ends in consonant, vowel, consonant, the last not w, x or y.
    fn short(&self, cut: usize) -> bool {
        let end = self.0.len() - cut;
        end > 2
            && self.consonant(end - 3)
            && !self.consonant(end - 2)
            && self.consonant(end - 1)
            && !matches!(self.0[end - 1], b'w' | b'x' | b'y')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_family_have_one_stem() {
        for (word, expected) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("agreed", "agre"),
            ("hopping", "hop"),
            ("filing", "file"),
            ("happy", "happi"),
            ("relational", "relat"),
            ("electrical", "electr"),
            ("hopefulness", "hope"),
            ("adjustment", "adjust"),
            ("adoption", "adopt"),
            ("controlling", "control"),
            ("slippage", "slippag"),
            ("rate", "rate"),
            ("sky", "sky"),
            ("is", "is"),
            ("e0277", "e0277"),
            ("größe", "größe"),
        ] {
            assert_eq!(stem(word), expected, "{word}");
        }
    }
}
