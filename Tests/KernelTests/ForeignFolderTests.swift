import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import Care

@Suite("Folders of other programs") struct ForeignFolderTests {
    private let archives: ForeignArchives

    init() throws { archives = try ForeignArchives() }

    private func message(_ number: Int) -> String { ForeignArchives.message(number) }

    private func write(_ text: String, _ path: String) throws { try archives.folder.write(text, to: path) }

    private func box(_ numbers: ClosedRange<Int>) -> String {
        numbers.map { "From \nX-Mozilla-Status: 0001\n\(message($0))\n" }.joined()
    }

    @Test func everyMboxOfAFolderIsRead() throws {
        try write(box(1...2), "Work.mbox")
        try write(box(3...3), "2023/Taxes.mbox")
        try write(box(4...4), "Friends")
        let found = try archives.read()
        #expect(found.places == ["2023/Taxes: 3", "Friends: 4", "Work: 1", "Work: 2"])
        #expect(found.failures.isEmpty && found.isAtEnd)
    }

    /// What a Maildir calls its folders are names like any other.
    @Test func anMboxInAFolderCalledNewIsOne() throws {
        try write(box(1...2), "new/Work.mbox")
        try write(box(3...4), "cur/Home")
        try write(message(5), "Old/cur/1700000000.1.host:2,S")
        let found = try archives.read()
        #expect(found.places == ["Old: 5", "cur/Home: 3", "cur/Home: 4", "new/Work: 1", "new/Work: 2"])
    }

    @Test func anMboxWithTheEndingOfAMessageIsOne() throws {
        try write(box(1...3), "saved.eml")
        try write("From a@b.c Mon Nov 20 10:00:00 2023\n" + message(4), "one.eml")
        let found = try archives.read()
        #expect(found.places == ["-: 4", "saved: 1", "saved: 2", "saved: 3"])
    }

    @Test(arguments: [
        ".claws_cache", ".claws_mark", ".sylpheed_mark", ".xmhcache", ".inbox.index", ".inbox.index.ids",
        ".inbox.index.sorted", "..maildir++", "folders.db", "table_of_contents", ".Inbox.ev-summary-meta",
    ])
    func whatOtherProgramsKeepBesideMailIsNoMail(_ name: String) throws {
        try write(message(1), "Inbox/1")
        try write("\0\u{1}", "Inbox/\(name)")
        let found = try archives.read()
        #expect(found.messages.count == 1 && found.failures.isEmpty)
    }

    @Test func foldersOfThunderbirdAreRead() throws {
        for name in ["Inbox", "Trash", "Inbox.sbd/Work", "Inbox.sbd/Work.sbd/2023"] {
            try write("// <!-- <mdb:mork:z v=\"1.4\"/> -->", "\(name).msf")
        }
        try write(box(1...2), "Inbox")
        try write("", "Trash")
        try write(box(3...3), "Inbox.sbd/Work")
        try write(box(4...4), "Inbox.sbd/Work.sbd/2023")
        try write("version=\"9\"\n", "msgFilterRules.dat")
        let found = try archives.read()
        #expect(found.places == ["Inbox/Work/2023: 4", "Inbox/Work: 3", "Inbox: 1", "Inbox: 2"])
        #expect(found.failures.isEmpty)
        let targets = Set(found.messages.flatMap { ImportPlace($0).targets })
        #expect(targets == [.role(.inbox), .inside(.inbox, ["Work"]), .inside(.inbox, ["Work", "2023"])])
    }

