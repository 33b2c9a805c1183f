import Compose
import Foundation
import MailKernelAPI
import MessageFormat
import TestSupport
import Testing

/// A header, and the ways that it offers, the best first.
struct OfferCase: Sendable, CustomStringConvertible {
    let header: String
    let offers: [String]

    init(_ header: String, _ offers: String...) { (self.header, self.offers) = (header, offers) }

    var description: String { String(header.prefix(100)) }
}

@Suite("The way to leave a mailing list is found") struct UnsubscribeHeaderTests {
    private static let post = "\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click"

    /// What stands behind `List-Unsubscribe:`, and may end the field and go on with others.
    private static let plain: [OfferCase] = [
        OfferCase(" <mailto:leave@x.example>", "mail leave@x.example"),
        OfferCase(" <https://x.example/u?1>", "page https://x.example/u?1"),
        OfferCase(" <http://x.example/u>", "page http://x.example/u"),
        OfferCase(
            " <https://x.example/u>, <mailto:leave@x.example>", "mail leave@x.example",
            "page https://x.example/u"),
        OfferCase(
            " <mailto:leave@x.example>, <https://x.example/u>", "mail leave@x.example",
            "page https://x.example/u"),
        OfferCase(
            " <mailto:leave@x.example>,<https://x.example/u>", "mail leave@x.example",
            "page https://x.example/u"),
        OfferCase(
            " <mailto:leave@x.example> <https://x.example/u>", "mail leave@x.example",
            "page https://x.example/u"),
        OfferCase(
            " <http://x.example/plain>, <https://x.example/safe>", "page https://x.example/safe"),
        OfferCase(" <HTTPS://X.example/U>", "page https://X.example/U"),
        OfferCase(" <MAILTO:Leave@x.example>", "mail Leave@x.example"),
        OfferCase("<https://x.example/u>", "page https://x.example/u"),
        OfferCase(" <https://x.example/a,b;c?d=1&e=2#f>", "page https://x.example/a,b;c?d=1&e=2#f"),
        OfferCase(" <https://x.example:8443/u>", "page https://x.example:8443/u"),
        OfferCase(" <https://x.example>", "page https://x.example"),
        OfferCase(" <https://x.example/%E4%BD%A0>", "page https://x.example/%E4%BD%A0"),
    ]
    private static let mails: [OfferCase] = [
        OfferCase(
            " <mailto:leave@x.example?subject=Unsubscribe%20me&body=Please>",
            "mail leave@x.example [Unsubscribe me] [Please]"),
        OfferCase(" <mailto:leave@x.example?subject=unsubscribe>", "mail leave@x.example [unsubscribe] []"),
        OfferCase(" <mailto:leave@x.example?body=off>", "mail leave@x.example [] [off]"),
        OfferCase(" <mailto:leave@x.example?subject=>", "mail leave@x.example"),
        OfferCase(" <mailto:leave@x.example?SUBJECT=off>", "mail leave@x.example [off] []"),
        OfferCase(
            " <mailto:leave@x.example?subject=a%0D%0ABcc:%20v@y.example>",
            "mail leave@x.example [a Bcc: v@y.example] []"),
        OfferCase(" <mailto:leave@x.example?cc=v@y.example&bcc=w@y.example>", "mail leave@x.example"),
        OfferCase(" <mailto:leave@x.example,victim@y.example>", "mail leave@x.example"),
        OfferCase(" <mailto:leave+id=1@x.example>", "mail leave+id=1@x.example"),
        OfferCase(" <mailto:leave%2B1%40x.example>", "mail leave+1@x.example"),
        OfferCase(" <mailto://leave@x.example>", "mail leave@x.example"),
        OfferCase(" <mailto: leave@x.example>", "mail leave@x.example"),
        OfferCase(" <leave@x.example>", "mail leave@x.example"),
        OfferCase(" leave@x.example", "mail leave@x.example"),
        OfferCase(" mailto:leave@x.example", "mail leave@x.example"),
        OfferCase(" <mailto:?subject=unsubscribe>"),
        OfferCase(" <mailto:nobody>"),
        OfferCase(" <mailto:@x.example>"),
        OfferCase(
            " <mailto:majordomo@x.example?body=unsubscribe%20list>",
            "mail majordomo@x.example [] [unsubscribe list]"),
    ]
    private static let broken: [OfferCase] = [
        OfferCase(" https://x.example/u", "page https://x.example/u"),
        OfferCase(
            " https://x.example/u, mailto:leave@x.example", "mail leave@x.example",
            "page https://x.example/u"),
        OfferCase(
            " https://x.example/u?a=1,2,mailto:leave@x.example", "mail leave@x.example",
            "page https://x.example/u?a=1,2"),
        OfferCase(" <https://x.example/u", "page https://x.example/u"),
        OfferCase(" https://x.example/u>", "page https://x.example/u"),
        OfferCase(" <<https://x.example/u>>", "page https://x.example/u"),
        OfferCase(" \"<https://x.example/u>\"", "page https://x.example/u"),
        OfferCase(" <\"https://x.example/u\">", "page https://x.example/u"),
        OfferCase(" <URL:https://x.example/u>", "page https://x.example/u"),
        OfferCase(" &lt;https://x.example/u?a=1&amp;b=2&gt;", "page https://x.example/u?a=1&b=2"),
        OfferCase(" (Use this link) <https://x.example/u>", "page https://x.example/u"),
        OfferCase(
            " <mailto:leave@x.example> (by mail (or so)), <https://x.example/u> (here)",
            "mail leave@x.example", "page https://x.example/u"),
        OfferCase(" (<https://evil.example/u>) <https://x.example/u>", "page https://x.example/u"),
        OfferCase("\r\n <https://x.example/\r\n long/u>", "page https://x.example/long/u"),
        OfferCase(
            "\r\n\t<mailto:leave@x.example>,\r\n\t<https://x.example/u>", "mail leave@x.example",
            "page https://x.example/u"),
        OfferCase(" =?utf-8?Q?=3Chttps=3A//x.example/u=3E?=", "page https://x.example/u"),
        OfferCase(" =?utf-8?B?PGh0dHBzOi8veC5leGFtcGxlL3U+?=", "page https://x.example/u"),
        OfferCase(
            " =?us-ascii?Q?=3Chttps=3A//x.example/a?=\r\n =?us-ascii?Q?bc=3E?=", "page https://x.example/abc"),
        OfferCase(" <https://x.example/?q=?x>", "page https://x.example/?q=?x"),
        OfferCase(
            " <https://x.example/1>\r\nList-Unsubscribe: <mailto:leave@x.example>", "mail leave@x.example",
            "page https://x.example/1"),
        OfferCase(" NO"), OfferCase(""), OfferCase(" <>"), OfferCase(" ,,,"), OfferCase(" <https://>"),
        OfferCase(" <https:x.example>"), OfferCase(" Click the link in this message"),
    ]
    private static let hostile: [OfferCase] = [
        OfferCase(" <javascript:alert(1)>"), OfferCase(" <data:text/html,x>"),
        OfferCase(" <file:///etc/passwd>"),
        OfferCase(" <ftp://x.example/u>"), OfferCase(" <https://localhost/u>"),
        OfferCase(" <https://printer.local/u>"), OfferCase(" <https://intranet/u>"),
        OfferCase(" <https://127.0.0.1/u>"), OfferCase(" <https://2130706433/u>"),
        OfferCase(" <https://0x7f000001/u>"), OfferCase(" <https://192.168.1.1/u>"),
        OfferCase(" <http://169.254.169.254/latest>"), OfferCase(" <https://[::1]/u>"),
        OfferCase(" <https://8.8.8.8/u>"), OfferCase(" <https://x.example@evil.example/u>"),
        OfferCase(" <https://user:secret@x.example/u>"),
        OfferCase(" <javascript:alert(1)>, <https://x.example/u>", "page https://x.example/u"),
        OfferCase(" <https://127.0.0.1/u>, <https://x.example/u>", "page https://x.example/u"),
        OfferCase(" <" + String(repeating: "(", count: 50_000) + "https://x.example/u>"),
        OfferCase(" <https://x.example/" + String(repeating: "a", count: 40_000) + ">"),
    ]
    private static let oneClick: [OfferCase] = [
        OfferCase(
            " <https://x.example/u>" + post, "oneClick https://x.example/u", "page https://x.example/u"),
        OfferCase(
            " <mailto:leave@x.example>, <https://x.example/u>" + post, "oneClick https://x.example/u",
            "mail leave@x.example", "page https://x.example/u"),
        OfferCase(
            " <https://x.example/u>\r\nLIST-UNSUBSCRIBE-POST: list-unsubscribe=one-click",
            "oneClick https://x.example/u", "page https://x.example/u"),
        OfferCase(
            " <https://x.example/u>\r\nList-Unsubscribe-Post:\r\n List-Unsubscribe=One-Click ",
            "oneClick https://x.example/u", "page https://x.example/u"),
        OfferCase(" <https://x.example/u>\r\nList-Unsubscribe-Post: yes", "page https://x.example/u"),
        OfferCase(" <https://x.example/u>\r\nList-Unsubscribe-Post:", "page https://x.example/u"),
        OfferCase(" <http://x.example/u>" + post, "page http://x.example/u"),
        OfferCase(" <mailto:leave@x.example>" + post, "mail leave@x.example"),
        OfferCase(" <https://127.0.0.1/u>" + post),
        OfferCase(
            " <https://x.example/u>" + post
                + "\r\nAuthentication-Results: mx.example; dkim=fail header.d=x.example; spf=pass",
            "page https://x.example/u"),
        OfferCase(
            " <https://x.example/u>" + post + "\r\nAuthentication-Results: mx.example; dkim=none",
            "page https://x.example/u"),
        OfferCase(
            " <https://x.example/u>" + post + "\r\nAuthentication-Results: mx.example;\r\n"
                + " dkim=fail header.d=a.example;\r\n dkim=pass (good) header.d=x.example",
            "oneClick https://x.example/u", "page https://x.example/u"),
        OfferCase(
            " <https://x.example/u>" + post + "\r\nAuthentication-Results: mx.example; spf=fail",
            "oneClick https://x.example/u", "page https://x.example/u"),
        OfferCase(
            " <https://x.example/u>" + post + "\r\nAuthentication-Results: mx.example; dkim=pass\r\n"
                + "Authentication-Results: elsewhere.example; dkim=fail",
            "oneClick https://x.example/u", "page https://x.example/u"),
    ]
    private static let all = plain + mails + broken + hostile + oneClick

