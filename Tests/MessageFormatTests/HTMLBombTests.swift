import Foundation
import TestSupport
import Testing

@testable import MessageFormat

@Suite("HTML that wants to take long", .timeLimit(.minutes(10))) struct HTMLBombTests {
    @Test(arguments: [
        "<div>", "<b>", "<p>", "<a href=x>", "<table><tr><td>", "<b><p>", "<font><table>", "<svg><g>", "<li>",
        "<b><!--</b>-->", "<b><table></b>", "<i title=\"</i>\">", "<select><option>", "<math><mi>", "<!--",
        "<",
        "&amp", "<x a=1 b=2>", "<style>a{", "<div style=\"a:b\">", "</p>", "<nobr>", "<form><input>",
    ])
    func fiftyThousandTimes(_ piece: String) {
        let bomb = String(repeating: piece, count: 50_000)
        var safe = HTMLSanitizer().sanitize("") { _ in nil }
        let taken = processorTime {
            safe = HTMLSanitizer().sanitize(bomb) { _ in nil }
            _ = Preview.of(text: bomb)
        }
        #expect(taken < .seconds(60))
        #expect(InertHTML(safe.html).problems == [])
        #expect(safe.html.utf8.count < 25_000_000)
    }

    /// Elements like `b` come back in each new paragraph, though what they were opened in is closed.
    static let clones = (1...1900).map { "<b a=\($0)>" }.joined()

    @Test(arguments: [
        "<section hidden><div>\(clones)</div>" + String(repeating: "<p> </p>", count: 5400),
        "<div>" + String(clones.prefix(8000)) + "</div>" + String(repeating: "<p>", count: 950),
        // What looks like an end tag, and is none.
        "<div>" + clones.replacing(">", with: "><script></b></script>") + "</div>"
            + String(repeating: "<p> ", count: 5400),
        "<div>" + clones.replacing(">", with: "><!x </b>") + "</div>"
            + String(repeating: "<p> ", count: 5400),
        "<div>" + clones.replacing(">", with: "></b\u{1}>") + "</div>"
            + String(repeating: "<p> ", count: 5400),
        // What looks like a value, and is none.
        "<div><b =\">" + clones + "<b \"></div>" + String(repeating: "<p> ", count: 5400),
        // Counted as text by code that does not build the tree.
        "<select><title></select><div>" + clones + "</div>" + String(repeating: "<p> ", count: 5400),
    ]) func paragraphsThatCopyElements(_ page: String) {
        let taken = processorTime {
            _ = parse("Content-Type: text/html\n\n" + page)
            if let tree = HTMLTree(page) { #expect(tree.byteCount < 100_000_000) }
            #expect(HTMLSanitizer().sanitize(page + "<p>Seen") { _ in nil }.html.contains("Seen"))
        }
        #expect(taken < .seconds(60))
    }

    @Test func formattingWithinMeasureStays() {
        let rows = (1...400).map { "<tr><td><b><font color=red>\($0)</font></b><td><p><i>x</i>" }.joined()
        let html = HTMLSanitizer().sanitize("<table>\(rows)</table>") { _ in nil }.html
        #expect(html.components(separatedBy: "<font").count == 401)
        #expect(html.components(separatedBy: "<i>").count == 401)
    }

    @Test func endTagsThatCloseNothing() {
        let page = String(repeating: "<p>", count: 2000) + String(repeating: "</z>", count: 500_000)
        #expect(processorTime { _ = PlainText.from(html: page) } < .seconds(30))
    }

    @Test(arguments: [
        "<p>", "<p ", "</p>", "<!--", "<!-- -->", "<div hidden>", "<blockquote>", "<style>", "<a b=\"", "<",
        "<ul></li>", "<svg></svg>", "<b style=\"&quot;\">", "&", "&amp;",
    ]) func beginningsThatDoNotEnd(_ piece: String) {
        let page = String(repeating: piece, count: 2_000_000 / piece.utf8.count)
        #expect(processorTime { _ = PlainText.beginning(of: page, enough: 1024) } < .seconds(30))
    }

    private static let attributes = (0..<100_000).map { "a\($0)=1" }.joined(separator: " ")

    /// The parser compares each attribute of a tag with all before it.
    @Test(arguments: [
        "<p \(attributes)>x", "</p \(attributes)>x", "<p><b \(attributes) id=a>x</b>",
        "<svg \(attributes)></svg>x",
        // What looks like a title, and is none.
        "<select><title></select><p \(attributes)>x", "<svg><title><p \(attributes)>x",
        String(repeating: "<p \(attributes.prefix(20_000))>", count: 25) + "x",
    ]) func aTagWithAHundredThousandAttributes(_ page: String) {
        var safe = SafeHTML()
        let taken = processorTime { safe = HTMLSanitizer().sanitize(page) { _ in nil } }
        #expect(taken < .seconds(6))
        #expect(safe.html.contains("x"))
        #expect(processorTime { _ = PlainText.from(html: page) } < .seconds(6))
    }

    @Test func theFirstAttributesOfATagAreKept() {
        let more = (0..<5000).map { "a\($0)=\"a>b\"" }.joined(separator: " ")
        let page = "<a href=\"https://example.com/\" \(more)>One</a><p>Two"
        let html = HTMLSanitizer().sanitize(page) { _ in nil }.html
        #expect(html.contains("href=\"https://example.com/\"") && html.contains(">One</a><p>Two</p>"))
    }

    @Test(arguments: [
        "<img src=https://a.example/1>", "<!--", "<div>", "&amp;lt;", "<a href=https://#.example/>x</a>",
    ])
    func twiceAsMuchTakesTwiceAsLong(_ piece: String) {
        func taken(_ count: Int) -> Duration {
            let page = (0..<count).map { piece.replacing("#", with: "\($0)") }.joined()
            return processorTime { _ = HTMLSanitizer().sanitize(page) { _ in nil } }
        }
        _ = taken(1000)
        #expect(taken(60_000) < taken(15_000) * 8 + .milliseconds(200))
    }

    @Test func manyPagesBelowOneAnother() {
        func taken(_ count: Int) -> Duration {
            let page = HTMLSanitizer().sanitize("<p>" + String(repeating: "words ", count: 100)) { _ in nil }
            return processorTime { _ = SafeHTML.joined(Array(repeating: page, count: count)) }
        }
        #expect(taken(16_000) < taken(2000) * 24 + .milliseconds(100))
    }

    @Test func aPageThatCannotBeReadLeavesItsText() {
        #expect(
            TaglessText.of("<p class=x>One\n <b>two</b> 1 < 2 & <!-- x -->three<") == "One two 1 < 2 & three<"
        )
    }

    @Test func tenMegabytes() {
        let row = "<tr><td style=\"color:red\">A row of a table with some text in it</td></tr>\n"
        let page = "<table>" + String(repeating: row, count: 12_000_000 / row.utf8.count) + "</table>"
        let safe = HTMLSanitizer().sanitize(page) { _ in nil }
        #expect(safe.isTruncated)
        #expect(safe.html.utf8.count > 1_000_000)
    }

    @Test(arguments: ["<a href=\"https://a.example/\">b</a>", "<img src=\"https://a.example/\">"])
    func tooManyAddressesAreCut(_ element: String) {
        let many = HTMLSanitizer().sanitize("first" + String(repeating: element, count: 9_000)) { $0 }
        #expect(!many.isTruncated)
        let most = HTMLSanitizer().sanitize("first" + String(repeating: element, count: 30_000)) { $0 }
        #expect(most.isTruncated && most.html.contains("first"))
        #expect(most.html.utf8.count < 2 * many.html.utf8.count)
    }
}
