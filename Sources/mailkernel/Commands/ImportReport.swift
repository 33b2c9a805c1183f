import Care
import Glibc
import MailKernelAPI

/// What became of an import, for scripts.
enum ImportResult: CInt {
    case whole = 0
    case nothing = 1
    /// Some of it was skipped.
    case partial = 2

    /// Of two imports in a row.
    func and(_ other: ImportResult) -> ImportResult { self == other ? self : .partial }
}

/// What became of an import, for people.
struct ImportOutcomeText {
    let bytesDone: Int
    let bytesTotal: Int
    let added: Int
    let alreadyThere: Int
    private let deleted: Int
    private let failures: [String]
    private let furtherFailures: Int

    init(_ progress: MailImport.Progress) {
        bytesDone = progress.bytesDone
        bytesTotal = progress.bytesTotal
        added = progress.added
        alreadyThere = progress.alreadyThere
        deleted = progress.deleted
        failures = progress.failures.map { "\($0.place): \($0.reason)" }
        furtherFailures = progress.furtherFailures
    }

    /// As the running program tells it.
    init(_ status: JSONValue) {
        func number(_ name: String) -> Int { status[name]?.intValue ?? 0 }
        bytesDone = number("bytesDone")
        bytesTotal = number("bytesTotal")
        added = number("added")
        alreadyThere = number("alreadyThere")
        deleted = number("deleted")
        failures = (status["failures"]?.arrayValue ?? []).map {
            "\($0["place"]?.stringValue ?? ""): \($0["reason"]?.stringValue ?? "")"
        }
        furtherFailures = number("furtherFailures")
    }

    var result: ImportResult {
        if failures.isEmpty { return .whole }
        return added + alreadyThere + deleted == 0 ? .nothing : .partial
    }

    func report(from name: String, into address: String?) {
        let messages = added == 1 ? "1 message" : "\(added) messages"
        var sentence = "\(messages) imported from \(name)"
        if let address { sentence += " into \(address)" }
        if alreadyThere > 0 { sentence += "; \(alreadyThere) already there" }
        print(sentence + ".")
        if deleted > 0 {
            let messages = deleted == 1 ? "1 message" : "\(deleted) messages"
            print("\(messages) left out, already deleted in the program that kept the mail.")
        }
        let count = failures.count + furtherFailures
        guard count > 0 else { return }
        print("\(count) skipped:")
        for failure in failures { print("  \(failure)") }
        if furtherFailures > 0 { print("  and \(furtherFailures) more") }
    }
}

/// One line on a terminal that grows; nothing where the output is no terminal.
struct ProgressBar: Sendable {
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

    /// For work whose amount is not known.
    func show(seconds: Int) {
        if isTerminal { write("\r\(label)  \(seconds) s  ") }
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
