import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import Synchronization

/// A POP3 server in memory, with what goes wrong at some.
final class PopServer: Sendable {
    struct Message: Sendable, Equatable {
        var name: String
        var text: String
        /// What the server says instead of the right size.
        var statedSize: Int?
    }

    struct State {
        var messages: [Message] = []
        /// Nil for a server without CAPA.
        var capabilities: [String]? = ["USER", "UIDL", "TOP", "SASL PLAIN XOAUTH2", "PIPELINING"]
        var greeting = "+OK ready"
        /// What is said instead, by the command.
        var answers: [String: String] = [:]
        /// Commands in place of whose answer the connection is cut.
        var cuts: Set<String> = []
        /// Called with each command before it is answered.
        var before: @Sendable (String) -> Void = { _ in }
        var heard: [String] = []
        /// Nil takes any. Only for PASS, so without other ways in.
        var password: String? {
            didSet { capabilities = ["USER", "UIDL", "TOP"] }
        }
    }

    let state = Mutex(State())

    init(_ messages: [Message] = [], _ change: (inout State) -> Void = { _ in }) {
        state.withLock { state in
            state.messages = messages
            change(&state)
        }
    }

    var names: [String] { state.withLock { $0.messages.map(\.name) } }
    var heard: [String] { state.withLock { $0.heard } }

    func change(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
    func count(_ word: String) -> Int { heard.count { $0.hasPrefix(word) } }

    func session() -> any ServerSession { PopSession(self) }

    /// A message as numbered, received at that minute.
    static func message(_ number: Int, text: String = "Hello.", name: String? = nil) -> Message {
        let minute = String(number % 60 + 100).suffix(2)
        return Message(
            name: name ?? "uid\(number)",
            text: "Received: from a by b; Tue, 14 Nov 2023 20:\(minute):00 +0000\r\n"
                + "Message-ID: <\(number)@pop.test>\r\nSubject: Number \(number)\r\n\r\n\(text)\r\n")
    }
}

/// One connection: the maildrop as it was at its beginning.
private final class PopSession: ServerSession {
    private struct State {
        var drop: [PopServer.Message] = []
        var deleted: Set<Int> = []
        var input = ""
        /// A question that was asked.
        var isAnswering = false
        var push: @Sendable (Data) -> Void = { _ in }
    }

    private let server: PopServer
    private let state = Mutex(State())

    init(_ server: PopServer) {
        self.server = server
        let drop = server.state.withLock { $0.messages }
        state.withLock { $0.drop = drop }
    }

    func greeting() -> Data { Data((server.state.withLock { $0.greeting } + "\r\n").utf8) }
    func end() {}
    func setPush(_ push: @escaping @Sendable (Data) -> Void) { state.withLock { $0.push = push } }

    func take(_ bytes: Data) -> Data? {
        let lines = state.withLock { state in
            state.input += String(decoding: bytes, as: UTF8.self)
            var lines = state.input.lines
            state.input = lines.removeLast()
            return lines
        }
        var said = ""
        for line in lines {
            guard let answer = answer(line) else {
                // What was said before still arrives.
                let push = state.withLock { $0.push }
                push(Data(said.utf8))
                return nil
            }
            said += answer
        }
        return Data(said.utf8)
    }

    private func answer(_ line: String) -> String? {
        let (before, isCut, fixed) = server.state.withLock { state in
            state.heard.append(line)
            let word = String(line.prefix { $0 != " " })
            return (
                state.before, state.cuts.contains(line) || state.cuts.contains(word),
                state.answers[line] ?? state.answers[word]
            )
        }
        before(line)
        if isCut { return nil }
        if let fixed { return fixed }
        return state.withLock { state in
            if state.isAnswering {
                state.isAnswering = false
                return "+OK welcome\r\n"
            }
            return usual(line, &state)
        }
    }

    private func usual(_ line: String, _ state: inout State) -> String? {
        let words = line.split(separator: " ").map(String.init)
        let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
        let isThere = state.drop.indices.contains(number - 1) && !state.deleted.contains(number)
        let listed = state.drop.indices.filter { !state.deleted.contains($0 + 1) }
        switch words.first {
        case "CAPA":
            guard let lines = server.state.withLock({ $0.capabilities }) else { return "-ERR what?\r\n" }
            return "+OK\r\n" + lines.map { $0 + "\r\n" }.joined() + ".\r\n"
        case "STLS", "USER": return "+OK\r\n"
        case "PASS":
            let password = server.state.withLock { $0.password }
            return password.map { line == "PASS \($0)" } ?? true ? "+OK\r\n" : "-ERR [AUTH] wrong\r\n"
        case "AUTH":
            state.isAnswering = true
            return "+ \r\n"
        case "UIDL":
            return "+OK\r\n" + listed.map { "\($0 + 1) \(state.drop[$0].name)\r\n" }.joined() + ".\r\n"
        case "LIST":
            let lines = listed.map { index in
                let message = state.drop[index]
                return "\(index + 1) \(message.statedSize ?? message.text.utf8.count)\r\n"
            }
            return "+OK\r\n" + lines.joined() + ".\r\n"
        case "RETR" where isThere: return "+OK\r\n" + Self.stuffed(state.drop[number - 1].text)
        case "TOP" where isThere:
            let text = state.drop[number - 1].text
            let end = text.firstRange(of: "\r\n\r\n")?.lowerBound ?? text.endIndex
            let header = text[..<end] + "\r\n\r\n"
            return "+OK\r\n" + Self.stuffed(String(header))
        case "DELE" where isThere:
            state.deleted.insert(number)
            return "+OK\r\n"
        case "QUIT":
            let gone = Set(state.deleted.map { state.drop[$0 - 1].name })
            server.change { $0.messages.removeAll { gone.contains($0.name) } }
            return "+OK bye\r\n"
        default: return "-ERR what?\r\n"
        }
    }

    private static func stuffed(_ text: String) -> String {
        let lines = text.lines.map { $0.hasPrefix(".") ? "." + $0 : $0 }
        let whole = lines.joined(separator: "\r\n")
        return whole + (whole.hasSuffix("\r\n") || whole.isEmpty ? "" : "\r\n") + ".\r\n"
    }
}

extension String {
    /// Without their ends; the last one is empty if the text ends with one.
    fileprivate var lines: [String] {
        split(separator: "\r\n" as Character, omittingEmptySubsequences: false).map(String.init)
    }
}
