import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import Care

/// What mail programs keep in and beside their mail.
@Suite("Notes of other programs") struct ForeignNotesTests {
    private let archives: ForeignArchives
    private let dated = "From a@b.c Mon Nov 20 10:00:00 2023\n"

    init() throws { archives = try ForeignArchives() }

    private func message(_ number: Int, _ extra: String = "") -> String {
        "From: a@b.example\nSubject: \(number)\nDate: Mon, 5 Oct 2020 10:00:00 +0000\n\(extra)\nHello.\n"
    }

    @Test(arguments: [
        (".Entw&APw-rfe", "Entwürfe"), (".&BB8EQAQ4BDIENQRC-", "Привет"), (".A&-B", "A&B"),
        (".&2D3eAA-", "😀"), (".R&D", "R&D"), (".Tom&Ann-Lee", "Tom&Ann-Lee"), (".&AGE-", "&AGE-"),
        (".a&APw", "a&APw"), (".&2D0-", "&2D0-"), (".Über&APw-", "Über&APw-"),
        (".Work.&AOk-t&AOk-", "Work/été"), ("Entw&APw-rfe", "Entwürfe"),
    ])
    func namesOfMaildirsAreDecoded(_ folder: String, _ expected: String) throws {
        try archives.folder.write(message(1), to: "\(folder)/cur/1:2,S")
        #expect(try archives.read().places == ["\(expected): 1"])
    }

    @Test func namesOfImapFoldersOfThunderbirdAreDecoded() throws {
        try archives.folder.write(dated + message(1), to: "Entw&APw-rfe.sbd/&AOk-t&AOk-")
        #expect(try archives.read().places == ["Entwürfe/été: 1"])
    }
}
