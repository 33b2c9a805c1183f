import Kernel
import MailKernelAPI
import PluginHost

extension RecordType {
    /// The store in use.
    static let store = RecordType(
        "Store", .storage, of: .program,
        .running(StoreWatch.dataType) { kernel, _ in await kernel.storeWatch.state },
        ["id", "pluginId", "name", "server", "isResponding", "isOffline", "hasCopy", "reason", "canCheck"])
    /// The others that can be used while there is no account.
    static let storeChoice = RecordType(
        "StoreChoice", .storage, of: .program, .fixed("now"),
        ["id", "name", "description", "isRemote", "settings"])
}

extension Method {
    /// Where mail is kept.
    static let stores: [Method] = [
        .get(.store) { context, _, _ in [(singletonID, await context.kernel.storeJSON)] },
        .get(.storeChoice) { context, _, _ async throws(MethodError) in
            let choices = context.kernel.storeChoices
            let all = try await context.reading { _ throws(StorageError) in try await choices.all() }
            return all.map { ($0.id, $0.json) }
        },
        Method("Program/useStore", .storage, StoreMethods.use),
    ]
}

private enum StoreMethods {
    @Sendable static func use(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        try context.requirePage("choose where mail is kept")
        let id = try arguments.required(try arguments.string("pluginId"), "pluginId")
        let values = try arguments.object("values") ?? [:]
        try arguments.finish()
        guard values.values.allSatisfy({ $0.stringValue != nil }) else {
            throw .invalidArguments("values", "must be an object of strings")
        }
        var answer: [String: JSONValue] = [
            "accountId": .string(ProgramAccount.id.rawValue), "problem": .null, "setting": .null,
        ]
        do {
            try await context.kernel.storeChoices.use(id, values.compactMapValues(\.stringValue))
            context.kernel.restart()
        } catch {
            answer["problem"] = .string(error.sentence)
            answer["setting"] = error.setting.map { .string($0) } ?? .null
        }
        return answer
    }
}

extension MailKernel {
    fileprivate var storeJSON: [String: JSONValue] {
        get async {
            let record = plugins.first { if case .loaded(.storage) = $0.state { true } else { false } }
            let problem = await storeWatch.problem
            let isOffline = store.standsInFor != nil
            let hasCopy = if isOffline { true } else { await replica?.isComplete ?? false }
            var server = store.standsInFor
            if case .server(let name) = store.place { server = name }
            return [
                "id": .string(singletonID), "pluginId": record.map { .string($0.id) } ?? .null,
                "name": record?.manifest.map { .string($0.name) } ?? .null,
                "server": server.map { .string($0) } ?? .null, "isResponding": .bool(problem == nil),
                "isOffline": .bool(isOffline), "hasCopy": .bool(hasCopy),
                "reason": problem.map { .string($0) } ?? .null, "canCheck": .bool(store.canCheck),
            ]
        }
    }
}

extension PluginManifest {
    fileprivate var json: [String: JSONValue] {
        [
            "id": .string(id), "name": .string(name), "description": .string(description),
            "isRemote": .bool(!hosts.isEmpty),
            "settings": .array(
                settings.map {
                    [
                        "name": .string($0.name), "title": .string($0.title),
                        "explanation": .string($0.explanation), "kind": .string($0.kind.rawValue),
                        "isRequired": .bool($0.isRequired),
                    ]
                }),
        ]
    }
}
