import Foundation
import KernelSupport
import Mail
import MailKernelAPI
import MessageFormat
import Testing

@testable import Compose

/// Mail that is far larger than mail should be takes a moment, not a minute.
@Suite("Work on huge messages is bounded") struct BoundedWorkTests {
    private static let row = "<tr><td><a href=\"https://example.com/x\">Link</a> some words</td></tr>\n"

    private static func table(bytes: Int) -> String {
        "<table>" + String(repeating: row, count: bytes / row.utf8.count) + "</table>"
    }

    @Test func aReplyToAHundredThousand() {
        var header = EmailHeader(from: [EmailAddress(email: "ana@example.com")], subject: "Hello")
        header.to = (0..<100_000).map { EmailAddress(name: "User \($0)", email: "user\($0)@example.com") }
        let own = OwnAddresses(["user7@example.com", "ada@example.org"])
        let list = HeaderField(name: "List-Post", value: " <mailto:list@example.com>")
        // With all compared to all this would not end.
        let recipients = ReplyRecipients(
            to: header, fields: [list], toAll: true, isSent: false, account: own, own: own)
        #expect(recipients.to.map(\.email) == ["ana@example.com"])
        #expect(recipients.cc.count == 100_000)
        #expect(recipients.cc.last?.email == "list@example.com")
    }

    @Test func onlyTheBeginningOfAHugePageIsQuoted() {
        let html = Self.table(bytes: 8_000_000)
        let part = EmailBodyPart(partID: "1", size: html.utf8.count, type: "text/html", charset: "utf-8")
        let body = EmailBody(headers: [], structure: part, values: ["1": EmailBodyValue(html)])
        let original = OriginalMessage(body, isQuoted: true)
        #expect(original.html.contains("some words"))
        #expect(original.html.utf8.count <= 810_000)
        #expect(original.html.hasSuffix("<p>[…]</p>"))
    }
}
