//! The addresses of servers, which may have a password that nobody is to see.

/// Returns whether a text is a server's address.
pub(crate) fn is_address(text: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme))
}

/// Returns an address without user, password and options.
pub(crate) fn shown(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("postgres", address));
    let place = rest.split_once('?').map_or(rest, |(place, _)| place);
    // A sign that should have been written as a code may be one of the password.
    let place = match place.rsplit_once('@') {
        Some((_, place)) => place,
        None if rest.contains('@') => "",
        None => place,
    };
    format!("{scheme}://{place}")
}

/// Returns a text without the passwords of the command line.
pub(crate) fn masked(text: &str) -> String {
    let mut masked = text.to_owned();
    for said in std::env::args_os().filter_map(|said| said.into_string().ok()) {
        if let Some(address) = said.find("postgres").map(|at| &said[at..]).filter(|said| is_address(said)) {
            masked = masked.replace(address, &shown(address));
        }
    }
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        for (address, wanted) in [
            ("postgres://marta:sesame@db.example:5433/lives", "postgres://db.example:5433/lives"),
            ("postgresql://db/lives?user=marta&password=sesame", "postgresql://db/lives"),
            ("postgres://marta:ses@me@db/lives", "postgres://db/lives"),
            ("postgres://marta:ses?me@db/lives", "postgres://"),
            ("postgres://marta@%2Ftmp/lives", "postgres://%2Ftmp/lives"),
            ("postgres://marta:s/esame@db/lives?sslmode=require", "postgres://db/lives"),
        ] {
            assert_eq!(shown(address), wanted);
            assert!(is_address(address));
        }
        assert!(!is_address("agent/postgres://life.db"));
    }
}
