import CSecret
import Glibc
import MailKernelAPI

/// The desktop's secret store, by way of libsecret. Its calls block, some until the user has answered.
struct SecretService {
    /// Tells the secrets of this data folder from those of another.
    let store: String

    /// Whether the desktop offers one. A bus that is not there is not started.
    static func isOffered(_ environment: [String: String]) -> Bool {
        let runtimeBus = environment["XDG_RUNTIME_DIR"].map { $0 + "/bus" }
        let hasBus =
            environment["DBUS_SESSION_BUS_ADDRESS"]?.isEmpty == false
            || runtimeBus.map { access($0, F_OK) == 0 } == true
        guard hasBus else { return false }
        var problem: UnsafeMutablePointer<CChar>?
        defer { csecret_free_problem(problem) }
        return csecret_connect(&problem) == csecret_done
    }

    func secret(_ name: String, in drawer: String) throws(MailKernelAPI.SecretError) -> Secret? {
        var secret: UnsafeMutablePointer<CChar>?
        var problem: UnsafeMutablePointer<CChar>?
        defer {
            csecret_free(secret)
            csecret_free_problem(problem)
        }
        switch csecret_find(store, drawer, name, &secret, &problem) {
        case csecret_done: return secret.map { Secret(String(cString: $0)) }
        case csecret_nothing: return nil
        case let outcome: throw Self.error(outcome, problem)
        }
    }

    func put(_ secret: Secret, _ name: String, in drawer: String) throws(MailKernelAPI.SecretError) {
        // C ends a text there, and the rest would be lost without a word.
        guard !secret.revealed.utf8.contains(0) else {
            throw .unavailable(reason: "a secret with a zero byte cannot be stored")
        }
        var problem: UnsafeMutablePointer<CChar>?
        defer { csecret_free_problem(problem) }
        let outcome = csecret_store(
            store, drawer, name, "mailkernel: \(name) of \(drawer)", secret.revealed, &problem)
        guard outcome == csecret_done else { throw Self.error(outcome, problem) }
    }

    /// - Parameters:
    ///   - name: nil for all of the drawer.
    ///   - drawer: nil for all there are.
    func remove(_ name: String?, in drawer: String?) throws(MailKernelAPI.SecretError) {
        var problem: UnsafeMutablePointer<CChar>?
        defer { csecret_free_problem(problem) }
        let outcome = csecret_remove(store, drawer, name, &problem)
        guard outcome == csecret_done else { throw Self.error(outcome, problem) }
    }

    private static func error(
        _ outcome: csecret_outcome, _ problem: UnsafeMutablePointer<CChar>?
    ) -> MailKernelAPI.SecretError {
        if outcome == csecret_locked { return .locked }
        return .unavailable(
            reason: problem.map { String(cString: $0) } ?? "the desktop's secret store failed")
    }
}
