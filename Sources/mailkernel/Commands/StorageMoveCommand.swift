import Care
import Kernel
import MailKernelAPI
import Store

/// `mailkernel storage move`: moves everything to the store of another plugin, which is then in use.
struct StorageMoveCommand {
    private let target: String
    private let options: CommonOptions
    private let vault: VaultOptions

    init(_ arguments: inout Arguments) throws {
        guard let target = try arguments.value("--to") else {
            throw UsageError("Name the storage plugin to move to with --to.")
        }
        self.target = target
        options = try CommonOptions(&arguments)
        vault = try VaultOptions(&arguments)
        try arguments.finish()
        // The demo shares its settings with the user's mail, which would be kept elsewhere afterwards.
        if options.isDemo { throw UsageError("The demo mailbox cannot be moved.") }
    }

    func run() async throws {
        let signals = StopSignals()
        guard let store = try await OpenedStore(options, signals, vault: vault) else { return }
        do {
            try await move(from: store, signals)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    private func move(from store: OpenedStore, _ signals: StopSignals) async throws {
        guard store.storageID != target else {
            return print("“\(store.name)” already keeps your mail.")
        }
        let other = try await OtherStore(target, beside: store, options, signals)
        let source = StoreMove.Side(id: store.storageID, name: store.name, mail: store.mail)
        let move = StoreMove(from: source, to: other.side)
        do {
            let result = try await compared(move, signals)
            show(result, from: store, to: other, leavesInsights: move.leavesInsights)
            try switchStore(result, from: store, to: other)
            try await move.finish()
        } catch {
            await other.close()
            throw Self.commandError(error, isStopped: signals.isStopped)
        }
        await other.close()
        print("“\(other.name)” keeps your mail from now on. “\(store.name)” still has a copy of it.")
        print("To delete the copy, run “mailkernel storage delete --old \(store.storageID)”.")
    }

    private func compared(_ move: StoreMove, _ signals: StopSignals) async throws -> MoveResult {
        let text = MoveProgressText()
        defer { text.end() }
        return try await signals.cancelling { try await move.run(text.show) }
    }

    /// Nothing is switched if anything differs.
    private func switchStore(
        _ result: MoveResult, from store: OpenedStore, to other: OtherStore
    ) throws {
        guard result.isEqual else {
            throw CommandError(
                "The stores differ, so “\(store.name)” still keeps your mail:\n"
                    + result.differences.map { "  \($0)\n" }.joined()
                    + "To try again, delete what was moved with “mailkernel storage delete --old \(target)”.")
        }
        try PluginPreferences(options.folders).setStorage(target)
    }

    private func show(
        _ result: MoveResult, from store: OpenedStore, to other: OtherStore, leavesInsights: Bool
    ) {
        let rows = result.rows.filter { $0.source > 0 || $0.destination > 0 }
        let width = rows.map(\.name.count).max() ?? 0
        for row in rows {
            let name = row.name + String(repeating: " ", count: width - row.name.count)
            let counts = [row.source, row.destination].map { number in
                String(repeating: " ", count: max(0, 9 - "\(number)".count)) + "\(number)"
            }
            print("\(name) \(counts.joined(separator: " "))  \(row.isEqual ? "equal" : "different")")
        }
        guard leavesInsights else { return }
        print(
            "“\(other.name)” keeps no categories and summaries, so those of “\(store.name)” were left behind."
        )
    }

    private static func commandError(_ error: any Error, isStopped: Bool) -> any Error {
        let goOn = "Run the command again to continue."
        if isStopped { return CommandError("Stopped. \(goOn)") }
        return switch error {
        case let error as StorageError: CommandError("\(error.sentence) \(goOn)")
        case let error as MoveProblem: CommandError("\(error)")
        case let error as PreferenceError: CommandError("\(error) \(goOn)")
        default: error
        }
    }
}
