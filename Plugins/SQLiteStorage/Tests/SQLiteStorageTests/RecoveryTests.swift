import CrashSupport
import FoundationEssentials
import Glibc
import MailKernelAPI
import Testing

@testable import SQLiteStorage

@Suite("A damaged SQLite store") struct RecoveryTests {
    /// An account with a draft, a queued message, a setting, a kept blob, and mail.
    private func filled(_ folder: TestFolder? = nil) async throws -> TestFolder {
        let folder = try folder ?? TestFolder()
        try await folder.withStore { store in
            _ = try await store.commit(
                ChangeSet(
                    Sample.account() + [
                        Sample.email("draft", in: Sample.drafts, keywords: [.draft], text: "My draft"),
                        .putRemote(
                            RemoteRef(
                                emailID: Id("draft"), accountID: Sample.home, feed: Id("drafts"),
                                remoteID: Id("7"))),
                        Sample.submission("queued"), Sample.submission("offline", .final, .queued),
                        Sample.submission("refused", .final, .failed),
                        Sample.submission("sent", .final, .sent),
                        .putDocument(Document(DocumentKey("settings", "theme"), value: "dark")),
                    ]))
            let blob = try await store.writeBlob(
                BlobInfo(id: Id("snapshot"), accountID: Sample.home, type: "message/rfc822", retention: .kept)
            )
            try await blob.write(Data("To: you".utf8))
            try await blob.finish()
            let text = String(repeating: "many words of a letter ", count: 800)
            let emails = (0..<300).map { Sample.email("e\($0)", text: text) }
            _ = try await store.commit(ChangeSet(emails + (0..<300).map { reference("e\($0)", "\($0)") }))
        }
        return folder
    }

    private func reference(_ email: String, _ remote: String) -> StorageChange {
        .putRemote(
            RemoteRef(
                emailID: Id(email), accountID: Sample.home, feed: Id("inbox"), remoteID: Id(remote)))
    }

