/// What a submission server says it can do, from its answer to EHLO.
struct SMTPFeatures {
    private let keywords: [String: [String]]

    init(_ reply: SMTPReplyReader.Reply) {
        var keywords: [String: [String]] = [:]
        // The first line is a greeting.
        for line in reply.lines.dropFirst() {
            // Old servers write “AUTH=LOGIN” as well.
            let words = line.uppercased().split { $0 == " " || $0 == "=" }.map(String.init)
            guard let keyword = words.first else { continue }
            keywords[keyword, default: []] += words.dropFirst()
        }
        self.keywords = keywords
    }

    func offers(_ keyword: String) -> Bool { keywords[keyword] != nil }

    var mechanisms: Set<String> { Set(keywords["AUTH"] ?? []) }

    /// The largest message that it takes; nil if it does not say.
    var sizeLimit: Int? {
        keywords["SIZE"]?.first.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }
}
