import FoundationEssentials

/// A command, without its tag, as pieces that are put on the wire one after the other.
struct Command: Equatable, Sendable {
    enum Part: Equatable, Sendable {
        case text(String)
        case literal(Data)
        /// A literal of this size whose bytes are sent from elsewhere.
        case streamed(size: Int)
    }

    /// A command whose effect on the session is special.
    enum Effect: Equatable, Sendable {
        case none
        /// Another mailbox is selected.
        case select(MailboxName)
        case unselect
        /// The command waits for a continuation from the server.
        case waits
    }

    /// The verb, for logs and errors; arguments may be private.
    let name: String
    private(set) var parts: [Part]
    var effect = Effect.none

    init(_ name: String) {
        self.name = name
        parts = [.text(name)]
    }

    // MARK: Arguments

    /// Text that is known to be valid in the grammar.
    func raw(_ text: String) -> Command { appending(" " + text) }

    func mailbox(_ name: MailboxName) -> Command { astring(name.wire) }

    /// A string in whichever form can hold it.
    func astring(_ text: String) -> Command {
        if Self.isAtom(text) { return raw(text) }
        if Self.isQuotable(text) { return raw(Self.quoted(text)) }
        var command = appending(" ")
        command.parts.append(.literal(Data(text.utf8)))
        return command
    }

    func streamed(size: Int) -> Command {
        var command = appending(" ")
        command.parts.append(.streamed(size: size))
        return command
    }

    private func appending(_ text: String) -> Command {
        var command = self
        if case .text(let last) = parts.last {
            command.parts[command.parts.count - 1] = .text(last + text)
        } else {
            command.parts.append(.text(text))
        }
        return command
    }

    func withEffect(_ effect: Effect) -> Command {
        var command = self
        command.effect = effect
        return command
    }

    static func isAtom(_ text: String) -> Bool {
        !text.isEmpty && text.uppercased() != "NIL"
            && text.utf8.allSatisfy { byte in
                byte > 32 && byte < 127 && !"(){%*\"\\]".utf8.contains(byte)
            }
    }

    private static func isQuotable(_ text: String) -> Bool {
        text.utf8.count < 1_000 && text.utf8.allSatisfy { $0 >= 32 && $0 < 127 }
    }

    static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
