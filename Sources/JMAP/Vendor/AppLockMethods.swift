import Kernel
import MailKernelAPI

extension RecordType {
    static let appLock = RecordType(
        "AppLock", .lock, of: .program,
        .running(AppLock.dataType) { kernel, _ in await kernel.appLock.state },
        ["id", "isEnabled", "isLocked", "canEnable", "reason"])
}

extension Method {
    /// The app lock.
    static let appLock: [Method] = [
        .get(.appLock) { context, _, _ in
            let lock = context.kernel.appLock
            let problem = lock.problem
            let object: [String: JSONValue] = [
                "id": .string(singletonID), "isEnabled": .bool(await lock.isOn),
                "isLocked": .bool(lock.isLocked), "canEnable": .bool(problem == nil),
                "reason": problem.map { .string($0) } ?? .null,
            ]
            return [(singletonID, object)]
        },
        .set(
            .appLock, onlyPage: "change the app lock", with: SingletonSetter(set: AppLockSetter.update)),
    ]
}

private enum AppLockSetter {
    @Sendable static func update(
        _ patch: [String: JSONValue], _ context: inout RequestContext
    ) async throws(SetError) {
        let lock = context.kernel.appLock
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

extension RequestProblem {
    /// Nil for the right answer.
    init?(_ answer: AppLock.Answer) {
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
