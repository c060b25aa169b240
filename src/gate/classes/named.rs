//! Values under a plain name: `password: …`, `API_KEY=…`. Texts about programs are full of such names, so what a value
//! is decides.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{Bounds, Class, Needs, Proof, Shape, Symbols, symbols};
use crate::base::text;
use crate::gate::named;
use crate::gate::search::steps;

pub(super) const NAMED: &[Class] = &[
    named("named_password", "passwords under a plain name", password_shape, PASSWORD, named::is_password),
    named("named_key", "keys, tokens and secrets under a plain name", key_shape, KEY, named::is_key),
];

const fn named(
    name: &'static str,
    what: &'static str,
    scan: fn(&str, usize) -> Option<Range<usize>>,
    pattern: &'static str,
    proof: fn(&str) -> bool,
) -> Class {
    Class::new(name, what, Shape::Scan(scan, Needs::Name, Some(pattern)), Bounds::None)
        .proof(Proof::Required(proof))
}

/// The end of a name, what closes it, a few words on what it is for, a sign of setting, what opens the value, and the value: in one line,
/// or in the next one or two.
macro_rules! shape {
    ($names:literal, $more:literal, $value:literal) => {
        concat!(
            r"(?:--[a-z-]{0,24}?(?:",
            $names,
            r")[ \t]|(?i:",
            $names,
            r#")["'`\])*_?\\]{0,4}"#,
            r"(?: \([^()\r\n]{1,32}\)| (?:for|of|on|to|from|that|you|I|we|vom|von|zum)(?: [A-Za-z0-9._'@-]{1,24}){1,4}?)?",
            r"(?:",
            // The type may stand between: `key: &'static str =`.
            r"[ \t]{0,4}[ :][ \t]{0,4}&?(?:'[a-z]{1,10} )?[A-Za-z]{1,12}[ \t]{0,4}=[ \t]",
            r"|[ \t]{0,4}(?::{0,3}=|=>|[:.?]=|:)\*{0,3}",
            r"|:\*{0,3}[ \t]{0,4}(?:\r?\n[ \t]{0,8}){1,2}(?:```[a-z]{0,8}\r?\n)?",
            r"|[ \t]{1,4}(?:is|was|to|ist|lautet|est|es)(?: now)?:?[ \t]",
            r"|[ \t]\|[ \t]",
            r#")[ \t]{0,8}(?:[BbRrUu]?\\?["']|`{1,3}|\*{1,3})?"#,
            // The name as an element, and as an argument before the value.
            r#"|(?i:"#,
            $names,
            r#")(?:>\s{0,16}|["'],[ \t]?["'])"#,
            $more,
            r")(",
            $value,
            r")"
        )
    };
}

/// What may stand in a password that no quotes end, in one that quotes end, and in a key.
const BARE: Symbols = &symbols("!#-&(-+--:=?-_a-{}~");
const QUOTED: Symbols = &symbols("!#-&(-_a-~");
const PLAIN: Symbols = &symbols("A-Za-z0-9_./+=-");

const PASSWORD: &str = shape!(
    r"pass(?:word|wd|phrase|code|wort)|kennwort|contrasena|mot de passe|pwd|[_-]pass|\bpw",
    r#"|\b[Pp]ass[ \t]?[:=][ \t]{0,4}["'`]?"#,
    r#"[^\s"'`]{6,128}"#
);
const KEY: &str = shape!("(?:api|access|secret)[ _.-]?key|token|secret", "", r"[A-Za-z0-9_./+=-]{16,256}");

fn password_shape(text: &str, from: usize) -> Option<Range<usize>> {
    static SHAPE: LazyLock<Regex> = LazyLock::new(|| Regex::new(PASSWORD).expect("a literal pattern"));
    // One of these is in each of the names: `pass`, `pw`, `kenn`, `sena`.
    let may_be = |[a, b, c, d]: [u8; 4]| {
        ((a == b'p') & (((b == b'a') & (c == b's') & (d == b's')) | (b == b'w')))
            | ((a == b'k') & (b == b'e') & (c == b'n') & (d == b'n'))
            | ((a == b's') & (b == b'e') & (c == b'n') & (d == b'a'))
    };
    value(text, from, &SHAPE, may_be, [BARE, QUOTED], 128)
}

