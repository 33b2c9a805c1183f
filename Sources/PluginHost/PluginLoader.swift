public import FoundationEssentials
public import MailKernelAPI

/// A plugin that was found, and what became of it.
public struct PluginRecord: Sendable {
    public enum State: Sendable {
        case loaded(Provider)
        case refused(Refusal)
        /// The user turned it off.
        case disabled
        /// It ended the program or was not ready in time, and has not changed since.
        case skippedAfterCrash(PluginCrash)
        /// It is not one of the program's own, and only those are loaded in safe mode.
        case skippedInSafeMode
        /// It keeps mail, and another plugin was chosen for that, or none.
        case notChosen
    }

    public let folder: URL
    /// The folder's name where the manifest gives no id.
    public let id: String
    /// Nil if the manifest cannot be used.
    public let manifest: PluginManifest?
    public let state: State
    /// It ended the program before, but was loaded anyway.
    public let pastCrash: PluginCrash?

    public init(
        folder: URL, id: String, manifest: PluginManifest?, state: State, pastCrash: PluginCrash? = nil
    ) {
        self.folder = folder
        self.id = id
        self.manifest = manifest
        self.state = state
        self.pastCrash = pastCrash
    }

    public var provider: Provider? {
        if case .loaded(let provider) = state { provider } else { nil }
    }
}

/// Which plugins to load.
public struct PluginSelection: Sendable {
    /// Folders of plugins, or plugins themselves. Of two with the same id the first counts.
    public var folders: [URL]
    public var disabledIDs: Set<String>
    /// The storage plugin that the user chose.
    public var storageID: String?
    /// In safe mode, the folder that holds the only plugins to load.
    public var safeModeFolder: URL?

    public init(
        folders: [URL], disabledIDs: Set<String> = [], storageID: String? = nil, safeModeFolder: URL? = nil
    ) {
        self.folders = folders
        self.disabledIDs = disabledIDs
        self.storageID = storageID
        self.safeModeFolder = safeModeFolder
    }
}

/// Loads plugins, one after the other. A plugin that cannot be loaded is listed with the reason and
/// keeps none of the others from being loaded.
public struct PluginLoader: Sendable {
    private let memoryFolder: URL
    private let makeHost: @Sendable (PluginManifest) throws -> HostServices
    private let factoryLimit: Int
    private let watches: Bool
    private let willLoad: @Sendable (String) -> Void
    private let cannotRemember: @Sendable (CrashMemoryUnavailable) -> Void

    /// - Parameters:
    ///   - memoryFolder: where crashes are recorded; created if it does not exist.
    ///   - factoryLimit: how many seconds a plugin may take to create its provider.
    ///   - watches: whether plugins are watched after loading, until the process ends.
    ///   - willLoad: called with a plugin's id right before its code can run.
    ///   - cannotRemember: called if crashes cannot be recorded.
    ///   - makeHost: creates the plugin's host services. Its error refuses that plugin.
    public init(
        memoryFolder: URL, factoryLimit: Int = 10, watches: Bool = false,
        willLoad: @escaping @Sendable (String) -> Void = { _ in },
        cannotRemember: @escaping @Sendable (CrashMemoryUnavailable) -> Void = { _ in },
        makeHost: @escaping @Sendable (PluginManifest) throws -> HostServices
    ) {
        self.memoryFolder = memoryFolder
        self.factoryLimit = factoryLimit
        self.watches = watches
        self.willLoad = willLoad
        self.cannotRemember = cannotRemember
        self.makeHost = makeHost
    }

    /// - Parameter isStopped: checked between plugins and while waiting for one; `load` then returns the
    ///   plugins so far.
    /// - Throws: `UnreadableFolder` for a folder of the selection.
    public func load(
        _ selection: PluginSelection, unless isStopped: () -> Bool = { false }
    ) throws -> [PluginRecord] {
        let candidates = Self.refuseDuplicates(try PluginFinder.candidates(in: selection.folders))
        let memory = CrashMemory(folder: memoryFolder, report: cannotRemember)
        if watches { memory.watch() }
        var selection = selection
        selection.storageID = selection.storage(among: candidates)
        var records: [PluginRecord] = []
        for candidate in candidates {
            if isStopped() { break }
            let state = state(of: candidate, selection, memory, isStopped)
            records.append(
                PluginRecord(
                    folder: candidate.folder, id: candidate.id, manifest: candidate.manifest, state: state,
                    pastCrash: memory.crash(of: candidate)))
        }
        return records
    }

