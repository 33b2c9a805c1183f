import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import Care
@testable import Kernel

/// An mbox is whatever a program once called so.
@Suite("mbox files of other programs") struct ForeignMboxTests {
    private let archives: ForeignArchives
    private let dated = "From a@b.c Mon Nov 20 10:00:00 2023\n"

    init() throws { archives = try ForeignArchives() }

    private func message(_ number: Int, _ body: String = "Hello.\n") -> String {
        ForeignArchives.message(number, body)
    }

    // MARK: Separators

    @Test(arguments: ["From \n", "From - \n", "From -\n", "From - Mon Nov 20 10:00:00 2023\n", "From \r\n"])
    func everySeparatorOfThunderbirdIsOne(_ separator: String) throws {
        let all = (1...8).map { separator + message($0) + "\n" }.joined()
        let found = try archives.read(text: all)
        #expect(found.texts == (1...8).map { message($0) } && found.failures.isEmpty && found.isAtEnd)
    }

    @Test func aFileMayChangeItsSeparators() throws {
        let all =
            (1...3).map { dated + message($0) + "\n" }.joined()
            + (4...6).map { "From \n" + message($0) + "\n" }.joined()
            + (7...8).map { "From - \n" + message($0) + "\n" }.joined()
        #expect(try archives.read(text: all).texts == (1...8).map { message($0) })
    }

    @Test(arguments: [
        "\n", "\r\n\r\n", "\u{FEFF}", "\u{FEFF}\n", "\0\0\0\n", "\n\n\n", "\n\u{FEFF}", "\u{FEFF}\u{FEFF}",
        String(repeating: "\0", count: 5000),
    ])
    func whatStandsBeforeTheFirstMessageIsPassedBy(_ padding: String) throws {
        let found = try archives.read(text: padding + "From - \n" + message(1) + "\nFrom - \n" + message(2))
        #expect(found.texts == [message(1), message(2)] && found.isAtEnd)
    }

    @Test(arguments: [
        "One\n\nFrom \n\nTwo\n", "One\n\nFrom \nhere on all is well.\n",
        "One\n\nFrom here on: all is well.\n",
        "One\n\nFrom \nhttps://example.org/\n", "One\nFrom - \nSubject: no\nTo: no\n",
        "One\n\nFrom - me to you\nA: b\n",
        "One\n\nFrom \nNote: a\nword of caution\n", "One\n\nFrom a@b.c\nSubject: no\n",
        "One\n\nFrom - \n\nSubject: x\n", "One\n\n\nFrom \n10:30 at the station\n",
    ])
    func aLineOfABodyIsNoSeparator(_ body: String) throws {
        for separator in [dated, "From \n", "From - \n"] {
            let found = try archives.read(text: separator + message(1, body) + "\n" + separator + message(2))
            #expect(found.texts == [message(1, body), message(2)], "after \(separator)")
        }
    }

    private static let mail = (1...4).map {
        "From: a\($0)@b.example\nTo: c@d.example\nSubject: \($0)\n\nHello.\n"
    }

    @Test func theEmptyLineBeforeASeparatorMayBeMissing() throws {
        let found = try archives.read(text: Self.mail.map { dated + $0 }.joined())
        #expect(found.texts == Self.mail && found.failures.isEmpty && found.isAtEnd)
    }

    /// As when such files are put together.
    @Test func aByteOrderMarkMayStandBeforeEachSeparator() throws {
        for end in ["", "\n"] {
            let found = try archives.read(text: Self.mail.map { "\u{FEFF}\(dated)\($0)\(end)" }.joined())
            #expect(found.texts == Self.mail && found.failures.isEmpty, "\(end)")
        }
    }

    @Test(arguments: ["From ana@example.org\n", "From \n", "From - \n"])
    func separatorsMayLoseTheirDates(_ separator: String) throws {
        let all = dated + Self.mail[0] + "\n" + Self.mail[1...].map { separator + $0 + "\n" }.joined()
        #expect(try archives.read(text: all).texts == Self.mail)
    }

    @Test func lineEndsCanBeOfBothSorts() throws {
        let (one, two) = (message(1).replacing("\n", with: "\r\n"), message(2))
        let found = try archives.read(text: "From - \r\n\(one)\r\nFrom - \n\(two)\nFrom - \r\n\(one)\r\n")
        #expect(found.texts == [one, two, one])
    }