fn key_shape(text: &str, from: usize) -> Option<Range<usize>> {
    static SHAPE: LazyLock<Regex> = LazyLock::new(|| Regex::new(KEY).expect("a literal pattern"));
    // `key`, `oken`, `ecre`.
    let may_be = |[a, b, c, d]: [u8; 4]| {
        ((a == b'k') & (b == b'e') & (c == b'y'))
            | ((a == b'o') & (b == b'k') & (c == b'e') & (d == b'n'))
            | ((a == b'e') & (b == b'c') & (c == b'r') & (d == b'e'))
    };
    value(text, from, &SHAPE, may_be, [PLAIN; 2], 256)
}

/// The next value that ends where its quotes do, or with its run of symbols.
fn value(
    text: &str,
    from: usize,
    shape: &Regex,
    may_be: impl Fn([u8; 4]) -> bool,
    [bare, quoted]: [Symbols; 2],
    most: usize,
) -> Option<Range<usize>> {
    let mut at = from;
    loop {
        let found = captures(text, at, shape, &may_be)?;
        let (name, start) = (found.get(0)?.start(), found.get(1)?.start());
        let quote = text[..start].chars().next_back().filter(|c| matches!(c, '"' | '\'' | '`'));
        let symbols = if quote.is_some() { quoted } else { bare };
        let run = text.as_bytes()[start..].iter();
        let length = run.take_while(|byte| symbols[usize::from(**byte)]).count();
        steps::take(start - at + length);
        let next = text[start + length..].chars().next();
        let run = &text[start..start + length];
        let value = match quote {
            // In a string in a string, the quotes have backslashes.
            Some(_) if next == quote => run.trim_end_matches('\\'),
            None if !next.is_some_and(goes_on) && !run.ends_with("...") => without_end(run),
            _ => "",
        };
        if length <= most && !value.is_empty() && !is_public(&text[..name]) {
            return Some(start..start + value.len());
        }
        // What begins early in a long run is too long as well. Within quotes the run may end earlier for what begins later.
        at = if quote.is_none() { start + length.saturating_sub(most) } else { start };
    }
}

/// The next match of a shape, looked for about the four letters, small or great, of which one row is in each name. The
/// shape costs ten times as much to look for.
fn captures<'t>(
    text: &'t str,
    from: usize,
    shape: &Regex,
    may_be: &impl Fn([u8; 4]) -> bool,
) -> Option<Captures<'t>> {
    /// So far behind the beginning of a match its name stands, at most.
    const BEFORE: usize = 64;
    /// No match is longer.
    const LONGEST: usize = 768;
    /// The number of places that are looked at together.
    const MANY: usize = 256;
    let mut at = from;
    loop {
        let name = at + first_of_four(&text.as_bytes()[at..], may_be)?;
        let start = text::floor_boundary(text, name.saturating_sub(BEFORE)).max(at);
        let part = &text[..text::floor_boundary(text, name + MANY + LONGEST)];
        steps::take(part.len() - start);
        // What begins later may be cut, and is found from there on.
        at = text::ceil_boundary(text, name + MANY);
        let found = shape.captures_at(part, start);
        if let Some(found) = found.filter(|found| found.get(0).is_some_and(|all| all.start() < at)) {
            return Some(found);
        }
    }
}

/// Where four letters stand in a row of which that is said, whatever their case.
fn first_of_four(bytes: &[u8], may_be: &impl Fn([u8; 4]) -> bool) -> Option<usize> {
    const BLOCK: usize = 32;
    let small = |byte: Option<&u8>| byte.map_or(0, |byte| byte | 0x20);
    let is_at = |at: usize| {
        may_be([
            small(bytes.get(at)),
            small(bytes.get(at + 1)),
            small(bytes.get(at + 2)),
            small(bytes.get(at + 3)),
        ])
    };
    let mut at = 0;
    while let Some(block) = bytes.get(at..at + BLOCK + 3) {
        // Many at once, without branches.
        let rows = block.iter().zip(&block[1..]).zip(&block[2..]).zip(&block[3..]);
        let any =
            rows.fold(false, |any, (((a, b), c), d)| any | may_be([a | 0x20, b | 0x20, c | 0x20, d | 0x20]));
        if any {
            return (at..at + BLOCK).find(|at| is_at(*at));
        }
        at += BLOCK;
    }
    (at..bytes.len()).find(|at| is_at(*at))
}

