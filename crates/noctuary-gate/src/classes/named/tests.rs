use crate::secret::SecretGate;
use crate::{PiiFilter, View};

fn gate() -> SecretGate {
    SecretGate::new()
}

/// Returns the classes of a text, each with what is masked.
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

// The rule that refuses code must not refuse random text of programs.
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

// Of 22 foreign words for a password, 19 were not known.
#[test]
fn a_name_in_another_language_leads_to_its_value() {
    const KEY: &str = "9fk2LmQ7xV0bTz4RwYc8Hd1N";
    let passwords = [
        "Losungswort: {}",
        "le mot de passe du bateau est {}.",
        "Mot de passe : {}",
        "la contraseña es {}",
        "Contraseña del wifi: {}",
        "senha: {}",
        "A senha é {}",
        "palavra-passe: {}",
        "parola d'ordine: {}",
        "wachtwoord: {}",
        "Het wachtwoord is {}",
        "hasło: {}",
        "Hasło do wifi to {}",
        "HASŁO={}",
        "şifre: {}",
        "Parolam: {}",
        "пароль: {}",
        "Пароль от лодки — {}",
        "密码：{}",
        "密码是{}，别忘了",
        "パスワードは{}です",
        "パスワード：「{}」",
        "비밀번호: {}",
        "비밀번호는 {}입니다",
        "كلمة المرور: {}",
        "סיסמה: {}",
        "הסיסמה היא {}",
        "รหัสผ่าน: {}",
        "salasana: {}",
        "Salasanani on {}",
        "jelszó: {}",
        "A jelszavam: {}",
        "heslo: {}",
        "Heslo k lodi je {}",
        "geslo: {}",
        "lösenord: {}",
        "LÖSENORD: {}",
        "lo\u{308}senord: {}",
        "adgangskode: {}",
        "Kodeordet er `{}`",
    ];
    for text in passwords.map(|text| text.replace("{}", "hunter2-Boat")) {
        let found = found(&text);
        let is_masked = matches!(&found[..], [(class, "hunter2-Boat")] if class.ends_with("_password"));
        assert!(is_masked, "{text}: {found:?}");
    }
    let keys = [
        "Schlüssel: {}",
        "clé : {}",
        "jeton={}",
        "clave: {}",
        "chave: {}",
        "chiave: {}",
        "sleutel: {}",
        "klucz: {}",
        "anahtar: {}",
        "ключ: {}",
        "токен: {}",
        "密钥：{}",
        "令牌是{}",
        "キー：{}",
        "토큰: {}",
        "مفتاح: {}",
        "מפתח: {}",
        "คีย์: {}",
        "avain: {}",
        "kulcs: {}",
        "klíč: {}",
        "ključ: {}",
        "nyckel: {}",
        "nøgle: {}",
        "segreto: {}",
        "hemlighet: {}",
    ];
    for text in keys.map(|text| text.replace("{}", KEY)) {
        assert!(found(&text).iter().any(|(_, value)| *value == KEY), "{text}: {:?}", found(&text));
    }
}

#[test]
fn ordinary_words_behind_a_foreign_name_are_no_secrets() {
    for text in [
        "Mot de passe : au moins douze caractères, dont un chiffre",
        "contraseña: debe tener 12 caracteres",
        "hasło: minimum 8 znaków",
        "Das Losungswort: Frieden",
        "clave: valor, clave2: valor2",
        "la chiave è sotto lo zerbino",
        "ключ: значение",
        "Пароль: не менее 8 символов",
        "密码：至少8个字符",
        "パスワードは8文字以上です",
        "비밀번호는 8자 이상입니다",
        "heslo: viz README.md",
        "şifre: en az 8 karakter",
        "wachtwoord: zie https://example.com/wachtwoord",
        "senha: ${SENHA}",
        "salasana: /run/secrets/salasana1",
        "nyckel: värde-som-alla-kan-se",
        "klíč: string, hodnota: number",
        "Schlüssel: com.example.boat.harbour.name",
    ] {
        assert!(found(text).is_empty(), "{text}: {:?}", found(text));
    }
}
