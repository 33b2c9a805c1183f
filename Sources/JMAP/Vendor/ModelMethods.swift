import FoundationEssentials
import Intelligence
import MailKernelAPI

extension Method {
    static let models = [
        Method("Model/get", .models, ModelMethods.get),
        Method("Model/set", .models, ModelMethods.set),
        Method("ModelFile/query", .models, ModelMethods.queryFiles),
    ]
}

/// The language models of this machine: which there are, getting one, and deleting it (FR-SET-04).
enum ModelMethods {
    static let properties = [
        "id", "pluginId", "name", "purpose", "abilities", "sourceUrl", "size", "sha256", "licence",
        "licenceText", "memoryNeeded", "status", "received", "bytesPerSecond", "secondsLeft", "problem",
        "isFailedDownload", "reason", "usedFor",
    ]

    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try GetArguments(&arguments, context, properties: properties)
        try arguments.finish()
        let models = context.kernel.intelligence.models
        let state = await models.state
        let entries = await models.all().filter { asked.ids?.contains($0.id.rawValue) ?? true }
        return try asked.answer(
            in: ProgramAccount.id, state: state.rawValue, entries.map { ($0.id.rawValue, $0.json) })
    }

    /// Setting `status` to `downloading` starts a download; `paused` stops it; `notDownloaded` stops it,
    /// discards an earlier download, or deletes the model. Creating imports a file of the user.
    @Sendable static func set(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        // A download tells a stranger that this machine is there, and an import reads any file.
        guard context.client.isPage else {
            throw MethodError("forbidden", "Only the program's own page may download or delete models.")
        }
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        let models = context.kernel.intelligence.models
        let oldState = await models.state
        if let expected = asked.ifInState, expected != oldState { throw .stateMismatch }
        var answer = SetAnswer()
        for (creationID, object) in asked.create {
            do throws(SetError) {
                let entry = try await importModel(object, models)
                context.createdIDs[creationID] = entry.id.rawValue
                answer.created[creationID] = .object(entry.json.filter { object[$0.key] == nil })
            } catch {
                answer.notCreated[creationID] = error
            }
        }
        for (id, patch) in asked.updates(context) {
            do throws(SetError) {
                try await update(Id(id), patch, models)
                answer.updated[id] = .null
            } catch {
                answer.notUpdated[id] = error
            }
        }
        for id in asked.destroys(context) {
            answer.notDestroyed[id] = SetError(
                "forbidden", "A model is deleted by setting its status to “notDownloaded”.")
        }
        return answer.json(
            in: ProgramAccount.id, oldState: oldState.rawValue, newState: await models.state.rawValue)
    }

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
            "sha256": .string(model.sha256), "licence": .string(model.licence),
            "licenceText": .string(model.licenceText), "memoryNeeded": .number(Double(model.memoryNeeded)),
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
