import Care
import FoundationEssentials
import MailKernelAPI

extension RecordType {
    static let `import` = RecordType(
        "Import", .imports, of: .program,
        .running(Imports.dataType) { kernel, _ in await kernel.imports.state },
        [
            "id", "path", "importAccountId", "bytesDone", "bytesTotal", "added", "alreadyThere", "deleted",
            "failures", "furtherFailures", "isFinished", "problem",
        ])
}

extension Method {
    /// Mail out of files of this machine.
    static let imports: [Method] = [
        .get(.import) { context, _, _ in
            await context.kernel.imports.statuses.map { ($0.id, $0.json) }
        },
        // It reads any file that the user may read, so no other program may ask for it.
        .set(.import, onlyPage: "import", with: ImportSetter()),
    ]
}

/// Creating begins an import, destroying ends it.
private struct ImportSetter: RecordSetter {
    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        let status = try await Self.begin(object, context)
        return (status.id, status.json.filter { object[$0.key] == nil })
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        throw SetError("forbidden", "An import can only be created and destroyed.")
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        guard await context.kernel.imports.stop(id) else { throw .notFound }
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
        case .noAccount, .elsewhere, .unknownAccount, .severalAccounts: "address"
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
            "deleted": .number(Double(progress.deleted)),
            "failures": .array(
                progress.failures.map { ["place": .string($0.place), "reason": .string($0.reason)] }),
            "furtherFailures": .number(Double(progress.furtherFailures)), "isFinished": .bool(isFinished),
            "problem": problem.map { .string($0) } ?? .null,
        ]
    }
}
