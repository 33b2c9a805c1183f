import FoundationEssentials

/// A part of a message of the demo.
indirect enum DemoPart {
    enum Encoding: String {
        case eightBit = "8bit"
        case quotedPrintable = "quoted-printable"
        case base64
    }

    case leaf(type: String, Encoding, headers: [String], Data)
    case multipart(String, [DemoPart])

    static func text(_ text: String, _ encoding: Encoding = .quotedPrintable, more: String = "") -> DemoPart {
        .leaf(type: "text/plain; charset=utf-8" + more, encoding, headers: [], Data(text.utf8))
    }

    static func html(_ text: String) -> DemoPart {
        .leaf(type: "text/html; charset=utf-8", .quotedPrintable, headers: [], Data(text.utf8))
    }

    static func file(_ name: String, _ type: String, _ bytes: Data) -> DemoPart {
        let parameter = EncodedParameter.text("filename", name)
        return .leaf(
            type: type, .base64, headers: ["Content-Disposition: attachment;\r\n \(parameter)"], bytes)
    }

    static func inlineImage(_ cid: String, _ bytes: Data) -> DemoPart {
        .leaf(
            type: "image/png", .base64,
            headers: [
                "Content-ID: <\(cid)>", "Content-Disposition: inline; filename=\"\(cid.prefix(8)).png\"",
            ],
            bytes)
    }

    /// Writes the part with its header.
    func write(into data: inout Data, _ random: inout DemoRandom) {
        func line(_ text: String) { data.append(contentsOf: (text + "\r\n").utf8) }
        switch self {
        case .leaf(let type, let encoding, let headers, let bytes):
            line("Content-Type: \(type)")
            line("Content-Transfer-Encoding: \(encoding.rawValue)")
            for header in headers { line(header) }
            line("")
            switch encoding {
            case .eightBit: data.append(bytes)
            case .quotedPrintable: QuotedPrintable.encode(bytes, into: &data)
            case .base64: Self.writeBase64(bytes, into: &data)
            }
        case .multipart(let kind, let parts):
            let boundary = "=_demo_\(random.hexadecimal(16))"
            line("Content-Type: multipart/\(kind);\r\n boundary=\"\(boundary)\"")
            line("")
            for part in parts {
                line("--\(boundary)")
                part.write(into: &data, &random)
                line("")
            }
            line("--\(boundary)--")
        }
    }

    private static func writeBase64(_ bytes: Data, into data: inout Data) {
        var rest = bytes.base64EncodedData()[...]
        while !rest.isEmpty {
            data.append(rest.prefix(76))
            data.append(contentsOf: [13, 10])
            rest = rest.dropFirst(76)
        }
    }
}

/// Text as lines of printable ASCII (RFC 2045, section 6.7).
enum QuotedPrintable {
    static func encode(_ bytes: Data, into data: inout Data) {
        var column = 0
        func put(_ text: [UInt8]) {
            if column + text.count > 75 {
                data.append(contentsOf: [61, 13, 10])
                column = 0
            }
            data.append(contentsOf: text)
            column += text.count
        }
        let bytes = [UInt8](bytes)
        for (index, byte) in bytes.enumerated() {
            let next = index + 1 < bytes.count ? bytes[index + 1] : 10
            switch byte {
            case 13 where next == 10: break
            case 10:
                data.append(contentsOf: [13, 10])
                column = 0
            case 32 where next != 13 && next != 10, 33...60, 62...126: put([byte])
            default: put([61, digit(byte >> 4), digit(byte & 15)])
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 55 + value }
}

/// Names of files in headers (RFC 2231).
enum EncodedParameter {
    static func text(_ name: String, _ value: String) -> String {
        guard !value.utf8.allSatisfy({ $0 < 128 }) else { return "\(name)=\"\(value)\"" }
        var encoded = ""
        for byte in value.utf8 {
            let isPlain =
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || byte == 46
            if isPlain {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return "\(name)*=utf-8''\(encoded)"
    }
}
