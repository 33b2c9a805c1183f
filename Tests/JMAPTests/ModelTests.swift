import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import PluginCalls
import TestSupport
import Testing

@testable import Care
@testable import Intelligence

/// FR-SET-04, and the rows on models of FR-OB-01.
@Suite("Models over JMAP") struct ModelTests {
    private static let plugin = "org.example.tiny"
    private static let writer = "org_example_tiny__tiny-writer"

    private static func provider(_ isDownloaded: Bool = false, seconds: Double = 0) -> MemoryModelProvider {
        MemoryModelProvider(isDownloaded: isDownloaded, clock: ManualClock(), downloadSeconds: seconds)
    }

    private func model(_ test: TestKernel, _ id: String = writer) async throws -> JSONValue {
        let answer = try await test.program("Model/get", ["ids": [.string(id)]])
        return try #require(answer["list"][0])
    }

    private func set(_ test: TestKernel, _ status: String, _ id: String = writer) async throws -> CallAnswer {
        try await test.program("Model/set", ["update": [id: ["status": .string(status)]]])
    }

    /// FR-SET-04: status, size, source and license are there before a download begins.
    @Test func aModelSaysWhatItIsBeforeItIsDownloaded() async throws {
        let test = try await TestKernel(models: [Self.plugin: Self.provider()])
        let model = try await model(test)
        #expect(model["status"] == "notDownloaded" && model["problem"] == .null)
        #expect(model["sourceUrl"] == "https://models.example.org/writer.gguf")
        #expect(model["size"] == 4_000_000 && model["license"] == "Apache-2.0")
        #expect(model["licenseText"]?.stringValue?.isEmpty == false)
        #expect(model["abilities"] == ["classify", "generate"] && model["pluginId"] == "org.example.tiny")
    }

