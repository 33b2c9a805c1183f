import FoundationEssentials
import Glibc
import MailKernelAPI

/// What the small letters in names of a Maildir stand for, as Dovecot notes beside its folders: `0 $Label1` is `a`.
enum MaildirKeywords {
    private static let longest = 100_000

    static func read(_ path: DiskPath) -> [Character: Keyword] {
        guard path.kind == S_IFREG, let file = try? ReadOnlyFile(path) else { return [:] }
        var keywords: [Character: Keyword] = [:]
        let text = String(decoding: file.read(at: 0, count: longest), as: UTF8.self)
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let number = UInt8(words[0]), number < 26,
                let keyword = MozillaFields.keyword(words[1])
            else { continue }
            keywords[Character(Unicode.Scalar(UInt8(ascii: "a") + number))] = keyword
        }
        return keywords
    }
}
