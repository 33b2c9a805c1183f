import FoundationEssentials
import InferenceWire
import MailKernelAPI
import Synchronization

/// The models that there are, how far each is, and the processes that run them.
final class ModelShelf: Sendable {
    private struct State {
        var downloads: [Id<Model>: DownloadProgress] = [:]
        var engines: [Id<Model>: Engine] = [:]
    }

    let folder: ModelFolder
    private let catalog: [CatalogEntry]
    private let program: HelperProgram
    private let clock: any HostClock
    /// Why no model can run on this machine; nil if they can.
    private let obstacle: String?
    /// How many tokens a model that writes works with.
    private let context: Int
    private let state = Mutex(State())

    init(
        folder: ModelFolder, catalog: [CatalogEntry], program: HelperProgram, clock: any HostClock,
        obstacle: String?, context: Int
    ) {
        self.context = context
        self.folder = folder
        self.catalog = catalog
        self.program = program
        self.clock = clock
        self.obstacle = obstacle
        folder.tidy()
    }

    func models() async -> [Model] {
        var models: [Model] = []
        for entry in catalog + imported() { models.append(entry.model(await status(of: entry))) }
        return models
    }

    private func imported() -> [CatalogEntry] {
        folder.imports().compactMap { id in
            ImportedModel.read(folder.note(id)).map { $0.entry(id, file: folder.model(id)) }
        }.filter { folder.has($0.id, size: $0.size) }
    }

    private func status(of entry: CatalogEntry) async -> Model.Status {
        if let obstacle { return .unusable(reason: obstacle) }
        let (progress, engine) = state.withLock { ($0.downloads[entry.id], $0.engines[entry.id]) }
        if let progress { return .downloading(progress) }
        guard folder.has(entry.id, size: entry.size) else {
            let kept = min(folder.kept(entry.id), entry.size)
            let reached = DownloadProgress(received: kept, total: entry.size, bytesPerSecond: 0)
            return kept > 0 ? .downloading(reached) : .notDownloaded
        }
        if await engine?.isTooCrashy == true { return .unusable(reason: Engine.tooCrashy) }
        return .downloaded
    }

    /// The data of a downloadable model.
    func entry(_ id: Id<Model>) throws(ModelError) -> CatalogEntry {
        if let entry = (catalog + imported()).first(where: { $0.id == id }) { return entry }
        throw .notAvailable
    }

    func requireUsable() throws(ModelError) {
        if let obstacle { throw .unsupported(obstacle) }
    }

    // MARK: Downloads

    /// Marks a model as being downloaded; false if it is already.
    func beginDownload(_ entry: CatalogEntry) -> Bool {
        state.withLock { state in
            guard state.downloads[entry.id] == nil else { return false }
            state.downloads[entry.id] = DownloadProgress(received: 0, total: entry.size, bytesPerSecond: 0)
            return true
        }
    }

    func reached(_ progress: DownloadProgress, _ id: Id<Model>) {
        state.withLock { $0.downloads[id] = progress }
    }

    func endDownload(_ id: Id<Model>) {
        state.withLock { $0.downloads[id] = nil }
    }

    func isDownloading(_ id: Id<Model>) -> Bool { state.withLock { $0.downloads[id] != nil } }

    // MARK: Engines

    /// What runs a model that is here and can do this.
    func engine(for id: Id<Model>, to ability: Model.Ability) throws(ModelError) -> (Engine, CatalogEntry) {
        let entry = try entry(id)
        guard entry.abilities.contains(ability) else {
            throw .unsupported("“\(entry.name)” does not support “\(ability.rawValue)”.")
        }
        guard folder.has(id, size: entry.size) else { throw .notAvailable }
        try requireUsable()
        let engine = state.withLock { state in
            if let engine = state.engines[id] { return engine }
            let engine = newEngine(folder.model(id), entry)
            state.engines[id] = engine
            return engine
        }
        return (engine, entry)
    }

    func newEngine(_ file: String, _ entry: CatalogEntry) -> Engine {
        let isForVectors = entry.abilities.contains(.embed)
        // The file is mapped and does not count, but parts of it may be copied into another order.
        let limit = entry.size + entry.memoryNeeded + (512 << 20)
        let request = LoadRequest(
            file: file, isForVectors: isForVectors, context: isForVectors ? 512 : context,
            memoryLimit: limit)
        return Engine(program, request, memoryNeeded: entry.memoryNeeded, clock: clock)
    }

    func unload() async {
        for engine in state.withLock({ Array($0.engines.values) }) { await engine.unload() }
    }

    /// Lets a model run again that was given up.
    func tryAgain(_ id: Id<Model>) async {
        if await state.withLock({ $0.engines[id] })?.isTooCrashy == true { await dismiss(id) }
    }

    /// Ends what runs a model, and forgets how it did.
    func dismiss(_ id: Id<Model>) async {
        let engine = state.withLock { $0.engines.removeValue(forKey: id) }
        await engine?.dismiss()
    }
}
