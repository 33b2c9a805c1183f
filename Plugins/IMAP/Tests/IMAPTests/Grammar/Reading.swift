import FoundationEssentials

@testable import IMAP

/// Everything that comes out of these bytes, pushed in pieces of a size.
func frames(
    _ bytes: Data, piece: Int = .max, limits: ResponseFramer.Limits = ResponseFramer.Limits(),
    streams: Bool = false
) throws -> [ResponseFramer.Output] {
    var framer = ResponseFramer(limits: limits)
    framer.streamsBodies = streams
    var outputs: [ResponseFramer.Output] = []
    var rest = bytes
    while !rest.isEmpty {
        framer.push(Data(rest.prefix(piece)))
        rest = Data(rest.dropFirst(piece))
        while let output = try framer.next() { outputs.append(output) }
    }
    return outputs
}

/// What a response means; its line end is added.
func read(_ text: String) throws -> ServerResponse {
    guard case .response(let raw)? = try frames(Data("\(text)\r\n".utf8)).first else {
        throw ParseError(expected: "a whole response", offset: 0)
    }
    var scanner = ByteScanner(raw)
    return try scanner.response()
}

func readFetch(_ text: String) throws -> FetchResponse {
    guard case .untagged(.fetch(let message)) = try read("* 1 FETCH \(text)") else {
        throw ParseError(expected: "a message", offset: 0)
    }
    return message
}

func readBody(_ text: String) throws -> BodyStructure? {
    try readFetch("(BODYSTRUCTURE \(text))").bodyStructure
}
