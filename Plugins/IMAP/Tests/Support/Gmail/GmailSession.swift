import FoundationEssentials
import Synchronization

/// One connection to `GmailServer`.
final class GmailSession: ServerSession {
    private struct State {
        var reader = CommandReader()
        var isSignedIn = false
        var mailbox: String?
        var idleTag: String?
        var authTag: String?
        var wasRefused = false
        /// How many messages the client was told of.
        var told = 0
        var enabled: Set<String> = []
        var push: (@Sendable (Data) -> Void)?
    }

    let server: GmailServer
    private let number: Int
    private let state = Mutex(State())

    init(_ server: GmailServer, number: Int) {
        self.server = server
        self.number = number
    }

    func setPush(_ push: @escaping @Sendable (Data) -> Void) { state.withLock { $0.push = push } }

    func end() { server.end(number) }

    func greeting() -> Data { Data("* OK Gimap ready for requests\r\n".utf8) }

    func take(_ bytes: Data) -> Data? {
        state.withLock { $0.reader.push(bytes) }
        var answer = ""
        while let output = state.withLock({ $0.reader.next() }) {
            switch output {
            case .goAhead: answer += "+ go ahead\r\n"
            case .line(let line): answer += takeLine(line)
            case .command(let tokens): answer += take(tokens)
            }
            if answer.hasSuffix(Self.end) {
                server.end(number)
                state.withLock { $0.push }?(Data(answer.dropLast(Self.end.count).utf8))
                return nil
            }
        }
        // One scalar for each byte: messages are not always text.
        return Data(answer.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    }

    private static let end = "\u{0}END"

    /// Tells a client that waits how many messages there are.
    func tellNews() {
        let (mailbox, push) = state.withLock { ($0.idleTag == nil ? nil : $0.mailbox, $0.push) }
        guard let mailbox else { return }
        push?(Data(news(in: mailbox).utf8))
    }

    func say(_ text: String) { state.withLock { $0.push }?(Data(text.utf8)) }

    private func news(in mailbox: String) -> String {
        let count = server.read { $0.contents(mailbox).count }
        let told = state.withLock { state in
            defer { state.told = count }
            return state.told
        }
        if count == told { return "" }
        let lost = max(0, told - count)
        // Which ones is of no matter to a client that counts.
        let gone =
            hasUIDsOnly && lost > 0
            ? "* VANISHED \(UInt32.max - UInt32(lost) + 1):\(UInt32.max)\r\n"
            : String(repeating: "* 1 EXPUNGE\r\n", count: lost)
        return gone + "* \(count) EXISTS\r\n"
    }

    private var hasUIDsOnly: Bool { state.withLock { $0.enabled.contains("UIDONLY") } }

    private func enable(_ tag: String, _ arguments: [Token]) -> String {
        let offered = server.settings.capabilities.split(separator: " ").map(String.init)
        let names = arguments.map(\.text).filter(offered.contains)
        state.withLock { $0.enabled.formUnion(names) }
        return "* ENABLED\(names.map { " " + $0 }.joined())\r\n\(tag) OK Success\r\n"
    }

    // MARK: Commands

    private func takeLine(_ line: String) -> String {
        let (idle, auth) = state.withLock { state in
            defer {
                state.reader.wantsLine = false
                state.idleTag = nil
            }
            return (state.idleTag, state.authTag)
        }
        if let idle { return "\(idle) OK IDLE terminated (Success)\r\n" }
        if let auth { return signIn(auth, line) }
        return ""
    }

    private func take(_ tokens: [Token]) -> String {
        guard tokens.count > 1 else { return "* BAD no command\r\n" }
        let tag = tokens[0].text
        var verb = tokens[1].text.uppercased()
        var arguments = Array(tokens.dropFirst(2))
        if verb == "UID", let second = arguments.first {
            verb += " " + second.text.uppercased()
            arguments.removeFirst()
        }
        if let answer = server.settings.answers(verb, tag, number) { return answer }
        let text = arguments.map { $0.items.map(\.text).joined(separator: " ") }.joined(separator: " ")
        if let answer = server.settings.answersWithArguments(verb, tag, text) { return answer }
        let isOpen = ["CAPABILITY", "AUTHENTICATE", "ID", "NOOP", "LOGOUT", "LOGIN"].contains(verb)
        guard isOpen || state.withLock({ $0.isSignedIn }) else { return "\(tag) BAD not signed in\r\n" }
        let news = state.withLock { $0.mailbox }.map { self.news(in: $0) } ?? ""
        return news + carryOut(verb, tag, arguments)
    }

    private func carryOut(_ verb: String, _ tag: String, _ arguments: [Token]) -> String {
        switch verb {
        case "CAPABILITY":
            let extra = state.withLock { $0.isSignedIn } ? server.settings.capabilities : Self.before
            return "* CAPABILITY \(extra)\r\n\(tag) OK Thats all she wrote!\r\n"
        case "AUTHENTICATE": return authenticate(tag, arguments)
        case "ID": return "* ID (\"name\" \"GImap\")\r\n\(tag) OK Success\r\n"
        case "ENABLE": return enable(tag, arguments)
        case "GETQUOTAROOT" where server.settings.capabilities.contains("QUOTA"):
            return "* QUOTAROOT \"INBOX\" \"\"\r\n* QUOTA \"\" (STORAGE 3 15728640)\r\n\(tag) OK Success\r\n"
        case "NAMESPACE": return "* NAMESPACE ((\"\" \"/\")) NIL NIL\r\n\(tag) OK Success\r\n"
        case "NOOP", "SUBSCRIBE", "UNSUBSCRIBE": return "\(tag) OK Success\r\n"
        case "IDLE":
            state.withLock { state in
                state.idleTag = tag
                state.reader.wantsLine = true
            }
            return "+ idling\r\n"
        case "LOGOUT": return Self.end
        case "SELECT": return select(tag, arguments.first?.text ?? "")
        case "UNSELECT":
            state.withLock { $0.mailbox = nil }
            return "\(tag) OK Returned to authenticated state.\r\n"
        case "LIST": return list(tag, arguments)
        case "RENAME" where server.settings.capabilities.contains("OBJECTID") && arguments.count > 1:
            let isDone = server.change { $0.renameFolder(arguments[0].text, to: arguments[1].text) }
            return "\(tag) \(isDone ? "OK Success" : "NO No such folder")\r\n"
        case "CREATE", "DELETE", "RENAME":
            return server.change { GmailMailboxes.carryOut(verb, tag, arguments, &$0) }
        case "APPEND": return server.change { GmailMessages.append(tag, arguments, &$0) }
        default: return inMailbox(verb, tag, arguments)
        }
    }

    private static let before =
        "IMAP4rev1 UNSELECT IDLE NAMESPACE QUOTA ID XLIST CHILDREN X-GM-EXT-1 XYZZY SASL-IR AUTH=XOAUTH2 AUTH=PLAIN"

    private func inMailbox(_ verb: String, _ tag: String, _ arguments: [Token]) -> String {
        guard let mailbox = state.withLock({ $0.mailbox }) else { return "\(tag) BAD nothing selected\r\n" }
        if let limit = server.settings.messageLimit,
            let limited = LimitedCommand(verb, arguments, server.read { $0.uids(in: mailbox) }, limit)
        {
            guard let arguments = limited.arguments else {
                return "\(tag) NO [MESSAGELIMIT \(limit)] Too many\r\n"
            }
            return limited.answer(carryOut(verb, tag, arguments, in: mailbox), tag)
        }
        return carryOut(verb, tag, arguments, in: mailbox)
    }

    private func carryOut(
        _ verb: String, _ tag: String, _ arguments: [Token], in mailbox: String
    ) -> String {
        switch verb {
        case "UID FETCH":
            let hasUIDsOnly = hasUIDsOnly
            return server.read { GmailMessages.fetch(tag, arguments, mailbox, $0, hasUIDsOnly: hasUIDsOnly) }
        case "UID SEARCH": return server.read { GmailSearch.carryOut(tag, arguments, mailbox, $0) }
        case "EXPUNGE": return carryOut("UID EXPUNGE", tag, [.word("1:*")], in: mailbox)
        case "UID STORE", "UID COPY", "UID MOVE", "UID EXPUNGE":
            let answer = server.change { GmailMessages.change(verb, tag, arguments, mailbox, &$0) }
            // The client learns of what is gone before the end of the command.
            return news(in: mailbox) + answer
        default: return "\(tag) BAD Unknown command\r\n"
        }
    }

    private func authenticate(_ tag: String, _ arguments: [Token]) -> String {
        guard arguments.count > 1 else {
            state.withLock { state in
                state.authTag = tag
                state.reader.wantsLine = true
            }
            return "+ \r\n"
        }
        return signIn(tag, arguments[1].text)
    }

    private func signIn(_ tag: String, _ answer: String) -> String {
        let wasRefused = state.withLock { state in
            defer {
                state.authTag = nil
                state.wasRefused = false
            }
            return state.wasRefused
        }
        if wasRefused { return "\(tag) NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)\r\n" }
        let text = Data(base64Encoded: answer).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let token = text.split(separator: "\u{1}").first { $0.hasPrefix("auth=Bearer ") }?.dropFirst(12)
        guard server.settings.isToken(String(token ?? "")) else {
            state.withLock { state in
                state.wasRefused = true
                state.authTag = tag
                state.reader.wantsLine = true
            }
            let reason = Data(#"{"status":"400","schemes":"Bearer","scope":"https://mail.google.com/"}"#.utf8)
            return "+ \(reason.base64EncodedString())\r\n"
        }
        guard server.connections <= server.settings.mostConnections else {
            return "\(tag) NO [ALERT] Too many simultaneous connections. (Failure)\r\n"
        }
        state.withLock { $0.isSignedIn = true }
        return "* CAPABILITY \(server.settings.capabilities)\r\n\(tag) OK authenticated (Success)\r\n"
    }

    private func select(_ tag: String, _ mailbox: String) -> String {
        let name = mailbox.uppercased() == "INBOX" ? "INBOX" : mailbox
        let counts = server.settings.capabilities.contains("CONDSTORE")
        let answer = server.change { store -> (String, Int)? in
            guard store.has(name) else { return nil }
            let modSeq = counts ? "* OK [HIGHESTMODSEQ \(store.modSeq)]\r\n" : ""
            let count = store.contents(name).count
            return (
                "* FLAGS (\\Answered \\Flagged \\Draft \\Deleted \\Seen)\r\n"
                    + "* OK [PERMANENTFLAGS (\\Answered \\Flagged \\Draft \\Deleted \\Seen \\*)] Flags permitted.\r\n"
                    + "* OK [UIDVALIDITY \(store.validity(name))] UIDs valid.\r\n* \(count) EXISTS\r\n* 0 RECENT\r\n"
                    + "* OK [UIDNEXT \(store.nextUID(name))] Predicted next UID.\r\n"
                    + modSeq + "\(tag) OK [READ-WRITE] \(name) selected. (Success)\r\n",
                count
            )
        }
        state.withLock { state in
            state.mailbox = answer == nil ? nil : name
            state.told = answer?.1 ?? 0
        }
        return answer?.0 ?? "\(tag) NO [NONEXISTENT] Unknown Mailbox: \(name) (Failure)\r\n"
    }

    private func list(_ tag: String, _ arguments: [Token]) -> String {
        let wantsStatus = arguments.contains { $0.items.contains(.word("STATUS")) }
        let hasIDs = server.settings.capabilities.contains("OBJECTID")
        return server.change { store in
            var text = "* LIST (\\HasChildren \\Noselect) \"/\" \"[Gmail]\"\r\n"
            for name in store.mailboxes {
                let use = GmailStore.system.first { $0.name == name }?.use ?? ""
                text +=
                    "* LIST (\\HasNoChildren\(use.isEmpty ? "" : " " + use)) \"/\" \(GmailMessages.quoted(name))\r\n"
                guard wantsStatus else { continue }
                text +=
                    "* STATUS \(GmailMessages.quoted(name)) (MESSAGES \(store.contents(name).count) UIDNEXT \(store.nextUID(name)) "
                    + "UIDVALIDITY \(store.validity(name)) HIGHESTMODSEQ \(store.modSeq)"
                    + (hasIDs ? " MAILBOXID (M\(store.validity(name)))" : "") + ")\r\n"
            }
            return text + "\(tag) OK Success\r\n"
        }
    }
}
