import Accounts
import Kernel
import MailKernelAPI
import MessageFormat
import PluginHost

extension RecordType {
    /// Plugins are loaded once, at the start. Whether they respond changes without notice.
    static let plugin = RecordType(
        "Plugin", .plugins, of: .program, .fixed("loaded"),
        ["id", "name", "version", "kind", "author", "license", "hosts", "state", "reason"])
    static let window = RecordType(
        "Window", .presence, of: .program,
        .running(Presence.dataType) { kernel, _ in await kernel.presence.state }, ["id", "isVisible"])
}

extension Method {
    static let contacts = [Method("Contact/query", .contacts, ProgramMethods.queryContacts)]
    static let plugins: [Method] = [
        .get(.plugin) { context, _, _ in
            let calls = context.kernel.pluginCalls
            return context.kernel.plugins.map { ($0.id, $0.json(problem: calls.problem(of: $0.id))) }
        },
        .set(.plugin, onlyPage: "retry plugins", with: PluginSetter()),
    ]
    static let windows: [Method] = [
        .get(.window) { context, _, _ in
            await context.kernel.presence.windows.map {
                ($0.id, ["id": .string($0.id), "isVisible": .bool($0.isVisible)])
            }
        },
        .set(.window, with: WindowSetter()),
    ]
}

/// Methods about the program as a whole.
enum ProgramMethods {
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
}

/// Setting `state` to `loaded` retries skipped plugins: the program restarts soon after its response.
private struct PluginSetter: RecordSetter {
    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        throw SetError("forbidden", "Plugins are installed in folders.")
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        guard patch == ["state": "loaded"] else {
            throw .invalidProperty("state", "must be “loaded”, without any other change")
        }
        let isKnown: Bool
        do {
            isKnown = try context.kernel.tryPluginAgain(id)
        } catch {
            throw SetError("forbidden", error.description)
        }
        guard isKnown else { throw .notFound }
        context.kernel.restart()
        return .null
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        throw SetError("forbidden", "Plugins are removed from their folders.")
    }
}

/// A window reports whether it is visible. Its event stream shows that it is open.
private struct WindowSetter: RecordSetter {
    func create(
        _ object: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> Record {
        throw SetError("forbidden", "A window is open as long as its event stream.")
    }

    func update(
        _ id: String, _ patch: [String: JSONValue], in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) -> JSONValue {
        guard Set(patch.keys) == ["isVisible"], let isVisible = patch["isVisible"]?.boolValue else {
            throw .invalidProperty("isVisible", "must be true or false, without any other change")
        }
        guard await context.kernel.presence.setVisible(isVisible, id) else { throw .notFound }
        return .null
    }

    func destroy(
        _ id: String, in accountID: Id<Account>, _ context: inout RequestContext
    ) async throws(SetError) {
        throw SetError("forbidden", "A window closes when its event stream ends.")
    }
}

extension PluginRecord {
    /// - Parameter problem: what is wrong with it while it is loaded.
    fileprivate func json(problem: String?) -> [String: JSONValue] {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        let (state, reason): (String, String?) =
            switch self.state {
            case .loaded:
                (
                    "loaded",
                    problem
                        ?? pastCrash.map {
                            "\($0.event). It was loaded again, because without it there is no mail."
                        }
                )
            case .disabled: ("disabled", nil)
            case .skippedInSafeMode: ("skippedInSafeMode", nil)
            case .notChosen: ("available", nil)
            case .skippedAfterCrash(let crash):
                (crash.waited == nil ? "skippedAfterCrash" : "skippedAsTooSlow", "\(crash.event).")
            case .refused(let refusal): ("refused", refusal.sentence)
            }
        return [
            "id": .string(id), "name": text(manifest?.name), "version": text(manifest?.version),
            "kind": text(manifest?.kind.rawValue), "author": text(manifest?.author),
            "license": text(manifest?.license),
            "hosts": .array((manifest?.hosts ?? []).map { .string("\($0)") }),
            "state": .string(state), "reason": text(reason),
        ]
    }
}
