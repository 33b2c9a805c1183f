import FoundationEssentials
import Glibc
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import LocalFolders

@Suite("Opening an account's folder") struct OpeningTests {
    private func filled(_ accounts: TestAccounts) async throws {
        let session = try await accounts.session()
        _ = try await session.take((0..<30).map { sample("m\($0)") })
        await session.close()
    }

    @Test func makesADamagedIndexAnewAndKeepsTheOld() async throws {
        let accounts = try TestAccounts()
        try await filled(accounts)
        let paths = try accounts.paths()
        try Data("This was an index once. ".utf8).write(to: URL(filePath: paths.index))
        let session = try await accounts.session()
        let mirror = try await session.mirror()
        #expect(mirror.inside(.archive).count == 30)
        #expect(Set(mirror.messages.values.map(\.bytes)) == Set((0..<30).map { sample("m\($0)") }))
        #expect(
            mirror.messages.values.contains { $0.receivedAt == Date(timeIntervalSince1970: 1_700_000_003) })
        #expect(Folders.exists(paths.folder + "/index-damaged.db"))
        #expect(!Folders.exists(paths.folder + "/index-new.db"))
        await session.close()
    }

    @Test func makesAMissingIndexAnew() async throws {
        let accounts = try TestAccounts()
        try await filled(accounts)
        for suffix in ["", "-wal", "-shm"] { unlink(try accounts.paths().index + suffix) }
        let session = try await accounts.session()
        #expect(try await session.mirror().inside(.archive).count == 30)
        await session.close()
    }

    @Test func expiresTheCursorsOfAnotherIndex() async throws {
        let accounts = try TestAccounts()
        try await filled(accounts)
        let cursor = try await accounts.session().mirror().cursor
        unlink(try accounts.paths().index)
        let session = try await accounts.session()
        await #expect(throws: AccountError.cursorExpired) {
            try await session.changes(in: FeedID("mail"), after: cursor, since: nil, known: HeldMessages())
        }
        await session.close()
    }

    @Test func leavesWhatANewerVersionWrote() async throws {
        let accounts = try TestAccounts()
        try await filled(accounts)
        try Database(try accounts.paths().index).execute("PRAGMA user_version = 99")
        let session = try await accounts.session()
        await #expect {
            try await session.mailboxes()
        } throws: { error in
            if case .local(let reason) = error as? AccountError {
                reason.contains("newer version")
            } else {
                false
            }
        }
        await session.close()
    }

    @Test func removesWhatWasNeverConfirmedAndStrangersIn() async throws {
        let accounts = try TestAccounts()
        try await filled(accounts)
        let paths = try accounts.paths()
        for name in ["0123456789abcdef0123456789abcdef.eml", "rubbish"] {
            try Data("half".utf8).write(to: URL(filePath: paths.incoming + "/" + name))
        }
        let session = try await accounts.session()
        #expect(try await session.mirror().messages.count == 30)
        #expect(Folders.names(in: paths.incoming) == [])
        await session.close()
    }

    @Test func removingAnAccountRemovesItsMail() async throws {
        let accounts = try TestAccounts()
        try await filled(accounts)
        try await accounts.provider.revoke(accounts.account("ada@home.example"), secrets: MemorySecrets())
        #expect(try FileManager.default.contentsOfDirectory(atPath: accounts.path + "/accounts") == [])
        let session = try await accounts.session()
        #expect(try await session.mirror().messages.isEmpty)
        await session.close()
    }

    @Test func addingAnAccountAgainFindsItsMail() async throws {
        let accounts = try TestAccounts()
        try await filled(accounts)
        let session = try await accounts.session("Ada@Home.example")
        #expect(try await session.mirror().messages.count == 30)
        await session.close()
    }
}

@Suite("Addresses on this device") struct AddressTests {
    @Test(arguments: [
        "ada@home.example", "a@b", "ADA@Home.Example", "ünïcode@straße.example", "a+b@c.d",
        " ada@home.example ",
    ])
    func canBeAnythingThatLooksLikeOne(_ text: String) {
        #expect(LocalAddress(text) != nil)
    }

    @Test(
        arguments: [
            "", "ada", "@b", "a@", "a@b@c", "a b@c", "<a@b>", "a/../../b@c", "a@b/c", "..@c", "a..b@c",
            "a@b\u{0}", "a\nb@c", "\"a\"@b",
        ])
    func areRefusedIfTheyDoNot(_ text: String) {
        #expect(LocalAddress(text) == nil)
    }

    @Test(arguments: [
        ("Ada Lovelace", "ada.lovelace@this-device.internal"),
        ("  O'Neill-Smith ", "oneill.smith@this-device.internal"),
        ("Зоя", "me@this-device.internal"), ("李 Wei", "wei@this-device.internal"),
    ])
    func areMadeFromNames(_ name: String, _ address: String) {
        #expect(LocalAddress(name: name).text == address)
        #expect(LocalAddress(LocalAddress(name: name).text) != nil)
    }

    @Test func haveFoldersThatAreSafeAndTheirOwn() throws {
        let addresses = [
            "ada@home.example", "ada%40home@example", "ünï@home.example",
            String(repeating: "ü", count: 32) + "@" + String(repeating: "ä", count: 90),
            String(repeating: "ü", count: 32) + "@" + String(repeating: "ä", count: 89) + "b",
        ]
        let names = try addresses.map { try #require(LocalAddress($0)).folderName }
        #expect(Set(names).count == names.count)
        for name in names {
            #expect(name.utf8.count <= 255 && !name.contains("/") && !name.hasPrefix("."))
        }
        #expect(LocalAddress("ADA@home.example")?.folderName == names[0])
    }
}
