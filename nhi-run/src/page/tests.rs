use super::{embedded, filled, page};
use crate::panels::tests::recording;
use crate::recording::Quantity;

const MARKUP: &str = "</script><script>alert('a & \"b\"')</script><!-- {{style}}";

#[test]
fn names_are_no_markup() {
    let mut recording = recording(&[(MARKUP, Quantity::Coordinate, &[0.0, 1.0])]);
    recording.about.system = MARKUP.to_owned();
    recording.about.stopped = Some(MARKUP.to_owned());
    recording.about.parameters = vec![(MARKUP.to_owned(), f64::NAN)];
    let page = page(&recording, None);
    // Those of the template: a style, the recording and a script.
    assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (2, 2));
    assert!(page.contains("<title>&lt;/script&gt;&lt;script&gt;alert(&#39;a &amp; &quot;b&quot;&#39;)"));
}

/// The JSON of a page, as its script reads it.
#[test]
fn names_are_read_back() {
    let recording = recording(&[(MARKUP, Quantity::Coordinate, &[0.0, f64::NAN])]);
    let page = page(&recording, None);
    let (_, rest) = page.split_once("id=\"recording\">").expect("the recording");
    let (json, _) = rest.split_once("</script>").expect("its end");
    let read: serde_json::Value = serde_json::from_str(json).expect("JSON");
    assert_eq!(read["columns"][2]["name"], MARKUP);
    assert_eq!(read["samples"], 2);
}

#[test]
fn pages_need_no_network() {
    let page = page(&recording(&[("x", Quantity::Coordinate, &[0.0, 1.0])]), None);
    for loading in ["http:", "https:", "src=", "href=", "@import", "url(", "fetch(", "import("] {
        assert!(!page.contains(loading), "{loading}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn marks_are_filled_once() {
    let texts = [("a", "{{b}}"), ("b", "2")];
    assert_eq!(filled("<{{a}}|{{b}}|{{a}}>", &texts), "<{{b}}|2|{{b}}>");
    assert_eq!(embedded("</script> <!-- <"), "\\u003c/script> \\u003c!-- \\u003c");
}
