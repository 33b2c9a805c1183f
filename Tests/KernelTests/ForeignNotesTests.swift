import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import Care

/// What mail programs keep in and beside their mail.
@Suite("Notes of other programs") struct ForeignNotesTests {
    private let archives: ForeignArchives
    private let dated = ForeignArchives.dated

    init() throws { archives = try ForeignArchives() }

    @Test func folderDataOfAlpineIsNoMail() throws {
        let data =
            "From: Mail System Internal Data <MAILER-DAEMON@h>\nX-IMAP: 0001 0002\nStatus: RO\n"
            + "Subject: DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA\n\nThis text is no message.\n"
        let found = try archives.read(text: dated + data + "\n" + dated + ForeignArchives.letter(1))
        #expect(found.texts == [ForeignArchives.letter(1)] && found.failures.isEmpty && found.isAtEnd)
    }

    @Test func keywordsOfAnMboxAreKept() throws {
        let fields = "Status: RO\nX-Status: FT\nX-Keywords: Taxes NonJunk $draft \\Deleted    \n"
        let found = try archives.read(text: dated + ForeignArchives.letter(1, fields))
        #expect(found.messages.map(\.keywords) == [[.seen, .flagged, .notJunk, Keyword("Taxes")]])
    }

    @Test func keywordsOfAMaildirAreKept() throws {
        try archives.folder.write("0 Taxes\n1 Junk\n99 x\nnonsense\n", to: "mail/dovecot-keywords")
        try archives.folder.write("0 other\n", to: "mail/.Work/dovecot-keywords")
        try archives.folder.write(ForeignArchives.letter(1), to: "mail/cur/1:2,Sabc")
        try archives.folder.write(ForeignArchives.letter(2), to: "mail/.Work/cur/2:2,Fab")
        try archives.folder.write(ForeignArchives.letter(3), to: "mail/.Home/cur/3:2,a")
        let found = try archives.read("mail")
        let keywords = Dictionary(uniqueKeysWithValues: zip(found.texts, found.messages.map(\.keywords)))
        #expect(
            keywords == [
                ForeignArchives.letter(1): [.seen, .junk, Keyword("Taxes")],
                ForeignArchives.letter(2): [.flagged, Keyword("other")],
                ForeignArchives.letter(3): [],
            ])
    }

    @Test(arguments: [
        (".Entw&APw-rfe", "Entwürfe"), (".&BB8EQAQ4BDIENQRC-", "Привет"), (".A&-B", "A&B"),
        (".&2D3eAA-", "😀"), (".R&D", "R&D"), (".Tom&Ann-Lee", "Tom&Ann-Lee"), (".&AGE-", "&AGE-"),
        (".a&APw", "a&APw"), (".&2D0-", "&2D0-"), (".Über&APw-", "Über&APw-"),
        (".Work.&AOk-t&AOk-", "Work/été"), ("Entw&APw-rfe", "Entwürfe"),
    ])
    func namesOfMaildirsAreDecoded(_ folder: String, _ expected: String) throws {
        try archives.folder.write(ForeignArchives.letter(1), to: "\(folder)/cur/1:2,S")
        #expect(try archives.read().places == ["\(expected): 1"])
    }

    @Test func namesOfImapFoldersOfThunderbirdAreDecoded() throws {
        try archives.folder.write(dated + ForeignArchives.letter(1), to: "Entw&APw-rfe.sbd/&AOk-t&AOk-")
        #expect(try archives.read().places == ["Entwürfe/été: 1"])
    }

    // MARK: Deleted in the program that kept it

    @Test func trashedMessagesOfAMaildirAreCountedAndLeftOut() throws {
        try archives.folder.write(ForeignArchives.letter(1), to: "mail/cur/1:2,ST")
        try archives.folder.write(ForeignArchives.letter(2), to: "mail/.Work/cur/2!2,T")
        try archives.folder.write(ForeignArchives.letter(3), to: "mail/cur/T3:2,S")
        try archives.folder.write(ForeignArchives.letter(4), to: "mail/new/4,T")
        let found = try archives.read("mail")
        #expect(Set(found.texts) == [ForeignArchives.letter(3), ForeignArchives.letter(4)])
        #expect(found.deleted == 2 && found.failures.isEmpty)
    }

    @Test func removedMessagesOfAnMHFolderAreCountedAndLeftOut() throws {
        for (number, name) in ["1", ",2", "#3", ",4a", ","].enumerated() {
            try archives.folder.write(ForeignArchives.letter(number), to: "inbox/\(name)")
        }
        let found = try archives.read("inbox")
        #expect(Set(found.texts) == Set([0, 3, 4].map { ForeignArchives.letter($0) }))
        #expect(found.deleted == 2 && found.failures.isEmpty)
    }

    @Test(arguments: [
        "Status: ROD\n", "Status: D\n", "X-Status: D\n", "Status: RO\nX-Status: AD\n",
        "X-Status: FDT  \n",
        "X-Evolution: 0000002a-0012\n", "X-Evolution: 0000002A-0002 \n",
    ])
    func messagesDeletedInAnMboxAreCountedAndLeftOut(_ fields: String) throws {
        let text = dated + ForeignArchives.letter(1, fields) + "\n" + dated + ForeignArchives.letter(2)
        let found = try archives.read(text: text)
        #expect(found.texts == [ForeignArchives.letter(2)] && found.deleted == 1 && found.failures.isEmpty)
    }

    @Test(arguments: [
        "Status: DONE\n", "X-Status: Delivered\n", "Status: RO\n", "X-Status: DD\n",
        "Status: D\nStatus: RO\n",
        "X-Evolution: 0000002a-0010\n", "X-Evolution: D\n", "X-Evolution: 2-2\n",
    ])
    func otherFieldsDeleteNothing(_ fields: String) throws {
        let found = try archives.read(text: dated + ForeignArchives.letter(1, fields))
        #expect(found.texts == [ForeignArchives.letter(1, fields)] && found.deleted == 0)
    }

    /// Programs with notes of their own pass on these fields as they came.
    @Test(arguments: ["X-Mozilla-Status: 0001\n", "X-Gmail-Labels: Inbox\n"])
    func aSenderDeletesNothing(_ note: String) throws {
        let found = try archives.read(text: dated + note + ForeignArchives.letter(1, "X-Status: D\n"))
        #expect(found.messages.count == 1 && found.deleted == 0)
    }
}