    /// Forgets why a plugin is skipped: it crashed, or was not ready in time. False if it is not.
    public static func retry(_ id: String, memoryFolder: URL) throws -> Bool {
        try CrashMemory.forget(id: id, in: memoryFolder)
    }

    private func state(
        of candidate: PluginCandidate, _ selection: PluginSelection, _ memory: borrowing CrashMemory,
        _ isStopped: () -> Bool
    ) -> PluginRecord.State {
        if selection.disabledIDs.contains(candidate.id) { return .disabled }
        // Also if it cannot be loaded: nothing depends on it.
        if selection.leavesOut(candidate) { return .notChosen }
        if let refusal = candidate.refusal { return .refused(refusal) }
        guard let manifest = candidate.manifest else { return .refused(.noManifest) }
        if !selection.allows(candidate) { return .skippedInSafeMode }
        if let crash = memory.crash(of: candidate), !crash.allowsLoading(manifest.kind) {
            return .skippedAfterCrash(crash)
        }
        willLoad(candidate.id)
        memory.begin(candidate)
        defer { memory.end() }
        do throws(Refusal) {
            return .loaded(try load(candidate, manifest, isStopped))
        } catch {
            if case .factoryTooSlow(let seconds) = error { memory.remember(candidate, waited: seconds) }
            return .refused(error)
        }
    }

    private func load(
        _ candidate: PluginCandidate, _ manifest: PluginManifest, _ isStopped: () -> Bool
    ) throws(Refusal) -> Provider {
        let library = try PluginLibrary(opening: candidate.folder.appending(path: manifest.library).path)
        // Until loading is finished, the crash memory's record covers it.
        defer { CrashWatch.add(candidate, library) }
        let host: HostServices
        do {
            host = try makeHost(manifest)
        } catch {
            throw .factoryThrew(String(describing: error))
        }
        let provider = try library.makeProvider(host: host, within: factoryLimit, unless: isStopped)
        guard provider.kind == manifest.kind else {
            throw .otherKind(manifest: manifest.kind, library: provider.kind)
        }
        return provider
    }

    private static func refuseDuplicates(_ candidates: [PluginCandidate]) -> [PluginCandidate] {
        var firsts: [String: URL] = [:]
        return candidates.map { candidate in
            guard let id = candidate.manifest?.id else { return candidate }
            var candidate = candidate
            if let first = firsts[id] {
                candidate.refusal = candidate.refusal ?? .duplicateID(first: first.path)
            } else if candidate.refusal == nil {
                firsts[id] = candidate.folder
            }
            return candidate
        }
    }
}

extension PluginSelection {
    fileprivate func allows(_ candidate: PluginCandidate) -> Bool {
        safeModeFolder.map { candidate.folder.isDirectly(in: $0) } ?? true
    }

    fileprivate func leavesOut(_ candidate: PluginCandidate) -> Bool {
        candidate.manifest?.kind == .storage && candidate.id != storageID && allows(candidate)
    }

    /// The storage plugin to load: the one that the user chose, the only one, or the only default. Manifests decide, so
    /// that a default that cannot be loaded is not replaced by another store, which would look as if all mail were gone.
    fileprivate func storage(among candidates: [PluginCandidate]) -> String? {
        if let storageID { return storageID }
        let found = candidates.compactMap { candidate in
            disabledIDs.contains(candidate.id) || !allows(candidate) ? nil : candidate.manifest
        }.filter { $0.kind == .storage }
        let ids = Set(found.map(\.id))
        let defaults = Set(found.filter(\.isDefault).map(\.id))
        return ids.count == 1 ? ids.first : defaults.count == 1 ? defaults.first : nil
    }
}

extension PluginCrash {
    /// A store that was loaded is loaded again: without it there is no mail, and nothing to look at.
    fileprivate func allowsLoading(_ kind: PluginKind) -> Bool { kind == .storage && running != nil }
}

extension URL {
    fileprivate func isDirectly(in folder: URL) -> Bool {
        resolvingSymlinksInPath().deletingLastPathComponent().path == folder.resolvingSymlinksInPath().path
    }
}
