// The standard library's own composition: FoundationEssentials has none.
@_spi(_Unicode) import Swift

/// Names and ids in JSON are equal if their code points are. Swift's strings are equal if they look the same:
/// `é` as one code point and as two, the Kelvin sign and `K`.
///
/// A string that Swift could confuse with another is therefore rewritten when it is read: each non-ASCII
/// character becomes its number between two noncharacters, which I-JSON names cannot contain (RFC 7493,
/// section 2.1). `restored` reverses this.
enum ExactName {
    private static let begin: UInt32 = 0xFDD0
    private static let end: UInt32 = 0xFDD1
    /// The same in UTF-8: a literal cannot say them.
    private static let (beginText, endText) = (
        String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self),
        String(decoding: [0xEF, 0xB7, 0x91], as: UTF8.self)
    )

    static func of(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0x80 }), !isComposed(text) else { return text }
        var exact = ""
        for scalar in text.unicodeScalars {
            guard scalar.value >= 0x80 else {
                exact.unicodeScalars.append(scalar)
                continue
            }
            exact += beginText + String(scalar.value, radix: 16) + endText
        }
        return exact
    }

    static func restored(_ exact: String) -> String {
        guard exact.utf8.contains(0xEF), exact.unicodeScalars.contains(where: { $0.value == begin }) else {
            return exact
        }
        var text = String.UnicodeScalarView()
        var digits: String?
        for scalar in exact.unicodeScalars {
            switch (scalar.value, digits) {
            case (begin, nil): digits = ""
            case (end, let number?):
                if let sign = UInt32(number, radix: 16).flatMap(Unicode.Scalar.init) { text.append(sign) }
                digits = nil
            case (_, let number?): digits = number + String(Character(scalar))
            default: text.append(scalar)
            }
        }
        return String(text)
    }

    /// Whether the text holds a noncharacter, which no name may.
    static func hasNoncharacter(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            (0xFDD0...0xFDEF).contains(scalar.value) || scalar.value & 0xFFFE == 0xFFFE
        }
    }

    /// The name of a header field as it is compared: of letters, those of ASCII alone come in two cases.
    static func field(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 >= 0x80 }) else { return name.lowercased() }
        return String(
            decoding: of(name).utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// Whether it has the same code points in the composed form of Unicode (NFC).
    private static func isComposed(_ text: String) -> Bool { text.composed.utf8.elementsEqual(text.utf8) }
}

extension String {
    /// In the composed form of Unicode (NFC), which names of mailboxes have (RFC 5198, section 3).
    var composed: String {
        guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
        var scalars = UnicodeScalarView()
        for scalar in _nfc { scalars.append(scalar) }
        return String(scalars)
    }
}
