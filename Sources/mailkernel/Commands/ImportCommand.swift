import Accounts
import Care
import FoundationEssentials
import Glibc
import Kernel
import MailKernelAPI
import PluginHost
import Store

/// `mailkernel import`: imports mail from files into an account on this device.
struct ImportCommand {
    private let options: CommonOptions
    private let address: String?
    private let sources: [URL]

    init(_ arguments: inout Arguments) throws {
        options = try CommonOptions(&arguments)
        address = try arguments.value("--account")
        var sources: [URL] = []
        while let word = arguments.word() { sources.append(URL(filePath: word)) }
        self.sources = sources
        guard !sources.isEmpty else { throw UsageError("Name the file or folder to import.") }
        try arguments.finish()
    }

    func run() async throws -> ImportResult {
        let signals = StopSignals()
        if let program = try RunningProgram(options.folders) {
            return try await each { source in try await ask(program, toImport: source, signals) }
        }
        guard let store = try await OpenedStore(options, signals) else { return .whole }
        let result: ImportResult
        do {
            result = try await importAll(store, signals)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
        return result
    }

    /// Imports one after the other. One that cannot be read is no reason to leave the others.
    private func each(_ body: (URL) async throws -> ImportResult) async throws -> ImportResult {
        var results: [ImportResult] = []
        for source in sources {
            do {
                results.append(try await body(source))
            } catch let problem as SourceRefused {
                guard sources.count > 1 else { throw CommandError(problem.sentence) }
                print("\(problem.sentence)")
                results.append(.nothing)
            }
        }
        return results.dropFirst().reduce(results.first ?? .nothing) { $0.and($1) }
    }

    /// A program that runs on the data does it itself.
    private func ask(
        _ program: RunningProgram, toImport source: URL, _ signals: StopSignals
    ) async throws -> ImportResult {
        let capability = "urn:mailkernel:imports"
        var wanted: [String: JSONValue] = ["path": .string(source.absoluteURL.path)]
        if let address { wanted["address"] = .string(address) }
        let begun = try program.call(
            "Import/set", ["accountId": "program", "create": ["0": .object(wanted)]], using: capability)
        guard let id = begun["created"]?["0"]?["id"]?.stringValue else {
            throw SourceRefused(
                begun["notCreated"]?["0"]?["description"]?.stringValue ?? "The import was refused.")
        }
        let bar = ProgressBar(label: source.lastPathComponent)
        while true {
            if signals.isStopped {
                _ = try program.call(
                    "Import/set", ["accountId": "program", "destroy": [.string(id)]], using: capability)
            }
            let answer = try program.call(
                "Import/get", ["accountId": "program", "ids": [.string(id)]], using: capability)
            guard let status = answer["list"]?.arrayValue?.first else {
                throw CommandError(
                    "The running program no longer has this import. Start the import again to continue.")
            }
            let outcome = ImportOutcomeText(status)
            bar.show(
                outcome.bytesDone, of: outcome.bytesTotal, "\(outcome.added + outcome.alreadyThere) messages")
            if status["isFinished"] == true {
                bar.end()
                outcome.report(from: source.lastPathComponent, into: nil)
                if let problem = status["problem"]?.stringValue { throw CommandError(problem) }
                return outcome.result
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private func importAll(_ store: OpenedStore, _ signals: StopSignals) async throws -> ImportResult {
        let kernel = MailKernel(
            store: store.mail, plugins: store.records, clock: WallClock(), log: options.log,
            secrets: AccountDrawers(options.secrets), enteredHosts: options.enteredHosts,
            calls: signals.calls)
        let result: ImportResult
        do {
            // Before an account is made for nothing.
            let problems = sources.compactMap(Self.problem)
            guard problems.count < sources.count else {
                throw SourceRefused(problems.joined(separator: " "))
            }
            try await kernel.accounts.start()
            let account = try await ImportAccount.choose(
                address, of: kernel.accounts, in: kernel.store)
            result = try await each { source in
                try await importOne(source, into: account, of: kernel, signals)
            }
        } catch {
            await kernel.accounts.stop()
            throw Self.commandError(error)
        }
        await kernel.accounts.stop()
        return result
    }

    private func importOne(
        _ source: URL, into account: Account, of kernel: MailKernel, _ signals: StopSignals
    ) async throws -> ImportResult {
        if let problem = Self.problem(source) { throw SourceRefused(problem) }
        let bar = ProgressBar(label: source.lastPathComponent)
        let work = Task {
            try await MailImport(into: account.id, of: kernel.accounts, clock: kernel.clock).run(source) {
                progress in
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
            throw CommandError("Stopped. Imported messages are kept; start the import again to continue.")
        } catch {
            bar.end()
            throw error
        }
        bar.end()
        let outcome = ImportOutcomeText(progress)
        outcome.report(from: source.lastPathComponent, into: account.address)
        return outcome.result
    }

    /// Why there is nothing to import; nil if there is.
    private static func problem(_ source: URL) -> String? {
        do {
            try MailImport.check(source)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private static func commandError(_ error: any Error) -> any Error {
        switch error {
        case let error as SourceRefused: CommandError(error.sentence)
        case let error as AccountError: CommandError(error.sentence)
        case let error as StorageError: CommandError(error.sentence)
        default: error
        }
    }
}

/// A file or folder that cannot be imported.
private struct SourceRefused: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}
