//! Proofs of numbers that name a person: cards, accounts, telephones.

/// Returns whether it is the number of a card: in its issuer's groups and range, and with its check digit.
pub(crate) fn card(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    let prefix = |length: usize| digits.iter().take(length).fold(0, |sum, digit| sum * 10 + digit);
    let is_issued = match digits.len() {
        13 | 19 => prefix(1) == 4 || matches!(prefix(2), 62 | 50 | 56..=58 | 63 | 67),
        14 => matches!(prefix(3), 300..=305) || matches!(prefix(2), 36 | 38 | 39),
        15 => matches!(prefix(2), 34 | 37),
        16 => {
            prefix(1) == 4
                || matches!(prefix(2), 51..=55 | 62 | 64 | 65)
                || matches!(prefix(4), 2221..=2720 | 6011 | 3528..=3589)
        }
        _ => false,
    };
    is_issued && luhn(&digits)
}

fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| if at % 2 == 0 { *digit } else { digit * 2 - if *digit > 4 { 9 } else { 0 } })
        .sum();
    sum.is_multiple_of(10)
}

/// Returns whether it is as long as its country's numbers, and leaves 1 by 97.
pub(crate) fn iban(text: &str) -> bool {
    let text: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').collect();
    let country = [text[0], text[1]];
    let length = LENGTHS.iter().find(|(of, _)| of.as_bytes() == country).map(|(_, length)| *length);
    let rest = text[4..].iter().chain(&text[..4]).fold(0_u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    length == Some(text.len()) && rest == 1
}

/// The length of the account numbers of each country.
#[rustfmt::skip]
const LENGTHS: &[(&str, usize)] = &[
    ("AD", 24), ("AE", 23), ("AL", 28), ("AT", 20), ("AZ", 28), ("BA", 20), ("BE", 16), ("BG", 22), ("BH", 22), ("BR", 29),
    ("BY", 28), ("CH", 21), ("CR", 22), ("CY", 28), ("CZ", 24), ("DE", 22), ("DK", 18), ("DO", 28), ("EE", 20), ("EG", 29),
    ("ES", 24), ("FI", 18), ("FO", 18), ("FR", 27), ("GB", 22), ("GE", 22), ("GI", 23), ("GL", 18), ("GR", 27), ("GT", 28),
    ("HR", 21), ("HU", 28), ("IE", 22), ("IL", 23), ("IQ", 23), ("IS", 26), ("IT", 27), ("JO", 30), ("KW", 30), ("KZ", 20),
    ("LB", 28), ("LC", 32), ("LI", 21), ("LT", 20), ("LU", 20), ("LV", 21), ("LY", 25), ("MC", 27), ("MD", 24), ("ME", 22),
    ("MK", 19), ("MR", 27), ("MT", 31), ("MU", 30), ("NL", 18), ("NO", 15), ("PK", 24), ("PL", 28), ("PS", 29), ("PT", 25),
    ("QA", 29), ("RO", 24), ("RS", 22), ("SA", 24), ("SC", 31), ("SE", 24), ("SI", 19), ("SK", 24), ("SM", 27), ("ST", 25),
    ("SV", 28), ("TL", 23), ("TN", 24), ("TR", 26), ("UA", 29), ("VA", 22), ("VG", 24), ("XK", 20),
];

/// Returns whether the three parts are ones that were given out.
pub(crate) fn ssn(text: &str) -> bool {
    let mut parts = text.split('-');
    let area = parts.next().unwrap_or_default();
    area != "000"
        && area != "666"
        && !area.starts_with('9')
        && parts.next() != Some("00")
        && parts.next() != Some("0000")
}

/// Returns whether there are as many digits as a number of a telephone has.
pub(crate) fn phone(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    (if text.starts_with('+') { 8..=15 } else { 10..=10 }).contains(&digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_need_an_issuer_and_their_check_digit() {
        for sound in ["4111 1111 1111 1111", "5555-5555-5555-4444", "378282246310005", "4012888888881881"] {
            assert!(card(sound), "{sound}");
        }
        assert!(!card("4012888888881882"));
        assert!(!card("9012888888881880"));
    }

    #[test]
    fn account_numbers_need_the_length_of_their_country() {
        assert!(iban("GB82 WEST 1234 5698 7654 32"));
        assert!(iban("DE89370400440532013000"));
        assert!(!iban("DE88370400440532013000"));
        assert!(!iban("GB82 WEST 1234 5698 7654 3"));
    }

    #[test]
    fn numbers_that_nobody_was_given_are_no_social_security_numbers() {
        assert!(ssn("123-45-6789"));
        for never in ["000-45-6789", "666-45-6789", "912-45-6789", "123-00-6789", "123-45-0000"] {
            assert!(!ssn(never), "{never}");
        }
    }
}
