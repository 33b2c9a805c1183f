import FoundationEssentials

/// A session with a server, without the connection: bytes go in, events come out, and outgoing bytes are
/// requested.
///
/// Commands may be started while others are in progress. A server executes them in order, so untagged
/// responses belong to the oldest one.
struct IMAPSession {
    enum Event: Equatable {
        case greeting(StatusResponse)
        case untagged(Untagged)
        /// The next bytes of a body, while bodies are streamed.
        case chunk(Data)
        /// The oldest command waits for an answer: `send(line:)`.
        case continuation(String)
        case completed(Completion)
        /// A response that the grammar does not allow. It counts against the oldest command.
        case malformed(ParseError)
    }

    struct Completion: Equatable, Sendable {
        let tag: String
        /// The command's verb.
        let command: String
        let status: StatusResponse
        /// The number of invalid responses during the command.
        let malformed: Int
    }

    enum Output: Equatable {
        case bytes(Data)
        /// Now the bytes of the literal that is sent from elsewhere, exactly this many.
        case stream(size: Int)
    }

    enum Phase: Equatable { case greeting, open, authenticated, closed }

    private struct Pending {
        let tag: String
        let name: String
        let effect: Command.Effect
        var malformed = 0
    }

    private enum Outgoing {
        case bytes(Data, tag: String)
        case stream(size: Int, tag: String)
        case pause(tag: String)

        var tag: String {
            switch self {
            case .bytes(_, let tag), .stream(_, let tag), .pause(let tag): tag
            }
        }
    }

    private(set) var phase = Phase.greeting
    /// Nil until the server has told.
    private(set) var capabilities: Set<String>?
    private(set) var enabled: Set<String> = []
    private(set) var selected: SelectedMailbox?
    private var selecting: SelectedMailbox?
    /// How many messages there are in the mailbox that is selected, or about to be.
    var exists: UInt32 { (selecting ?? selected)?.exists ?? 0 }
    /// Capabilities were received since the last command started.
    private var hasToldMeanwhile = false
    private var hasToldSinceSigningIn = false
    private var framer: ResponseFramer
    private var pending: [Pending] = []
    private var outgoing: [Outgoing] = []
    private var lastTag = 0

    init(limits: ResponseFramer.Limits = ResponseFramer.Limits()) {
        framer = ResponseFramer(limits: limits)
    }

    func has(_ capability: String) -> Bool { capabilities?.contains(capability) ?? false }

    var streamsBodies: Bool {
        get { framer.streamsBodies }
        set { framer.streamsBodies = newValue }
    }

    // MARK: Out

    /// Begins a command and returns its tag.
    mutating func begin(_ command: Command) -> String {
        lastTag += 1
        let tag = "a\(lastTag)"
        hasToldMeanwhile = false
        pending.append(Pending(tag: tag, name: command.name, effect: command.effect))
        var bytes = Data("\(tag) ".utf8)
        func announce(_ size: Int) -> Bool {
            let isWaitedFor = !has("LITERAL+") && !(has("LITERAL-") && size <= 4_096)
            bytes += Data("{\(size)\(isWaitedFor ? "" : "+")}\r\n".utf8)
            return isWaitedFor
        }
        for part in command.parts {
            switch part {
            case .text(let text): bytes += Data(text.utf8)
            case .literal(let literal):
                if announce(literal.count) { pause(&bytes, tag) }
                bytes += literal
            case .streamed(let size):
                if announce(size) { pause(&bytes, tag) } else { flush(&bytes, tag) }
                outgoing.append(.stream(size: size, tag: tag))
            }
        }
        bytes += Data("\r\n".utf8)
        flush(&bytes, tag)
        return tag
    }

    private mutating func flush(_ bytes: inout Data, _ tag: String) {
        let waits = outgoing.contains { if case .pause = $0 { true } else { false } }
        if case .bytes(let before, _) = outgoing.last, !waits {
            // Commands that follow one another travel together, but for those that may end before.
            outgoing[outgoing.count - 1] = .bytes(before + bytes, tag: tag)
        } else if !bytes.isEmpty {
            outgoing.append(.bytes(bytes, tag: tag))
        }
        bytes = Data()
    }

    private mutating func pause(_ bytes: inout Data, _ tag: String) {
        flush(&bytes, tag)
        outgoing.append(.pause(tag: tag))
    }

    /// Answers a continuation.
    mutating func send(line: String) {
        outgoing.append(.bytes(Data("\(line)\r\n".utf8), tag: ""))
    }

