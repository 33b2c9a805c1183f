import Kernel
import MailKernelAPI
import Store

/// Restarts the program when the server of the store stops responding, so that it goes on with the copy on this computer,
/// and when the server is back. The page reconnects by itself.
struct OfflineSwitch: Sendable {
    private static let interval = Duration.seconds(2)
    /// How long a server may be silent: one that is restarted, or replaced by a standby, is back by then.
    private static let patience = 15
    /// How long the undo delay of a message is waited for. It may stand still, because no window is open.
    private static let undoPatience = 60

    let kernel: MailKernel
    /// The store whose server does not respond, if the program runs with the copy.
    let silent: MailStore?

    static func isOfServer(_ error: any Error) -> Bool {
        if case .unreachable = error as? StorageError { true } else { false }
    }

    func start() -> Task<Void, Never> {
        Task {
            if let silent {
                await waitForServer(silent)
            } else if kernel.replica != nil {
                await waitForSilence()
            } else {
                return
            }
            if !Task.isCancelled { kernel.restart() }
        }
    }

    /// Returns once the server has not responded for a while, and the copy can stand in for it.
    private func waitForSilence() async {
        var silence = 0
        while (try? await Task.sleep(for: Self.interval)) != nil {
            silence = await kernel.storeWatch.problem == nil ? 0 : silence + 2
            if silence >= Self.patience, await kernel.replica?.isComplete == true { return }
        }
    }

    private func waitForServer(_ store: MailStore) async {
        while (try? await Task.sleep(for: Self.interval)) != nil {
            guard (try? await store.open()) != nil else { continue }
            await store.close()
            break
        }
        var waited = 0
        while waited < Self.undoPatience, await isUndoPossible {
            guard (try? await Task.sleep(for: Self.interval)) != nil else { return }
            waited += 2
        }
    }

    private var isUndoPossible: Bool {
        get async {
            for account in (try? await kernel.store.read.accounts()) ?? [] {
                let all = (try? await kernel.store.read.submissions(nil, in: account.id)) ?? []
                if all.contains(where: { $0.undoStatus == .pending && !$0.isScheduled }) { return true }
            }
            return false
        }
    }
}
