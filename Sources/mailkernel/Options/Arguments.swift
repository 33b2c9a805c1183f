/// The arguments of the command line, taken one option at a time. Leftover arguments are an error.
struct Arguments {
    private var words: [String]

    init(_ words: [String]) {
        self.words = words
    }

    /// Whether the flag was given.
    mutating func flag(_ name: String) -> Bool {
        guard let index = words.firstIndex(of: name) else { return false }
        words.remove(at: index)
        return true
    }

    /// The value of the option, given as `--name value` or `--name=value`; the last one counts.
    mutating func value(_ name: String) throws(UsageError) -> String? {
        try values(name).last
    }

    /// The values of an option that may be repeated.
    mutating func values(_ name: String) throws(UsageError) -> [String] {
        var found: [String] = []
        while let index = optionIndex(name) {
            if words[index] == name {
                guard index + 1 < words.count, words[index + 1].isEmpty || !words[index + 1].hasPrefix("--")
                else {
                    throw UsageError("\(name) needs a value.")
                }
                found.append(words.remove(at: index + 1))
            } else {
                found.append(String(words[index].dropFirst(name.count + 1)))
            }
            guard found.last?.isEmpty == false else { throw UsageError("\(name) needs a value.") }
            words.remove(at: index)
        }
        return found
    }

    /// The next word, if it is not an option. Take options first where they may stand before it.
    mutating func word() -> String? {
        guard let first = words.first, !first.hasPrefix("-") else { return nil }
        return words.removeFirst()
    }

    /// Call it when everything known has been taken.
    func finish() throws(UsageError) {
        guard let word = words.first else { return }
        throw UsageError(
            word.hasPrefix("-") ? "Unknown option \(word)." : "Unexpected argument “\(word)”.")
    }

    private func optionIndex(_ name: String) -> Int? {
        words.firstIndex { $0 == name || $0.hasPrefix(name + "=") }
    }
}

/// The command line cannot be understood. Exit code 64.
struct UsageError: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// The command could not be carried out. Exit code 1.
struct CommandError: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}
