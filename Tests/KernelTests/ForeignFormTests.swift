import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import Care

/// Files that are nearly an mbox or a message, or of another form.
@Suite("Files of other forms") struct ForeignFormTests {
    private let archives: ForeignArchives
    private let dated = ForeignArchives.dated

    init() throws { archives = try ForeignArchives() }

    // MARK: Single messages

    @Test(arguments: ["\n\n", "\0\0\0", "\r\n \r\n", "\u{FEFF}\n", "\u{FEFF}", "\0\n\0\n"])
    func whatStandsBeforeAHeaderHidesNoDate(_ padding: String) throws {
        let found = try archives.read(text: padding + ForeignArchives.letter(1), as: "x.eml")
        #expect(found.messages.first?.dates == [Date(timeIntervalSince1970: 1_601_892_000)])
    }

    @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian])
    func utf16IsNamed(_ encoding: String.Encoding) throws {
        try archives.folder.write(ForeignArchives.letter(1), to: "good.eml")
        let wide = try #require(ForeignArchives.letter(2).data(using: encoding))
        for name in ["x.eml", "x.mbox"] { try archives.write(wide, to: name) }
        let found = try archives.read()
        #expect(found.texts == [ForeignArchives.letter(1)])
        #expect(
            found.failures.map(\.reason)
                == Array(repeating: "it is UTF-16 text; save it as UTF-8 first", count: 2))
    }

    @Test func lineEndsOfOldMacsAreRead() throws {
        let all = dated + ForeignArchives.letter(1) + "\n" + dated + ForeignArchives.letter(2)
        let found = try archives.read(text: all.replacing("\n", with: "\r"))
        #expect(found.texts == [ForeignArchives.letter(1), ForeignArchives.letter(2)] && found.isAtEnd)
        for name in ["x.eml", "x"] {
            let single = try archives.read(
                text: ForeignArchives.letter(3).replacing("\n", with: "\r"), as: name)
            #expect(
                single.texts == [ForeignArchives.letter(3)] && single.messages.first?.dates.isEmpty == false,
                "\(name)")
        }
    }

    private func apple(_ number: Int, _ flags: Int) -> String {
        "\(ForeignArchives.letter(number).utf8.count)        \n\(ForeignArchives.letter(number))<?xml version=\"1.0\"?>\n<plist><dict>"
            + "<key>flags</key>\n\t<integer>\(flags)</integer></dict></plist>\n"
    }

    @Test func messagesOfAppleMailAreRead() throws {
        try archives.folder.write(apple(1, 8_590_195_713), to: "V10/Work.mbox/A1B2/Data/Messages/1.emlx")
        try archives.folder.write(apple(2, 0x15), to: "Home.mbox/Messages/2.partial.emlx")
        try archives.folder.write(apple(3, 3), to: "Home.mbox/Messages/3.emlx")
        let found = try archives.read()
        #expect(found.places == ["Home: 2", "V10/Work: 1"] && found.deleted == 1)
        #expect(Set(found.texts) == [ForeignArchives.letter(1), ForeignArchives.letter(2)])
        #expect(Set(found.messages.map(\.keywords)) == [[.seen], [.seen, .answered, .flagged]])
        #expect(found.failures.isEmpty)
    }

    @Test(arguments: ["99999\n", "", "\n", "-5\n"])
    func aDamagedMessageOfAppleMailIsReadAsFarAsItGoes(_ count: String) throws {
        let properties = apple(1, 5).split(separator: "Hello.\n")[1]
        for end in ["", String(properties)] {
            let found = try archives.read(text: count + ForeignArchives.letter(4) + end, as: "4.emlx")
            #expect(found.texts == [ForeignArchives.letter(4)])
            #expect(found.messages.map(\.keywords) == [end.isEmpty ? [] : [.seen, .answered]])
            #expect(
                found.failures.map(\.reason) == ["the file is damaged; the readable part was imported"])
        }
    }

    @Test(arguments: [
        ("99999\n", "the file is damaged; no message is left in it"),
        ("99999\n\0\0\0\0", "the file is damaged; no message is left in it"),
        ("Dear diary,\n", "it contains no mail"),
    ])
    func aMessageOfAppleMailThatIsLostIsNamed(_ text: String, _ reason: String) throws {
        try archives.folder.write(apple(1, 1), to: "mail/1.emlx")
        try archives.folder.write(text, to: "mail/2.emlx")
        let found = try archives.read("mail")
        #expect(found.texts == [ForeignArchives.letter(1)])
        #expect(found.failures.map(\.place) == ["2.emlx"] && found.failures.map(\.reason) == [reason])
    }

    // MARK: Mailboxes

    @Test(arguments: [
        ("\u{1}\u{1}\u{1}\u{1}\n", "it is an MMDF mailbox; convert it to mbox first"),
        ("*mbx*\r\n0000\r\n", "it is an mbx mailbox of Alpine; convert it to mbox first"),
        ("BABYL OPTIONS: -*- rmail -*-\n", "it is a Babyl mailbox; convert it to mbox first"),
    ])
    func otherMailboxesAreNamed(_ beginning: String, _ reason: String) throws {
        try archives.folder.write(ForeignArchives.letter(1), to: "good.eml")
        try archives.folder.write(beginning + dated + ForeignArchives.letter(2), to: "other")
        let found = try archives.read()
        #expect(found.texts == [ForeignArchives.letter(1)] && found.failures.map(\.reason) == [reason])
    }

    /// An mbox in it would be read with the archive's own headers between the messages.
    @Test func aTarArchiveIsNamed() throws {
        try archives.folder.write(ForeignArchives.letter(1), to: "good.eml")
        var header = Data("x.mbox".utf8) + Data(count: 506)
        header.replaceSubrange(257..<262, with: Data("ustar".utf8))
        let archive = header + Data((dated + ForeignArchives.letter(2)).utf8)
        try archives.write(archive, to: "x.tar")
        try archives.write(try ForeignArchives.packed(archive), to: "x.tar.gz")
        let found = try archives.read()
        #expect(found.texts == [ForeignArchives.letter(1)])
        let reason = "it is a tar archive; unpack it and import its contents"
        #expect(found.failures.map(\.reason) == [reason, reason])
    }

    @Test func aFileThatWasCompressedTwiceIsNamed() throws {
        try archives.folder.write(ForeignArchives.letter(1), to: "good.eml")
        let packed = try ForeignArchives.packed(Data((dated + ForeignArchives.letter(2)).utf8))
        try archives.write(try ForeignArchives.packed(packed), to: "x.mbox.gz")
        let found = try archives.read()
        #expect(found.texts == [ForeignArchives.letter(1)])
        #expect(found.failures.map(\.reason) == ["it is compressed twice; unpack it once"])
    }

    @Test func textBeforeTheFirstSeparatorIsNamed() throws {
        let found = try archives.read(
            text: "the end of a line\n\n" + dated + ForeignArchives.letter(1) + "\n" + dated
                + ForeignArchives.letter(2))
        #expect(found.texts == [ForeignArchives.letter(1), ForeignArchives.letter(2)] && found.isAtEnd)
        #expect(found.failures.map(\.reason) == ["the text before the first message is not mail"])
    }

    @Test func aMessageBeforeTheFirstSeparatorIsRead() throws {
        let all =
            ForeignArchives.letter(1) + "\n" + dated + ForeignArchives.letter(2) + "\n" + dated
            + ForeignArchives.letter(3)
        let found = try archives.read(text: all)
        #expect(
            found.texts == [ForeignArchives.letter(1), ForeignArchives.letter(2), ForeignArchives.letter(3)]
                && found.failures.isEmpty)
        // Anywhere else it can be a message with an mbox in it.
        #expect(try archives.read(text: all, as: "inbox/1").texts == [all])
    }
}
