import FoundationEssentials
import MailKernelAPI

/// `mailkernel storage`: looks for damage in the store, and rebuilds its search index. If the program is running, it
/// does the work, because the store may be open only once.
struct StorageCommand {
    private enum Work: String {
        case check = "check"
        case rebuildSearch = "rebuild-search"
    }

    private let work: Work
    private let options: CommonOptions

    /// Runs the command that the next word names.
    static func run(_ arguments: inout Arguments) async throws {
        switch arguments.word() {
        case "move": try await StorageMoveCommand(&arguments).run()
        case "delete": try await StorageDeleteCommand(&arguments).run()
        case let word:
            guard let work = word.flatMap(Work.init) else {
                throw UsageError(
                    "Use “storage check”, “storage rebuild-search”, “storage move” or “storage delete”.")
            }
            try await StorageCommand(work, &arguments).run()
        }
    }

    private init(_ work: Work, _ arguments: inout Arguments) throws {
        self.work = work
        options = try CommonOptions(&arguments)
        try arguments.finish()
    }

    private func run() async throws {
        if let program = try RunningProgram(options.folders) {
            return try report(await showingTime { try ask(program) })
        }
        let signals = StopSignals()
        guard let store = try await OpenedStore(options, signals) else { return }
        let findings: [String]
        do {
            findings = try await showingTime { try await perform(on: store, unless: signals) }
        } catch {
            await store.close()
            guard !signals.isStopped else { throw CommandError("Stopped.") }
            throw (error as? StorageError).map { CommandError($0.sentence) } ?? error
        }
        await store.close()
        try report(findings)
    }

    private func ask(_ program: RunningProgram) throws -> [String] {
        let method = work == .check ? "Program/checkStore" : "Program/rebuildSearchIndex"
        let answer = try program.call(method, ["accountId": "program"], using: "urn:mailkernel:storage")
        return (answer["findings"]?.arrayValue ?? []).compactMap(\.stringValue)
    }

    private func perform(on store: OpenedStore, unless signals: StopSignals) async throws -> [String] {
        let task = Task { [work] in
            switch work {
            case .check: return try await store.mail.check()
            case .rebuildSearch:
                try await store.mail.rebuildSearchIndex()
                return []
            }
        }
        let watch = Task {
            await signals.wait()
            task.cancel()
        }
        defer { watch.cancel() }
        let findings = try await task.value
        guard store.wasReplaced else { return findings }
        return ["The store was damaged, and was replaced when this command opened it."] + findings
    }

    /// Shows on a terminal that the work goes on.
    private func showingTime<Value>(_ body: () async throws -> Value) async throws -> Value {
        let line = ProgressBar(label: work == .check ? "Checking the store" : "Rebuilding the search index")
        let began = ContinuousClock.now
        let ticking = Task {
            while true {
                try await Task.sleep(for: .seconds(1))
                line.show(seconds: Int((ContinuousClock.now - began) / .seconds(1)))
            }
        }
        defer {
            ticking.cancel()
            line.end()
        }
        return try await body()
    }

    private func report(_ findings: [String]) throws {
        for finding in findings { print(finding) }
        if findings.isEmpty {
            return print(work == .check ? "No damage was found." : "The search index was rebuilt.")
        }
        throw CommandError(
            "\(findings.count == 1 ? "1 problem" : "\(findings.count) problems") found. “mailkernel storage "
                + "rebuild-search” rebuilds the search index. A store on this computer is checked again when mailkernel "
                + "starts, and repaired or replaced.")
    }
}
