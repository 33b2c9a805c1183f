import MailKernelAPI

/// Takes the keys of a manifest one by one and remembers which were asked for.
struct ManifestReader {
    private let fields: [String: JSONValue]
    /// The key of the manifest that these fields are in; nil for the manifest itself.
    private let place: String?
    private var known: Set<String> = []

    init(fields: [String: JSONValue], within place: String? = nil) {
        self.fields = fields
        self.place = place
    }

    var unreadKeys: [String] {
        fields.keys.filter { !known.contains($0) }.map { String($0.prefix(100)).printable }.sorted()
    }

    mutating func text(_ key: String, upTo limit: Int) throws(Refusal) -> String {
        let value = try optionalText(key, upTo: limit)
        guard !value.isEmpty else { throw refusal(key, "it is missing or empty") }
        return value
    }

    mutating func optionalText(_ key: String, upTo limit: Int) throws(Refusal) -> String {
        known.insert(key)
        guard let value = fields[key] else { return "" }
        guard let text = value.stringValue else { throw refusal(key, "it is not a string") }
        try check(text, key, limit)
        return text
    }

    /// False if it is missing.
    mutating func flag(_ key: String) throws(Refusal) -> Bool {
        known.insert(key)
        guard let value = fields[key] else { return false }
        guard let flag = value.boolValue else { throw refusal(key, "it is neither true nor false") }
        return flag
    }

    /// Empty if it is missing.
    mutating func list(_ key: String, upTo limit: Int) throws(Refusal) -> [JSONValue] {
        known.insert(key)
        guard let value = fields[key] else { return [] }
        guard let list = value.arrayValue, list.count <= limit else {
            throw refusal(key, "it is not a list of at most \(limit) objects")
        }
        return list
    }

    mutating func texts(_ key: String, upTo limit: Int) throws(Refusal) -> [String] {
        known.insert(key)
        guard let value = fields[key] else { return [] }
        guard let list = value.arrayValue, list.count <= limit else {
            throw refusal(key, "it is not a list of at most \(limit) strings")
        }
        var texts: [String] = []
        for entry in list {
            guard let text = entry.stringValue else { throw refusal(key, "it is not a list of strings") }
            try check(text, key, 300)
            texts.append(text)
        }
        return texts
    }

    /// Manifests are printed in terminals and logs, where control characters could pretend things.
    private func check(_ text: String, _ key: String, _ limit: Int) throws(Refusal) {
        guard text.utf8.count <= limit else {
            throw refusal(key, "it is longer than \(limit) bytes")
        }
        let isPlain = text.unicodeScalars.allSatisfy(\.isPrintable)
        guard isPlain else { throw refusal(key, "it contains control characters") }
    }

    private func refusal(_ key: String, _ problem: String) -> Refusal {
        .manifestKey(place.map { "\($0).\(key)" } ?? key, problem)
    }
}
