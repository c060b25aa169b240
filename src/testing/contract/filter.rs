//! The suite of every filter.

use noctuary_gate::PiiFilter;

/// A filter finds what is planted, leaves what is clean, and gives sound spans. `planted` are pairs of a class
/// and a text that holds one.
pub fn pii_filter(filter: &dyn PiiFilter, planted: &[(&str, &str)], clean: &[&str]) {
    for (class, text) in planted {
        let findings = filter.scan(text);
        assert!(
            findings.iter().any(|finding| finding.class == *class),
            "no finding of {class:?}: {findings:?}"
        );
        assert_eq!(findings, filter.scan(text), "the same text gives the same findings");
        assert!(findings.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start), "sorted, no overlap");
        for finding in &findings {
            assert!(text.get(finding.span.clone()).is_some(), "spans lie on characters");
        }
    }
    for text in clean {
        assert!(filter.scan(text).is_empty(), "clean text has no findings");
    }
}
