use super::*;
use crate::Confidence;
use crate::class::Proof;

fn classes(text: &str) -> Vec<String> {
    SecretGate::new().scan(text).into_iter().map(|finding| finding.class.into_owned()).collect()
}

fn run(symbols: &str, len: usize) -> String {
    symbols.chars().cycle().take(len).collect()
}

/// PF-02
#[test]
fn anthropic_keys_are_not_taken_for_openai_keys() {
    assert_eq!(classes(&format!("sk-ant-api03-{}", run("aB3", 40))), ["anthropic_key"]);
}

/// PF-03
#[test]
fn openai_keys_of_every_form_from_twenty_characters() {
    assert_eq!(classes(&format!("key sk-{}.", run("aB3", 20))), ["openai_key"]);
    assert!(classes(&format!("key sk-{}.", run("aB3", 19))).is_empty());
    for form in ["proj", "svcacct", "admin"] {
        assert_eq!(classes(&format!("sk-{form}-{}", run("aB-3_", 40))), ["openai_key"], "{form}");
    }
    assert!(classes(&format!("risk-{}", run("abc", 30))).is_empty());
}

/// PF-04
#[test]
fn stripe_keys_live_and_not_test() {
    assert_eq!(classes(&format!("sk_live_{} rk_live_{}", run("a1", 24), run("b2", 24))), ["stripe_key"; 2]);
    assert!(classes(&format!("sk_test_{}", run("a1", 24))).is_empty());
}

/// PF-05
#[test]
fn github_tokens_of_six_prefixes_and_prose_about_them() {
    for prefix in ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"] {
        assert_eq!(classes(&format!("{prefix}{}", run("aB3", 36))), ["github_pat"], "{prefix}");
    }
    assert!(classes("tokens begin with ghp_ or github_pat_ today").is_empty());
}

/// PF-06
#[test]
fn google_keys_need_thirty_five() {
    assert_eq!(classes(&format!("AIza{}", run("aB-_3", 35))), ["google_api_key"]);
    assert!(classes(&format!("AIza{}", run("aB-_3", 34))).is_empty());
}

/// PF-07
#[test]
fn slack_tokens_of_five_prefixes() {
    for kind in ["b", "p", "a", "r", "s"] {
        assert_eq!(classes(&format!("xox{kind}-123456789012-{}", run("aB3", 20))), ["slack_token"]);
    }
    assert!(classes("the xoxb- prefix").is_empty());
    // PF-07: by the prefix and a body, digits or none.
    for body in ["AbCdEfGhIjKlMnOp", "abcdefghjkmnpqrstuv", "a1bcdefghi"] {
        assert_eq!(classes(&format!("xoxp-{body}")), ["slack_token"], "{body}");
    }
    assert!(classes("set xoxb-your-bot-token in the file").is_empty());
    assert!(classes("SLACK_BOT_TOKEN=xoxb-YOUR-BOT-TOKEN").is_empty());
}

/// PF-08
#[test]
fn aws_keys_are_upper_case_and_whole_words() {
    assert_eq!(classes("AKIAIOSFODNN7EXAMPLE"), ["aws_access_key"]);
    assert!(classes("akiaiosfodnn7example").is_empty());
    assert!(classes("AKIAIOSFODNN7EXAMPLEX").is_empty());
}

/// PF-09
#[test]
fn evm_addresses_of_forty_and_not_sixty_four() {
    assert_eq!(classes(&format!("0x{}", run("0aB9", 40))), ["evm_address"]);
    assert!(classes(&format!("0x{}", run("0aB9", 64))).is_empty());
}

/// PF-10
#[test]
fn bech32_blocks_on_shape_and_prose_passes() {
    assert_eq!(classes("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"), ["btc_bech32"]);
    let wrong = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5";
    assert_eq!(SecretGate::new().scan(wrong)[0].confidence, Confidence::Shape);
    assert!(SecretGate::new().strictness(Strictness::Validated).scan(wrong).is_empty());
    assert!(classes("addresses begin with bc1 these days").is_empty());
}

