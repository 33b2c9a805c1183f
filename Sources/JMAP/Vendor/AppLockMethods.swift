import Kernel
public import MailKernelAPI

extension Method {
    static let appLock = [
        Method("AppLock/get", .lock, AppLockMethods.get), Method("AppLock/set", .lock, AppLockMethods.set),
    ]
}

/// The lock that keeps everybody out.
enum AppLockMethods {
    static let properties = ["id", "isEnabled", "isLocked", "canEnable", "reason"]
    private static let id = "singleton"

    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        let asked = try GetArguments(&arguments, context, properties: properties)
        try arguments.finish()
        let lock = context.kernel.appLock
        let state = await lock.state
        guard asked.ids?.contains(id) ?? true else {
            return try asked.answer(in: ProgramAccount.id, state: state.rawValue, [])
        }
        let problem = lock.problem
        let object: [String: JSONValue] = [
            "id": .string(id), "isEnabled": .bool(await lock.isOn), "isLocked": .bool(lock.isLocked),
            "canEnable": .bool(problem == nil), "reason": problem.map { .string($0) } ?? .null,
        ]
        return try asked.answer(in: ProgramAccount.id, state: state.rawValue, [(id, object)])
    }

    @Sendable static func set(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        try await context.programAccount(&arguments)
        try context.requirePage("change the app lock")
        let asked = try SetArguments(&arguments, context)
        try arguments.finish()
        let lock = context.kernel.appLock
        let oldState = await lock.state
        if let expected = asked.ifInState, expected != oldState { throw .stateMismatch }
        var answer = SetAnswer()
        for (creationID, _) in asked.create { answer.notCreated[creationID] = SetError("singleton") }
        for id in asked.destroys(context) { answer.notDestroyed[id] = SetError("singleton") }
        for (id, patch) in asked.updates(context) {
            do throws(SetError) {
                guard id == Self.id else { throw SetError.notFound }
                try await update(patch, lock)
                answer.updated[id] = .null
            } catch {
                answer.notUpdated[id] = error
            }
        }
        return answer.json(
            in: ProgramAccount.id, oldState: oldState.rawValue, newState: await lock.state.rawValue)
    }

    private static func update(_ patch: [String: JSONValue], _ lock: AppLock) async throws(SetError) {
        guard Set(patch.keys) == ["isEnabled", "password"], let isEnabled = patch["isEnabled"]?.boolValue,
            let password = patch["password"]?.stringValue
        else {
            throw .invalidProperty("isEnabled", "and “password” are required, and nothing else is allowed")
        }
        let answer = try await SetError.wrapping { try await lock.setEnabled(isEnabled, Secret(password)) }
        guard let problem = RequestProblem(answer) else { return }
        throw SetError("forbidden", problem.detail, properties: ["password"])
    }
}

extension MailJMAPService {
    public var isLocked: Bool { kernel.appLock.isLocked }

    public func unlock(_ password: Secret) async throws(RequestProblem) {
        if let problem = RequestProblem(await kernel.appLock.unlock(password)) { throw problem }
    }

    func checkLock(for client: JMAPClient) throws(RequestProblem) {
        guard isLocked, !client.mayWhileLocked else { return }
        throw .locked
    }
}

extension RequestProblem {
    /// Nil for the right answer.
    fileprivate init?(_ answer: AppLock.Answer) {
        switch answer {
        case .right: return nil
        case .wrong:
            self.init(
                type: "urn:mailkernel:error:wrongPassword", status: 403,
                detail: "Wrong password. Try again.")
        case .tooMany:
            self.init(status: 429, detail: "Other attempts are still being checked. Try again in a moment.")
        case .unavailable(let reason):
            self.init(status: 503, detail: "The system could not check your password. \(reason)")
        }
    }
}
