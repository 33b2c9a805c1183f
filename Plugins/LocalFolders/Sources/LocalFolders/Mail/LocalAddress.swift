import MailKernelAPI

/// The address of an account on this device: anything that looks like one.
struct LocalAddress: Sendable, Hashable {
    /// As it was entered.
    let text: String

    /// The domain of generated addresses. `internal` is reserved for private networks: no one can register a
    /// name below it, so mail to such an address cannot go astray.
    static let domain = "this-device.internal"

    /// Nil for an invalid address.
    init?(_ text: String) {
        let text = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        let sides = text.split(separator: "@", omittingEmptySubsequences: false)
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            !"<>()[],;:\\\"/".unicodeScalars.contains(scalar) && !scalar.properties.isWhitespace
                && scalar.properties.generalCategory != .control
        }
        guard isPlain, text.utf8.count <= 254, sides.count == 2, (1...64).contains(sides[0].utf8.count),
            !sides[1].isEmpty, !text.contains(".."),
            sides.allSatisfy({ $0.first != "." && $0.last != "." })
        else { return nil }
        self.text = text
    }

    /// An address that is made from a person's name.
    init(name: String) {
        var words: [String] = [""]
        for scalar in name.lowercased().unicodeScalars {
            if scalar.isASCII, scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) {
                words[words.count - 1].unicodeScalars.append(scalar)
            } else if words.last != "", scalar.properties.isWhitespace || scalar == "-" || scalar == "." {
                words.append("")
            }
        }
        let local = words.filter { !$0.isEmpty }.joined(separator: ".").prefix(60)
        text = "\(local.isEmpty ? "me" : local)@\(Self.domain)"
    }

    /// Addresses ignore case.
    var normal: String { text.lowercased() }

    /// The name of its folder: the address itself, as far as file names can be trusted with it.
    var folderName: String {
        var name = ""
        for byte in normal.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "@"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                name += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        // File names have at most 255 bytes; a checksum distinguishes truncated ones.
        guard name.utf8.count > 200 else { return name }
        let sum = normal.utf8.reduce(into: UInt64(14_695_981_039_346_656_037)) { sum, byte in
            sum = (sum ^ UInt64(byte)) &* 1_099_511_628_211
        }
        return name.prefix(180) + "%" + String(sum, radix: 16)
    }
}
