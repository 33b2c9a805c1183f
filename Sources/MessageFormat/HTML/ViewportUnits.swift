import FoundationEssentials

/// Replaces the units that measure the height of the window.
///
/// A message is shown in a frame that is as high as the message. A length that follows the height of the frame would
/// make it higher, and that again the length, without end. Such lengths are given the height of an ordinary window
/// instead.
enum ViewportUnits {
    /// Pixels of one hundredth of that window's height.
    private static let hundredth = 6.0
    /// Longer lengths have no use, and are written in digits that every browser reads.
    private static let longest = 100_000.0

    /// The value of a property without such units; everything else stays as it is.
    static func fixed(_ value: String) -> String {
        // Most values have neither.
        let lower = value.lowercased()
        guard lower.containsBytes(of: "v") || lower.containsBytes(of: "cq") else { return value }
        let bytes = Array(value.utf8)
        var output: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let end = endOfToken(bytes, index)
            output += replacement(bytes[index..<end]) ?? Array(bytes[index..<end])
            index = end
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Whether a media query asks for the height or the shape of the frame: its rules would change the height, and
    /// that again whether they hold.
    static func measuresHeight(media: String) -> Bool {
        // Conditions about the whole screen stay: no frame affects it.
        let query = media.lowercased().replacing("device-height", with: "").replacing(
            "device-aspect-ratio", with: "")
        return ["height", "aspect-ratio", "orientation", "block-size"].contains(where: query.containsBytes)
    }

    /// A number with its unit, a word, a color, or a single byte.
    private static func endOfToken(_ bytes: [UInt8], _ start: Int) -> Int {
        if isNumber(bytes, at: start) { return endOfWord(bytes, endOfNumber(bytes, start)) }
        let isWord = isPartOfWord(bytes[start]) || bytes[start] == UInt8(ascii: "#")
        return isWord ? endOfWord(bytes, start + 1) : start + 1
    }

    private static func isNumber(_ bytes: [UInt8], at start: Int) -> Bool {
        var index = start
        if "+-".utf8.contains(bytes[index]) { index += 1 }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") { index += 1 }
        return index < bytes.count && isDigit(bytes[index])
    }

    /// Sign, digits, fraction and exponent. The `e` of `em` begins no exponent.
    private static func endOfNumber(_ bytes: [UInt8], _ start: Int) -> Int {
        var index = start
        func digits() { while index < bytes.count, isDigit(bytes[index]) { index += 1 } }
        if "+-".utf8.contains(bytes[index]) { index += 1 }
        digits()
        if index + 1 < bytes.count, bytes[index] == UInt8(ascii: "."), isDigit(bytes[index + 1]) {
            index += 1
            digits()
        }
        guard index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") else { return index }
        let sign = index + 1 < bytes.count && "+-".utf8.contains(bytes[index + 1]) ? 1 : 0
        guard index + 1 + sign < bytes.count, isDigit(bytes[index + 1 + sign]) else { return index }
        index += 1 + sign
        digits()
        return index
    }

    private static func endOfWord(_ bytes: [UInt8], _ start: Int) -> Int {
        var index = start
        while index < bytes.count, isPartOfWord(bytes[index]) { index += 1 }
        return index
    }

    /// - Returns: nil for values that do not depend on the frame's height.
    private static func replacement(_ token: ArraySlice<UInt8>) -> [UInt8]? {
        let bytes = Array(token)
        guard isNumber(bytes, at: 0) else { return nil }
        let end = endOfNumber(bytes, 0)
        let unit = String(decoding: bytes[end...], as: UTF8.self).lowercased()
        guard let side = sides[unit], let number = Double(String(decoding: bytes[..<end], as: UTF8.self))
        else {
            return nil
        }
        let pixels = text(number * hundredth) + "px"
        let length =
            switch side {
            case .height: pixels
            case .shorter: "min(\(text(number))vw,\(pixels))"
            case .longer: "max(\(text(number))vw,\(pixels))"
            }
        return Array(length.utf8)
    }

    private enum Side { case height, shorter, longer }

    /// Container units measure the frame too where there is no container, and a message has none.
    private static let sides: [String: Side] = {
        var sides: [String: Side] = ["cqh": .height, "cqb": .height, "cqmin": .shorter, "cqmax": .longer]
        for size in ["", "s", "l", "d"] {
            sides[size + "vh"] = .height
            sides[size + "vb"] = .height
            sides[size + "vmin"] = .shorter
            sides[size + "vmax"] = .longer
        }
        return sides
    }()

    private static func text(_ number: Double) -> String {
        let bounded = max(-longest, min(longest, number))
        let rounded = (bounded * 1000).rounded() / 1000
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80 || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }
}
