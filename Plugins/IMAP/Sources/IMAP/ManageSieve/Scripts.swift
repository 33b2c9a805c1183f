public import MailKernelAPI

extension IMAPAccountSession {
    /// The longest name of a script, in bytes, that both the kernel and the server accept.
    private static let longestName = 512

    @discardableResult
    private func visit<Answer: Sendable>(
        _ body: @Sendable (inout SieveTalk, SieveCapabilities) async throws(AccountError) -> Answer
    ) async throws(AccountError) -> Answer {
        guard let server = configuration.scripts else { throw .unsupported("scripts at the service") }
        return try await SieveVisit(
            server: server, login: configuration.login, host: host, purpose: "rules"
        ).run(body)
    }

    public func scripts() async throws(AccountError) -> RemoteScripts? {
        guard let server = configuration.scripts else { return nil }
        var found = try await visit { talk, capabilities throws(AccountError) in
            let reply = try await talk.ask("LISTSCRIPTS").orThrow(from: server.endpoint)
            var scripts: [RemoteScripts.Script] = []
            for line in reply.lines { if let script = try Self.script(line) { scripts.append(script) } }
            return RemoteScripts(extensions: capabilities.extensions, scripts: scripts)
        }
        let directory = try await list()
        for entry in directory.entries where entry.isSelectable && !directory.hasLabels {
            found.mailboxNames[entry.id] = entry.name.shown
        }
        found.keepsKeywords = try await withMailbox(.inbox) { _, selected throws(AccountError) in
            selected.permanentFlags?.contains("\\*") ?? true
        }
        return found
    }

    /// `"name"` or `"name" ACTIVE`.
    private static func script(_ line: [SieveToken]) throws(AccountError) -> RemoteScripts.Script? {
        guard case .text(let name)? = line.first, !name.isEmpty else {
            throw .badAnswer("the ManageSieve server sent an invalid list of scripts")
        }
        let isActive = line.dropFirst().contains { token in
            if case .word(let word) = token { word.uppercased() == "ACTIVE" } else { false }
        }
        guard name.utf8.count <= longestName else {
            // It would be displaced without a question.
            guard !isActive else {
                throw .badAnswer("the name of the active script at the ManageSieve server is too long")
            }
            return nil
        }
        return RemoteScripts.Script(name: name, isActive: isActive)
    }

    public func script(named name: String) async throws(AccountError) -> String {
        let command = "GETSCRIPT \(try Self.written(name))"
        return try await visit { talk, _ throws(AccountError) in
            let reply = try await talk.ask(command).orThrow(from: talk.endpoint)
            guard reply.lines.count == 1, case .text(let text)? = reply.lines[0].first else {
                throw .badAnswer("the ManageSieve server sent no script")
            }
            return text
        }
    }

    public func putScript(_ text: String, named name: String) async throws(AccountError) {
        let command = "PUTSCRIPT \(try Self.written(name)) \(SieveTalk.literal(text))"
        try await visit { talk, _ throws(AccountError) in
            try await talk.ask(command).orThrow(from: talk.endpoint)
        }
    }

    public func activateScript(named name: String?) async throws(AccountError) {
        let command = try name.map { name throws(AccountError) in "SETACTIVE \(try Self.written(name))" }
        try await visit { talk, _ throws(AccountError) in
            try await talk.ask(command ?? "SETACTIVE \"\"").orThrow(from: talk.endpoint)
        }
    }

    public func deleteScript(named name: String) async throws(AccountError) {
        let command = "DELETESCRIPT \(try Self.written(name))"
        try await visit { talk, _ throws(AccountError) in
            let reply = try await talk.ask(command)
            if reply.kind == .no, reply.code == "NONEXISTENT" { return }
            try reply.orThrow(from: talk.endpoint)
        }
    }

    /// A name as a literal, which can contain everything that a name can.
    private static func written(_ name: String) throws(AccountError) -> String {
        guard (1...longestName).contains(name.utf8.count),
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw .refused("This is not the name of a script.") }
        return SieveTalk.literal(name)
    }
}
