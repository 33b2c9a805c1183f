import MailKernelAPI
import Synchronization

/// Scripts at a service in memory, with lost and late answers.
package final class MemoryScripts: Sendable {
    package enum Fault: Sendable, CaseIterable {
        /// Nothing is done.
        case failed
        /// It is done, and the answer is lost.
        case lost
        /// There is no answer, and it is done before the next call.
        case late
    }

    package struct Contents: Sendable {
        package var texts: [String: String] = [:]
        package var active: String?
        package var extensions: Set<String> = [
            "fileinto", "imap4flags", "copy", "body", "mime", "date", "relational", "vacation", "mailbox",
        ]
        package var keepsKeywords = true
        /// Every call by its name.
        package var calls: [String] = []
        /// What happens to the call with this number, counted from 1.
        package var faults: [Int: Fault] = [:]
        /// Thrown by every call.
        package var outage: AccountError?
        /// Thrown by `putScript`.
        package var putError: AccountError?
        /// `activate` is confirmed and does nothing.
        package var losesActivation = false
        var late: [@Sendable (inout Contents) -> Void] = []
    }

    private let contents = Mutex(Contents())

    package init() {}

    package var now: Contents { contents.withLock { $0 } }
    package func change(_ body: (inout Contents) -> Void) { contents.withLock { body(&$0) } }

    private func call<Answer: Sendable>(
        _ name: String, _ body: @escaping @Sendable (inout Contents) throws(AccountError) -> Answer
    ) throws(AccountError) -> Answer {
        try contents.withLock { contents throws(AccountError) in
            if let outage = contents.outage { throw outage }
            for late in contents.late { late(&contents) }
            contents.late = []
            contents.calls.append(name)
            guard let fault = contents.faults[contents.calls.count] else { return try body(&contents) }
            switch fault {
            case .failed: break
            case .lost: _ = try? body(&contents)
            case .late: contents.late.append { _ = try? body(&$0) }
            }
            throw .unreachable(host: "mail.example.org", reason: "The connection was lost.")
        }
    }

    func list(_ names: [RemoteMailboxID: String]) throws(AccountError) -> RemoteScripts {
        try call("list") { contents throws(AccountError) in
            RemoteScripts(
                extensions: contents.extensions,
                scripts: contents.texts.keys.sorted().map {
                    RemoteScripts.Script(name: $0, isActive: $0 == contents.active)
                },
                mailboxNames: names, keepsKeywords: contents.keepsKeywords)
        }
    }

    func text(_ name: String) throws(AccountError) -> String {
        try call("get") { contents throws(AccountError) in
            guard let text = contents.texts[name] else { throw .notFound }
            return text
        }
    }

    func put(_ text: String, _ name: String) throws(AccountError) {
        try call("put") { contents throws(AccountError) in
            if let error = contents.putError { throw error }
            contents.texts[name] = text
        }
    }

    func activate(_ name: String?) throws(AccountError) {
        try call("activate") { contents throws(AccountError) in
            if let name, contents.texts[name] == nil { throw .notFound }
            if !contents.losesActivation { contents.active = name }
        }
    }

    func delete(_ name: String) throws(AccountError) {
        try call("delete") { contents throws(AccountError) in
            guard contents.active != name else { throw .refused("You cannot delete the active script.") }
            contents.texts[name] = nil
        }
    }
}

extension ScriptedSession {
    package func scripts() async throws(AccountError) -> RemoteScripts? {
        guard let scripts = script.now.scripts else { return nil }
        let all = try await inner.mailboxes().mailboxes
        var names: [RemoteMailboxID: String] = [:]
        for mailbox in all {
            let above = mailbox.parentID.flatMap { names[$0] }
            names[mailbox.id] = (above.map { "\($0)." } ?? "") + mailbox.name
        }
        return try scripts.list(names)
    }

    private var kept: MemoryScripts {
        get throws(AccountError) {
            guard let scripts = script.now.scripts else { throw .unsupported("scripts at the service") }
            return scripts
        }
    }

    package func script(named name: String) async throws(AccountError) -> String { try kept.text(name) }

    package func putScript(_ text: String, named name: String) async throws(AccountError) {
        try kept.put(text, name)
    }

    package func activateScript(named name: String?) async throws(AccountError) { try kept.activate(name) }

    package func deleteScript(named name: String) async throws(AccountError) { try kept.delete(name) }
}
