import FoundationEssentials
import Glibc
import Kernel
import MailKernelAPI
import PluginHost

/// `mailkernel import`: brings mail that lies in files into an account on this device.
struct ImportCommand {
    private let options: CommonOptions
    private let storageID: String?
    private let address: String?
    private let sources: [URL]

    init(_ arguments: inout Arguments) throws {
        options = try CommonOptions(&arguments)
        storageID = try arguments.value("--storage")
        address = try arguments.value("--account")
        var sources: [URL] = []
        while let word = arguments.word() { sources.append(URL(filePath: word)) }
        self.sources = sources
        guard !sources.isEmpty else { throw UsageError("Name the file or folder to import.") }
        try arguments.finish()
    }

    func run() async throws {
        let signals = StopSignals()
        let store = try await OpenedStore(options, storageID, signals)
        do {
            try await importAll(store, signals)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    private func importAll(_ store: OpenedStore, _ signals: StopSignals) async throws {
        let kernel = MailKernel(
            storage: store.backend, plugins: store.records, clock: WallClock(), log: options.log)
        do {
            try await kernel.accounts.start()
            let account = try await ImportAccount.choose(address, in: kernel)
            for source in sources {
                try await importOne(source, into: account, of: kernel, signals)
            }
        } catch {
            await kernel.accounts.stop()
            throw Self.commandError(error)
        }
        await kernel.accounts.stop()
    }

    private func importOne(
        _ source: URL, into account: Account, of kernel: MailKernel, _ signals: StopSignals
    ) async throws {
        let bar = ProgressBar(label: source.lastPathComponent)
        let work = Task {
            try await MailImport(into: account.id, of: kernel).run(source) { progress in
                bar.show(
                    progress.bytesDone, of: progress.bytesTotal,
                    "\(progress.added + progress.alreadyThere) messages")
            }
        }
        let watch = Task {
            await signals.wait()
            work.cancel()
        }
        defer { watch.cancel() }
        let progress: MailImport.Progress
        do {
            progress = try await work.value
        } catch is CancellationError {
            bar.end()
            throw CommandError("Stopped. What was imported is kept; start it again to go on.")
        } catch {
            bar.end()
            throw error
        }
        bar.end()
        report(progress, source, account)
    }

    private func report(_ progress: MailImport.Progress, _ source: URL, _ account: Account) {
        var sentence =
            "\(progress.added) messages were imported from \(source.lastPathComponent) into \(account.address)"
        if progress.alreadyThere > 0 { sentence += ", \(progress.alreadyThere) were there already" }
        print(sentence + ".")
        let failures = progress.failures.count + progress.furtherFailures
        guard failures > 0 else { return }
        print("\(failures) could not be read and were passed by:")
        for failure in progress.failures { print("  \(failure.place): \(failure.reason)") }
        if progress.furtherFailures > 0 { print("  and \(progress.furtherFailures) more") }
    }

    private static func commandError(_ error: any Error) -> any Error {
        switch error {
        case let error as AccountError: CommandError(error.sentence)
        case let error as StorageError: CommandError(error.sentence)
        default: error
        }
    }
}

/// One line on a terminal that grows; nothing where the output is no terminal.
private struct ProgressBar: Sendable {
    let label: String
    private let isTerminal = isatty(STDERR_FILENO) == 1

    init(label: String) {
        self.label = label
    }

    func show(_ done: Int, of total: Int, _ text: String) {
        guard isTerminal else { return }
        let share = total > 0 ? min(1, Double(done) / Double(total)) : 1
        let filled = Int(share * 30)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 30 - filled)
        write("\r\(label)  \(bar) \(Int(share * 100)) %  \(text)  ")
    }

    func end() {
        if isTerminal { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        _ = text.utf8.withContiguousStorageIfAvailable {
            Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count)
        }
    }
}