/// Whether the name says of what follows that everybody may know it: `NEXT_PUBLIC_API_KEY`, `csrf-token`.
fn is_public(before: &str) -> bool {
    let before = before.trim_end_matches(['_', '-', '.', ' ']);
    ["public", "csrf", "xsrf"].iter().any(|word| {
        let start = before.len().saturating_sub(word.len());
        before.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(word))
    })
}

/// Whether more of a value, or of the code that computes it, follows.
fn goes_on(next: char) -> bool {
    next.is_alphanumeric() || matches!(next, '(' | '[' | '{' | '@' | '$' | '%' | '~' | '^')
}

/// A value without what ends the sentence, or closes what was opened before it.
fn without_end(run: &str) -> &str {
    let value = run.trim_end_matches("**").trim_end_matches(['.', ':', '\\']).trim_end_matches("**");
    let is_closing = |(open, close)| value.ends_with(close) && !value.contains::<char>(open);
    if [('(', ')'), ('[', ']'), ('{', '}')].into_iter().any(is_closing) {
        without_end(&value[..value.len() - 1])
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use crate::gate::SecretGate;
    use crate::pii::{PiiFilter, View};

    fn gate() -> SecretGate {
        SecretGate::new()
    }

    /// The classes of a text, each with what is masked.
    fn found(text: &str) -> Vec<(String, &str)> {
        let found = gate().scan(text).into_iter();
        found.map(|one| (one.class.into_owned(), &text[one.span])).collect()
    }

    // The look for the letters of names once was left to the shapes.
    #[test]
    fn the_letters_of_names_leave_out_no_match_of_a_shape() {
        let names = [
            "password",
            "Passwd",
            "PASSPHRASE",
            "passcode",
            "Passwort",
            "kennwort",
            "KENNWORT",
            "contrasena",
            "mot de passe",
            "pwd",
            "PWD",
            "my_pass",
            "x-pass",
            "pw",
            "PW",
            "Pass",
            "api_key",
            "API-KEY",
            "apikey",
            "access.key",
            "Secret Key",
            "token",
            "TOKEN",
            "secret",
            "Secret",
            "client-token",
        ];
        let shapes = [
            (super::PASSWORD, super::password_shape as fn(&str, usize) -> Option<std::ops::Range<usize>>),
            (super::KEY, super::key_shape),
        ];
        for (shape, search) in shapes {
            let shape = regex::Regex::new(shape).unwrap();
            for (name, before) in
                names.iter().flat_map(|name| (0..70).step_by(3).map(move |before| (name, before)))
            {
                for between in ["=", ": ", " for the boat is ", ":\n  "] {
                    let text = format!("{}é {name}{between}Ab3dE5fG7hJ9kL1mN2pQ4 ", "x ".repeat(before));
                    let place = shape.captures(&text).map(|found| found.get(1).unwrap().start());
                    assert_eq!(search(&text, 0).map(|found| found.start), place, "{text}");
                }
            }
        }
    }

    #[test]
    fn a_password_is_found_under_its_plain_name_and_masked_whole() {
        for (text, password) in [
            ("password: hunter2", "hunter2"),
            ("my password is hunter2-Boat.", "hunter2-Boat"),
            ("The password is: Hunter!Boat-y", "Hunter!Boat-y"),
            ("the passphrase was Tr0ub4dor&3, I think", "Tr0ub4dor&3"),
            ("I changed the wifi password to kiteSurf77", "kiteSurf77"),
            ("The password for the boat's wifi is hunter2-Boat!", "hunter2-Boat!"),
            ("password (router): zebra_4417", "zebra_4417"),
            ("the password that Ben gave me was `zebra_4417`", "zebra_4417"),
            ("das Passwort vom Boot lautet zebra_4417", "zebra_4417"),
            ("log in as marta (password: hunter2-Boat)", "hunter2-Boat"),
            ("- **Password:** hunter2-Boat", "hunter2-Boat"),
            ("- **password**: `hunter2-Boat`", "hunter2-Boat"),
            ("| password: hunter2-Boat | of the boat |", "hunter2-Boat"),
            ("DB_PASSWORD=hunter2-Boat", "hunter2-Boat"),
            ("export PGPASSWORD='hunter2-Boat'", "hunter2-Boat"),
            ("SMTP_PASS=x9-qwert-44", "x9-qwert-44"),
            ("db_pwd := \"h,unter2;Boat\"", "h,unter2;Boat"),
            ("  db-password: \"hunter2-Boat\"", "hunter2-Boat"),
            ("{\"password\":\"hunter2-Boat\",\"user\":\"marta\"}", "hunter2-Boat"),
            ("{\\\"password\\\":\\\"hunter2-Boat\\\"}", "hunter2-Boat"),
            ("'password' => 'hunter2-Boat',", "hunter2-Boat"),
            ("$config['password'] = 'hunter2-Boat';", "hunter2-Boat"),
            ("const PASSWORD: &'static str = \"hunter2-Boat\";", "hunter2-Boat"),
            ("let password: string = 'hunter2-Boat'", "hunter2-Boat"),
            ("Server=db;User Id=sa;Password=hunter2-Boat;Encrypt=True", "hunter2-Boat"),
            ("mysqldump --password=hunter2-Boat shop > shop.sql", "hunter2-Boat"),
            ("Passwort: kR4ken#7-x", "kR4ken#7-x"),
            ("password = \"test1234\"", "test1234"),
            ("user: marta, pass: hunter2-Boat", "hunter2-Boat"),
            ("psql --password hunter2-Boat shop", "hunter2-Boat"),
            ("<password>hunter2-Boat</password>", "hunter2-Boat"),
            ("setProperty(\"db.password\", \"hunter2-Boat\")", "hunter2-Boat"),
            ("| password | hunter2-Boat |", "hunter2-Boat"),
            ("this is the password:\n\n```\nhunter2-Boat\n```", "hunter2-Boat"),
            ("**password: hunter2-Boat.**", "hunter2-Boat"),
            ("password: {x9(Qm!4#T", "{x9(Qm!4#T"),
        ] {
            assert_eq!(found(text), [("named_password".to_owned(), password)], "{text}");
        }
    }

    #[test]
    fn a_key_is_found_under_its_plain_name_and_masked_whole() {
        const HEX: &str = "9f2c4e1b7a3d5860c1e2f3a4b5968778";
        const MIXED: &str = "9fk2LmQ7xV0bTz4RwYc8Hd1N";
        const WEB: &str = "q7-Zk29sLmX_41tRbVy8";
        for (before, value, after) in [
            ("API_KEY=", MIXED, ""),
            ("the api key is ", HEX, "."),
            ("API key for the weather: ", MIXED, ""),
            ("- **API key:** `", HEX, "`"),
            ("STRIPE_WEBHOOK_SECRET=", MIXED, "\nPORT=8080"),
            ("export ACCESS_TOKEN=\"", WEB, "\""),
            ("  client-secret: ", MIXED, ""),
            ("{\"apiKey\": \"", HEX, "\"}"),
            ("{\"refresh_token\":\"", WEB, "\",\"expires_in\":3600}"),
            ("signing_secret = '", "bTz4RwYc8Hd1N/9fk2LmQ7xV0+aa==", "'"),
            ("const TOKEN: &str = \"", MIXED, "\";"),
            ("secretKey := `", MIXED, "`"),
            ("GET /v1/boats?token=", MIXED, "&limit=4"),
            ("token: ", "5b0c1e2f-77aa-4d3e-9c10-0f4b8a6d2e91", ""),
            ("(auth token: ", MIXED, ")"),
        ] {
            let text = format!("{before}{value}{after}");
            assert_eq!(found(&text), [("named_key".to_owned(), value)], "{text}");
        }
    }

    // What refuses code must not refuse what programs draw.
    #[test]
    fn nine_of_ten_generated_passwords_and_keys_are_found_whole() {
        const DIGITS: &str = "0123456789";
        const SMALL: &str = "abcdefghijklmnopqrstuvwxyz";
        const GREAT: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let mut state = 7_u64;
        let mut roll = |sides: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % sides
        };
        for (name, symbols, length) in [
            ("password", [DIGITS, SMALL, GREAT, "!@#$%^&*"].concat(), 14),
            ("password", [DIGITS, SMALL, GREAT].concat(), 16),
            ("token", [DIGITS, "abcdef"].concat(), 32),
            ("token", [DIGITS, SMALL].concat(), 20),
            ("token", [DIGITS, SMALL, GREAT].concat(), 24),
            ("token", [DIGITS, SMALL, GREAT, "-_"].concat(), 43),
            ("token", [DIGITS, SMALL, GREAT, "+/"].concat(), 40),
        ] {
            let gate = gate().undisguised_only();
            let is_found = |_: &usize| {
                let value: String =
                    (0..length).map(|_| char::from(symbols.as_bytes()[roll(symbols.len())])).collect();
                let text = format!("{name}: {value}");
                gate.scan(&text).iter().any(|one| text[one.span.clone()] == *value)
            };
            let found = (0..500).filter(is_found).count();
            assert!(found >= 450, "{name} of {symbols}: {found} of 500");
        }
    }

    #[test]
    fn what_only_speaks_of_passwords_and_keys_is_neither() {
        for text in [
            // Prose.
            "The token is stored in the keychain, and the password is base64-encoded.",
            "password: required, 8-64chars, no spaces",
            "the password is sha256-hashed with a salt, or argon2id",
            "passwords: at least 12-characters",
            "Password is too short!",
            "context token: 128k, tokens: 4096, max_tokens=4096",
            "the tokenizer: o200k_base, one token is 4chars",
            "reset the token (9f2c4e1b7a3d5860c1e2f3a4b5968778 is the commit)",
            "token refresh fixed in 9f2c4e1b7a3d5860c1e2f3a4b59687781a2b3c4d",
            "secret: sha256-9f2c4e1b7a3d5860c1e2f3a4b59687781a2b3c4d",
            "the access token is valid until 2026-11-22T10:00:00Z",
            "password: 2026-11-22T10:00",
            "password policy: min8max64",
            "send the token to marta1@example.com",
            // Types and code.
            "password: String, token: Option<String>, secret: &[u8; 32]",
            "pub password: SecretString<Vec<u8>>,",
            "password: bytes32;",
            "password = user_password2",
            "let password = config.db1.password;",
            "password = req.body.password1",
            "secret = os.environ['X']",
            "password=getPassword1()",
            "token = hmac256(key, message)",
            "let token = self.nextToken2(&mut cursor)",
            "token = getUserTokenFromBase64String2",
            "const secret = crypto::random_bytes32()",
            "if password == \"hunter2\" {",
            "password != \"hunter2-Boat\"",
            "password = \"correct horse battery 1\"",
            "password = :password1",
            "WHERE password = @password1",
            "password: ENC[AES256_GCM,data:x]",
            "token_type: bearer, token_hash: 9f2c4e1b7a3d5860c1e2f3a4b5968778",
            "API_KEY=process.env.ACME_API_KEY_V2",
            // Places for one, and where one is.
            "password: <password1>",
            "DB_PASSWORD=${DB_PASSWORD1}",
            "DB_PASSWORD=$DB_PASSWORD1",
            "password: {{ .Values.db1.password }}",
            "password: your-password-123",
            "password: changeme1",
            "password: ********",
            "password: xxxx1234",
            "API_KEY=your_api_key_here_123456",
            "API_KEY=xxxxxxxxxxxxxxxxxxxxxxx1",
            "API_KEY=0123456789abcdef0123456789abcdef",
            "API_KEY=aaaaaaaaaaaaaaaaaaaaaaa1",
            "token: [REDACTED:named_key#1]",
            "POSTGRES_PASSWORD_FILE=/run/secrets/db1",
            "password: /run/secrets/db1-password",
            "secret: projects/boat-77/secrets/db1/versions/latest",
            "secret: k8s/prod/eu-west-1/db-credentials-v2",
            "secret = \"boat-service-prod-eu-west-1-v2\"",
            "password: op://vault1/db2/password",
            "token: https://auth7.boats.io/oauth2/token1",
            // Keys of translations.
            "password: \"auth.login.password2\"",
            "\"forgotPassword\": \"auth.step2.forgot\"",
            "\"password\", \"scram-sha-256\",",
            "a valid handle to pass to `IsWow64Process`.",
            "PASS: login_flow2 (0.3s)",
            "token hash: 9f2c4e1b7a3d5860c1e2f3a4b5968778, password hash is 9f2c4e1b7a3d",
            "password and salt are both 16-bytes",
            "pub const INVALID_PASSWORD: WIN32_ERROR = 86u32;",
            "pub const NO_PASSWORD: NTSTATUS = -1073741717i32;",
            "let passphrase = vector.2;",
            "password: 'Passwort 2'",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    // They were off until a host switched them on, and hosts did not know of them.
    #[test]
    fn plain_names_are_on_until_a_host_switches_them_off() {
        let text = "password: hunter2-Boat\nAPI_KEY=9fk2LmQ7xV0bTz4RwYc8Hd1N";
        assert_eq!(found(text).len(), 2);
        assert_eq!(gate().without("named_password").without("named_key").scan(text), []);
    }

    #[test]
    fn a_name_that_says_public_and_a_value_that_is_cut_or_a_sequence_are_no_keys() {
        for text in [
            "NEXT_PUBLIC_API_KEY=9fk2LmQ7xV0bTz4RwYc8Hd1N",
            "csrf-token: 9fk2LmQ7xV0bTz4RwYc8Hd1N",
            "publicToken = \"9fk2LmQ7xV0bTz4RwYc8Hd1N\"",
            "export TOKEN=9fk2LmQ7xV0bTz4RwYc8Hd1N...",
            "password: abcd1234abcd1234ABCD1234",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn a_maker_names_its_key_before_a_plain_name_does() {
        let key = "0f4b8a6d2e915b0c1e2f77aa4d3e9c10";
        assert_eq!(found(&format!("DATADOG_API_KEY={key}")), [("datadog_key".to_owned(), key)]);
        let token = "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";
        assert_eq!(found(&format!("token: {token}")), [("github_pat".to_owned(), token)]);
        assert_eq!(found(&format!("password: {token}")), [("github_pat".to_owned(), token)]);
    }

    // A line that was joined to the next once was one long password.
    #[test]
    fn the_next_line_is_no_part_of_a_password() {
        let text = "DB_PASSWORD=hunter2-Boat\nDB_HOST=10.0.0.1\n- password: required\n- user_id2: marta\n";
        assert_eq!(found(text), [("named_password".to_owned(), "hunter2-Boat")]);
    }

    #[test]
    fn a_password_is_seen_through_disguises_within_its_line() {
        for (text, view) in [
            ("the password: hunter2**-Boat**44", View::Raw),
            ("cGFzc3dvcmQ6IGh1bnRlcjItQm9hdA==", View::Base64),
            ("password%3A%20hunter2-Boat", View::Escaped),
            ("pass\u{200b}word: hunt\u{200b}er2-Boat", View::Lookalike),
        ] {
            let found = gate().scan(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!((found[0].view, &*found[0].class), (view, "named_password"), "{text}");
        }
    }

    #[test]
    fn a_masked_text_masks_to_itself() {
        let text = "password: hunter2![REDACTED:jwt#1]x and token=9fk2LmQ7xV0bTz4RwYc8Hd1N";
        let mask = |text: &str| {
            let gate = crate::gate::Gate::new(std::sync::Arc::new(gate()), crate::gate::Allow::none());
            gate.mask(text, &mut crate::gate::Masks::default())
        };
        let masked = mask(text);
        assert!(!masked.contains("9fk2"), "{masked}");
        assert_eq!(mask(&masked), masked);
    }
}
