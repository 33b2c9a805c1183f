extension FlowedText {
    /// Joins flowed lines (RFC 3676): lines that end in a space continue in the next one.
    ///
    /// - Parameter deletesSpaces: the part's `DelSp`: the space is not part of the text.
    public static func joined(_ text: String, deletesSpaces: Bool = false) -> String {
        var output: [String] = []
        var (depth, isOpen) = (-1, false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.last == "\r" ? line.dropLast() : line
            let quotes = line.prefix { $0 == ">" }.count
            var content = line.dropFirst(quotes)
            if content.first == " " { content = content.dropFirst() }
            let isSignature = content == "-- "
            let goesOn = content.last == " " && !isSignature
            if goesOn, deletesSpaces { content = content.dropLast() }
            if isOpen, quotes == depth, !isSignature, let last = output.popLast() {
                output.append(last + content)
            } else {
                let mark = String(repeating: ">", count: quotes)
                output.append(quotes > 0 && !content.isEmpty ? "\(mark) \(content)" : mark + content)
            }
            (depth, isOpen) = (quotes, goesOn)
        }
        return output.map { $0 == "-- " ? $0 : trimmedAtEnd($0) }.joined(separator: "\n")
    }

    private static func trimmedAtEnd(_ line: String) -> String {
        var line = line
        while line.last == " " { line.removeLast() }
        return line
    }
}
