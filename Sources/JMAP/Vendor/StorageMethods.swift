import Care
import MailKernelAPI

extension RecordType {
    /// It changes all the time; request it again.
    static let storageUsage = RecordType(
        "StorageUsage", .storage, of: .program, .fixed("now"),
        [
            "id", "mailBytes", "attachmentBytes", "indexBytes", "modelBytes", "totalBytes", "clearableBytes",
            "isOverWarning",
        ])
    static let export = RecordType(
        "Export", .storage, of: .program,
        .running(Exports.dataType) { kernel, _ in await kernel.exports.state },
        ["id", "kind", "exportAccountId", "path", "done", "total", "failures", "isFinished", "problem"])
}

extension Method {
    /// How much room everything takes, and what the user can do about it.
    static let storage: [Method] = [
        .get(.storageUsage) { context, _, _ async throws(MethodError) in
            let kernel = context.kernel
            let report = try await context.reading { _ throws(StorageError) in
                try await kernel.storageReport()
            }
            return report.accounts.map { ($0.usage.accountID.rawValue, $0.json) }
                + [(ProgramAccount.id.rawValue, report.json)]
        },
        Method(.storageUsage, "clearCache", StorageMethods.clearCache),
        Method("Program/checkStore", .storage, StorageMethods.check),
        Method("Program/rebuildSearchIndex", .storage, StorageMethods.rebuildSearchIndex),
        Method("Program/wipe", .storage, StorageMethods.wipe),
        Method("Program/export", .storage, StorageMethods.export),
        Method(.export, "get") { context, arguments async throws(MethodError) in
            try context.requirePage("export")
            return try await context.get(.export, &arguments) { context, _, _ in
                await context.kernel.exports.statuses.map { ($0.id, $0.json) }
            }
        },
        .set(.export, onlyPage: "export", with: ExportSetter()),
    ]
}

enum StorageMethods {
    private static let confirmation = "Delete Everything"

    @Sendable static func clearCache(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        try arguments.finish()
        try context.requireWriting()
        let kernel = context.kernel
        let freed = try await context.reading { _ throws(StorageError) in try await kernel.clearCache() }
        return ["accountId": .string(ProgramAccount.id.rawValue), "freedBytes": .number(Double(freed))]
    }

    @Sendable static func check(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        try context.requirePage("check the store")
        try arguments.finish()
        let mail = context.kernel.store
        let findings = try await context.reading { _ throws(StorageError) in try await mail.check() }
        return [
            "accountId": .string(ProgramAccount.id.rawValue),
            "findings": .array(findings.map { .string($0) }),
        ]
    }

    @Sendable static func rebuildSearchIndex(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        try context.requirePage("rebuild the search index")
        try arguments.finish()
        let mail = context.kernel.store
        try await context.reading { _ throws(StorageError) in try await mail.rebuildSearchIndex() }
        return ["accountId": .string(ProgramAccount.id.rawValue)]
    }

    @Sendable static func wipe(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        try context.requirePage("delete everything")
        let given = try arguments.string("confirmation")
        try arguments.finish()
        guard given == confirmation else {
            throw .invalidArguments("confirmation", "must be “\(confirmation)”")
        }
        let kernel = context.kernel
        // A wipe continues even if the client disconnects.
        let notRemoved = await Task { await kernel.wipe() }.value
        kernel.restart()
        return [
            "accountId": .string(ProgramAccount.id.rawValue),
            "notRemoved": .array(notRemoved.map { .string($0) }),
        ]
    }

    @Sendable static func export(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        // Here “accountId” is the account to export; null, or the program's own, means all.
        try context.requirePage("export")
        let id = try arguments.string("accountId") ?? ProgramAccount.id.rawValue
        guard let kind = Exports.Kind(rawValue: try arguments.string("kind") ?? "") else {
            throw .invalidArguments("kind", "must be mbox or settings")
        }
        try arguments.finish()
        let isAll = id == ProgramAccount.id.rawValue
        let accounts = isAll ? try await context.accounts() : [try await context.account(Id(id))]
        let exports = context.kernel.exports
        var begun: [Exports.Status] = []
        do throws(ExportProblem) {
            switch kind {
            case .settings:
                let status = try await exports.beginSettings()
                begun.append(await exports.finished(status.id) ?? status)
            case .mbox: for account in accounts { begun.append(try await exports.beginMail(of: account)) }
            }
        } catch {
            throw MethodError("serverFail", error.description)
        }
        return [
            "accountId": .string(ProgramAccount.id.rawValue),
            "path": begun.first?.path.map { .string($0) } ?? .null,
            "exports": .array(begun.map { .object($0.json) }),
        ]
    }
}

/// Destroying ends one.
private struct ExportSetter: RecordSetter {
    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        throw SetError("forbidden", "Use Program/export.")
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        throw SetError("forbidden", "An export can only be destroyed.")
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        guard await context.kernel.exports.stop(id) else { throw .notFound }
    }
}

extension StorageReport {
    /// What belongs to no account alone.
    fileprivate var json: [String: JSONValue] {
        [
            "id": .string(ProgramAccount.id.rawValue), "modelBytes": .number(Double(models)),
            "totalBytes": .number(Double(total)), "clearableBytes": .number(Double(clearable)),
            "isOverWarning": .bool(isOverWarning),
        ]
    }
}

extension StorageReport.PerAccount {
    fileprivate var json: [String: JSONValue] {
        [
            "id": .string(usage.accountID.rawValue), "mailBytes": .number(Double(usage.mail)),
            "attachmentBytes": .number(Double(usage.attachments)),
            "indexBytes": .number(Double(usage.searchIndex)), "totalBytes": .number(Double(usage.total)),
            "isOverWarning": .bool(isOverWarning),
        ]
    }
}

extension Exports.Status {
    fileprivate var json: [String: JSONValue] {
        [
            "id": .string(id), "kind": .string(kind.rawValue),
            "exportAccountId": accountID.map { .string($0.rawValue) } ?? .null,
            "path": path.map { .string($0) } ?? .null, "done": .number(Double(done)),
            "total": .number(Double(total)), "failures": .number(Double(failures)),
            "isFinished": .bool(isFinished), "problem": problem.map { .string($0) } ?? .null,
        ]
    }
}
