import Foundation
import Testing

@testable import MessageFormat

@Suite("Text of pages, and previews") struct TextTests {
    @Test(arguments: [
        ("<p>One<p>Two", "One\n\nTwo"), ("a<br>b<br><br>c", "a\nb\n\nc"), ("  a \n  b ", "a b"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>d", "- a\n- b\n  - c\n\nd"), ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("<a href='https://x.example/'>Go</a> on", "Go <https://x.example/> on"),
        ("<a href='https://x.example'>https://x.example</a>", "https://x.example"),
        ("<a href='https://x.example'>x.example</a>", "x.example"),
        ("<a href='mailto:a@b.c'>a@b.c</a>", "a@b.c"), ("<a href='javascript:x'>Go</a>", "Go"),
        ("<blockquote>a<p>b</blockquote>c", "> a\n>\n> b\n\nc"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ("<style>p{}</style><script>x</script><title>t</title>a", "a"),
        ("<div style='display:none'>hidden</div><span style='max-height:0px'>h</span>seen", "seen"),
        ("<div>a</div><div>b</div>", "a\nb"), ("<pre>a\n  b</pre>", "a\n  b"), ("<img alt='A cat'>", "A cat"),
        ("<h1>T</h1><p>x</p>", "T\n\nx"), ("a&nbsp;b &amp; c", "a\u{A0}b & c"), ("", ""),
        ("<select><option>x</select>y", "y"), ("<svg><text>x</text></svg>y", "y"),
    ]) func plainText(_ html: String, _ text: String) {
        #expect(PlainText.from(html: html) == text)
    }

    /// Words and lines; how many of them are empty does not matter to a preview.
    @Test(arguments: [
        "<p>One<p>Two", "a<br>b<BR/>c", "<ul><li>a<li>b<ul><li>c</ul></ul>d", "<ol><li>a<li>b</ol>",
        "<a href='https://x.example/'>Go</a> on", "<blockquote>a<p>b</blockquote>c",
        "<div><blockquote>a</div>b", "<table><tr><td>a<td>b<tr><td><p>c</table>d",
        "<table><tr><td><b>a</div>b</td></tr></table>c",
        "<style>p{}</style><SCRIPT>x</script><title>t</title>a",
        "<head><title>t</title></head>a", "text <!-- a > b --> more <!> and </ x> on", "a < b <3 c",
        "<div style='display:none'>hidden<div>also</div></div><span style='max-height:0px'>h</span>seen",
        "<p hidden>no</p>yes", "<div hidden>no", "<pre>a\n  b</pre>c", "<img alt='A cat'> &amp;amp; <hr> dog",
        "a&nbsp;b &amp; c &copy 2026 AT&T &notin; &#8364; &#x20AC; &#146; &#0; &eacute;t&eacute;",
        "<select><option>x</select>y", "<td>a", "</div></p>a", "<dl><dt>a<dd>b</dl>", "", "<", "a <b", "&",
        "&#",
        "<xmp><b></xmp>a", "<template>a</template>b", "<svg><title>x</title></svg>y", "<p title='>'>a",
    ]) func theBeginningOfAPageIsItsText(_ html: String) {
        let lines = { (text: String) in text.split(separator: "\n").map { $0.filter { $0 != " " } } }
        #expect(
            lines(PlainText.beginning(of: html, enough: 100))
                == lines(PlainText.from(html: html, links: false)))
    }

    @Test func theBeginningEndsWhereItIsEnough() {
        let page =
            "<blockquote>\(String(repeating: "<p>old</p>", count: 500))</blockquote>"
            + String(repeating: "<p>new</p>", count: 500)
        let beginning = PlainText.beginning(of: page, enough: 100)
        #expect(beginning.contains("> old\n"))
        let written = beginning.split(separator: "\n").filter { $0 == "new" }.count
        #expect((20...40).contains(written))
    }

    @Test(arguments: [
        ("Hello\n\n  there ", "Hello there"), ("> old\nnew", "new"), ("new\n-- \nAna", "new"),
        ("On Mon, 1 Jan 2026, Ana wrote:\n> old\nnew", "new"),
        ("On Monday, 1 Jan 2026, Ana Somebody\n<ana@example.com> wrote:\n> old\n\nnew", "new"),
        ("> only\n> old", "only old"), ("a\u{200B}\u{FEFF}b\u{AD}c", "abc"), ("=====\nNews\n*****", "News"),
        ("new\n-----Original Message-----\nFrom: x", "new"), ("", ""), ("👩‍👩‍👧 hi", "👩‍👩‍👧 hi"), ("-- \nAna", "Ana"),
    ]) func preview(_ text: String, _ expected: String) {
        #expect(Preview.of(text: text).text == expected)
    }

    @Test(
        arguments: [
            ("windows-1255", [0xF9, 0xEC, 0xE5, 0xED], "שלום"), (nil, [0xC3, 0xA9], "é"),
            ("utf-8", [0xE9], nil), (nil, [0xE9], nil), ("nonsense", [0x61], nil),
        ] as [(String?, [UInt8], String?)]) func foreignText(
            _ charset: String?, _ bytes: [UInt8], _ text: String?
        )
    {
        #expect(ForeignText.read(Data(bytes), charset: charset) == text)
    }

    @Test func aPreviewJoinsLinesAsTheViewDoes() {
        let message = parse(
            "Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes\n\n日本 \n語\n")
        #expect(message.preview == "日本語")
    }

    @Test func aPreviewHasNoMoreThan256Characters() {
        #expect(
            Preview.of(text: String(repeating: "ä", count: 300)).text == String(repeating: "ä", count: 256))
        let words = Preview.of(text: String(repeating: "word ", count: 300)).text
        #expect(words.count <= 256 && words.hasSuffix("d") || words.hasSuffix("w"))
    }

    @Test func aNewslettersPreviewIsItsText() {
        let message = parse(
            """
            Content-Type: text/html

            <html><head><style>\(String(repeating: "p { color: red }\n", count: 2000))</style></head><body>
            <div style="display:none">Preheader &zwnj;&nbsp;&zwnj;&nbsp;</div>
            <p>&zwnj; Hello&nbsp;Ana,</p><p>this is news.</p></body></html>
            """)
        #expect(message.preview == "Hello Ana, this is news.")
    }
}