/// PF-11
#[test]
fn legacy_addresses_need_their_checksum() {
    assert_eq!(classes("to 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa now"), ["btc_legacy"]);
    assert!(classes("to 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb now").is_empty());
}

/// PF-12
#[test]
fn the_head_of_a_private_key_is_a_hit_and_its_body_is_in_the_span() {
    assert_eq!(classes("-----BEGIN OPENSSH PRIVATE KEY-----"), ["pem_private"]);
    let body = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----", run("aB3/", 64));
    let text = format!("x {body} y");
    assert_eq!(SecretGate::new().scan(&text)[0].span, 2..2 + body.len());
    let cut = format!("-----BEGIN RSA PRIVATE KEY-----\n{}\nand prose", run("aB3/", 64));
    let span = SecretGate::new().scan(&cut)[0].span.clone();
    assert_eq!(&cut[span.end..], "\nand prose");
    assert!(classes("-----BEGIN PUBLIC KEY-----").is_empty());
}

// The block of PGP once passed: its head lacks the words of the others in a row.
#[test]
fn a_private_key_block_of_pgp_is_a_private_key() {
    assert_eq!(classes("-----BEGIN PGP PRIVATE KEY BLOCK-----"), ["pem_private"]);
}

/// PF-13
#[test]
fn bare_shapes_are_not_gated() {
    let solana = run("5Hb9kLmNpQ", 44);
    let mnemonic = "legal winner thank year wave sausage worth useful legal winner thank zoo";
    let hash = run("0123456789abcdef", 64);
    for text in [solana.as_str(), mnemonic, hash.as_str()] {
        assert!(classes(text).is_empty(), "{text}");
    }
}

