import CLlama
import InferenceWire

/// Continues texts, and says how likely a continuation is.
final class Writer {
    let model: LoadedModel
    private let line: Line
    /// The tokens in the model's state, to be reused if the next text begins with them.
    private var remembered: [llama_token] = []
    /// The last result about labels, which are the same for each text.
    var inclination: Inclination?

    init(_ request: LoadRequest, _ line: Line) throws(Refusal) {
        model = try LoadedModel(request, line)
        self.line = line
    }

    func write(
        _ request: WriteRequest, piece: @escaping (String) -> Void
    ) throws(Refusal) -> (tokens: Int, isCut: Bool) {
        let wanted = max(0, request.maximumTokens)
        // At least half of the context is for input.
        let prompt = try Prompt(request, for: model, room: model.size - min(wanted, model.size / 2))
        guard wanted > 0 else { return (0, true) }
        let chooser = try TokenChooser(request, vocabulary: model.vocabulary)
        let length = prompt.before.count + prompt.data.count + prompt.after.count
        if try !model.makeRoom(for: length + wanted) { forgetAll() }
        try begin(with: prompt.before)
        // Read together, so that the same text is always read in the same pieces: a model's numbers depend
        // on that, and the same request shall give the same answer.
        try model.read(prompt.data + prompt.after)
        var pieces = TextPieces(dropsLeadingSpace: request.grammar == nil)
        var parcel = Parcel(send: piece)
        var count = 0
        var isOver = false
        var room = model.size - length
        while count < wanted, room > 0 {
            guard !line.isStopped else { throw .cancelled }
            guard let token = chooser.choose(try model.logits()) else { break }
            if llama_vocab_is_eog(model.vocabulary, token) {
                isOver = true
                break
            }
            count += 1
            room -= 1
            if let text = pieces.add(model.bytes(of: token)) { parcel.add(text) }
            if count < wanted, room > 0 { try model.read([token]) }
        }
        if let text = pieces.end() { parcel.add(text) }
        parcel.end()
        return (count, !isOver)
    }

    /// What the model had read is gone.
    func forgetAll() { remembered = [] }

    /// Makes the state consist of `tokens`. Tokens already in it are not read again.
    func begin(with tokens: [llama_token]) throws(Refusal) {
        if !remembered.isEmpty, remembered == tokens, model.forget(after: tokens.count) { return }
        remembered = []
        _ = model.forget(after: 0)
        try model.read(tokens)
        remembered = tokens
    }
}

/// Sends the written text: the first piece immediately, then the pieces of some hundredths of a second
/// together. Each parcel costs processor time on both sides.
struct Parcel {
    private static let pause = 0.05
    private let send: (String) -> Void
    private var text = ""
    private var lastSent = -Double.infinity

    init(send: @escaping (String) -> Void) {
        self.send = send
    }

    mutating func add(_ more: String) {
        text += more
        if Line.now - lastSent >= Self.pause { end() }
    }

    mutating func end() {
        guard !text.isEmpty else { return }
        send(text)
        text = ""
        lastSent = Line.now
    }
}

/// Makes text of bytes that come in pieces, without tearing a character.
struct TextPieces {
    private var bytes: [UInt8] = []
    private var dropsSpace: Bool

    init(dropsLeadingSpace: Bool) {
        dropsSpace = dropsLeadingSpace
    }

    mutating func add(_ more: [UInt8]) -> String? {
        bytes += more
        let whole = bytes.count - Self.unfinished(bytes)
        return take(whole)
    }

    /// The rest at the end, even if it is an incomplete character.
    mutating func end() -> String? { take(bytes.count) }

    private mutating func take(_ count: Int) -> String? {
        guard count > 0 else { return nil }
        var text = String(decoding: bytes.prefix(count), as: UTF8.self)[...]
        bytes.removeFirst(count)
        if dropsSpace {
            text = text.drop(while: \.isWhitespace)
            if !text.isEmpty { dropsSpace = false }
        }
        return text.isEmpty ? nil : String(text)
    }

    /// How many bytes at the end begin a character that is not complete.
    private static func unfinished(_ bytes: [UInt8]) -> Int {
        for (back, byte) in bytes.reversed().prefix(4).enumerated() {
            if byte & 0xC0 == 0x80 { continue }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > back + 1 ? back + 1 : 0
        }
        return 0
    }
}
