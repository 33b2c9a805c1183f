import KernelSupport
import MailKernelAPI
import MailKernelConformance

@testable import Kernel
@testable import Mail
@testable import Store

/// What may explain why something has not happened in a random trial.
struct TimeTrouble {
    let scene: ComposeScene

    func told() async throws -> [String] {
        let waiting = try await PendingChanges(store: scene.kernel.store, accountID: scene.ada).all()
        let notices = try await Notices(store: scene.kernel.store).all()
        let there = scene.atService(false).filter { Int($0.subject) != nil }.map { message in
            "\(message.subject) is in \(message.mailboxIDs.map(\.rawValue))"
        }
        return ["\(waiting.count) changes wait"] + notices.map(\.notice.text) + there
    }
}