    @Test func aProfileOfThunderbirdIsReadWithAllItsAccounts() throws {
        for profile in ["", "abc.default/"] {
            try write("user_pref(\"a\", 1);\n", "\(profile)prefs.js")
            try write("SQLite format 3\0and so on", "\(profile)places.sqlite")
            try write("Subject: not mail\n\nx", "\(profile)cache/entry")
            try write(box(1...1), "\(profile)Mail/Local Folders/Inbox")
            try write(box(2...2), "\(profile)Mail/pop.example.org/Inbox")
            try write(box(3...3), "\(profile)ImapMail/imap.example.org/INBOX.sbd/Lists")
            try write(message(4), "\(profile)ImapMail/dir.example.org/Old/cur/4.eml")
        }
        try FileManager.default.removeItem(at: archives.folder.url.appending(path: "abc.default/cache"))
        let found = try archives.read("abc.default")
        #expect(
            found.places == [
                "Local Folders/Inbox: 1", "dir.example.org/Old: 4", "imap.example.org/INBOX/Lists: 3",
                "pop.example.org/Inbox: 2",
            ])
        #expect(found.failures.isEmpty)
        #expect(try archives.read().places == found.places && archives.read().failures.isEmpty)
    }

    @Test func theFolderOfAllProfilesIsReadToo() throws {
        for name in ["profiles.ini", "installs.ini", "Crash Reports/InstallTime1"] {
            try write("[Profile0]\nPath=abc.default\n", name)
        }
        try write("user_pref(\"a\", 1);\n", "abc.default/prefs.js")
        try write(box(1...1), "abc.default/Mail/Local Folders/Inbox")
        let found = try archives.read()
        #expect(found.messages.count == 1 && found.failures.isEmpty, "\(found.failures)")
    }

    @Test func aFileOfNulsIsNoMessage() throws {
        try write(String(repeating: "\0", count: 100), "x.eml")
        try write(message(1), "y.eml")
        let found = try archives.read()
        #expect(found.messages.count == 1 && found.failures.map(\.reason) == ["the file is empty"])
    }

    /// Gives a file a name in its folder that need not be text.
    private func rename(_ path: String, to name: [UInt8]) throws {
        let file = archives.folder.url.appending(path: path)
        let target = DiskPath(file.deletingLastPathComponent()).appending(name)
        let status = target.withCString { target in
            DiskPath(file).withCString { Glibc.rename($0, target) }
        }
        try #require(status == 0)
    }

    @Test func namesThatAreNoTextAreRead() throws {
        try write(message(1), "mail/x/cur/1")
        try write(message(2), "mail/2")
        try write(message(3), "mail/3")
        try rename("mail/2", to: Array("gr".utf8) + [0xFC] + Array("n.eml".utf8))
        try rename("mail/3", to: Array("gr".utf8) + [0xFD] + Array("n.eml".utf8))
        try rename("mail/x", to: Array(".Entw".utf8) + [0xFC] + Array("rfe".utf8))
        let found = try archives.read("mail")
        #expect(found.places == ["-: 2", "-: 3", "Entwürfe: 1"] && found.failures.isEmpty)
    }

    /// Two systems write one letter differently.
    @Test func oneNameInTwoFormsIsOneMailbox() throws {
        let (composed, decomposed) = ("Re\u{E9}", "Ree\u{301}")
        let one = FoundMessage(bytes: Data(), place: [composed], keywords: [], dates: [])
        let other = FoundMessage(bytes: Data(), place: [decomposed], keywords: [], dates: [])
        #expect(ImportPlace(one).targets == ImportPlace(other).targets)
    }

    @Test func compressedMessagesOfAMaildirAreRead() throws {
        try archives.write(
            try ForeignArchives.packed(Data(message(1).utf8)), to: "mail/cur/1.host,S=90:2,FS.gz")
        try archives.write(try ForeignArchives.packed(Data(message(2).utf8)), to: "mail/cur/2.host:2,S")
        try write(message(3), "mail/tmp/3.host")
        let found = try archives.read("mail")
        #expect(found.texts == [message(1), message(2)])
        #expect(found.messages.map(\.keywords) == [[.flagged, .seen], [.seen]])
    }

    @Test func linksThatLeadOutAreNotFollowed() throws {
        try write(message(1), "mail/1.eml")
        try write("From - \n\(message(2))", "secret/private.mbox")
        let mail = archives.folder.url.appending(path: "mail").path
        for (name, target) in [
            ("out.mbox", "../secret/private.mbox"), ("all", ".."), ("inside.eml", "1.eml"),
            ("gone.eml", "nowhere"),
            ("system.eml", "/etc/passwd"),
        ] {
            try FileManager.default.createSymbolicLink(atPath: "\(mail)/\(name)", withDestinationPath: target)
        }
        let found = try archives.read("mail")
        #expect(found.texts == [message(1), message(1)])
        #expect(
            found.failures.map { "\($0.place): \($0.reason)" }.sorted() == [
                "all: it is a link to a file outside the chosen folder",
                "gone.eml: it is a broken link",
                "out.mbox: it is a link to a file outside the chosen folder",
                "system.eml: it is a link to a file outside the chosen folder",
            ])
    }

    @Test func whatIsNoMailIsNamed() throws {
        try write(message(1), "1.eml")
        try write(message(2), "2")
        try write("%PDF-1.7\nFrom - \nSubject: x\n", "invoice.pdf")
        try archives.write(Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), to: "cur/photo")
        try write("SQLite format 3\0\n\nFrom - \nSubject: x\n", "global-messages-db.sqlite")
        try write("Dear diary,\n\nFrom - \nSubject: x\n", "diary.txt")
        #expect(mkfifo(archives.folder.url.appending(path: "pipe.eml").path, 0o600) == 0)
        try write("x", "\u{1B}[31mred")
        let found = try archives.read()
        #expect(found.texts == [message(1), message(2)])
        #expect(
            found.failures.map { "\($0.place): \($0.reason)" }.sorted() == [
                "cur/photo: it is an image", "diary.txt: it contains no mail",
                "global-messages-db.sqlite: it is a database",
                "invoice.pdf: it is a PDF document", "pipe.eml: it is not a regular file",
                "\u{FFFD}[31mred: it contains no mail",
            ])
        #expect(found.isAtEnd)
    }

    @Test func withoutAnyMailTheFilesAreNamed() throws {
        try write("%PDF-1.7", "a/invoice.pdf")
        let error = #expect(throws: ImportProblem.self) { try archives.read() }
        #expect(error?.description.hasSuffix(". a/invoice.pdf: it is a PDF document.") == true)
        let alone = #expect(throws: ImportProblem.self) { try archives.read("a/invoice.pdf") }
        #expect(alone?.description.contains("it is a PDF document") == true)
    }

    @Test func aPlaceIsPrintedWithoutControlCharacters() {
        #expect(
            ImportFailure(place: "a\u{1B}]0;x\u{7}\nb", reason: "r").place == "a\u{FFFD}]0;x\u{FFFD}\u{FFFD}b"
        )
    }
}
