import MailKernelAPI

/// The bank as vectors by model and language, which messages are compared with.
///
/// The vectors are computed once in the background. The first request may time out before they are ready; later
/// ones use them.
actor ReadBank {
    struct Example: Sendable {
        var vector: [Float]
        /// Its place among the occasions of its language.
        var occasion: Int
    }

    private var tasks: [String: Task<[Example]?, Never>] = [:]

    /// Waits for them, as long as that takes; nil if the model cannot make them now.
    func examples(in language: MailLanguage, by reader: ModelHandle) async -> [Example]? {
        let key = "\(reader.id) \(language.rawValue)"
        if let task = tasks[key] { return await task.value }
        let task = Task { await Self.read(language, reader) }
        tasks[key] = task
        let examples = await task.value
        if examples == nil { tasks[key] = nil }
        return examples
    }

    func stop() async {
        for task in tasks.values { task.cancel() }
        for task in Array(tasks.values) { _ = await task.value }
    }

    private static func read(_ language: MailLanguage, _ reader: ModelHandle) async -> [Example]? {
        let texts = (ReplyBank.occasions[language] ?? []).enumerated().flatMap { index, occasion in
            occasion.examples.map { (text: $0, occasion: index) }
        }
        guard let vectors = try? await reader.embed(texts.map(\.text)) else { return nil }
        return zip(vectors, texts).map { Example(vector: $0, occasion: $1.occasion) }
    }
}