    @Test func isSetAsideAndWhatExistsNowhereElseIsSaved() async throws {
        let folder = try await filled()
        var bytes = try folder.bytes(folder.database)
        // The far end of the file, where the mail is.
        for offset in stride(from: bytes.count * 2 / 3, to: bytes.count, by: 1) { bytes[offset] = 0xA5 }
        try bytes.write(to: URL(filePath: folder.database))

        let store = folder.store()
        let met = try await store.open()
        guard case .recovered(let aside?, let salvaged) = met else {
            Issue.record("opening a damaged store met with \(met)")
            return
        }
        #expect(salvaged == 5)
        #expect(try folder.bytes(aside + "/mail.db") == bytes, "the damaged file was changed")
        #expect(try await store.body(of: Id("draft"), in: Sample.home)?.values["1"]?.value == "My draft")
        #expect(
            try await Set(store.submissions(nil, in: Sample.home).map(\.id.rawValue))
                == ["queued", "offline", "refused"])
        #expect(
            try await store.remoteRefs(of: [Id("draft")], in: Sample.home).map(\.remoteID) == [Id("7")],
            "the draft would come from the server once more")
        #expect(try await store.document(DocumentKey("settings", "theme"))?.value == "dark")
        let blob = try await store.readBlob(Id("snapshot"), in: Sample.home, offset: 0, count: 100)
        #expect(blob == Data("To: you".utf8))
        #expect(try await store.check() == [])
        await store.close()
        let accounts = try await folder.withStore { try await $0.accounts() }
        #expect(accounts.count == 1)
    }

    /// The program is ended, or the disk full, when the damaged one is aside and nothing is saved from it yet.
    @Test func thatWasSetAsideIsSavedFromEvenIfTheFirstTryWasCutOff() async throws {
        let folder = try await filled()
        try Data().write(to: URL(filePath: folder.storeFolder + "/damaged"))
        let place = StoreFolder(path: folder.storeFolder)
        let aside = try place.setDatabaseAside("2026-01-01")
        try Opening.createSchema(in: Opening.writer(place))
        try Data("half".utf8).write(to: URL(filePath: place.salvageCopy))

        try await expectSaved(folder, aside)
        #expect(!Folders.exists(place.salvageCopy))
        let waiting = try await folder.withStore { try await $0.submissions(nil, in: Sample.home) }
        #expect(waiting.count == 3)
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "only root can mount a disk"))
    func onAFullDiskWaitsForRoomAndLosesNothing() async throws {
        let disk = try SmallDisk(megabytes: 48)
        let folder = try await filled(try TestFolder(in: disk.path))
        try damageMail(folder)
        let ballast = disk.path + "/ballast"
        var room = statvfs()
        #expect(statvfs(disk.path, &room) == 0)
        try Data(count: Int(room.f_bavail * room.f_frsize) - 300_000).write(to: URL(filePath: ballast))
        for _ in 0..<2 {
            let store = folder.store()
            await #expect(throws: StorageError.full) { try await store.open() }
        }
        try FileManager.default.removeItem(atPath: ballast)
        try await expectSaved(folder, nil)
    }

    /// Opens it, and finds what exists nowhere else.
    private func expectSaved(_ folder: TestFolder, _ place: String?) async throws {
        let store = folder.store()
        let met = try await store.open()
        guard case .recovered(let aside?, 5) = met else {
            Issue.record("opening it met with \(met)")
            return
        }
        #expect(place == nil || aside == place)
        let blob = try await store.readBlob(Id("snapshot"), in: Sample.home, offset: 0, count: 100)
        #expect(blob == Data("To: you".utf8))
        #expect(try await store.check() == [])
        await store.close()
        let again = folder.store()
        #expect(try await again.open() == .ready)
        await again.close()
    }

    @Test func thatIsNoDatabaseAtAllIsSetAside() async throws {
        let folder = try await filled()
        let rubbish = Data("This was a database once. ".utf8)
        try rubbish.write(to: URL(filePath: folder.database))
        let store = folder.store()
        guard case .recovered(let aside?, 0) = try await store.open() else {
            Issue.record("it was not recovered")
            return
        }
        #expect(try folder.bytes(aside + "/mail.db") == rubbish)
        // Nothing knows any more what they are: kept with the damaged file, not removed.
        #expect(try FileManager.default.contentsOfDirectory(atPath: aside + "/blobs").count == 1)
        await store.close()
    }

    /// What a service has comes back from there. Imported mail is only here, and the change that archives another
    /// email is nothing without the email.
    @Test func keepsMailAndChangesThatNoServiceHas() async throws {
        let folder = try await filled()
        let waiting = Document(
            DocumentKey("waiting", "1", accountID: Sample.home), value: ["archive": [["id": "e299"]]])
        try await folder.withStore { store in
            _ = try await store.commit(
                ChangeSet([
                    Sample.email("imported", keywords: [.flagged], text: "Only here"), .putDocument(waiting),
                ]))
        }
        try damageMail(folder)
        let store = folder.store()
        guard case .recovered(_, 8) = try await store.open() else {
            Issue.record("it was not recovered as a whole")
            return
        }
        let kept = try await store.emails([Id("imported"), Id("e299"), Id("e0")], in: Sample.home)
        #expect(Set(kept.map(\.email.id.rawValue)) == ["imported", "e299"])
        #expect(kept.first { $0.email.id == Id("imported") }?.email.keywords == [.flagged])
        #expect(try await store.body(of: Id("imported"), in: Sample.home)?.values["1"]?.value == "Only here")
        #expect(try await store.document(waiting.key) == waiting)
        #expect(try await store.remoteRefs(of: [Id("e299")], in: Sample.home).map(\.remoteID) == [Id("299")])
        #expect(try await store.check() == [])
        await store.close()
    }

    @Test func keepsRecordsOnBothSidesOfTheDamage() async throws {
        let folder = try await filled()
        let keys = (100..<400).map { DocumentKey("many", "\($0)", accountID: Sample.home) }
        try await folder.withStore { store in
            _ = try await store.commit(
                ChangeSet(
                    keys.map { key in
                        let text = String(repeating: "record \(key.name), ", count: 100)
                        return .putDocument(Document(key, value: .string(text)))
                    }))
        }
        try damage(folder, at: "record 250, record 250", pages: 1)
        let store = folder.store()
        guard case .recovered = try await store.open() else {
            Issue.record("it was not recovered")
            return
        }
        var found: [String] = []
        for key in keys where try await store.document(key) != nil { found.append(key.name) }
        #expect(found.first == "100" && found.last == "399")
        #expect((200..<300).contains(found.count))
        await store.close()
    }

    @Test func isLookedThroughWhereDamageWasMetAndKeptIfItIsSound() async throws {
        let folder = try await filled()
        let mark = folder.storeFolder + "/damaged"
        try Data().write(to: URL(filePath: mark))
        let store = folder.store()
        #expect(try await store.open() == .ready)
        #expect(!Folders.exists(mark))
        #expect(try await store.emails([Id("e0"), Id("e299")], in: Sample.home).count == 2)
        await store.close()
    }

    @Test func withARecordThatCannotBeReadIsFoundWhenLookedThrough() async throws {
        let folder = try await filled()
        let database = try Database(folder.database, .readWrite)
        try database.execute("UPDATE identity SET record = x'7B7B'; UPDATE document SET record = x'7B7B'")
        #expect(try await folder.withStore { try await $0.check() }.count == 1)
        try Data().write(to: URL(filePath: folder.storeFolder + "/damaged"))
        let store = folder.store()
        guard case .recovered(_, 4) = try await store.open() else {
            Issue.record("it was not recovered")
            return
        }
        #expect(try await store.check() == [])
        await store.close()
    }

    /// Large files are not looked through while the user waits, but soon after.
    @Test func thatIsLargeIsFoundOutInTheBackground() async throws {
        let folder = try await filled()
        let sound = try await check(folder)
        #expect(sound == nil)
        let place = StoreFolder(path: folder.storeFolder)
        #expect(!BackgroundCheck.isDue(place, Sample.start + 6 * 86_400))
        #expect(BackgroundCheck.isDue(place, Sample.start + 8 * 86_400))

        try damageMail(folder)
        #expect(try await check(folder) != nil)
        let store = folder.store()
        guard case .recovered(_, let salvaged) = try await store.open() else {
            Issue.record("the damage was not noted")
            return
        }
        #expect(salvaged == 5)
        await store.close()
    }

    /// In the middle of the file, where nothing looks that does not look for just that mail.
    private func damageMail(_ folder: TestFolder) throws {
        // Two: only by what it ends with nothing can be told.
        try damage(folder, at: "many words of a letter", pages: 2)
    }

    private func damage(_ folder: TestFolder, at text: String, pages: Int) throws {
        var bytes = try folder.bytes(folder.database)
        let page = 8_192
        let place = bytes[(bytes.count / 2)...].firstRange(of: Data(text.utf8))
        let start = try #require(place).lowerBound / page * page
        for offset in start..<(start + pages * page) { bytes[offset] = 0xA5 }
        try bytes.write(to: URL(filePath: folder.database))
    }

    /// Opens the store as if it were large, and looks through it to the end.
    private func check(_ folder: TestFolder) async throws -> String? {
        let place = StoreFolder(path: folder.storeFolder)
        try Folders.remove(place.checkStamp)
        let opening = Opening(folder: place, now: Sample.start, quickCheckLimit: 0)
        let (store, met) = try await opening.run()
        #expect(met == .ready)
        let finding = try await #require(store.check).run()
        await store.close()
        store.unlock()
        return finding
    }
}