    /// What to send now; nil if there is nothing, or the server has to speak first.
    mutating func nextOutput() -> Output? {
        guard let first = outgoing.first else { return nil }
        switch first {
        case .pause: return nil
        case .bytes(let bytes, _):
            outgoing.removeFirst()
            return .bytes(bytes)
        case .stream(let size, _):
            outgoing.removeFirst()
            return .stream(size: size)
        }
    }

    // MARK: In

    mutating func push(_ bytes: Data) { framer.push(bytes) }

    /// Removes and returns the unread bytes, for the layer that takes over.
    mutating func takeRest() -> Data { framer.takeRest() }

    /// After `STARTTLS`: nothing that was said in the clear counts.
    mutating func forgetPlainText() {
        _ = framer.takeRest()
        capabilities = nil
    }

    /// The next event; nil until more bytes are pushed.
    mutating func nextEvent() throws(FramingError) -> Event? {
        while let output = try framer.next() {
            switch output {
            case .chunk(let bytes): return .chunk(bytes)
            case .response(let raw):
                var scanner = ByteScanner(raw)
                // Between responses there may be empty lines.
                if scanner.isAtEnd { continue }
                do throws(ParseError) {
                    if let event = take(try scanner.response()) { return event }
                } catch {
                    if !pending.isEmpty { pending[0].malformed += 1 }
                    return .malformed(error)
                }
            }
        }
        return nil
    }

    private mutating func take(_ response: ServerResponse) -> Event? {
        switch response {
        case .untagged(let untagged): takeUntagged(untagged)
        case .tagged(let tag, let status): takeTagged(tag, status)
        case .continuation(let text): takeContinuation(text)
        }
    }

    private mutating func takeContinuation(_ text: String) -> Event? {
        if case .pause = outgoing.first {
            outgoing.removeFirst()
            return nil
        }
        return pending.first?.effect == .waits ? .continuation(text) : nil
    }

    private mutating func takeUntagged(_ response: Untagged) -> Event {
        switch response {
        case .capability(let names): tell(names)
        case .enabled(let names): enabled.formUnion(names)
        case .status(let status): takeStatus(status)
        default: break
        }
        if phase == .greeting, case .status(let status) = response {
            switch status.kind {
            case .preauth: phase = .authenticated
            case .bye: phase = .closed
            default: phase = .open
            }
            return .greeting(status)
        }
        if case .select(let name) = pending.first?.effect {
            if case .status(let status) = response, status.code == .word("CLOSED") { selecting = nil }
            var mailbox = selecting ?? SelectedMailbox(name: name)
            mailbox.take(response, isOpening: true)
            selecting = mailbox
        } else {
            selected?.take(response, isOpening: false)
        }
        return .untagged(response)
    }

    private mutating func tell(_ names: Set<String>) {
        capabilities = names
        hasToldMeanwhile = true
    }

    private mutating func takeStatus(_ status: StatusResponse) {
        if case .capability(let names) = status.code { tell(names) }
        if status.kind == .bye { phase = .closed }
    }

    private mutating func takeTagged(_ tag: String, _ status: StatusResponse) -> Event? {
        guard let index = pending.firstIndex(where: { $0.tag == tag }) else { return nil }
        let command = pending.remove(at: index)
        // Rejected before all of it was sent: the rest is dropped.
        outgoing.removeAll { $0.tag == tag }
        takeStatus(status)
        switch command.effect {
        case .select(let name):
            if status.kind == .ok {
                var mailbox = selecting ?? SelectedMailbox(name: name)
                mailbox.take(.status(status), isOpening: true)
                selected = mailbox
            } else {
                selected = nil
            }
            selecting = nil
        case .unselect: selected = nil
        case .none, .waits: break
        }
        if command.name == "AUTHENTICATE" || command.name == "LOGIN" {
            hasToldSinceSigningIn = hasToldMeanwhile
        }
        return .completed(
            Completion(tag: tag, command: command.name, status: status, malformed: command.malformed))
    }

    /// Capabilities from before the sign-in are invalid, unless they came with its response.
    mutating func becomeAuthenticated() {
        guard phase == .open else { return }
        phase = .authenticated
        if !hasToldSinceSigningIn { capabilities = nil }
    }

    /// Pretends that the server does not offer these.
    mutating func ignore(_ names: Set<String>) { capabilities?.subtract(names) }
}
