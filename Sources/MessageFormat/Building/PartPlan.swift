import FoundationEssentials
import MailKernelAPI

/// A part with its header written and its encoding chosen, before its content is read.
struct PartPlan {
    enum Content {
        case encoded([UInt8])
        case source(any ByteSource, TransferEncoding)
        case parts([PartPlan], boundary: String)
    }

    /// The part's header, with the empty line behind it.
    var header: [UInt8]
    var content: Content
    var needsUTF8: Bool
    var has8Bit: Bool

    init(_ part: DraftPart, builder: MessageBuilder, depth: Int = 0) async throws {
        guard depth < 50 else { throw BuildError.tooDeep }
        let type = part.type.lowercased()
        guard Self.isType(type) else { throw BuildError.invalidType(part.type) }
        var parameters: [(String, String)] = part.parameters
        var encoding = TransferEncoding.sevenBit
        has8Bit = false
        needsUTF8 = false
        switch part.content {
        case .text(let text):
            guard type.hasPrefix("text/") else { throw BuildError.wrongContent(type: type) }
            let isFlowed = builder.flowsText && type == "text/plain" && part.disposition != "attachment"
            let bytes = TextEncoding.canonical(isFlowed ? FlowedText.from(text) : text)
            encoding = TextEncoding.best(for: bytes)
            parameters.append(("charset", "utf-8"))
            if isFlowed { parameters += [("format", "flowed"), ("delsp", "no")] }
            content = .encoded(Self.encoded(bytes, encoding))
        case .bytes(let source):
            guard !type.hasPrefix("multipart/") else { throw BuildError.wrongContent(type: type) }
            if let charset = part.charset { parameters.append(("charset", charset)) }
            // A message may not be encoded (RFC 2046, section 5.2.1), but for what mail cannot carry.
            let isMessage = ["message/rfc822", "message/disposition-notification"].contains(type)
            encoding = isMessage ? try await Self.needed(by: source) : .base64
            has8Bit = encoding == .eightBit
            content = .source(source, encoding)
        case .parts(let parts):
            guard type.hasPrefix("multipart/") else { throw BuildError.wrongContent(type: type) }
            var plans: [PartPlan] = []
            for part in parts {
                plans.append(try await PartPlan(part, builder: builder, depth: depth + 1))
            }
            has8Bit = plans.contains { $0.has8Bit }
            needsUTF8 = plans.contains { $0.needsUTF8 }
            encoding = has8Bit ? .eightBit : .sevenBit
            // “=_” can occur neither in quoted-printable nor in base64.
            let boundary = "=_" + builder.makeBoundary()
            parameters.append(("boundary", boundary))
            content = .parts(plans, boundary: boundary)
        }
        var writer = HeaderWriter()
        try Self.write(part, type, parameters, encoding, to: &writer)
        header = writer.bytes + [0x0D, 0x0A]
        needsUTF8 = needsUTF8 || writer.needsUTF8
    }

    private static func write(
        _ part: DraftPart, _ type: String, _ parameters: [(String, String)], _ encoding: TransferEncoding,
        to writer: inout HeaderWriter
    ) throws(BuildError) {
        let given = try writeFields(of: part, to: &writer)
        func isFree(_ name: String) throws(BuildError) {
            if given.contains(name.lowercased()) { throw .duplicateField(name) }
        }
        // Without a disposition, the name can only stand in the type.
        let name = part.name.map { [("name", $0)] } ?? []
        try writer.write(
            "Content-Type", type, parameters: parameters + (part.disposition == nil ? name : []))
        if let disposition = part.disposition {
            try isFree("Content-Disposition")
            let word = disposition.lowercased()
            guard !word.isEmpty, word.utf8.allSatisfy(Parameters.isAtomText) else {
                throw .forbiddenCharacter(field: "Content-Disposition")
            }
            try writer.write(
                "Content-Disposition", word, parameters: part.name.map { [("filename", $0)] } ?? [])
        }
        if let cid = part.cid {
            try isFree("Content-ID")
            try writer.write(DraftHeader("Content-ID", .messageIDs([cid])))
        }
        if !part.language.isEmpty {
            try isFree("Content-Language")
            try writer.write(
                DraftHeader("Content-Language", .text(part.language.joined(separator: ", "))))
        }
        if let location = part.location {
            try isFree("Content-Location")
            try writer.write(DraftHeader("Content-Location", .text(location)))
        }
        if encoding != .sevenBit {
            try writer.write("Content-Transfer-Encoding", encoding.rawValue, parameters: [])
        }
    }

    /// - Returns: the names of the fields that the part brings along.
    private static func writeFields(
        of part: DraftPart, to writer: inout HeaderWriter
    ) throws(BuildError) -> Set<String> {
        var names: Set<String> = []
        for field in part.headers {
            let name = field.name.lowercased()
            guard name != "content-transfer-encoding", name != "content-type" else {
                throw .fieldIsMade(field.name)
            }
            guard names.insert(name).inserted || !name.hasPrefix("content-") else {
                throw .duplicateField(field.name)
            }
            try writer.write(field)
        }
        return names
    }

    private static func isType(_ type: String) -> Bool {
        let words = type.split(separator: "/", omittingEmptySubsequences: false)
        return words.count == 2
            && words.allSatisfy {
                !$0.isEmpty && $0.utf8.count < 128 && $0.utf8.allSatisfy(Parameters.isAtomText)
            }
    }

    private static func encoded(_ bytes: [UInt8], _ encoding: TransferEncoding) -> [UInt8] {
        switch encoding {
        case .quotedPrintable: TextEncoding.quotedPrintable(bytes)
        case .base64: Array(Data(bytes).base64Lines)
        case .sevenBit, .eightBit, .binary, .uuencode: bytes
        }
    }

    /// What an attached message needs: nothing if it is clean mail, base64 if mail cannot carry its bytes.
    private static func needed(by source: any ByteSource) async throws -> TransferEncoding {
        var (line, previous) = (0, UInt8(0x0A))
        var is8Bit = false
        for try await piece in source.pieces(of: 262_144) {
            let bytes = piece.span
            for index in bytes.indices {
                let byte = bytes[index]
                if byte == 0x0A {
                    if previous != 0x0D { return .base64 }
                    line = 0
                } else if previous == 0x0D || byte == 0 {
                    return .base64
                } else {
                    line += 1
                }
                if line > 998 { return .base64 }
                if byte >= 0x80 { is8Bit = true }
                previous = byte
            }
        }
        return previous == 0x0D ? .base64 : is8Bit ? .eightBit : .sevenBit
    }
}

extension Data {
    var base64Lines: Data {
        base64EncodedData(options: [
            .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ])
    }
}
