import Foundation
import Testing

@testable import MessageFormat

/// FR-COMP-01: what is written and quoted.
@Suite("FR-COMP-01: HTML that is written keeps its formatting, and nothing that could do harm")
struct ComposedHTMLTests {
    /// The elements that the editor writes come back as they were.
    @Test(arguments: [
        "<p>a <b>b</b> <strong>c</strong> <i>d</i> <em>e</em> <u>f</u> <s>g</s></p>",
        "<p><br></p>", "<div>one</div><div><br></div><div>two</div>",
        "<p><a href=\"https://example.org/?a=1&amp;b=2\">x</a></p>",
        "<ul><li>a<ul><li>b</li></ul></li></ul><ol start=\"3\"><li>c</li></ol>",
        "<blockquote type=\"cite\"><p>a</p></blockquote><blockquote><p>b</p></blockquote>",
        "<pre>a  b\nc</pre><pre>\n\nd</pre><p><code>d</code></p><h1>1</h1><h2>2</h2><h3>3</h3><hr>",
        "<p><span style=\"color:#b00020;background-color:#ffff00;font-size:18px\">x</span></p>",
        "<p><img src=\"cid:a@b\" width=\"10\" height=\"20\" alt=\"x\"></p>",
        "<table><tbody><tr><th>a</th><td colspan=\"2\">b</td></tr></tbody></table>",
        "<p><img data-src=\"https://example.org/a.png\" alt=\"x\"></p>",
        "<div class=\"moz-signature\"><p>Ada</p></div><div class=\"moz-cite-prefix\">On</div>",
    ]) func theEditorsHTMLStays(_ html: String) {
        #expect(ComposedHTML(html).html == html)
    }

    @Test(arguments: [
        (
            "<p id=a class='x y' onclick=x() style='position:fixed;color:red'>a</p>",
            "<p style=\"color:red\">a</p>"
        ),
        ("<script>x</script><style>p{}</style><p>a</p><iframe src=x></iframe>", "<p>a</p>"),
        ("<a href=javascript:x>a</a> <a href='#b'>c</a>", "a c"),
        ("<form action=x><input name=a><button>Go</button>b</form>", "b"),
        ("<div style='display:none'>a<img src='https://x.example/a.png'></div>b", "b"),
        ("<img src='https://x.example/a.png' width=1 height=1>a", "a"),
        ("<img src='file:///etc/passwd'><img src='blob:x' alt='y'>", "<img alt=\"y\">"),
        ("<img src='images/spacer.gif' width=9><img>", "<img width=\"9\">"),
        ("<img src='https://x.example/a.png' onerror=x()>", "<img data-src=\"https://x.example/a.png\">"),
        (
            "<b style='background:url(https://x.example/a.png) red'>a</b>",
            "<b style=\"background:none red\">a</b>"
        ),
        ("</blockquote></div><p>a", "<p>a</p>"), ("<svg><p>a</p></svg>b", "<p>a</p>b"),
        ("<p>a<!-- x --></p>", "<p>a</p>"), ("<o:p>a</o:p>", "a"),
    ]) func whatCouldDoHarmGoes(_ html: String, _ expected: String) {
        #expect(ComposedHTML(html).html == expected)
    }

    /// Whatever received mail holds: what a composer is given loads and runs nothing.
    @Test func hostilePagesAreInert() throws {
        let pieces = [
            "<p>", "</p>", "<div style=\"", "\">", "<img src=", "https://x.example/a.png", "cid:a",
            "javascript:x",
            "<a href='", "'>", "<svg>", "</svg>", "<math>", "<style>", "</style>", "<script>", "</script>",
            "<blockquote type=cite>", "</blockquote>", "<table><tr><td>", "</table>", "&lt;", "-- ", "<br>",
            "x",
            " onload=x ", "<noscript>", "<template>", "<!--", "-->", "url(https://x/)", "expression(",
        ]
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let html = (0..<Int.random(in: 1...25, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            let clean = ComposedHTML(html).html
            let problems = InertHTML(clean.replacing("src=\"cid:", with: "src=\"/blob/")).problems
            #expect(problems.allSatisfy { $0.contains("data-src") }, "\(html) → \(clean): \(problems)")
            #expect(ComposedHTML(clean).html == clean, "\(html)")
        }
    }

    @Test func theRecipientsGetTheLookAndTheImages() {
        var rules = ComposedHTML.Rules()
        rules.remoteImages = .named
        rules.isStyled = true
        let html = """
            <p style="text-align:center">a</p><blockquote type="cite"><p>b</p>\
            <img data-src="https://x.example/a.png"></blockquote>
            """
        let styled = ComposedHTML(html, rules).html
        #expect(styled.hasPrefix("<p style=\"margin:0 0 14px 0;text-align:center\">a</p>"))
        #expect(styled.contains("<blockquote type=\"cite\" style=\"\(OutgoingLook.quote)\"><p>b</p>"))
        #expect(styled.contains("<img src=\"https://x.example/a.png\">"))
    }

    @Test(arguments: [
        ("<p>a</p><div class=gmail_signature>Bob</div><div class=gmail_quote><p>c</p></div>", "Bob"),
        ("<p>a</p><p>-- <br>Bob</p><blockquote type=cite>c</blockquote>", "Bob"),
        ("a<br>-- <br>Bob<br><img src='https://x.example/l.png'><div class=moz-cite-prefix>On</div>c", "Bob"),
        ("<p>a</p><div id=AppleMailSignature>Bob</div>c", "Bob"),
        ("<p>a</p><div id=\"ms-outlook-mobile-signature\">Bob</div>c", "Bob"),
        ("<p>a</p><pre class='moz-signature'>-- \nBob</pre>c", "Bob"),
    ]) func theAuthorsSignatureGoes(_ html: String, _ gone: String) {
        var rules = ComposedHTML.Rules()
        rules.isOriginal = true
        let whole = ComposedHTML(html, rules).html
        #expect(whole.contains(gone) && whole.contains("a") && whole.contains("c"))
        rules.dropsSignature = true
        let answered = ComposedHTML(html, rules).html
        #expect(
            !answered.contains(gone) && !answered.contains("--") && !answered.contains("<img"), "\(answered)")
        #expect(answered.contains("a") && answered.contains("c"))
    }