    @Test("ORG-60: one click, then a message, then the browser", arguments: all)
    func theRightWaysAreFound(_ one: OfferCase) throws {
        #expect(Self.offers("List-Unsubscribe:" + one.header) == one.offers)
    }

    @Test func thereAreManyForms() { #expect(Self.all.count >= 80) }

    @Test func anAccountThatCannotSendOffersNoMessage() {
        let header = UnsubscribeHeader([
            HeaderField(name: "List-Unsubscribe", value: " <mailto:a@x.example>, <http://x.example/>")
        ])
        #expect(UnsubscribeMethod.all(in: header, canSend: false).map(\.kind) == [.page])
    }

    @Test func aHeaderWithoutTheFieldOffersNothing() { #expect(Self.offers("Subject: x") == []) }

    /// Real mail of many years; the right way is known from its bracketed addresses, read by a plain expression.
    @Test("ORG-60: real headers", .enabled(if: Corpora.areHere, "there are no collected messages here"))
    func realHeadersAreUnderstood() throws {
        var (count, right) = (0, 0)
        for file in Corpora.mail {
            let text = String(decoding: try Data(contentsOf: file).prefix(100_000), as: UTF8.self)
                .replacing("\r\n", with: "\n")
            let head = String(text.prefix(upTo: text.firstRange(of: "\n\n")?.lowerBound ?? text.endIndex))
            guard let field = head.firstMatch(of: /(?im)^list-unsubscribe:.*(?:\n[ \t].*)*/) else { continue }
            count += 1
            if Self.offers(head).first == Self.expected(String(field.output)) { right += 1 }
        }
        print("\(right) of \(count) real headers have the right method")
        #expect(count > 300 && Double(right) >= 0.99 * Double(count))
    }

    private static func expected(_ field: String) -> String? {
        if let mail = field.firstMatch(of: /<mailto:([^>?]+)(?:\?subject=([^>&]*))?>/) {
            guard let subject = mail.2 else { return "mail \(mail.1)" }
            return "mail \(mail.1) [\(subject.replacing("%20", with: " "))] []"
        }
        return field.firstMatch(of: /<(http[^>]+)>/).map { "page \($0.1)" }
    }

    private static func offers(_ head: String) -> [String] {
        let lines = head.replacing("\r\n", with: "\n").replacing(/\n(?=[ \t])/, with: "\r\n")
        let fields = lines.split(separator: "\n").compactMap { line -> HeaderField? in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? HeaderField(name: String(parts[0]), value: String(parts[1])) : nil
        }
        return UnsubscribeMethod.all(in: UnsubscribeHeader(fields), canSend: true).map { method in
            switch method {
            case .oneClick(let url): return "oneClick \(url.absoluteString)"
            case .page(let url): return "page \(url.absoluteString)"
            case .mail(let mail):
                let isUsual = mail.subject == "unsubscribe" && mail.body == "unsubscribe"
                return "mail \(mail.to.email)" + (isUsual ? "" : " [\(mail.subject)] [\(mail.body)]")
            }
        }
    }
}
