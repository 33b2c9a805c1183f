/// HTML that is being written. Values are escaped here and nowhere else.
struct HTMLOutput {
    private(set) var bytes: [UInt8] = []

    mutating func open(_ name: String) {
        bytes.append(UInt8(ascii: "<"))
        bytes += name.utf8
    }

    mutating func attribute(_ name: String, _ value: String) {
        bytes.append(UInt8(ascii: " "))
        bytes += name.utf8
        bytes += "=\"".utf8
        escape(value)
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func endTag() {
        bytes.append(UInt8(ascii: ">"))
    }

    mutating func close(_ name: String) {
        bytes += "</".utf8
        bytes += name.utf8
        bytes.append(UInt8(ascii: ">"))
    }

    mutating func text(_ text: String) {
        escape(text)
    }

    private mutating func escape(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            // Old browsers took it for a quote.
            case UInt8(ascii: "`"): bytes += "&#96;".utf8
            case 0x09, 0x0A, 0x0D, 0x20...: bytes.append(byte)
            default: break
            }
        }
    }
}
