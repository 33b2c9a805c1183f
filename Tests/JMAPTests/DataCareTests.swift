import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Synchronization
import TestSupport
import Testing

@testable import Care
@testable import Mail
@testable import Store

/// FR-SET-03, AC-U-14b: what the user sees of their storage, and what they can do about it.
@Suite("Storage is shown, cleared and wiped") struct DataCareTests {
    @Test func everyAccountHasItsPartsAndTheProgramItsSum() async throws {
        let test = try await TestKernel(messages: 4)
        let list = try await test.program("StorageUsage/get")["list"].arrayValue ?? []
        #expect(
            list.compactMap { $0["id"]?.stringValue }.sorted()
                == (test.accounts.map(\.id.rawValue) + ["program"]).sorted())
        for entry in list where entry["id"] != "program" {
            let parts = ["mailBytes", "attachmentBytes", "indexBytes"].compactMap { entry[$0]?.intValue }
            #expect(parts.reduce(0, +) == entry["totalBytes"]?.intValue)
            #expect(parts[0] > 0 && entry["isOverWarning"] == false)
        }
        let program = try #require(list.first { $0["id"] == "program" })
        #expect(program["modelBytes"] == 0 && program["clearableBytes"] != nil)
    }

    /// 2 GB for an account, 5 GB for the program.
    @Test func warningsBeginWhereTheSpecificationSays() {
        func report(_ size: Int, models: Int = 0) -> StorageReport {
            StorageReport(
                StorageUsage(
                    accounts: [.init(accountID: Id("A1"), mail: size - 2, attachments: 1, searchIndex: 1)],
                    total: size, clearable: 0), models: models)
        }
        #expect(!report(2_000_000_000).accounts[0].isOverWarning)
        #expect(report(2_000_000_001).accounts[0].isOverWarning)
        #expect(!report(5_000_000_000).isOverWarning && report(5_000_000_001).isOverWarning)
        #expect(report(4_000_000_000, models: 1_000_000_001).isOverWarning)
    }

    /// On a full disk, uploads that nothing became of are the first to go.
    @Test func unusedUploadsAreClearedAfterAMoment() async throws {
        let test = try await TestKernel(messages: 1)
        func clearable() async throws -> Int {
            try await test.program("StorageUsage/get", ["ids": ["program"]])["list"][0]?["clearableBytes"]?
                .intValue ?? 0
        }
        let before = try await clearable()
        let id = try await test.upload(String(repeating: "x", count: 100_000))
        #expect(try await clearable() == before)
        test.clock.advance(by: 301)
        #expect(try await clearable() == before + 100_000)
        #expect(try await test.program("StorageUsage/clearCache")["freedBytes"].intValue ?? 0 >= 100_000)
        await #expect(throws: (any Error).self) { try await test.download(id) }
    }

    @Test func clearingTheCacheSaysWhatItFreedAndKeepsTheMail() async throws {
        let test = try await TestKernel(messages: 3)
        let email = try await test.emailIDs()[0]
        let blob = BlobID(Id("B" + email.rawValue), part: nil).id.rawValue
        let size = try await test.download(blob).count
        let before = try await test.program("StorageUsage/get", ["ids": ["program"]])["list"][0]
        #expect(before?["clearableBytes"]?.intValue ?? 0 >= size)
        let freed = try await test.program("StorageUsage/clearCache")
        #expect(freed["freedBytes"].intValue ?? 0 >= size, "\(freed.arguments)")
        let after = try await test.program("StorageUsage/get", ["ids": ["program"]])["list"][0]
        #expect(after?["clearableBytes"] == 0)
        #expect(try await test.emailIDs().count == 3)
        #expect(
            try await test.program("StorageUsage/clearCache", as: TestKernel.reader).error
                == "accountReadOnly")
        // What is needed again is fetched again.
        #expect(try await test.download(blob).count == size)
    }

    /// E-SO-14: with something in the cache, between two batches of a sync; what is needed is fetched again.
    @Test func theCacheIsClearedDuringASync() async throws {
        let script = Script()
        let cleared = Mutex<[Int]>([])
        let test = try await TestKernel(
            messages: 20, batchSize: 5, wrap: { ScriptedSession($0, script) })
        let blob = BlobID(Id("B" + (try await test.emailIDs()[0]).rawValue), part: nil).id.rawValue
        let size = try await test.download(blob).count
        #expect(try await test.program("StorageUsage/get")["list"].arrayValue?.isEmpty == false)
        let began = script.now.batches
        script.change {
            $0.beforeBatch = { number in
                guard number == began + 3 else { return }
                let phase = test.kernel.accounts.status.all.statuses[test.ada]?.phase
                let freed = try? await test.program("StorageUsage/clearCache")["freedBytes"].intValue
                cleared.withLock { $0.append(phase == .syncing ? freed ?? -1 : -2) }
            }
        }
        for number in 0..<40 {
            let message = "Subject: New \(number)\r\nMessage-ID: <new\(number)@example.org>\r\n\r\nText\r\n"
            test.server.deliver(Data(message.utf8), to: "ada@example.org")
        }
        try await test.wait(for: "all mail") { try await test.emailIDs().count == 60 }
        #expect(cleared.withLock { $0 }.count == 1 && cleared.withLock { $0 }[0] >= size)
        // Once: what was cleared is gone, and what was fetched again is kept again.
        let fetched = script.now.fetches
        for _ in 0..<2 { #expect(try await test.download(blob).count == size) }
        #expect(script.now.fetches == fetched + 1)
    }

    @Test func onlyThePageHasTheStoreChecked() async throws {
        let test = try await TestKernel(messages: 2)
        #expect(try await test.program("Program/checkStore")["findings"].arrayValue == [])
        #expect(try await test.program("Program/rebuildSearchIndex").error == nil)
        for method in ["Program/checkStore", "Program/rebuildSearchIndex"] {
            #expect(try await test.program(method, as: TestKernel.reader).error == "forbidden")
        }
    }

    // MARK: Wipe

    /// E-SO-09: every file, secret and token, while mail is being fetched; and then onboarding.
    @Test func wipingLeavesNothing() async throws {
        let place = try TemporaryFolder()
        for path in [
            "data/lock", "data/vault", "data/secrets.json", "data/plugins/org.example/mail/1.eml",
            "data/connections/2026-11-21", "data/server/sessions.json", "data/server/ports.json",
            "data/server/tls/ca.pem", "config/tokens.json", "config/plugins/org.example.json",
        ] { _ = try place.write("x", to: path) }
        let secretsGone = Mutex(false)
        let restarts = Mutex(0)
        let test = try await TestKernel(
            messages: 300, batchSize: 5, isStarted: false,
            program: ProgramAccess(
                folders: KernelFolders(
                    data: place.url.appending(path: "data"),
                    configuration: place.url.appending(path: "config")),
                removeSecrets: { secretsGone.withLock { $0 = true } },
                restart: { restarts.withLock { $0 += 1 } }))
        try await test.start()
        for wrong in [[:], ["confirmation": "delete everything"]] as [JSONValue] {
            #expect(try await test.program("Program/wipe", wrong).error == "invalidArguments")
        }
        let confirmed: JSONValue = ["confirmation": "Delete Everything"]
        let program = JMAPClient(name: "p", mayWrite: true, isPage: false)
        #expect(try await test.program("Program/wipe", confirmed, as: program).error == "forbidden")
        #expect(restarts.withLock { $0 } == 0)
        let answer = try await test.program("Program/wipe", confirmed)
        #expect(answer["notRemoved"] == [])
        #expect(secretsGone.withLock { $0 } && restarts.withLock { $0 } == 1)
        #expect(
            try place.files() == [
                "config/plugins/org.example.json", "data/lock", "data/server/ports.json",
                "data/server/sessions.json",
            ])
    }

    @Test func afterAWipeThereIsNothingAndOnboardingBegins() async throws {
        let test = try await TestKernel(messages: 5)
        _ = try await test.program(
            "Preferences/set",
            ["update": ["singleton": ["isOnboardingComplete": true, "appTheme": "dark"]]])
        _ = try await test.program("Program/wipe", ["confirmation": "Delete Everything"])
        let preferences = try await test.program("Preferences/get")["list"][0]
        #expect(preferences?["isOnboardingComplete"] == false && preferences?["appTheme"] == "system")
        #expect(try await test.program("AccountSettings/get")["list"] == [])
    }

    @Test func whatCannotBeRemovedIsSaid() async throws {
        let place = try TemporaryFolder()
        // It says where the secrets are that are left.
        _ = try place.write("x", to: "data/secrets.json")
        let test = try await TestKernel(
            program: ProgramAccess(
                folders: KernelFolders(
                    data: place.url.appending(path: "data"),
                    configuration: place.url.appending(path: "config")),
                removeSecrets: { throw SecretError.unavailable(reason: "The keyring is not there.") }))
        let answer = try await test.program("Program/wipe", ["confirmation": "Delete Everything"])
        let said = answer["notRemoved"].strings
        #expect(said.count == 1 && said[0].contains("The keyring is not there."), "\(said)")
        #expect(try place.files() == ["data/secrets.json"])
    }

    @Test func aKilledWipeIsFinishedAtTheNextStart() throws {
        let place = try TemporaryFolder()
        _ = try place.write("x", to: "data/plugins/a/b")
        let files = WipedFiles(
            KernelFolders(
                data: place.url.appending(path: "data"), configuration: place.url.appending(path: "config")))
        #expect(!files.isUnfinished)
        try files.mark()
        #expect(files.isUnfinished)
        #expect(files.remove() == [] && !files.isUnfinished)
        #expect(try place.files() == [])
    }

    // MARK: Export

    private func exported(_ test: TestKernel, _ id: JSONValue?) async throws -> JSONValue {
        var last: JSONValue = .null
        try await test.wait(for: "the export") {
            try await test.program("Export/get", ["ids": [id ?? .null]])["list"][0]?["isFinished"] == true
        }
        last = try await test.program("Export/get", ["ids": [id ?? .null]])["list"][0] ?? .null
        return last
    }

    @Test func mailIsExportedAndComesBackWhole() async throws {
        let place = try TemporaryFolder()
        let test = try await TestKernel(program: ProgramAccess(downloads: place.url))
        let message = """
            From: Ada <ada@example.org>\r\nTo: x@example.org\r\nSubject: Quoting\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r
            \r\nFrom here on\r\n>From there\r\nnot From\r\n\r\nlast line without end
            """
        _ = try await test.add(message, keywords: ["$seen", "$flagged"], receivedAt: "2026-11-21T10:00:05Z")
        _ = try await test.add(
            "From: grace@example.org\r\nSubject: Second\r\n\r\nBody\r\n", receivedAt: "2026-11-21T11:00:00Z")
        let begun = try await test.call("Program/export", ["kind": "mbox"])
        let status = try await exported(test, begun["exports"][0]?["id"])
        #expect(status["problem"] == .null && status["done"] == 2 && status["failures"] == 0, "\(status)")
        let path = try #require(status["path"]?.stringValue)
        #expect(path.hasPrefix(place.url.path) && path.hasSuffix(".mbox") && path.contains("ada@example.org"))
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.hasPrefix("From mailkernel-export Sat Nov 21 10:00:05 2026\nX-Mailkernel-Received: "))
        #expect(
            text.contains("\nStatus: RO\nX-Status: F\nX-Gmail-Labels: Inbox,Starred\nX-Mailkernel-Message: "))
        #expect(text.contains("\n\n>From here on\n>>From there\nnot From\n"))
        #expect(
            text.contains(
                "\nlast line without end\n\nFrom mailkernel-export Sat Nov 21 11:00:00 2026\nX-Mailkernel-"))
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        // It can be read again.
        var source = try MailSources.open(URL(filePath: path))
        var found = 0
        while let item = try source.next() { if case .message = item { found += 1 } }
        #expect(found == 2)
        // A second one does not take the place of the first.
        let again = try await test.call("Program/export", ["kind": "mbox"])
        let second = try await exported(test, again["exports"][0]?["id"])
        #expect(second["path"]?.stringValue?.hasSuffix(" (2).mbox") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.url.path).count == 2)
    }

    /// A memory stick knows no second name for one file.
    @Test func aFileIsNamedWhereThereAreNoLinks() throws {
        let folder = try TemporaryFolder()
        let place = ExportPlace(folder.url, name: "mail", ending: "mbox")
        try Data("all".utf8).write(to: URL(filePath: place.unfinished))
        let (taken, free) = (folder.url.appending(path: "a").path, folder.url.appending(path: "b").path)
        try Data("before".utf8).write(to: URL(filePath: taken))
        #expect(try !place.moveWithoutLinks(to: taken))
        #expect(try place.moveWithoutLinks(to: free))
        #expect(try String(contentsOfFile: taken, encoding: .utf8) == "before")
        #expect(try String(contentsOfFile: free, encoding: .utf8) == "all")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 2)
        // Without what was to be named, the name is free again.
        #expect(throws: ExportProblem.self) { try place.moveWithoutLinks(to: free + "2") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 2)
    }

    @Test func withoutTheServiceNothingHalfIsLeft() async throws {
        let place = try TemporaryFolder()
        let test = try await TestKernel(messages: 5, program: ProgramAccess(downloads: place.url))
        test.server.setOutage(.offline)
        let begun = try await test.call("Program/export", ["kind": "mbox"])
        let status = try await exported(test, begun["exports"][0]?["id"])
        #expect(status["problem"] == "Network unavailable. Check your connection and try again.")
        #expect(status["path"] == .null)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.url.path) == [])
    }

    @Test func settingsAreExportedWithoutSecrets() async throws {
        let place = try TemporaryFolder()
        let test = try await TestKernel(program: ProgramAccess(version: "1.2", downloads: place.url))
        _ = try await test.program("Preferences/set", ["update": ["singleton": ["appTheme": "dark"]]])
        let answer = try await test.program("Program/export", ["kind": "settings"])
        let path = try #require(answer["path"].stringValue)
        let json = try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: URL(filePath: path)))
        #expect(json["preferences"]?["appTheme"] == "dark" && json["version"] == "1.2")
        #expect(json["accounts"]?.arrayValue?.count == 2)
        #expect(json["accounts"]?[0]?["identities"]?[0]?["email"] != nil)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!text.contains("lovelace") && !text.contains("hopper"))
        let program = JMAPClient(name: "p", mayWrite: true, isPage: false)
        #expect(
            try await test.program("Program/export", ["kind": "settings"], as: program).error == "forbidden")
        #expect(try await test.program("Program/export", ["kind": "pdf"]).error == "invalidArguments")
    }

    // MARK: About

    /// FR-SET-05, AC-U-14d.
    /// FR-ACCT-03, FR-SET-05: there is one address of the privacy policy, the one that the build was given for the
    /// consent screen; without one it is the program's own page.
    @Test func aboutTellsWhatTheBuildNoted() async throws {
        let place = try TemporaryFolder()
        _ = try place.write("114 (abc)\n", to: "build")
        _ = try place.write(
            "mailkernel\t1.2\tApache-2.0\tmailkernel\nzlib1g\t1:1.2\tZlib\tzlib1g\n", to: "list")
        _ = try place.write("The Apache license.\n", to: "texts/mailkernel")
        _ = try place.write("The zlib license.\n", to: "texts/zlib1g")
        let test = try await TestKernel(program: ProgramAccess(version: "1.2", facts: place.url))
        let about = try #require(try await test.program("About/get")["list"][0])
        #expect(about["version"] == "1.2" && about["build"] == "114 (abc)")
        #expect(
            about["licenses"]?[1] == [
                "name": "zlib1g", "version": "1:1.2", "license": "Zlib", "text": "The zlib license.",
            ])
        #expect(about["privacyPolicyUrl"] == "/docs/privacy.html" && about["modelLicenses"] == [])
        _ = try place.write("https://example.org/privacy\n", to: "privacy-url")
        let asked = try await test.program("About/get", ["properties": ["privacyPolicyUrl"]])["list"][0]
        #expect(asked == ["id": "singleton", "privacyPolicyUrl": "https://example.org/privacy"])
    }
}
