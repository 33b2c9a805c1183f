import Care
import FoundationEssentials
import MailKernelAPI

extension Method {
    static let imports = [
        Method("Import/get", .imports, ImportMethods.get),
        Method("Import/set", .imports, ImportMethods.set),
    ]
}

/// Mail out of files of this machine.
enum ImportMethods {
    static let properties = [
        "id", "path", "importAccountId", "bytesDone", "bytesTotal", "added", "alreadyThere", "failures",
        "furtherFailures", "isFinished", "problem",
    ]

    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try GetArguments(&arguments, context, properties: properties)
        try arguments.finish()
        let imports = context.kernel.imports
        let state = await imports.state
        let statuses = await imports.statuses.filter { asked.ids?.contains($0.id) ?? true }
        return try asked.answer(
            in: ProgramAccount.id, state: state.rawValue, statuses.map { ($0.id, $0.json) })
    }

    /// Creating begins an import, destroying ends it.
    @Sendable static func set(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        // It reads any file that the user may read, so no other program may ask for it.
        try context.requirePage("import")
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        let imports = context.kernel.imports
        let oldState = await imports.state
        if let expected = asked.ifInState, expected != oldState { throw .stateMismatch }
        var answer = SetAnswer()
        for (creationID, object) in asked.create {
            do throws(SetError) {
                let status = try await begin(object, context)
                context.createdIDs[creationID] = status.id
                answer.created[creationID] = .object(status.json.filter { object[$0.key] == nil })
            } catch {
                answer.notCreated[creationID] = error
            }
        }
        for (id, _) in asked.updates(context) {
            answer.notUpdated[id] = SetError("forbidden", "An import can only be created and destroyed.")
        }
        for id in asked.destroys(context) {
            if await imports.stop(id) {
                answer.destroyed.append(id)
            } else {
                answer.notDestroyed[id] = .notFound
            }
        }
        return answer.json(
            in: ProgramAccount.id, oldState: oldState.rawValue, newState: await imports.state.rawValue)
    }

    private static func begin(
        _ object: [String: JSONValue], _ context: RequestContext
    ) async throws(SetError) -> Imports.Status {
        if let unknown = object.keys.sorted().first(where: { !["path", "address"].contains($0) }) {
            throw .invalidProperty(unknown, "cannot be set")
        }
        guard let path = object["path"]?.stringValue, path.hasPrefix("/") else {
            throw .invalidProperty("path", "must be the full path of a file or folder")
        }
        let address = object["address"]?.stringValue
        let kernel = context.kernel
        return try await SetError.wrapping {
            do {
                let url = URL(filePath: path)
                try MailImport.check(url)
                let account = try await ImportAccount.choose(
                    address, of: kernel.accounts, in: kernel.store)
                return await kernel.imports.begin(url, into: account)
            } catch let problem as ImportProblem {
                throw SetError("invalidProperties", problem.description, properties: [problem.property])
            }
        }
    }
}

extension ImportProblem {
    fileprivate var property: String {
        switch self {
        case .missing, .unreadable, .noMail: "path"
        case .noAccount, .unknownAccount, .severalAccounts: "address"
        }
    }
}

extension Imports.Status {
    fileprivate var json: [String: JSONValue] {
        [
            "id": .string(id), "path": .string(path), "importAccountId": .string(accountID.rawValue),
            "bytesDone": .number(Double(progress.bytesDone)),
            "bytesTotal": .number(Double(progress.bytesTotal)),
            "added": .number(Double(progress.added)), "alreadyThere": .number(Double(progress.alreadyThere)),
            "failures": .array(
                progress.failures.map { ["place": .string($0.place), "reason": .string($0.reason)] }),
            "furtherFailures": .number(Double(progress.furtherFailures)), "isFinished": .bool(isFinished),
            "problem": problem.map { .string($0) } ?? .null,
        ]
    }
}
