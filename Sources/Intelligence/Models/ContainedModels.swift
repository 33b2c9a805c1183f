import FoundationEssentials
import MailKernelAPI
import PluginCalls
import Synchronization

/// A model provider whose calls block nothing else (see `PluginCaller`), and whose results are limited.
struct ContainedModels: AIModelProvider {
    private let inner: any AIModelProvider
    private let caller: PluginCaller
    /// Much of the program asks for them, and all of it can do without.
    let listing: Listing<[Model]>
    private static let mostModels = 200

    /// Whether a call that was given up has not returned.
    var isSilent: Bool { caller.isSilent }

    init(_ inner: any AIModelProvider, _ caller: PluginCaller) {
        self.inner = inner
        self.caller = caller
        listing = Listing(caller.calls) {
            guard !caller.isSilent(in: .models) else { return nil }
            do throws(ModelError) {
                return try await Self.models(inner, caller)
            } catch {
                caller.log.write(
                    .warning, caller.pluginID, "Models could not be listed. \(error.sentence)")
                return nil
            }
        }
    }

    func models() async throws(ModelError) -> [Model] { try await Self.models(inner, caller) }

    private static func models(
        _ inner: any AIModelProvider, _ caller: PluginCaller
    ) async throws(ModelError) -> [Model] {
        let models = try await caller.call(.models) { _ throws(ModelError) in try await inner.models() }
        return models.prefix(mostModels).filter(\.hasLink).map(\.held)
    }

    func download(
        _ id: Id<Model>, progress: @escaping @Sendable (DownloadProgress) -> Void
    ) async throws(ModelError) {
        try await caller.call(.download) { [inner] silence throws(ModelError) in
            let gate = ProgressGate(silence)
            try await inner.download(id) { if let news = gate.pass($0.held) { progress(news) } }
        }
    }

    func discardDownload(_ id: Id<Model>) async throws(ModelError) {
        try await caller.call(.discardDownload) { [inner] _ throws(ModelError) in
            try await inner.discardDownload(id)
        }
    }

    func importModel(from file: URL, name: String) async throws(ModelError) -> Model {
        let model = try await caller.call(.importModel) { [inner] _ throws(ModelError) in
            try await inner.importModel(from: file, name: name)
        }
        guard model.hasLink else { throw .failed(reason: "the plugin gave the model an invalid address") }
        return model.held
    }

    func delete(_ id: Id<Model>) async throws(ModelError) {
        try await caller.call(.delete) { [inner] _ throws(ModelError) in try await inner.delete(id) }
    }

    func generate(
        _ request: GenerationRequest, partial: @escaping @Sendable (String) -> Void
    ) async throws(ModelError) -> Generation {
        try await caller.call(.generate) { [inner] silence throws(ModelError) in
            try await inner.generate(request) {
                // Text that arrives slowly is not a hang.
                silence.isBroken()
                partial($0)
            }
        }.held
    }

    func classify(_ request: ClassificationRequest) async throws(ModelError) -> [[LabelScore]] {
        try await caller.call(.classify) { [inner] _ throws(ModelError) in try await inner.classify(request) }
    }

    func embed(_ texts: [String], with id: Id<Model>) async throws(ModelError) -> [[Float]] {
        try await caller.call(.embed) { [inner] _ throws(ModelError) in try await inner.embed(texts, with: id)
        }
    }

    /// Deletes all models and partial downloads. Returns a sentence for each one that could not be deleted.
    func removeAll() async -> [String] {
        var problems: [String] = []
        for model in await listing.answer() ?? [] {
            do throws(ModelError) {
                try await discardDownload(model.id)
                switch model.status {
                case .downloaded, .unusable: try await delete(model.id)
                case .notDownloaded, .downloading: break
                }
            } catch {
                problems.append("The model “\(model.name)” could not be deleted. \(error.sentence)")
            }
        }
        return problems
    }

    func unload() async {
        try? await caller.call(.unload) { [inner] _ throws(ModelError) in await inner.unload() }
    }
}

extension PluginCaller {
    /// The same where an error says that there is no answer.
    fileprivate func call<Answer: Sendable>(
        _ kind: PluginCallKind, _ body: @escaping @Sendable (Silence) async throws(ModelError) -> Answer
    ) async throws(ModelError) -> Answer {
        let result: Result<Answer, ModelError>
        do throws(Unanswered) {
            result = try await call(kind, body)
        } catch {
            throw .failed(reason: error.sentence)
        }
        return try result.mapError(\.held).get()
    }
}

/// Passes on progress reports of a download whenever another percent has come, and otherwise up to 10 per second. Each
/// report resets the silence.
private final class ProgressGate: Sendable {
    private struct Passed {
        var received = 0
        var next = ContinuousClock.now
    }

    private static let interval = Duration.milliseconds(100)
    private let silence: Silence
    private let passed = Mutex(Passed())

    init(_ silence: Silence) {
        self.silence = silence
    }

    func pass(_ progress: DownloadProgress) -> DownloadProgress? {
        silence.isBroken()
        return passed.withLock { passed in
            let now = ContinuousClock.now
            let (received, total) = (progress.held.received, progress.held.total)
            // Past the announced total, a percent is one of what has come: a plugin cannot report without end.
            let percent = max(max(total, passed.received) / 100, 1)
            guard now >= passed.next || received - passed.received >= percent || received >= total else {
                return nil
            }
            passed = Passed(received: max(received, passed.received), next: now + Self.interval)
            return progress
        }
    }
}

extension Model {
    /// The longest license in use has a third of this.
    private static let longestLicense = 100_000

    /// Whether the user can look at where it comes from.
    fileprivate var hasLink: Bool { source.isLink(["https", "http", "file"]) }

    /// With limited numbers, so that sums do not overflow, and limited texts.
    fileprivate var held: Model {
        var model = self
        model.name = name.cut
        model.purpose = purpose.cut
        model.sha256 = sha256.cut
        model.license = license.cut
        model.licenseText = String(licenseText.unicodeScalars.prefix(Self.longestLicense))
        model.size = min(max(0, size), Int.mostModelBytes)
        model.memoryNeeded = min(max(0, memoryNeeded), Int.mostModelBytes)
        switch status {
        case .downloading(let progress): model.status = .downloading(progress.held)
        case .unusable(let reason): model.status = .unusable(reason: reason.cut)
        case .notDownloaded, .downloaded: break
        }
        return model
    }
}

extension DownloadProgress {
    fileprivate var held: DownloadProgress {
        DownloadProgress(
            received: min(max(0, received), Int.mostModelBytes),
            total: min(max(0, total), Int.mostModelBytes),
            bytesPerSecond: bytesPerSecond.isFinite ? max(0, bytesPerSecond) : 0)
    }
}

extension Generation {
    private static let longest = 100_000

    fileprivate var held: Generation {
        guard text.utf8.count > Self.longest else { return self }
        var generation = self
        generation.text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.longest)))
        return generation
    }
}

extension Int {
    fileprivate static let mostModelBytes = 1 << 50
}
