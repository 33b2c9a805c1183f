import MailKernelAPI
import Store

extension Method {
    /// What JMAP has no words for.
    static let vendor =
        preferences + accountSettings + signIns + contacts + plugins + windows + imports + syncStatus
        + notices + reading + models + categories + assistance + privacy + drafts + storage + about + appLock
        + notifications + mailActions

    private static let preferences = [
        Method("Preferences/get", .preferences, PreferencesMethods.get),
        Method("Preferences/changes", .preferences) { context, arguments async throws(MethodError) in
            try await context.programAccount(&arguments)
            var (answer, changes) = try await context.changes(
                of: Preferences.dataType, in: nil, named: ProgramAccount.id, &arguments)
            // The one object is there from the beginning, whichever of its values was set first.
            let isChanged = !(changes.created + changes.updated + changes.destroyed).isEmpty
            answer["created"] = []
            answer["updated"] = isChanged ? [.string(PreferencesMethods.id)] : []
            answer["destroyed"] = []
            return answer
        },
        Method("Preferences/set", .preferences, PreferencesMethods.set),
    ]
}

/// The settings of the whole program, as a single object.
enum PreferencesMethods {
    static let id = "singleton"

    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try GetArguments(&arguments, context, properties: ["id"] + Preference.all.map(\.key))
        try arguments.finish()
        let state = try await context.state(of: Preferences.dataType, in: nil)
        guard asked.ids?.contains(id) ?? true else {
            return try asked.answer(in: ProgramAccount.id, state: state.rawValue, [])
        }
        var object = try await current(context)
        object["id"] = .string(id)
        return try asked.answer(in: ProgramAccount.id, state: state.rawValue, [(id, object)])
    }

    @Sendable static func set(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        let oldState = try await context.state(of: Preferences.dataType, in: nil)
        if let expected = asked.ifInState, expected != oldState { throw .stateMismatch }
        var answer = SetAnswer()
        for (creationID, _) in asked.create { answer.notCreated[creationID] = SetError("singleton") }
        for id in asked.destroys(context) { answer.notDestroyed[id] = SetError("singleton") }
        for (id, patch) in asked.updates(context) {
            do throws(SetError) {
                guard id == Self.id else { throw SetError.notFound }
                try await update(patch, context)
                answer.updated[id] = .null
            } catch {
                answer.notUpdated[id] = error
            }
        }
        let newState = try await context.state(of: Preferences.dataType, in: nil)
        return answer.json(in: ProgramAccount.id, oldState: oldState.rawValue, newState: newState.rawValue)
    }

    private static func update(_ patch: [String: JSONValue], _ context: RequestContext) async throws(SetError)
    {
        let before: [String: JSONValue]
        do {
            before = try await current(context)
        } catch {
            throw SetError(error)
        }
        let known = Set(Preference.all.map(\.key))
        let named = patch.keys.map { String($0.split(separator: "/", omittingEmptySubsequences: false)[0]) }
        let unknown = Set(named).subtracting(known).sorted()
        guard unknown.isEmpty else {
            throw SetError("invalidProperties", "This setting does not exist.", properties: unknown)
        }
        let after = try Patch.apply(patch, to: before)
        var changed: [String: JSONValue] = [:]
        for (key, value) in after where value != before[key] {
            guard let preference = Preference.named(key) else { continue }
            // At the top level, null means the setting's default.
            let wanted = patch[key] == .null ? preference.initialValue : value.withoutNulls
            if let problem = preference.problem(wanted) { throw .invalidProperty(key, problem) }
            changed[key] = wanted
        }
        guard !changed.isEmpty else { return }
        let (kernel, values) = (context.kernel, changed)
        try await SetError.wrapping {
            try await kernel.preferences.set(values)
            if values[Preference.onboarding.key] == true { try await kernel.accounts.onboardingCompleted() }
        }
    }

    private static func current(_ context: RequestContext) async throws(MethodError) -> [String: JSONValue] {
        let preferences = context.kernel.preferences
        return try await context.reading { _ throws(StorageError) in try await preferences.all() }
    }
}

extension JSONValue {
    /// An object without the members that a patch took out.
    fileprivate var withoutNulls: JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.value != .null })
    }
}