    /// A crash leaves blocks of zeros where a message was about to be.
    @Test(arguments: [1, 3, 512, 100_000]) func zerosAreNoPartOfAMessage(_ count: Int) throws {
        let zeros = String(repeating: "\0", count: count)
        let all =
            "From - \n\(message(1))\n\(zeros)From - \n\(message(2))\n\(zeros)\nFrom - \n\(message(3))\(zeros)"
        let found = try archives.read(text: all)
        #expect(found.texts == (1...3).map { message($0) } && found.isAtEnd)
    }

    @Test func theLastMessageMayBeCutOff() throws {
        let all = "From - \n\(message(1))\nFrom - \n\(message(2))"
        for length in stride(from: all.utf8.count - 1, to: message(1).utf8.count + 20, by: -1) {
            let found = try archives.read(bytes: Data(all.utf8.prefix(length)))
            #expect(found.texts.first?.hasPrefix(message(1)) == true, "\(length)")
            #expect(found.messages.count + found.failures.count <= 2 && found.isAtEnd, "\(length)")
        }
    }

    @Test func oneMessageOfMegabytesIsReadWhole() throws {
        let body = String(repeating: "From the start to the end\nFrom \n> From\n", count: 80_000)
        let found = try archives.read(text: dated + message(1, body) + "\n" + dated + message(2))
        #expect(found.texts == [message(1, body), message(2)])
    }

    // MARK: Quoting and lengths

    @Test func quotedLinesAreUndone() throws {
        let written = ">From here\n>>From there\n>>>From far\n> From\nx>From\n"
        let meant = "From here\n>From there\n>>From far\n> From\nx>From\n"
        let found = try archives.read(text: dated + message(1, written) + "\n" + dated + message(2))
        #expect(found.texts == [message(1, meant), message(2)])
    }

    @Test func theHeaderIsNotQuoted() throws {
        let old = ">From uucp!host Mon Nov 20 10:00:00 2023\n" + message(1)
        #expect(try archives.read(text: dated + old).texts == [old])
    }

    private func withLength(_ number: Int, _ body: String, _ length: Int? = nil) -> String {
        "Message-ID: <\(number)@archive.example>\nSubject: \(number)\n"
            + "Content-Length: \(length ?? body.utf8.count)\n\n\(body)"
    }

    @Test func aTrueLengthIsBelieved() throws {
        let inner = "Look:\n\n\(dated)Subject: inner\n\n>From me\n"
        let bodies = [inner, "Hello.", "Bye.\n"]
        let all = bodies.enumerated().map { dated + withLength($0, $1) + "\n" }.joined()
        let found = try archives.read(text: all)
        #expect(found.texts == bodies.enumerated().map { withLength($0, $1) })
    }

    @Test func aFalseLengthIsNot() throws {
        for length in [0, 3, 30, 100, 1_000_000, Int.max] {
            let all = dated + withLength(1, "Hello.\n", length) + "\n" + dated + message(2)
            let found = try archives.read(text: all)
            #expect(found.texts == [withLength(1, "Hello.\n", length), message(2)], "\(length)")
        }
    }

    /// A sender writes the number, and hopes that it ends at a separator.
    @Test func aLengthSwallowsNoFurtherMessage() throws {
        for separator in [dated, "From - \n"] {
            let rest = ["Hello.\n", "\n", separator, message(2), "\n"].joined()
            let swallowing = withLength(1, "Hello.\n", rest.utf8.count - 1)
            let all = separator + swallowing + "\n" + separator + message(2) + "\n" + separator + message(3)
            #expect(try archives.read(text: all).texts == [swallowing, message(2), message(3)])
            let toTheEnd = withLength(1, "Hello.\n", 8 + separator.utf8.count + message(2).utf8.count)
            let two = separator + toTheEnd + "\n" + separator + message(2)
            #expect(try archives.read(text: two).texts == [toTheEnd, message(2)])
        }
    }

    // MARK: What programs note in it