    @Test func aModelFromNowhereIsNotListed() async throws {
        let long = "https://example.org/" + String(repeating: "x", count: 1_000_000)
        for source in ["javascript:alert(1)", "data:text/html,x", long] {
            let provider = ScriptedModels(Self.provider())
            let url = try #require(URL(string: source))
            provider.script.withLock { $0.sources[Id("tiny-writer")] = url }
            let test = try await TestKernel(models: [Self.plugin: provider])
            let listed = try await test.program("Model/get", ["ids": .null])["list"].arrayValue ?? []
            #expect(
                !listed.isEmpty && !listed.contains { $0["id"] == .string(Self.writer) },
                "\(source.prefix(40))")
        }
    }

    /// FR-SET-04: a download shows how far it is, and the page is told of it.
    @Test func aDownloadShowsItsProgressAndEnds() async throws {
        let clock = ManualClock()
        let provider = MemoryModelProvider(isDownloaded: false, clock: clock, downloadSeconds: 40)
        let test = try await TestKernel(clock: clock, models: [Self.plugin: provider])
        let news = test.kernel.store.news.listen()
        #expect(try await set(test, "downloading")["updated"].keys == [Self.writer])
        #expect(try await model(test)["status"] == "downloading")
        var half: JSONValue = .null
        while half["status"] != "downloaded", half["received"]?.intValue ?? 0 < 2_000_000 {
            // Reports reach the page later than the provider makes them: the clock waits for each.
            let made = try await received(by: provider)
            if half["received"]?.intValue ?? 0 >= made { clock.advance(by: 0.5) }
            half = try await model(test)
        }
        let received = try #require(half["received"]?.intValue)
        #expect(half["bytesPerSecond"] == 100_000)
        #expect(half["secondsLeft"]?.intValue == (4_000_000 - received) / 100_000)
        try await test.wait(for: "the download") {
            clock.advance(by: 0.5)
            return try await model(test)["status"] == "downloaded"
        }
        #expect(try await model(test)["received"] == .null)
        let told = await news.first { _ in true }
        #expect(told?.keys.contains { $0.type == Models.dataType } == true)
    }

    /// How much of a model that is being downloaded has arrived.
    private func received(by provider: MemoryModelProvider) async throws -> Int {
        for model in try await provider.models() {
            if case .downloading(let progress) = model.status { return progress.received }
        }
        return 0
    }

    /// FR-OB-01, E-SO-07: a download that was cancelled is “not downloaded”, without a word of complaint.
    @Test func aCancelledDownloadIsNotDownloaded() async throws {
        let test = try await TestKernel(models: [Self.plugin: Self.provider(seconds: 100)])
        _ = try await set(test, "downloading")
        #expect(try await model(test)["status"] == "downloading")
        #expect(try await set(test, "notDownloaded")["updated"].keys == [Self.writer])
        let model = try await model(test)
        #expect(model["status"] == "notDownloaded" && model["problem"] == .null)
    }

    /// FR-SET-04, FR-SET-03: what a download has fetched is said, counted, gone on with or thrown away.
    @Test func whatADownloadLeavesIsSaidCountedAndThrownAway() async throws {
        let clock = ManualClock()
        let provider = MemoryModelProvider(isDownloaded: false, clock: clock, downloadSeconds: 40)
        let test = try await TestKernel(clock: clock, models: [Self.plugin: provider])
        _ = try await set(test, "downloading")
        try await test.wait(for: "some bytes") {
            clock.advance(by: 0.5)
            return try await model(test)["received"]?.intValue ?? 0 > 0
        }
        #expect(try await set(test, "paused")["updated"].keys == [Self.writer])
        let left = try await model(test)
        let received = try #require(left["received"]?.intValue)
        #expect(received > 0 && received < 4_000_000)
        #expect(left["status"] == "notDownloaded" && left["problem"] == .null)
        #expect(left["bytesPerSecond"] == .null && left["secondsLeft"] == .null)
        #expect(try await test.kernel.storageReport().models == received)
        _ = try await set(test, "notDownloaded")
        #expect(try await model(test)["received"] == .null)
        #expect(try await test.kernel.storageReport().models == 0)
    }

    /// FR-SET-04: “Cancel download” in the last moment finds a model and leaves it.
    @Test func aPauseDeletesNothing() async throws {
        let test = try await TestKernel(models: [Self.plugin: Self.provider(true)])
        #expect(try await set(test, "paused")["updated"].keys == [Self.writer])
        #expect(try await model(test)["status"] == "downloaded")
        #expect(try await set(test, "paused", "nothing")["notUpdated"]["nothing"]?["type"] == "notFound")
    }

    /// FR-OB-01, E-SO-04, E-SO-05, E-SO-15: the sentences of the specification.
    @Test(arguments: [
        (ModelError.network(.offline), "Download failed. Please retry."),
        (.verificationFailed, "Download verification failed. Please retry."),
        (
            .noSpace(needed: 1_107_409_472, free: 300_000_000),
            "Not enough free space: 1.1 GB needed, 300 MB free. Free some space and try again."
        ),
    ]) func aFailureIsSaidInTheWordsOfTheSpecification(_ error: ModelError, _ words: String) async throws {
        let provider = ScriptedModels(Self.provider())
        provider.script.withLock { $0.downloadError = error }
        let test = try await TestKernel(models: [Self.plugin: provider])
        _ = try await set(test, "downloading")
        try await test.wait(for: "the failure") { try await model(test)["problem"] != .null }
        let failed = try await model(test)
        #expect(failed["problem"] == .string(words) && failed["status"] == "notDownloaded")
        // The first steps have a sentence of their own for it.
        #expect(failed["isFailedDownload"] == .bool(error == .network(.offline)))
        provider.script.withLock { $0.downloadError = nil }
        _ = try await set(test, "downloading")
        try await test.wait(for: "the download") { try await model(test)["status"] == "downloaded" }
        #expect(try await model(test)["problem"] == .null)
    }

    /// FR-SET-04, E-SO-19: deleting leaves nothing broken.
    @Test func aModelCanBeDeletedAndFetchedAgain() async throws {
        let test = try await TestKernel(models: [Self.plugin: Self.provider(true)])
        #expect(try await model(test)["status"] == "downloaded")
        _ = try await set(test, "notDownloaded")
        #expect(try await model(test)["status"] == "notDownloaded")
        _ = try await set(test, "downloading")
        try await test.wait(for: "the download") { try await model(test)["status"] == "downloaded" }
    }

    @Test func twoProvidersAtOnceDoNotMixTheirModels() async throws {
        let test = try await TestKernel(models: [
            "org.example.one": Self.provider(true), "org.example.two": Self.provider(false),
        ])
        let list = try await test.program("Model/get")["list"]
        #expect(
            (list.arrayValue ?? []).compactMap { $0["id"]?.stringValue } == [
                "org_example_one__tiny-writer", "org_example_one__tiny-reader",
                "org_example_two__tiny-writer", "org_example_two__tiny-reader",
            ])
        _ = try await set(test, "notDownloaded", "org_example_one__tiny-writer")
        _ = try await set(test, "downloading", "org_example_two__tiny-writer")
        try await test.wait(for: "the download") {
            try await model(test, "org_example_two__tiny-writer")["status"] == "downloaded"
        }
        #expect(try await model(test, "org_example_one__tiny-writer")["status"] == "notDownloaded")
        #expect(try await model(test, "org_example_one__tiny-reader")["status"] == "downloaded")
    }

    /// There are two levels, and it can be seen which is at work.
    @Test func aModelSaysWhatItIsUsedFor() async throws {
        let models = ScriptedModels(Self.provider(true))
        let test = try await TestKernel(models: [Self.plugin: models])
        let reader = "org_example_tiny__tiny-reader"
        #expect(try await model(test)["usedFor"] == [])
        #expect(try await model(test, reader)["usedFor"] == ["categories", "search", "replies", "summaries"])
        models.script.withLock { $0.sizes[MemoryModelProvider.writer] = 400_000_000 }
        await test.kernel.intelligence.models.lookAgain()
        #expect(try await model(test)["usedFor"] == ["replies", "summaries"])
        #expect(try await model(test, reader)["usedFor"] == ["categories", "search"])
        _ = try await set(test, "notDownloaded", reader)
        #expect(try await model(test)["usedFor"] == ["categories", "replies", "summaries"])
        #expect(try await model(test, reader)["usedFor"] == [])
    }

    @Test func aProviderThatFailsHidesNoOther() async throws {
        let broken = ScriptedModels(Self.provider())
        broken.script.withLock { $0.listError = .failed(reason: "The catalog cannot be read.") }
        let test = try await TestKernel(models: ["org.example.broken": broken, Self.plugin: Self.provider()])
        #expect(try await test.program("Model/get")["list"].arrayValue?.count == 2)
    }

    private func pluginProblem(_ test: TestKernel) async throws -> String? {
        let plugins = try await test.program("Plugin/get", ["ids": [.string(Self.plugin)]])
        return plugins["list"][0]?["reason"]?.stringValue
    }

    /// Settings, search and every answer depend on the models.
    @Test func aPluginThatIsSilentKeepsTheModelsThatItListed() async throws {
        let (models, clock) = (ScriptedModels(Self.provider(true)), ManualClock())
        let test = try await TestKernel(
            models: [Self.plugin: models], calls: ProviderCalls(clock: clock))
        #expect(try await model(test)["status"] == "downloaded")
        models.script.withLock { $0.isListHeld = true }
        let deletion = Task { try await set(test, "notDownloaded") }
        // The page's patience ends before the plugin is given up.
        await clock.waitForSleepers { $0 == 2 }
        clock.advance(by: PluginCallKind.patience)
        #expect(try await deletion.value["updated"].keys == [Self.writer])
        #expect(try await model(test)["status"] == "downloaded")
        #expect(try await pluginProblem(test)?.contains("not responding to “models”") == true)
        models.script.withLock { $0.isListHeld = false }
        try await test.wait(for: "the list") { try await model(test)["status"] == "notDownloaded" }
        #expect(try await pluginProblem(test) == nil)
    }

    @Test func noRequestHangsWithAPluginThatDeletesForEver() async throws {
        let (models, clock) = (ScriptedModels(Self.provider(true)), ManualClock())
        let test = try await TestKernel(clock: clock, models: [Self.plugin: models])
        models.script.withLock {
            $0.isDeletionHeld = true
            $0.deletionError = .failed(reason: "The file is busy.")
        }
        let answered = Watched(false)
        let request = Task {
            defer { answered.withLock { $0 = true } }
            return try await set(test, "notDownloaded")
        }
        try await test.wait(for: "the answer") {
            clock.advance(by: 0.5)
            return answered.value
        }
        #expect(try await request.value["updated"].keys == [Self.writer])
        #expect(try await model(test)["problem"] == .null)
        models.script.withLock { $0.isDeletionHeld = false }
        try await test.wait(for: "the failure") {
            try await model(test)["problem"] == "The model could not be deleted."
        }
    }

    @Test func aFileOfTheUsersIsTakenIn() async throws {
        let test = try await TestKernel(models: [Self.plugin: Self.provider()])
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).gguf")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("GGUF this is long enough to be one".utf8).write(to: file)
        let answer = try await test.program(
            "Model/set", ["create": ["k": ["path": .string(file.path), "name": "Mine"]]])
        let id = try #require(answer["created"]["k"]?["id"]?.stringValue)
        #expect(try await model(test, id)["name"] == "Mine")
        try Data("MZ".utf8).write(to: file)
        let refused = try await test.program("Model/set", ["create": ["k": ["path": .string(file.path)]]])
        #expect(
            refused["notCreated"]["k"]?["description"]
                == "The model could not be added. This is not a GGUF file.")
    }

    @Test func aFileOfTheUsersIsFoundInItsFolder() async throws {
        let place = try TemporaryFolder()
        for name in ["zebra.gguf", "Ape.GGUF", "letter.txt", ".hidden.gguf"] {
            try Data(count: 7).write(to: place.url.appending(path: name))
        }
        let models = place.url.appending(path: "Models")
        try FileManager.default.createDirectory(at: models, withIntermediateDirectories: false)
        let test = try await TestKernel(
            models: [Self.plugin: Self.provider()], program: ProgramAccess(downloads: place.url))
        let found = try await test.program("ModelFile/query")
        #expect(
            found["list"].arrayValue?.compactMap { $0["name"]?.stringValue }
                == ["Models", "Ape.GGUF", "zebra.gguf"])
        #expect(found["list"][0]?["isFolder"] == true && found["list"][1]?["size"] == 7)
        let inside = try await test.program("ModelFile/query", ["folder": .string(models.path)])
        #expect(inside["list"] == [] && inside["parent"] == found["folder"])
        #expect(try await test.program("ModelFile/query", ["folder": "/"])["parent"] == .null)
        for path in [place.url.path + "/letter.txt", place.url.path + "/nothing"] {
            #expect(try await test.program("ModelFile/query", ["folder": .string(path)]).error == "notFound")
        }
        #expect(try await test.program("ModelFile/query", ["folder": "Models"]).error == "invalidArguments")
        let program = JMAPClient(name: "p", mayWrite: true, isPage: false)
        #expect(try await test.program("ModelFile/query", as: program).error == "forbidden")
    }

    @Test func onlyThePageMayChangeModels() async throws {
        let test = try await TestKernel(models: [Self.plugin: Self.provider()])
        let other = JMAPClient(name: "other", mayWrite: true, isPage: false)
        let set = try await test.program(
            "Model/set", ["update": [Self.writer: ["status": "downloading"]]], as: other)
        #expect(set.error == "forbidden")
        #expect(try await test.program("Model/get", as: other)["list"].arrayValue?.count == 2)
    }

    @Test func whatIsNotAskedForProperlyIsRefused() async throws {
        let test = try await TestKernel(models: [Self.plugin: Self.provider()])
        let answer = try await test.program(
            "Model/set",
            [
                "update": [
                    "nothing": ["status": "downloading"], Self.writer: ["status": "downloaded"],
                ], "destroy": ["x"], "create": ["k": ["path": "relative"]],
            ])
        #expect(answer["notUpdated"]["nothing"]?["type"] == "notFound")
        #expect(answer["notUpdated"][Self.writer]?["type"] == "invalidProperties")
        #expect(answer["notDestroyed"]["x"]?["type"] == "forbidden")
        #expect(answer["notCreated"]["k"]?["properties"] == ["path"])
        #expect(try await model(test)["status"] == "notDownloaded")
    }

    @Test func aStopEndsADownload() async throws {
        let test = try await TestKernel(models: [Self.plugin: Self.provider(seconds: 1000)])
        _ = try await set(test, "downloading")
        await test.kernel.stop()
        #expect(try await model(test)["status"] == "notDownloaded")
    }
}
