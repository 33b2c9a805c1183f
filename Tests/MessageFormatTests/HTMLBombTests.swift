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

    @Test func tenMegabytes() {
        let row = "<tr><td style=\"color:red\">A row of a table with some text in it</td></tr>\n"
        let page = "<table>" + String(repeating: row, count: 12_000_000 / row.utf8.count) + "</table>"
        let safe = HTMLSanitizer().sanitize(page) { _ in nil }
        #expect(safe.isTruncated)
        #expect(safe.html.utf8.count > 1_000_000)
    }
}