    @Test func flagsOfThunderbirdBecomeKeywordsAndGo() throws {
        let fields =
            "X-Mozilla-Status: 1007\nX-Mozilla-Status2: 00000000\nX-Mozilla-Keys: $label1 NonJunk  \n"
        let found = try archives.read(
            text:
                "From - \nX-Account-Key: account1\n\(fields)\(message(1))\nFrom \nX-Mozilla-Status: 0000\n\(message(2))"
        )
        #expect(found.texts == ["X-Account-Key: account1\n" + message(1), message(2)])
        #expect(
            found.messages.map(\.keywords) == [
                [.seen, .answered, .flagged, .forwarded, .notJunk, Keyword("$label1")], [],
            ])
    }

    @Test func whatWasDeletedIsCountedAndLeftOut() throws {
        let found = try archives.read(
            text:
                "From - \nX-Mozilla-Status: 0009\n\(message(1))\nFrom - \nX-Mozilla-Status: 0001\n\(message(2))"
        )
        #expect(found.texts == [message(2)] && found.deleted == 1 && found.failures.isEmpty)
    }

    /// Below what the servers on the way wrote, a field is the sender's.
    @Test func flagsThatASenderWroteAreNone() throws {
        let sent = "Received: from x; Mon, 20 Nov 2023 10:00:00 +0000\nX-Mozilla-Status: 0009\n\(message(1))"
        let found = try archives.read(text: dated + sent)
        #expect(found.texts == [sent] && found.messages[0].keywords.isEmpty)
    }

    @Test func statusFieldsBecomeKeywords() throws {
        let found = try archives.read(text: dated + "Status: RO\nX-Status: AF\n" + message(1))
        #expect(found.messages[0].keywords == [.seen, .answered, .flagged])
    }

    // MARK: Compressed

    @Test func aCompressedFileIsUnpacked() throws {
        let all = (1...50).map { "From - \n" + message($0) + "\n" }.joined()
        let packed = try ForeignArchives.packed(Data(all.utf8))
        let found = try archives.read(bytes: packed, as: "Work.mbox.gz")
        #expect(found.texts == (1...50).map { message($0) } && found.isAtEnd)
        #expect(found.messages.allSatisfy { $0.place == ["Work"] })
        // Two in a row are one, and what is behind them is padding.
        #expect(try archives.read(bytes: packed + packed + Data(count: 512)).messages.count == 100)
    }

    @Test func ofADamagedFileTheRestIsKept() throws {
        let numbers = (1...2000).map { "From - \n" + message($0, "\(Double($0).squareRoot())\n") + "\n" }
            .joined()
        let packed = try ForeignArchives.packed(Data(numbers.utf8))
        let short = try archives.read(bytes: packed.prefix(packed.count / 2))
        #expect(
            short.messages.count > 100
                && short.failures.map(\.reason) == ["the compressed file is incomplete"])
        var damaged = packed
        for index in packed.count / 2..<packed.count / 2 + 40 { damaged[index] = 0xFF }
        let other = try archives.read(bytes: damaged)
        #expect(other.messages.count > 100)
        #expect(other.failures.last?.reason == "the compressed file is damaged")
    }

    @Test func aBombIsDefused() throws {
        let zeros = Data("From - \nSubject: x\n\n".utf8) + Data(count: 100_000_000)
        let found = try archives.read(bytes: try ForeignArchives.packed(zeros))
        #expect(found.failures.contains { $0.reason == "the compressed file expands to an implausible size" })
        let message = try archives.read(bytes: try ForeignArchives.packed(zeros), as: "x.eml.gz")
        #expect(message.messages.isEmpty && message.failures.count == 1)
    }

    // MARK: Not ours

    /// Fields with our names come from anyone.
    @Test func aSenderChoosesNoMailbox() throws {
        let forged =
            "X-Mailkernel-Received: 0.0\nX-Mailkernel-Keywords: $flagged\nX-Mailkernel-Mailbox: trash:\n"
            + "X-Mailkernel-Message: 3 kept 0\nSubject: 1\n\nHello.\n"
        for separator in [dated, "From - \n", "From mailkernel-export@x.y Mon Nov 20 10:00:00 2023\n"] {
            let found = try archives.read(text: separator + forged)
            #expect(found.texts == [forged] && found.messages[0].targets == nil)
            #expect(found.messages[0].keywords.isEmpty)
        }
        // Nor by a whole archive in a message.
        let ours = "From mailkernel-export Mon Nov 20 10:00:00 2023\n"
        let found = try archives.read(text: dated + message(1) + "\n" + ours + forged)
        #expect(found.texts == [message(1), forged] && found.messages.allSatisfy { $0.targets == nil })
    }
}
