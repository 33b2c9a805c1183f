import FoundationEssentials
import Intelligence
import MailKernelAPI

extension RecordType {
    static let model = RecordType(
        "Model", .models, of: .program,
        .running(Models.dataType) { kernel, _ in await kernel.intelligence.models.state },
        [
            "id", "pluginId", "name", "purpose", "abilities", "sourceUrl", "size", "sha256", "license",
            "licenseText", "memoryNeeded", "status", "received", "bytesPerSecond", "secondsLeft", "problem",
            "isFailedDownload", "reason", "usedFor",
        ])
}

extension Method {
    /// The language models of this machine: which there are, getting one, and deleting it (FR-SET-04).
    static let models: [Method] = [
        .get(.model) { context, _, _ in
            await context.kernel.intelligence.models.all().map { ($0.id.rawValue, $0.json) }
        },
        // A download tells a stranger that this machine is there, and an import reads any file.
        .set(.model, onlyPage: "download or delete models", with: ModelSetter()),
        Method("ModelFile/query", .models, ModelMethods.queryFiles),
    ]
}

enum ModelMethods {
    /// The model files in a folder of this computer, for the user to choose from; by default in the downloads
    /// folder.
    @Sendable static func queryFiles(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        try context.requirePage("list folders")
        let folder = try arguments.string("folder")
        try arguments.finish()
        guard folder?.hasPrefix("/") ?? true else {
            throw MethodError("invalidArguments", "“folder” must be the full path of a folder.")
        }
        do {
            let listing = try context.kernel.modelFiles(in: folder)
            return [
                "accountId": .string(ProgramAccount.id.rawValue), "folder": .string(listing.folder),
                "parent": listing.parent.map { .string($0) } ?? .null,
                "list": .array(
                    listing.entries.map { entry in
                        [
                            "path": .string(entry.path), "name": .string(entry.name),
                            "isFolder": .bool(entry.isFolder), "size": .number(Double(entry.size)),
                        ]
                    }),
            ]
        } catch {
            throw MethodError("notFound", error.description)
        }
    }
}

/// Setting `status` to `downloading` starts a download; `paused` stops it; `notDownloaded` stops it, discards an
/// earlier download, or deletes the model. Creating imports a file of the user.
private struct ModelSetter: RecordSetter {
    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        let entry = try await Self.importModel(object, context.kernel.intelligence.models)
        return (entry.id.rawValue, entry.json.filter { object[$0.key] == nil })
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        try await Self.update(Id(id), patch, context.kernel.intelligence.models)
        return .null
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        throw SetError("forbidden", "A model is deleted by setting its status to “notDownloaded”.")
    }

    private static func update(
        _ id: Id<Model>, _ patch: [String: JSONValue], _ models: Models
    ) async throws(SetError) {
        if let other = patch.keys.sorted().first(where: { $0 != "status" }) {
            throw .invalidProperty(other, "cannot be changed")
        }
        let statuses = ["downloading", "paused", "notDownloaded"]
        guard let status = patch["status"]?.stringValue, statuses.contains(status) else {
            throw .invalidProperty("status", "must be “downloading”, “paused” or “notDownloaded”")
        }
        do {
            switch status {
            case "downloading": try await models.download(id)
            case "paused": try await models.pause(id)
            default: try await models.remove(id)
            }
        } catch {
            throw error == .notFound ? .notFound : SetError(error)
        }
    }

    private static func importModel(
        _ object: [String: JSONValue], _ models: Models
    ) async throws(SetError) -> Models.Entry {
        if let unknown = object.keys.sorted().first(where: { !["path", "name"].contains($0) }) {
            throw .invalidProperty(unknown, "cannot be set")
        }
        guard let path = object["path"]?.stringValue, path.hasPrefix("/") else {
            throw .invalidProperty("path", "must be the full path of a file")
        }
        let file = URL(filePath: path)
        let name = object["name"]?.stringValue ?? file.deletingPathExtension().lastPathComponent
        guard (1...200).contains(name.utf8.count) else {
            throw .invalidProperty("name", "must be a name of 1 to 200 bytes")
        }
        do {
            return try await models.importModel(from: file, name: name)
        } catch {
            throw SetError(error)
        }
    }
}

extension SetError {
    fileprivate init(_ problem: ModelProblem) {
        let words = [problem.text, problem.reason].compactMap { $0 }
        self.init("modelProblem", words.joined(separator: " "))
    }
}

extension Models.Entry {
    fileprivate var json: [String: JSONValue] {
        var object: [String: JSONValue] = [
            "id": .string(id.rawValue), "pluginId": .string(pluginID), "name": .string(model.name),
            "purpose": .string(model.purpose),
            "abilities": .array(model.abilities.map(\.rawValue).sorted().map { .string($0) }),
            "sourceUrl": .string(model.source.absoluteString), "size": .number(Double(model.size)),
            "sha256": .string(model.sha256), "license": .string(model.license),
            "licenseText": .string(model.licenseText), "memoryNeeded": .number(Double(model.memoryNeeded)),
            "received": .null, "bytesPerSecond": .null, "secondsLeft": .null,
            "problem": problem.map { .string($0.text) } ?? .null,
            "isFailedDownload": .bool(problem?.isFailedDownload ?? false),
            "reason": problem?.reason.map { .string($0) } ?? .null,
            "usedFor": .array(work.map { .string($0.rawValue) }),
        ]
        switch model.status {
        case .notDownloaded:
            object["status"] = "notDownloaded"
            if received > 0 { object["received"] = .number(Double(received)) }
        case .downloaded: object["status"] = "downloaded"
        case .unusable(let reason):
            object["status"] = "unusable"
            if problem == nil { object["reason"] = .string(reason) }
        case .downloading(let progress):
            object["status"] = "downloading"
            object["received"] = .number(Double(progress.received))
            object["bytesPerSecond"] = .number(progress.bytesPerSecond.rounded())
            if progress.bytesPerSecond >= 1 {
                let seconds = Double(max(0, progress.total - progress.received)) / progress.bytesPerSecond
                object["secondsLeft"] = .number(seconds.rounded(.up))
            }
        }
        return object
    }
}
