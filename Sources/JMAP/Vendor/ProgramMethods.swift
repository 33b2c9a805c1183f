import Kernel
import MailKernelAPI
import MessageFormat
import PluginHost

extension Method {
    static let contacts = [Method("Contact/query", .contacts, ProgramMethods.queryContacts)]
    static let plugins = [
        Method("Plugin/get", .plugins, ProgramMethods.getPlugins),
        Method("Plugin/set", .plugins, ProgramMethods.setPlugins),
    ]
    static let windows = [
        Method("Window/get", .presence, ProgramMethods.getWindows),
        Method("Window/set", .presence, ProgramMethods.setWindows),
    ]
}

/// Methods about the program as a whole.
enum ProgramMethods {
    static let pluginProperties = [
        "id", "name", "version", "kind", "author", "licence", "hosts", "state", "reason",
    ]

    /// For autocomplete: the best matches themselves, not their ids, since a contact is asked for once.
    @Sendable static func queryContacts(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let text = try arguments.string("text") ?? ""
        let limit = min(try arguments.unsignedInt("limit") ?? 10, 1000)
        try arguments.finish()
        let contacts = try await context.reading { store throws(StorageError) in
            try await store.contacts(matching: text, limit: limit)
        }
        return [
            "accountId": .string(ProgramAccount.id.rawValue),
            "list": .array(
                contacts.map { contact in
                    let look = EmailAddress(name: contact.name, email: contact.email).look
                    return [
                        "email": .string(look.email), "name": contact.name.map { .string($0) } ?? .null,
                        "warning": look.warning.map { .string($0) } ?? .null,
                        "frequency": .number(Double(contact.frequency)),
                        "lastSeenAt": .string(JMAPDate.write(contact.lastSeenAt)),
                    ]
                }),
        ]
    }

    @Sendable static func getPlugins(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try GetArguments(
            &arguments, context,
            properties: pluginProperties)
        try arguments.finish()
        let records = context.kernel.plugins.filter { asked.ids?.contains($0.id) ?? true }
        // Plugins are loaded once, at the start: the list is the same until the next.
        return try asked.answer(in: ProgramAccount.id, state: "loaded", records.map { ($0.id, $0.json) })
    }

    /// Setting `state` to `loaded` retries skipped plugins: the program restarts soon after its response.
    @Sendable static func setPlugins(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        try context.requirePage("retry plugins")
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        if let expected = asked.ifInState, expected.rawValue != "loaded" { throw .stateMismatch }
        var answer = SetAnswer()
        for (creationID, _) in asked.create {
            answer.notCreated[creationID] = SetError("forbidden", "Plugins are installed in folders.")
        }
        for id in asked.destroys(context) {
            answer.notDestroyed[id] = SetError("forbidden", "Plugins are removed from their folders.")
        }
        for (id, patch) in asked.updates(context) {
            guard patch == ["state": "loaded"] else {
                answer.notUpdated[id] = .invalidProperty(
                    "state", "must be “loaded”, without any other change")
                continue
            }
            do {
                if try context.kernel.tryPluginAgain(id) {
                    answer.updated[id] = .null
                } else {
                    answer.notUpdated[id] = .notFound
                }
            } catch {
                answer.notUpdated[id] = SetError("forbidden", error.description)
            }
        }
        if !answer.updated.isEmpty { context.kernel.restart() }
        return answer.json(in: ProgramAccount.id, oldState: "loaded", newState: "loaded")
    }

    @Sendable static func getWindows(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try GetArguments(&arguments, context, properties: ["id", "isVisible"])
        try arguments.finish()
        let presence = context.kernel.presence
        let state = await presence.state
        let windows = await presence.windows.filter { asked.ids?.contains($0.id) ?? true }
        return try asked.answer(
            in: ProgramAccount.id, state: state.rawValue,
            windows.map { ($0.id, ["id": .string($0.id), "isVisible": .bool($0.isVisible)]) })
    }

    /// A window reports whether it is visible. Its event stream shows that it is open.
    @Sendable static func setWindows(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        let presence = context.kernel.presence
        let oldState = await presence.state
        if let expected = asked.ifInState, expected != oldState { throw .stateMismatch }
        var answer = SetAnswer()
        for (creationID, _) in asked.create {
            answer.notCreated[creationID] = SetError(
                "forbidden", "A window is open as long as its event stream.")
        }
        for id in asked.destroys(context) {
            answer.notDestroyed[id] = SetError("forbidden", "A window closes when its event stream ends.")
        }
        for (id, patch) in asked.updates(context) {
            guard Set(patch.keys) == ["isVisible"], let isVisible = patch["isVisible"]?.boolValue else {
                answer.notUpdated[id] = .invalidProperty(
                    "isVisible", "must be true or false, without any other change")
                continue
            }
            if await presence.setVisible(isVisible, id) {
                answer.updated[id] = .null
            } else {
                answer.notUpdated[id] = .notFound
            }
        }
        return answer.json(
            in: ProgramAccount.id, oldState: oldState.rawValue, newState: await presence.state.rawValue)
    }
}

extension PluginRecord {
    fileprivate var json: [String: JSONValue] {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        let (state, reason): (String, String?) =
            switch self.state {
            case .loaded:
                (
                    "loaded",
                    pastCrash.map { "\($0.event). It was loaded again, because without it there is no mail." }
                )
            case .disabled: ("disabled", nil)
            case .skippedInSafeMode: ("skippedInSafeMode", nil)
            case .skippedAfterCrash(let crash):
                (crash.waited == nil ? "skippedAfterCrash" : "skippedAsTooSlow", "\(crash.event).")
            case .refused(let refusal): ("refused", refusal.sentence)
            }
        return [
            "id": .string(id), "name": text(manifest?.name), "version": text(manifest?.version),
            "kind": text(manifest?.kind.rawValue), "author": text(manifest?.author),
            "licence": text(manifest?.licence),
            "hosts": .array((manifest?.hosts ?? []).map { .string("\($0)") }),
            "state": .string(state), "reason": text(reason),
        ]
    }
}
