import CPAM
import Dispatch
import FoundationEssentials
import Glibc
public import MailKernelAPI

/// Finds out whether it is the user who sits there.
public protocol UserProof: Sendable {
    /// Why passwords cannot be checked, if that is known in advance; nil otherwise.
    var problem: String? { get }

    func check(_ password: Secret) async -> ProofOutcome
}

public enum ProofOutcome: Sendable, Hashable {
    case proven
    case wrong
    /// It could not be found out; the reason is for the user.
    case unavailable(reason: String)
}

/// Asks PAM, which supports passwords, fingerprints and other methods.
///
/// Uses the service `mailkernel` if it exists, otherwise the one that all logins share.
public struct PAMProof: UserProof {
    // Modules block, and are not all made for several threads.
    private let queue = DispatchQueue(label: "pam")
    private let services: URL

    /// - Parameter environment: says where the services are, if not in their usual place.
    public init(environment: [String: String]) {
        services = URL(filePath: environment["PAM_WRAPPER_SERVICE_DIR"] ?? "/etc/pam.d")
    }

    public var problem: String? {
        if Self.user == nil { return "Your user is unknown to the system." }
        return service == nil ? "This system has no PAM service to check passwords." : nil
    }

    private var service: String? {
        ["mailkernel", "common-auth"].first { access(services.appending(path: $0).path, R_OK) == 0 }
    }

    public func check(_ password: Secret) async -> ProofOutcome {
        // C ends a text there: it would be compared with less than was entered.
        guard !password.revealed.utf8.contains(0) else { return .wrong }
        guard let user = Self.user, let service else { return .unavailable(reason: problem ?? "") }
        return await withCheckedContinuation { done in
            queue.async { done.resume(returning: Self.ask(service, user, password)) }
        }
    }

    private static func ask(_ service: String, _ user: String, _ password: Secret) -> ProofOutcome {
        var problem: UnsafeMutablePointer<CChar>?
        defer { free(problem) }
        return switch cpam_check(service, user, password.revealed, &problem) {
        case cpam_proven: .proven
        case cpam_wrong: .wrong
        default: .unavailable(reason: problem.map { String(cString: $0) + "." } ?? "PAM gave no reason.")
        }
    }

    private static var user: String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found) == 0, let found else { return nil }
        return String(cString: found.pointee.pw_name)
    }
}

/// Used where passwords cannot be checked.
public struct AbsentProof: UserProof {
    public init() {}

    public var problem: String? { "Passwords cannot be checked here." }

    public func check(_ password: Secret) -> ProofOutcome {
        .unavailable(reason: "Passwords cannot be checked here.")
    }
}
