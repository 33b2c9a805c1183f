import Care
import MailKernelAPI

extension Method {
    static let storage = [
        Method("StorageUsage/get", .storage, StorageMethods.getUsage),
        Method("StorageUsage/clearCache", .storage, StorageMethods.clearCache),
        Method("Program/wipe", .storage, StorageMethods.wipe),
        Method("Program/export", .storage, StorageMethods.export),
        Method("Export/get", .storage, StorageMethods.getExports),
        Method("Export/set", .storage, StorageMethods.setExports),
    ]
}

/// How much room everything takes, and what the user can do about it.
enum StorageMethods {
    static let usageProperties = [
        "id", "mailBytes", "attachmentBytes", "indexBytes", "modelBytes", "totalBytes", "clearableBytes",
        "isOverWarning",
    ]
    static let exportProperties = [
        "id", "kind", "exportAccountId", "path", "done", "total", "failures", "isFinished", "problem",
    ]
    private static let confirmation = "Delete Everything"

    @Sendable static func getUsage(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try GetArguments(&arguments, context, properties: usageProperties)
        try arguments.finish()
        let kernel = context.kernel
        let report = try await context.reading { _ throws(StorageError) in try await kernel.storageReport() }
        let records = report.accounts.map { ($0.usage.accountID.rawValue, $0.json) }
        let program: [String: JSONValue] = [
            "id": .string(ProgramAccount.id.rawValue), "modelBytes": .number(Double(report.models)),
            "totalBytes": .number(Double(report.total)), "clearableBytes": .number(Double(report.clearable)),
            "isOverWarning": .bool(report.isOverWarning),
        ]
        // It changes constantly and has no state; request it again.
        return try asked.answer(
            in: ProgramAccount.id, state: "now",
            (records + [(ProgramAccount.id.rawValue, program)]).filter { asked.ids?.contains($0.0) ?? true })
    }

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

    @Sendable static func getExports(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        try context.requirePage("export")
        let asked = try GetArguments(&arguments, context, properties: exportProperties)
        try arguments.finish()
        let exports = context.kernel.exports
        let state = await exports.state
        let statuses = await exports.statuses.filter { asked.ids?.contains($0.id) ?? true }
        return try asked.answer(
            in: ProgramAccount.id, state: state.rawValue, statuses.map { ($0.id, $0.json) })
    }

    /// Destroying ends one.
    @Sendable static func setExports(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        try context.requirePage("export")
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        let exports = context.kernel.exports
        let oldState = await exports.state
        if let expected = asked.ifInState, expected != oldState { throw .stateMismatch }
        var answer = SetAnswer()
        for (creationID, _) in asked.create {
            answer.notCreated[creationID] = SetError("forbidden", "Use Program/export.")
        }
        for (id, _) in asked.updates(context) {
            answer.notUpdated[id] = SetError("forbidden", "An export can only be destroyed.")
        }
        for id in asked.destroys(context) {
            if await exports.stop(id) {
                answer.destroyed.append(id)
            } else {
                answer.notDestroyed[id] = .notFound
            }
        }
        return answer.json(
            in: ProgramAccount.id, oldState: oldState.rawValue, newState: await exports.state.rawValue)
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
