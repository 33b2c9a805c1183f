import FoundationEssentials
import MailKernelAPI
import PluginCalls
import Store

/// The language models of all providers, and their state.
///
/// Two providers may use the same name for different models, so the program has its own ids.
package actor Models {
    /// What a model can do for the mail.
    package enum Work: String, Sendable {
        case categories, search, replies, summaries
    }

    /// A model as the user sees it.
    package struct Entry: Sendable, Hashable {
        package var id: Id<Model>
        package var pluginID: String
        package var model: Model
        /// Bytes kept of an unfinished download that is not running.
        package var received = 0
        /// What went wrong when the user last asked for something.
        package var problem: ModelProblem?
        /// Its current tasks; empty if another model does all of them.
        package var work: [Work] = []
    }

    package static let dataType = DataType(rawValue: "Model")
    /// Twenty bars a second look no smoother than four.
    private static let progressInterval = 0.25

    private struct Download {
        var task: Task<Void, Never>
        var progress: DownloadProgress
        var shownAt: Date
    }

    private let providers: [(pluginID: String, provider: ContainedModels)]
    private let news: StateNews
    let clock: any HostClock
    private let log: LogOutput
    private var downloads: [Id<Model>: Download] = [:]
    private var problems: [Id<Model>: ModelProblem] = [:]
    private var revision = 0
    /// How often a model was tried again because the user wanted it.
    private(set) var revivals = 0
    private var isStopped = false
    private var isImporting = false
    /// The last list; nil if it may have changed since.
    private var known: [Entry]?

    init(
        providers: [String: ContainedModels], news: StateNews, clock: any HostClock, log: LogOutput
    ) {
        self.providers = providers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        self.news = news
        self.clock = clock
        self.log = log
    }

    package var state: State { news.state(revision) }

    /// All models, those of each provider in its order.
    package func all() async -> [Entry] {
        let entries: [Entry]
        if let known {
            entries = known
        } else {
            let asked = revision
            entries = await ask()
            if asked == revision { known = entries }
        }
        let shown = entries.map { entry in
            var entry = entry
            entry.problem = problems[entry.id]
            if let download = downloads[entry.id] {
                entry.model.status = .downloading(download.progress)
            } else if case .downloading(let progress) = entry.model.status {
                // It is not being downloaded here: show the action that is available to the user.
                entry.model.status = .notDownloaded
                entry.received = progress.received
            }
            return entry
        }
        let roles = roles(among: shown)
        return shown.map { entry in
            var entry = entry
            entry.work = roles.work(of: entry.id)
            return entry
        }
    }

    private func ask() async -> [Entry] {
        var entries: [Entry] = []
        for (pluginID, provider) in providers {
            let models = await provider.listing.answer { await self.changed() } ?? []
            for model in models where model.id.isValid {
                entries.append(Entry(id: Self.id(pluginID, model.id), pluginID: pluginID, model: model))
            }
        }
        return entries
    }

    /// A model that failed may be one that its provider has given up.
    func lookAgain() async {
        guard let former = known else { return }
        let asked = revision
        for (_, provider) in providers { provider.listing.forget() }
        let entries = await ask()
        guard asked == revision, entries != former else { return }
        known = entries
        publish()
    }

    // MARK: What the user asks for

    /// Starts a download and returns immediately. A running one continues; a model marked as unusable is
    /// tried again.
    package func download(_ id: Id<Model>) async throws(ModelProblem) {
        let entry = try await entry(id)
        guard downloads[id] == nil, !isStopped, let provider = provider(entry.pluginID) else { return }
        switch entry.model.status {
        case .downloaded: return
        case .unusable: return try await revive(entry, with: provider)
        case .notDownloaded, .downloading: break
        }
        problems[id] = nil
        let model = entry.model
        let start = DownloadProgress(received: 0, total: model.size, bytesPerSecond: 0)
        let task = Task {
            var failure: ModelError?
            do throws(ModelError) {
                try await provider.download(model.id) { progress in
                    Task { await self.progressed(id, progress) }
                }
            } catch {
                failure = error
            }
            ended(id, failure)
        }
        downloads[id] = Download(task: task, progress: start, shownAt: clock.now)
        changed()
    }

    /// Nothing is downloaded: the provider tries its existing model again.
    private func revive(_ entry: Entry, with provider: any AIModelProvider) async throws(ModelProblem) {
        revivals += 1
        try await ask(entry) { () async throws(ModelError) in
            try await provider.download(entry.model.id) { _ in }
        } orSay: {
            ModelProblem("This model cannot run here.", reason: $0.sentence)
        }
    }

    /// Has a provider do something, and waits a moment for it: the request must not hang with the plugin. A later
    /// failure is shown with the model.
    private func ask(
        _ entry: Entry, to work: @escaping @Sendable () async throws(ModelError) -> Void,
        orSay problem: @escaping @Sendable (ModelError) -> ModelProblem
    ) async throws(ModelProblem) {
        problems[entry.id] = nil
        let task = Task { () -> ModelProblem? in
            defer { changed() }
            do throws(ModelError) {
                try await work()
                return nil
            } catch {
                return problem(error)
            }
        }
        if let outcome = await Deadline.run(PluginCallKind.patience, clock, { await task.value }) {
            if let outcome { throw outcome }
        } else {
            Task {
                problems[entry.id] = await task.value
                publish()
            }
        }
    }

    /// Stops a download, keeping the received part. A download that has finished in the meantime leaves the
    /// model.
    package func pause(_ id: Id<Model>) async throws(ModelProblem) {
        _ = try await entry(id)
        guard let download = downloads[id] else { return }
        download.task.cancel()
        _ = await Deadline.run(PluginCallKind.patience, clock) { await download.task.value }
    }

    /// Ends a download like `pause`; deletes a model that is here; forgets an unfinished download where there
    /// is nothing else.
    package func remove(_ id: Id<Model>) async throws(ModelProblem) {
        let entry = try await entry(id)
        if downloads[id] != nil { return try await pause(id) }
        guard let provider = provider(entry.pluginID) else { return }
        try await ask(entry) { () async throws(ModelError) in
            switch entry.model.status {
            case .notDownloaded, .downloading: try await provider.discardDownload(entry.model.id)
            case .downloaded, .unusable: try await provider.delete(entry.model.id)
            }
        } orSay: {
            ModelProblem(deleting: $0)
        }
    }

    /// Deletes all models and partial downloads. Returns a sentence for each one that could not be deleted.
    package func removeAll() async -> [String] {
        var problems: [String] = []
        for (_, provider) in providers where !provider.isSilent {
            // A plugin that does not respond is not waited for; its calls go on.
            let removing = Task { await provider.removeAll() }
            problems += await Deadline.run(PluginCallKind.patience, clock) { await removing.value } ?? []
        }
        changed()
        return problems
    }

    /// Takes in a model file that the user has, with the first provider that can.
    package func importModel(from file: URL, name: String) async throws(ModelProblem) -> Entry {
        guard !isImporting else { throw ModelProblem("Another model file is being added.") }
        isImporting = true
        defer { isImporting = false }
        for (pluginID, provider) in providers {
            do throws(ModelError) {
                let model = try await provider.importModel(from: file, name: name)
                changed()
                return Entry(id: Self.id(pluginID, model.id), pluginID: pluginID, model: model)
            } catch {
                if case .unsupported = error { continue }
                throw ModelProblem(importing: error)
            }
        }
        throw ModelProblem("No loaded plugin can import model files.")
    }

    /// Stops all work. Partial downloads are kept.
    func stop() async {
        isStopped = true
        for download in downloads.values { download.task.cancel() }
        for task in downloads.values.map(\.task) { await task.value }
        for (_, provider) in providers where !provider.isSilent { await provider.unload() }
    }

    private func progressed(_ id: Id<Model>, _ progress: DownloadProgress) {
        // A late word of a download that has ended means nothing.
        guard let former = downloads[id], progress.received >= former.progress.received else { return }
        downloads[id]?.progress = progress
        guard clock.now.timeIntervalSince(former.shownAt) >= Self.progressInterval else { return }
        downloads[id]?.shownAt = clock.now
        publish()
    }

    private func ended(_ id: Id<Model>, _ failure: ModelError?) {
        downloads[id] = nil
        if let failure {
            problems[id] = ModelProblem(downloading: failure)
            log.write(.info, "mailkernel", "A model was not downloaded. \(failure.sentence)")
        }
        changed()
    }

    // MARK: Names

    private func entry(_ id: Id<Model>) async throws(ModelProblem) -> Entry {
        guard let entry = await all().first(where: { $0.id == id }) else { throw .notFound }
        return entry
    }

    func provider(_ pluginID: String) -> (any AIModelProvider)? {
        providers.first { $0.pluginID == pluginID }?.provider
    }

    /// Plugin ids have no “_”, so two models never have one name.
    private static func id(_ pluginID: String, _ id: Id<Model>) -> Id<Model> {
        let name = pluginID.replacing(".", with: "_") + "__" + id.rawValue
        return Id(String(name.suffix(255)))
    }

    /// More than progress has changed: the providers' lists must be requested again.
    private func changed() {
        known = nil
        for (_, provider) in providers { provider.listing.forget() }
        publish()
    }

    private func publish() {
        revision += 1
        news.publish([CommitResult.StateChange(Self.dataType, in: nil, state)])
    }
}
