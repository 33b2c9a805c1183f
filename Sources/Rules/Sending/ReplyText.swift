import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// Reads what scripts say about the messages that they send.
enum ReplyText {
    /// The text of a reply that a script wrote as a MIME entity. Its other parts are left out.
    static func text(ofEntity entity: String) -> String {
        let parsed = MessageParser().parse(Data(entity.utf8)) { _ in Id("") }
        let texts = parsed.body.values.sorted { $0.key < $1.key }.map(\.value.value)
        return texts.first ?? entity
    }

    /// The addresses of `mailto:a@example.org,b@example.org?subject=…`.
    static func recipients(ofURI uri: String) -> [String] {
        let path = uri.drop { $0 != ":" }.dropFirst().prefix { $0 != "?" }
        return path.split(separator: ",").map { unescaped(String($0)) }
    }

    private static func unescaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
