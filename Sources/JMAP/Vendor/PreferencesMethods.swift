import MailKernelAPI
import Store

extension RecordType {
    static let preferences = RecordType(
        "Preferences", .preferences, of: .program, .stored(Preferences.dataType),
        ["id"] + Preference.all.map(\.key))
}

extension Method {
    /// The settings of the whole program, as a single object.
    static let preferences: [Method] = [
        .get(.preferences) { context, _, _ async throws(MethodError) in
            var object = try await PreferencesSetter.current(context)
            object["id"] = .string(singletonID)
            return [(singletonID, object)]
        },
        Method(.preferences, "changes") { context, arguments async throws(MethodError) in
            var (answer, changes) = try await context.changes(of: .preferences, &arguments)
            // The one object is there from the beginning, whichever of its values was set first.
            let isChanged = !(changes.created + changes.updated + changes.destroyed).isEmpty
            answer["created"] = []
            answer["updated"] = isChanged ? [.string(singletonID)] : []
            answer["destroyed"] = []
            return answer
        },
        .set(.preferences, with: SingletonSetter(set: PreferencesSetter.update)),
    ]
}

private enum PreferencesSetter {
    @Sendable static func update(
        _ patch: [String: JSONValue], _ context: inout RequestContext
    ) async throws(SetError) {
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

    static func current(_ context: RequestContext) async throws(MethodError) -> [String: JSONValue] {
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
