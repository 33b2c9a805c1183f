import FoundationEssentials
import MailKernelAPI
import Synchronization

/// The models of a `MemoryModelProvider` and how far each is: what a real provider has on its disk.
final class MemoryModelShelf: Sendable {
    private struct Contents {
        var models: [Model]
        /// Bytes of unfinished downloads that are kept for the next try.
        var kept: [Id<Model>: Int] = [:]
        var underWay: Set<Id<Model>> = []
        var imports = 0
    }

    private let contents: Mutex<Contents>

    init(isFull: Bool) {
        let catalog = Self.catalog(status: isFull ? .downloaded : .notDownloaded)
        contents = Mutex(Contents(models: catalog))
    }

    var models: [Model] { contents.withLock { $0.models } }

    func model(_ id: Id<Model>) -> Model? {
        models.first { $0.id == id }
    }

    func setStatus(_ status: Model.Status, of id: Id<Model>) {
        contents.withLock { contents in
            for index in contents.models.indices where contents.models[index].id == id {
                contents.models[index].status = status
            }
        }
    }

    /// Begins a download, and says how much of it is here; nil if one is under way.
    func beginDownload(_ model: Model) -> Int? {
        contents.withLock { contents in
            guard let index = contents.models.firstIndex(where: { $0.id == model.id }) else { return nil }
            guard contents.underWay.insert(model.id).inserted else { return nil }
            let kept = contents.kept[model.id] ?? 0
            contents.models[index].status = .downloading(
                DownloadProgress(received: kept, total: model.size, bytesPerSecond: 0))
            return kept
        }
    }

    /// Ends what `beginDownload` began: with the model, or with what has come of it.
    func endDownload(of model: Model, received: Int) {
        contents.withLock { contents in
            contents.underWay.remove(model.id)
            contents.kept[model.id] = received < model.size ? received : nil
        }
        let reached = DownloadProgress(received: received, total: model.size, bytesPerSecond: 0)
        switch received {
        case 0: setStatus(.notDownloaded, of: model.id)
        case model.size: setStatus(.downloaded, of: model.id)
        default: setStatus(.downloading(reached), of: model.id)
        }
    }

    /// Forgets what has come of an unfinished download, unless it is under way.
    func forgetDownload(of id: Id<Model>) {
        let isKept = contents.withLock { contents in
            !contents.underWay.contains(id) && contents.kept.removeValue(forKey: id) != nil
        }
        if isKept { setStatus(.notDownloaded, of: id) }
    }

    func add(name: String, size: Int) -> Model {
        contents.withLock { contents in
            contents.imports += 1
            let model = Model(
                id: Id("imported-\(contents.imports)"), name: name, purpose: "A model that you imported.",
                abilities: [.generate], source: MemoryModelProvider.source("imported"), size: size,
                sha256: String(repeating: "0", count: 64), license: "unknown",
                licenseText: "The file does not say under which license it is.", memoryNeeded: size,
                status: .downloaded)
            contents.models.append(model)
            return model
        }
    }

    func removeImport(_ id: Id<Model>) {
        contents.withLock { $0.models.removeAll { $0.id == id && $0.id.rawValue.hasPrefix("imported-") } }
    }

    private static func catalog(status: Model.Status) -> [Model] {
        [
            Model(
                id: MemoryModelProvider.writer, name: "Tiny Writer",
                purpose: "Writes replies and sorts mail; small and quick.",
                abilities: [.generate, .classify],
                source: MemoryModelProvider.source("writer"), size: 4_000_000,
                sha256: String(repeating: "1a", count: 32), license: "Apache-2.0",
                licenseText: "Licensed under the Apache License, Version 2.0.", memoryNeeded: 8_000_000,
                status: status),
            Model(
                id: MemoryModelProvider.reader, name: "Tiny Reader",
                purpose: "Finds mail with the same meaning.", abilities: [.embed],
                source: MemoryModelProvider.source("reader"), size: 1_000_000,
                sha256: String(repeating: "2b", count: 32), license: "MIT",
                licenseText: "Permission is hereby granted, free of charge, to any person.",
                memoryNeeded: 2_000_000, status: status),
        ]
    }
}
