import Foundation
import TestSupport
import Testing

@testable import Care

/// Dates in separators have as many forms as there are programs.
@Suite("Separators of other programs") struct ForeignSeparatorTests {
    private let archives: ForeignArchives
    private let dated = "From a@b.c Mon Oct  5 10:00:00 2026\n"
    private let mail = (1...3).map { "From: a\($0)@b.example\nSubject: \($0)\n\nHello.\n" }

    init() throws { archives = try ForeignArchives() }

    @Test(arguments: [
        "a@x.example Mon, 5 Oct 2026 10:00:00 +0200", "- Mon, 05 Oct 2026 10:00:00 +0200",
        "a@x.example 2026-10-05T10:00:00Z", "a@x.example 2026-10-05 10:00:00 +0000",
        "a@x.example 05 Oct 2026 10:00:00", "MAILER-DAEMON Mon Oct  5 10:00:00 26",
        "a@x.example 10/05/2026 10:00:00 AM", "a@x.example Mon  Oct  5  2026 10:00:00",
        "a@x.example Пн окт  5 10:00:00 2026", "<a@x.example> 5.10.2026", "host!ana Mon Oct 5 10:00 2026",
        "a at x.example  5 Oct 2026 10:00",
    ])
    func aFileMayChangeTheFormOfItsDates(_ separator: String) throws {
        let other = "From \(separator)\n"
        for separators in [[dated, other, other], [other, dated, other], [other, other, other]] {
            let all = zip(separators, mail).map { $0 + $1 + "\n" }.joined()
            let found = try archives.read(text: all)
            #expect(found.texts == mail && found.failures.isEmpty, "\(separators)")
        }
    }

    @Test(arguments: ["X-Weird Header: foo\n", "\tcontinued\n", "X-Weird Header: foo\n more\n"])
    func aMessageMayBeginWithADamagedField(_ line: String) throws {
        for separator in [dated, "From a@x.example 2026-10-05T10:00:00Z\n"] {
            let messages = mail.map { line + $0 }
            let found = try archives.read(text: messages.map { separator + $0 + "\n" }.joined())
            #expect(found.texts == messages, "after \(separator)")
        }
    }

    @Test(arguments: [
        "From ana@x.example I got 2 letters.\nNote: none\n", "From here 5 minutes: at 10:30\nNote: go\n",
        "From - 5 to 9\nNote: a\n", "From a@x.example 2026-10-05\nare the\nnumbers: these\n",
        "From a@x.example, who wrote at 10:30 on 2026-10-05 that all is well:\nHello: you\n",
    ])
    func aSentenceWithNumbersIsNoSeparator(_ line: String) throws {
        let body = mail[0] + "\n" + line
        let found = try archives.read(text: dated + body + "\n" + dated + mail[1])
        #expect(found.texts == [body, mail[1]])
    }

    /// Without an empty line it has to be more than a sentence with a colon.
    @Test(arguments: ["From \n", "From - \n"])
    func aBareSeparatorCountsWithoutAnEmptyLineBeforeAHeader(_ bare: String) throws {
        let mail = (1...3).map { "From: a\($0)@b.example\nTo: c@d.example\nSubject: \($0)\n\nHello.\n" }
        for first in [bare, dated] {
            let found = try archives.read(text: first + mail[0] + bare + mail[1] + bare + mail[2])
            #expect(found.texts == mail && found.failures.isEmpty, "after \(first)")
        }
        let body = mail[0] + bare + "Note: one\nThen: two\n"
        let found = try archives.read(text: dated + body + "\n" + dated + mail[1])
        #expect(found.texts == [body, mail[1]])
    }
}
