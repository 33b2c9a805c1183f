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
}
