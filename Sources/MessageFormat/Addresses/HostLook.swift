/// How a host is shown so that it cannot be taken for another one.
///
/// Names in the letters of one language are shown with them. Those that mix scripts, or look like a name in plain
/// letters, are shown as servers know them: `xn--80ak6aa92e.com`.
public struct HostLook: Sendable, Hashable {
    public var shown: String
    /// A warning, as a sentence.
    public var warning: String?

    public init(_ host: String) {
        shown = host
        let isPlain = host.utf8.allSatisfy { $0 < 0x80 }
        guard !isPlain || host.hasPunycode else { return }
        let names = UnicodeNames.shared
        guard let readable = names.readable(host), let ascii = names.ascii(host) else {
            // No browser and no server would take it.
            if !isPlain { warning = "\(Self.visible(host)) is not a valid server name." }
            shown = Self.visible(host)
            return
        }
        guard let problem = Self.problem(of: readable, ascii: ascii) else {
            shown = readable
            return
        }
        shown = ascii
        warning = problem
    }

    private static func problem(of readable: String, ascii: String) -> String? {
        let names = UnicodeNames.shared
        let hasPlainTop = readable.split(separator: ".").last?.utf8.allSatisfy { $0 < 0x80 } ?? true
        for label in readable.split(separator: ".") where !label.utf8.allSatisfy({ $0 < 0x80 }) {
            let label = String(label)
            if hasFaintMarks(label) {
                return "\(ascii) has marks that are hard to see and may imitate another name."
            }
            let skeleton = names.skeleton(of: label) ?? ""
            let looksPlain = !skeleton.isEmpty && skeleton.utf8.allSatisfy { $0 < 0x80 }
            let isMixed = names.mixesScripts(label)
            // Words of other alphabets that look like Latin letters by chance have an ending in their own.
            if looksPlain, isMixed || hasPlainTop {
                return "\(ascii) imitates \(imitated(readable))."
            }
            if isMixed || skeleton.unicodeScalars.contains(where: { "/.:@?#& ".unicodeScalars.contains($0) })
            {
                return "\(ascii) mixes letters of different alphabets and may imitate another name."
            }
        }
        return nil
    }

    /// A mark that makes no letter of its own with a plain one, such as a line below it, or a dot between letters
    /// other than two of `l`, where Catalan has one.
    private static func hasFaintMarks(_ label: String) -> Bool {
        let scalars = Array(label.unicodeScalars)
        return scalars.indices.dropFirst().contains { index in
            switch scalars[index].properties.generalCategory {
            case .nonspacingMark: scalars[index - 1].isASCII
            default:
                scalars[index] == "\u{B7}"
                    && !(scalars[index - 1] == "l" && index + 1 < scalars.count && scalars[index + 1] == "l")
            }
        }
    }

    /// The plain letters that each letter looks like.
    private static func imitated(_ readable: String) -> String {
        readable.map { letter in
            // ICU takes it for an i, and readers of Latin letters for an l.
            if letter == "ӏ" { return "l" }
            guard !letter.isASCII, let plain = UnicodeNames.shared.skeleton(of: String(letter)),
                plain.utf8.count == 1
            else { return String(letter) }
            return plain
        }.joined()
    }

    /// Without signs that cannot be seen or that turn the order round.
    private static func visible(_ host: String) -> String {
        ShownText.line(host)
    }
}

extension String {
    /// Whether part of it may be a host in its ASCII form.
    var hasPunycode: Bool { lowercased().containsBytes(of: "xn--") }
}
