import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@Suite("The reference models keep what models promise") struct MemoryModelPromises {
    @Test(arguments: ConformanceCase.all(.model))
    func keep(_ promise: ConformanceCase) async throws {
        #expect(try await promise.check(ConformanceSubject(MemoryModelPlugin.self)) == .kept)
    }

    @Test(arguments: ModelFault.allCases)
    func aMistakeIsFound(_ fault: ModelFault) async throws {
        let promise = try #require(ConformanceCase.all(.model).first { $0.name == fault.promise })
        let subject = ConformanceSubject { host in
            .model(BrokenModels(real: MemoryModelPlugin.modelProvider(host: host), fault: fault))
        }
        await #expect(throws: (any Error).self) { try await promise.check(subject) }
    }
}

@Suite("The models in memory do what tests ask of them") struct MemoryModelTests {
    @Test func aCancelledDownloadKeepsWhatItHas() async throws {
        let clock = ManualClock()
        let models = MemoryModelProvider(isDownloaded: false, clock: clock, downloadSeconds: 40)
        let first = Task { try await models.download(MemoryModelProvider.writer) { _ in } }
        for _ in 0..<10 {
            while clock.sleepers == 0 { await Task.yield() }
            clock.advance(by: 1)
        }
        while clock.sleepers == 0 { await Task.yield() }
        first.cancel()
        await #expect(throws: ModelError.cancelled) { try await first.value }
        let kept = DownloadProgress(received: 1_000_000, total: 4_000_000, bytesPerSecond: 0)
        #expect(try await models.models().map(\.status) == [.downloading(kept), .notDownloaded])

        let (steps, report) = AsyncStream<DownloadProgress>.makeStream()
        let second = Task { try await models.download(MemoryModelProvider.writer) { report.yield($0) } }
        while clock.sleepers == 0 { await Task.yield() }
        clock.advance(by: 1)
        #expect(await steps.first { _ in true }?.received == 1_100_000)
        second.cancel()
        _ = await second.result
    }

    @Test func saysWhatItIsToldToSay() async throws {
        let models = MemoryModelProvider(
            isDownloaded: true, clock: ManualClock(), says: ["Reply": "Yes, gladly."])
        let request = GenerationRequest(
            model: MemoryModelProvider.writer, instruction: "Write a reply.", data: "Lunch?")
        #expect(try await models.generate(request) { _ in }.text == "Yes, gladly.")
    }

    @Test func takesInAModelFileAndDeletesIt() async throws {
        let models = MemoryModelProvider(isDownloaded: false, clock: ManualClock())
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).gguf")
        try Data("GGUF".utf8 + [UInt8](repeating: 0, count: 100)).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let model = try await models.importModel(from: file, name: "Mine")
        #expect(model.status == .downloaded)
        #expect(try await models.models().count == 3)
        try await models.delete(model.id)
        #expect(try await models.models().count == 2)
    }
}

/// Mistakes that a provider could make, and the promise that finds each.
enum ModelFault: String, Sendable, CaseIterable {
    case longVectors, wrongScores, ignoresTheLimit, losesPieces, takesAnyFile, listsTwice, notThereAfterAll
    case answersAnything

    var promise: String {
        switch self {
        case .longVectors: "vectorsHaveLengthOne"
        case .wrongScores: "everyLabelHasAScore"
        case .ignoresTheLimit: "aLimitIsKept"
        case .losesPieces: "thePiecesAreTheText"
        case .takesAnyFile: "aFileThatIsNoModelIsRefused"
        case .listsTwice: "everyModelSaysWhatItIs"
        case .notThereAfterAll: "aDownloadedModelIsThere"
        case .answersAnything: "anUnknownModelIsNotAvailable"
        }
    }
}

private struct BrokenModels: AIModelProvider {
    let real: MemoryModelProvider
    let fault: ModelFault

    func models() async throws(ModelError) -> [Model] {
        let models = try await real.models()
        return fault == .listsTwice ? models + models : models
    }

    func download(
        _ id: Id<Model>, progress: @escaping @Sendable (DownloadProgress) -> Void
    ) async throws(ModelError) {
        if fault != .notThereAfterAll { try await real.download(id, progress: progress) }
    }

    func discardDownload(_ id: Id<Model>) async throws(ModelError) { try await real.discardDownload(id) }

    func importModel(from file: URL, name: String) async throws(ModelError) -> Model {
        guard fault == .takesAnyFile, let any = try await real.models().first else {
            return try await real.importModel(from: file, name: name)
        }
        return any
    }

    func delete(_ id: Id<Model>) async throws(ModelError) { try await real.delete(id) }

    func generate(
        _ request: GenerationRequest, partial: @escaping @Sendable (String) -> Void
    ) async throws(ModelError) -> Generation {
        var request = request
        if fault == .ignoresTheLimit { request.maximumTokens = 100 }
        return try await real.generate(request) { if fault != .losesPieces { partial($0) } }
    }

    func classify(_ request: ClassificationRequest) async throws(ModelError) -> [[LabelScore]] {
        let answers = try await real.classify(request)
        guard fault == .wrongScores else { return answers }
        return answers.map { $0.map { LabelScore(label: $0.label, score: 1) } }
    }

    func embed(_ texts: [String], with id: Id<Model>) async throws(ModelError) -> [[Float]] {
        if fault == .answersAnything { return texts.map { _ in [1] } }
        let vectors = try await real.embed(texts, with: id)
        return fault == .longVectors ? vectors.map { $0.map { $0 * 2 } } : vectors
    }

    func unload() async { await real.unload() }
}
