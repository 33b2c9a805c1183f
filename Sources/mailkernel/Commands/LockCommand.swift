import FoundationEssentials
import Kernel
import MailKernelAPI
import Secrets

/// Says whether the app lock is on, and turns it off when the system can no longer say who sits there.
struct LockCommand {
    private static let confirmation = "turn off"

    private let options: CommonOptions
    private let turnsOff: Bool

    init(_ arguments: inout Arguments) throws {
        switch arguments.word() {
        case nil: turnsOff = false
        case "off": turnsOff = true
        case .some(let other): throw UsageError("“lock \(other)” does not exist.")
        }
        options = try CommonOptions(&arguments)
        try arguments.finish()
    }

    func run() async throws {
        // The running program owns the lock: another process cannot unlock it.
        guard let store = try await OpenedStore(options, StopSignals()) else { return }
        do {
            try await run(AppLockSetting(store.mail))
        } catch {
            await store.close()
            throw (error as? StorageError).map { CommandError($0.sentence) } ?? error
        }
        await store.close()
    }

    private func run(_ setting: AppLockSetting) async throws {
        guard try await setting.isOn else { return print("The app lock is off.") }
        guard turnsOff else {
            return print("The app lock is on. “mailkernel lock off” turns it off.")
        }
        try await prove()
        try await setting.turnOff()
        print("The app lock is off.")
    }

    /// Asks for the password if possible, otherwise for a confirmation: anyone who can run this also has
    /// access to the mail files.
    private func prove() async throws {
        let proof = PAMProof(environment: ProcessInfo.processInfo.environment)
        switch await proof.check(try ask("Your password: ")) {
        case .proven: return
        case .wrong: throw CommandError("Wrong password. The app lock stays on.")
        case .unavailable(let reason):
            print("The system could not check your password. \(reason)")
            let answer = try ask("Type “\(Self.confirmation)” to turn the app lock off anyway: ")
            guard answer == Secret(Self.confirmation) else { throw CommandError("The app lock stays on.") }
        }
    }

    private func ask(_ question: String) throws -> Secret {
        guard let answer = Passphrase.ask(question) else {
            throw CommandError("This command needs a terminal. The app lock stays on.")
        }
        return answer
    }
}