// Markdown, escapes of JSON and URLs, and colours of a terminal beside a key once hid it.
#[test]
fn what_stands_beside_a_key_does_not_hide_it() {
    let keys = [
        ("aws_access_key", "AKIAIOSFODNN7EXAMPLE".to_owned()),
        ("openai_key", format!("sk-{}", run("aB3", 48))),
        ("anthropic_key", format!("sk-ant-api03-{}", run("aB3", 40))),
        ("github_pat", format!("ghp_{}", run("aB3", 36))),
        ("google_api_key", format!("AIza{}", run("aB3", 35))),
        ("slack_token", format!("xoxb-123456789012-{}", run("aB3", 20))),
        ("stripe_key", format!("sk_live_{}", run("a1", 24))),
        ("evm_address", format!("0x{}", run("0aB9", 40))),
        ("btc_bech32", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4".to_owned()),
        ("btc_legacy", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa".to_owned()),
    ];
    for (class, key) in &keys {
        for (before, after) in [
            ("_", "_"),
            ("__", "__"),
            ("\\n", "\\t"),
            ("\\t", ""),
            ("%3D", "&"),
            ("\u{1b}[31m", "\u{1b}[0m"),
            ("\\x1b[0m", ""),
            ("key_", ""),
            ("é", "é"),
            ("`", "`"),
        ] {
            let text = format!("x {before}{key}{after} y");
            assert!(
                classes(&text).contains(&(*class).to_owned()),
                "{class} between {before:?} and {after:?}"
            );
        }
    }
}

#[test]
fn a_key_without_an_end_is_masked_as_far_as_it_goes() {
    let head = "-----BEGIN RSA PRIVATE KEY-----";
    let line = run("aB3/", 64);
    for (body, rest) in [
        (format!(" {line} {line}"), "\nand prose follows"),
        (format!("\\n{line}\\n{line}\\n"), ""),
        (
            format!("\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n{line}\nshort=="),
            "\nand prose follows",
        ),
        (
            format!("\n[09:14:00] [tool:cat] {line}\n[09:14:00] [tool:cat] MIIE"),
            "\n[09:15:00] [user] thanks a lot",
        ),
    ] {
        let text = format!("{head}{body}{rest}");
        let span = SecretGate::new().scan(&text)[0].span.clone();
        assert_eq!(&text[span.end..], rest, "{text}");
    }
    // A far end mark hides nothing of a person's in between.
    let far = format!(
        "{head}\n[user] Decision: keep this.\n{}\n-----END RSA PRIVATE KEY-----",
        "x y\n".repeat(300)
    );
    assert_eq!(SecretGate::new().scan(&far)[0].span, 0..head.len());
}

#[test]
fn a_finding_prints_no_text() {
    let findings = SecretGate::new().scan("AKIAIOSFODNN7EXAMPLE");
    assert!(!format!("{findings:?}").contains("IOSFODNN"));
}

// Two ids without a gap once hid each other.
#[test]
fn secrets_without_a_gap_are_both_found() {
    let token = format!("ghp_{}", run("aB3", 36));
    assert_eq!(classes("AKIAIOSFODNN7EXAMPLEAKIAIOSFODNN7EXAMPLF"), ["aws_access_key"; 2]);
    assert_eq!(classes(&format!("AKIAIOSFODNN7EXAMPLE{token}")), ["aws_access_key", "github_pat"]);
}

// A head whose spaces are other control characters once passed.
#[test]
fn a_control_character_in_the_head_of_a_private_key_does_not_hide_it() {
    for space in ["\t", "\u{0}", "\u{b}", "\u{85}", "\u{2028}"] {
        let head = "-----BEGIN RSA PRIVATE KEY-----".replace(' ', space);
        assert_eq!(classes(&head), ["pem_private"], "{space:?}");
    }
}

/// BX-33
#[test]
fn wallets_are_found_where_their_checksum_holds() {
    let phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow";
    assert_eq!(classes(&format!("my seed: {phrase}")), ["mnemonic"]);
    assert_eq!(classes("5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"), ["wif_key"]);
    assert!(classes("5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTK").is_empty());
    let key = run("0a1b2c3d4e5f6978", 64);
    assert_eq!(classes(&format!("PRIVATE_KEY=0x{key}")), ["hex_private_key"]);
    assert!(classes(&format!("sha256 {key}")).is_empty());
}

#[test]
fn what_names_a_person_is_found_only_where_a_host_wants_it() {
    let text = "card 4012 8888 8888 1881, IBAN DE89 3704 0044 0532 0130 00, SSN 123-45-6789, call +44 20 7946 0958 or mail marta@example.com";
    assert!(classes(text).is_empty());
    let names = ["payment_card", "iban", "us_ssn", "phone_number", "email_address"];
    let gate = names.into_iter().fold(SecretGate::new(), SecretGate::with);
    let found: Vec<_> = gate.scan(text).into_iter().map(|finding| finding.class).collect();
    assert_eq!(found, names);
}

// Constants in code once were cards.
#[test]
fn a_card_without_groups_needs_a_word_for_it() {
    let gate = SecretGate::new().with("payment_card");
    assert_eq!(gate.scan("const POWERS: [u64; 2] = [4012888888881881, 5555555555554444];"), []);
    assert_eq!(gate.scan("her Visa is 4012888888881881")[0].class, "payment_card");
    assert_eq!(gate.scan("4012-8888-8888-1881")[0].class, "payment_card");
}

#[test]
fn a_failed_checksum_clears_no_distinctive_prefix() {
    let sound = "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";
    let broken = "ghp_wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUy";
    for (token, confidence) in [(sound, Confidence::Verified), (broken, Confidence::Shape)] {
        for strictness in [Strictness::Shape, Strictness::Validated] {
            assert_eq!(SecretGate::new().strictness(strictness).scan(token)[0].confidence, confidence);
        }
    }
}

#[test]
fn a_weak_shape_needs_the_name_under_which_it_stands() {
    let value = run("a1b2c3d4e5f60718293a", 40);
    assert_eq!(classes(&format!("DATADOG_API_KEY={value}")), ["datadog_key"]);
    assert_eq!(classes(&format!("{{\"datadogApiKey\": \"{value}\"}}")), ["datadog_key"]);
    assert!(classes(&format!("commit {value} of datadog")).is_empty());
    assert!(classes(&format!("DATADOG_API_KEY={}", run("x", 40))).is_empty(), "a place for one");
}

/// How much longer the texts of a long run are.
fn longer() -> usize {
    if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { 4 } else { 1 }
}

/// Counts the bytes that were looked at for a text of this length.
fn steps(gate: &SecretGate, piece: &str, length: usize) -> u64 {
    let text = piece.repeat(length / piece.len());
    let before = crate::steps::taken();
    gate.scan(&text);
    crate::steps::taken() - before
}

#[test]
fn twice_the_text_takes_twice_the_steps_in_every_disguise() {
    let many = 300_000 * longer();
    for piece in [
        "A",
        "QUtJQUlPU0ZPRE5ON0VYQU1QTEU9\n",
        "QUtJQUlPU0ZPRE5ON0VYQU1QTEU9 ",
        "7",
        "41",
        "%41",
        "%2541",
        "&#65;",
        "\\u0041",
        "\\n",
        "A ",
        "A, ",
        "41:",
        "ff:",
        "0x41,",
        "0x",
        "\n",
        "A1\n",
        "a\n- ",
        "a**",
        "\"",
        "a\" + \"",
        "[a](",
        "<",
        "{\"",
        "\u{200b}",
        "é",
        "А",
        "U+0041",
        "\\_",
        "\\41 ",
        "=41",
        "a=\n",
        "=\r\n",
        "|",
        "a1 | ",
        "Ab3dE5|",
        "|\n|",
        "<b>",
        "<td>",
        "a<b></b>",
        "Ab3dE5</td> <td>",
        "a\", \"",
        "Ab3dE5\",\"",
        "65 ",
        "65,",
        "130 ",
        "IFFUSQJANRUW4ZKB\n",
        "IFFUSQJANRUW4ZKB",
        "m5",
        "414b ",
        "ff ",
        "00000010: 414b 414b  AKAK\n",
        "\u{e0041}",
    ] {
        let (once, twice) =
            (steps(&SecretGate::new(), piece, many), steps(&SecretGate::new(), piece, 2 * many));
        assert!(twice <= once * 2 + once / 4, "{piece}: {once} and {twice}");
        assert!(once <= 100 * many as u64, "{piece}: {once}");
    }
}

#[test]
fn twice_the_text_takes_twice_the_steps_whatever_it_is() {
    let many = 1_250_000 * longer();
    for piece in [
        "x",
        "A",
        "7",
        "-",
        "QUtJQUlPU0ZPRE5ON0VYQU1QTEU9",
        "1",
        "sk-",
        "AKIA",
        "eyJ",
        "5K",
        "0x",
        "abandon ",
        "://",
        "password",
        "password: ",
        "password=a1",
        "token = ",
        "token=",
        "secret is ",
        "token for a b c d ",
        "token: &'a ",
        "9fk2LmQ7",
    ] {
        let gate = SecretGate::new().with("named_password").with("named_key").undisguised_only();
        let (once, twice) = (steps(&gate, piece, many), steps(&gate, piece, 2 * many));
        assert!(once > 0, "{piece}: something is counted");
        assert!(twice <= once * 2 + once / 10 + 10_000, "{piece}: {once} and {twice}");
    }
}

// Whether a dump with short lines was read once hung on the place where it began.
#[test]
fn a_dump_is_read_wherever_it_begins() {
    let dump = "00000000: 414b 4941 494f 5346  AKIAIOSF\n00000008: 4f44 4e4e 3745 5841  ODNN7EXA\n00000010: 4d50 4c45  MPLE\n";
    for before in 0..40 {
        let text = format!("{}{dump}", "=".repeat(before));
        assert_eq!(classes(&text), ["aws_access_key"], "{before}");
    }
}

// Words of one letter before letters that stand apart once hid them, where the text began at some places.
#[test]
fn letters_that_stand_apart_are_read_behind_words_of_one_letter() {
    let apart =
        "AKIAIOSFODNN7EXAMPLE".split("").filter(|letter| !letter.is_empty()).collect::<Vec<_>>().join(" | ");
    for before in 0..20 {
        for words in ["a", "I", "a a", "- a a a"] {
            let text = format!("{}ok {words} {apart}", "x".repeat(before));
            assert_eq!(classes(&text), ["aws_access_key"], "{text}");
        }
    }
}

#[test]
fn what_pads_a_code_is_no_sign_of_the_next_line() {
    let text = "a path/xaQUtJQUlPU0ZPRE5ON0VYQU1QTEU=\n = \n";
    let spans: Vec<&str> = SecretGate::new().scan(text).into_iter().map(|one| &text[one.span]).collect();
    assert!(!spans.is_empty() && spans.iter().all(|span| !span.contains('\n')), "{spans:?}");
    // But what goes on there does.
    let text = "key QUtJQUlPU0ZP\n> RE5ON0VYQU1QTEU=\n";
    let found = SecretGate::new().scan(text);
    assert!(found.iter().any(|one| text[one.span.clone()].ends_with("QTEU")), "{found:?}");
}

#[test]
fn every_class_finds_its_own_example_and_names_it() {
    let every = SecretGate::classes().fold(SecretGate::new(), SecretGate::with);
    for seed in 0..8 {
        let examples = crate::testing::secrets(seed);
        assert!(examples.iter().map(|(class, _)| *class).eq(SecretGate::classes()));
        for (class, text) in examples {
            for text in [text.clone(), format!("note: {text} and more"), format!("`{text}`\n")] {
                let found = every.scan(&text);
                assert!(found.iter().any(|finding| finding.class == class), "{class}: {text} is {found:?}");
            }
        }
    }
}

// A gate with few classes searches in another way, and finds the same.
#[test]
fn a_class_that_is_alone_is_found_where_it_is_found_among_all() {
    let none = SecretGate::classes().fold(SecretGate::new(), SecretGate::without);
    let every = SecretGate::classes().fold(SecretGate::new(), SecretGate::with);
    for (class, example) in crate::testing::secrets(3) {
        let text = format!("first {example}, then sk-ant-{example} and {example}");
        let alone = none.clone().with(class).scan(&text);
        let covered = |one: &Finding| {
            every.scan(&text).iter().any(|of| of.span.start <= one.span.start && one.span.end <= of.span.end)
        };
        let reaches = alone.last().is_some_and(|last| text.len() - last.span.end < example.len());
        assert!(reaches && alone.iter().all(covered), "{class}: {text} is {alone:?}");
    }
}

// Another tool that is handed the patterns must not see less than the gate.
#[test]
fn every_pattern_matches_the_example_of_its_class() {
    let every = SecretGate::classes().fold(SecretGate::new(), SecretGate::with);
    let examples = crate::testing::secrets(1);
    for (class, pattern) in every.patterns() {
        let pattern = regex::bytes::RegexBuilder::new(&pattern).unicode(false).build().unwrap();
        let (_, text) = examples.iter().find(|(of, _)| *of == class).unwrap();
        assert!(pattern.is_match(text.as_bytes()), "{class}: {text}");
    }
    let patterns: Vec<_> = every.patterns().map(|(class, _)| class).collect();
    let left_out: Vec<_> = SecretGate::classes().filter(|class| !patterns.contains(class)).collect();
    assert_eq!(left_out, ["mnemonic", "foreign_password", "foreign_key"]);
}

/// Returns the table of the classes, as people read it.
fn table() -> String {
    let mut table = "| class | what | proof | by default |\n|---|---|---|---|\n".to_owned();
    for class in classes::all() {
        let proof = match class.proof {
            Proof::None => "its shape is enough",
            Proof::Confidence(_) | Proof::Checksum(_) => "raises the confidence",
            Proof::Required(_) => "needed",
        };
        let switch = if class.default == Switch::On { "on" } else { "off" };
        table += &format!("| `{}` | {} | {proof} | {switch} |\n", class.name, class.what);
    }
    table
}

#[test]
fn the_page_shows_the_table_as_it_is() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/classes/classes.md");
    if std::env::var_os("NOCTUARY_WRITE_TABLE").is_some() {
        std::fs::write(path, table()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), table(), "set NOCTUARY_WRITE_TABLE=1 to write it");
}
