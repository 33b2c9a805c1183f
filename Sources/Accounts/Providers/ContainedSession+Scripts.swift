import MailKernelAPI
import PluginCalls

extension ContainedSession {
    func scripts() async throws(AccountError) -> RemoteScripts? {
        let found = try await call(.scripts) { [inner] _ throws(AccountError) in try await inner.scripts() }
        guard let found else { return nil }
        guard found.isWithinLimits else {
            throw .badAnswer(
                "more than \(AnswerLimits.scripts) scripts, or names that are empty, repeated or longer than "
                    + "\(AnswerLimits.scriptNameBytes) bytes")
        }
        return found
    }

    func script(named name: String) async throws(AccountError) -> String {
        let text = try await call(.script) { [inner] _ throws(AccountError) in
            try await inner.script(named: name)
        }
        guard text.utf8.count <= AnswerLimits.scriptBytes else {
            throw .badAnswer("a script of more than \(AnswerLimits.scriptBytes >> 10) KB")
        }
        return text
    }

    func putScript(_ text: String, named name: String) async throws(AccountError) {
        try await call(.putScript) { [inner] _ throws(AccountError) in
            try await inner.putScript(text, named: name)
        }
    }

    func activateScript(named name: String?) async throws(AccountError) {
        try await call(.activateScript) { [inner] _ throws(AccountError) in
            try await inner.activateScript(named: name)
        }
    }

    func deleteScript(named name: String) async throws(AccountError) {
        try await call(.deleteScript) { [inner] _ throws(AccountError) in
            try await inner.deleteScript(named: name)
        }
    }
}

extension RemoteScripts {
    fileprivate var isWithinLimits: Bool {
        scripts.count <= AnswerLimits.scripts && Set(scripts.map(\.name)).count == scripts.count
            && scripts.allSatisfy { (1...AnswerLimits.scriptNameBytes).contains($0.name.utf8.count) }
            && scripts.filter(\.isActive).count <= 1
            && extensions.count <= AnswerLimits.scriptExtensions
            && extensions.allSatisfy { $0.utf8.count <= AnswerLimits.textBytes }
            && mailboxNames.values.allSatisfy { $0.utf8.count <= AnswerLimits.textBytes }
    }
}