    @Test(arguments: [
        "<p>-- <b>not one</b></p>", "<blockquote type=cite>a<br>-- <br>b</blockquote>", "<p>a -- b</p>",
    ]) func otherDashesStay(_ html: String) {
        var rules = ComposedHTML.Rules()
        rules.dropsSignature = true
        #expect(ComposedHTML(html, rules).html == ComposedHTML(html).html)
    }

    @Test func textIsQuotedAsParagraphs() {
        let text = "One\n two  three\n\n> quoted https://example.org\n>> twice\n<b>\n-- \nBob\n"
        #expect(
            ComposedParagraphs.html(of: text, dropsSignature: true)
                == "<p>One<br>\u{A0}two \u{A0}three</p><blockquote type=\"cite\"><p>quoted "
                + "<a href=\"https://example.org\">https://example.org</a></p><blockquote type=\"cite\"><p>twice"
                + "</p></blockquote></blockquote><p>&lt;b&gt;</p>")
    }

    @Test func contentIDsAreFound() {
        #expect(
            ComposedHTML.cids(in: "<img src=\"cid:a\"> &quot;cid:b&quot; <img src=\"cid:c@d\">") == [
                "a", "c@d",
            ])
    }

    @Test func imagesInTheHTMLItselfAreRead() {
        let image = EmbeddedImage(dataURL: "data:image/png;base64,iVBORw0KGgo=")
        #expect(image?.type == "image/png" && image?.bytes.count == 8)
        #expect(EmbeddedImage(dataURL: "data:image/svg+xml;base64,AAAA") == nil)
    }
}

/// FR-COMP-01: the text of a message for programs and people that read no HTML.
@Suite("FR-COMP-01: what is written as HTML reads well as text") struct ComposedTextTests {
    @Test(arguments: [
        ("<p>a <b>b</b> <i>c</i></p><p>d</p>", "a b c\n\nd"),
        ("<div>a</div><div><br></div><div>b</div><div>c<br>d</div>", "a\n\nb\nc\nd"),
        ("<p>a</p><p><br></p><p>b</p>", "a\n\nb"), ("<p><br></p><p><br></p>", ""),
        ("<p>a</p><p><br></p><p><br></p><p>b</p>", "a\n\n\nb"),
        (
            "<p>x</p><ul><li>a<ul><li>b</li></ul></li><li><p>c</p><p>d</p></li></ul><p>y</p>",
            "x\n\n- a\n  - b\n- c\n  d\n\ny"
        ),
        ("<ol start=\"9\"><li>a</li><li>b</li></ol>", "9. a\n10. b"),
        ("<p><a href=\"https://example.org/x\">here</a></p>", "here <https://example.org/x>"),
        ("<p><a href=\"https://example.org/\">example.org</a></p>", "example.org"),
        ("<p><a href=\"mailto:a@b.example\">a@b.example</a></p>", "a@b.example"),
        ("<ul><li><a href=\"https://example.org\">example.org</a></li></ul>", "- example.org"),
        (
            "<p>x</p><blockquote type=\"cite\"><p>a</p><blockquote><p>b</p></blockquote><p>c</p></blockquote><p>y</p>",
            "x\n\n> a\n>\n>> b\n>\n> c\n\ny"
        ),
        (
            "<div class=\"moz-cite-prefix\">On x:</div><blockquote><p>a</p><p>b</p></blockquote>",
            "On x:\n> a\n>\n> b"
        ),
        (
            "<table><tr><th>a</th><th>b</th></tr><tr><td><p>1</p></td><td>2<br>3</td></tr></table>",
            "a | b\n1 | 2 3"
        ),
        ("<pre>a\n  b\n\nc</pre>", "a\n  b\n\nc"), ("<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"),
        ("<h1>T</h1><p>a</p>", "T\n\na"), ("<p>a\u{A0} b</p>", "a  b"),
        ("<p>a</p><div class=\"moz-signature\"><p>Ada<br>Home</p></div>", "a\n\n-- \nAda\nHome"),
        ("<p><img src=\"cid:a\" alt=\"Map\"> <img src=\"cid:b\"></p>", "[Map]"),
    ]) func text(_ html: String, _ text: String) {
        #expect(ComposedText.of(html) == text)
    }
}
