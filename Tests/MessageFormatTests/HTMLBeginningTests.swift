import Foundation
import Testing

@testable import MessageFormat

/// "Something readable within 1 s, and a way to see the rest": the first part of a long page has text in it.
@Suite("The first part of a long page can be read") struct HTMLBeginningTests {
    private static let limit = 500_000

    private func shown(_ html: String) -> SafeHTML {
        var sanitizer = HTMLSanitizer()
        sanitizer.limit = Self.limit
        return sanitizer.sanitize(html) { _ in nil }
    }

    private static func times(_ piece: String, _ bytes: Int = 600_000) -> String {
        String(repeating: piece, count: bytes / piece.utf8.count)
    }

    @Test(arguments: [
        "<style>\(times(".a{color:red}"))</style>",
        times("<style>.a{color:red}</style>"),
        "<!--[if gte mso 9]>\(times("<w:LsdException/>"))<![endif]-->",
        times("<!-- -->"),
        times("<!-- \(times("x", 2_000)) -->"),
        "<script>\(times("a = 1\n"))</script>",
        "<style>\(times("<!-- x -->"))</style>",
    ]) func whatIsBeforeItIsSkipped(_ long: String) {
        let page = "<html><head>\(long)</head><body><p>The beginning</p></body></html>"
        #expect(HTMLBeginning(of: page, limit: Self.limit).text.utf8.count <= Self.limit)
        #expect(shown(page).html.contains("The beginning"))
    }

    @Test func commentsAloneLeaveNothingOut() {
        let page = shown("<!-- \(Self.times("x")) --><p>All of it</p>")
        #expect(page.html.contains("All of it") && !page.isTruncated)
    }

    @Test func stylesThatFitStay() {
        let page = shown(
            "<style>.a{color:red}</style><style>\(Self.times(".b{color:blue}"))</style><p class=a>Text</p>")
        #expect(page.html.contains("color:red") && !page.html.contains("color:blue"))
        #expect(page.isTruncated)
    }

    @Test func theDocumentTypeStays() {
        let page = "<!DOCTYPE html><!-- \(Self.times("x")) --><p>Text</p>"
        #expect(HTMLBeginning(of: page, limit: Self.limit).text == "<!DOCTYPE html><p>Text</p>")
    }

    @Test(arguments: ["é", "word ", "<b>x</b>", "<a title=\"\(times("y", 3_000))\">x</a>", "&amp;"])
    func aLongTextIsCut(_ piece: String) {
        let comment = "<!-- \(Self.times("x", 2_000)) -->"
        let page = comment + Self.times(piece) + comment + "The end"
        let beginning = HTMLBeginning(of: page, limit: Self.limit)
        #expect(beginning.isCut && beginning.text.utf8.count <= Self.limit)
        #expect(beginning.text.utf8.count > Self.limit - 4_000 && !beginning.text.contains("\u{FFFD}"))
        #expect(page.utf8.dropFirst(comment.utf8.count).starts(with: beginning.text.utf8))
    }

    @Test func aShortPageIsLeftAlone() {
        let page = "<!-- \(Self.times("x", 5_000)) --><style>a{}</style>Text"
        #expect(HTMLBeginning(of: page, limit: Self.limit).text == page)
    }
}
