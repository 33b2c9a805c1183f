import FoundationEssentials
import Intelligence
import MailKernelAPI
import MailKernelConformance
import PluginHost
import TestSupport

/// Sorting and searching with a model: how fast, and how well.
enum IntelligenceBenchmark {
    private static let dimensions = 384

    /// The beginnings of the ids that it measures.
    static let parts = [
        "intelligence.signals", "intelligence.errors", "intelligence.replies", "intelligence.search",
    ]

    /// - Parameter only: the beginning of an id; nil for all.
    static func run(_ report: inout Report, only: String?) async throws {
        func wants(_ part: String) -> Bool {
            only.map { part.hasPrefix($0) || $0.hasPrefix(part) } ?? true
        }
        let labeled = LabeledMail.all
        let messages = labeled.map { SortingTrial.Message($0.message) }
        if wants("intelligence.signals") { try await measureSignals(&report, messages) }
        if wants("intelligence.errors") { try await measureAccuracy(&report, labeled, messages) }
        if wants("intelligence.replies") { try await RepliesBenchmark.run(&report) }
        if wants("intelligence.search") { try await measureSearch(&report) }
    }

    private static func measureSignals(_ report: inout Report, _ messages: [SortingTrial.Message])
        async throws
    {
        let trial = try await SortingTrial(nil)
        let milliseconds = try await median(of: 5) {
            let began = ContinuousClock.now
            _ = try await trial.categories(of: messages, by: .signals)
            return (ContinuousClock.now - began).milliseconds
        }
        let thousand = milliseconds / Double(messages.count) * 1000
        report.add(
            Figure(
                "intelligence.signals", "1,000 messages sorted by their headers and words", thousand, "ms",
                against: "1 s", 1000))
    }

    private static func measureAccuracy(
        _ report: inout Report, _ labeled: [LabeledMail], _ messages: [SortingTrial.Message]
    ) async throws {
        let signals = try await SortingTrial(nil)
        try await report.addErrors(
            of: signals, by: .signals, labeled, messages, goal: 40, "by headers and words alone")
        guard let (provider, model) = try await BenchModel.reader() else {
            for basis in [SortingTrial.Basis.model, .both] {
                report.leaveOut(
                    "intelligence.errors-\(basis)", SmallModels.missing)
            }
            return
        }
        let both = try await SortingTrial((provider, model))
        try await report.addErrors(
            of: both, by: .model, labeled, messages, goal: 60, "by \(model.name) alone")
        let began = ContinuousClock.now
        try await report.addErrors(
            of: both, by: .both, labeled, messages, goal: 15, "by headers, words and \(model.name)")
        let each = (ContinuousClock.now - began).milliseconds / Double(messages.count)
        report.add(
            Figure(
                "intelligence.sorting", "a message sorted by headers and \(model.name)", each, "ms",
                against: "40 ms", 40))
        await provider.unload()
    }

    private static func measureSearch(_ report: inout Report) async throws {
        for size in [10_000, 100_000] {
            let folder = try TemporaryFolder()
            let store = try await BenchStore(in: folder.url)
            try await store.addAccount(MailGenerator.account)
            try await fill(store, size)
            var random = SeededRandom(7)
            let question = vector(&random)
            let milliseconds = try await median(of: 9) {
                let began = ContinuousClock.now
                let near = try await store.backend.parts.insights?.nearestEmails(
                    to: question, by: "bench", in: [MailGenerator.account], limit: 100)
                guard near?.count == 100 else {
                    throw BenchError(description: "The search found too little.")
                }
                return (ContinuousClock.now - began).milliseconds
            }
            let limit = size == 10_000 ? 10.0 : 100
            report.add(
                Figure(
                    "intelligence.search-\(size)", "the nearest of \(size) vectors of \(dimensions) numbers",
                    milliseconds, "ms", against: "\(Int(limit)) ms", limit))
            await store.backend.close()
        }
    }

    private static func fill(_ store: BenchStore, _ size: Int) async throws {
        let generator = MailGenerator(count: size)
        var random = SeededRandom(11)
        for start in stride(from: 0, to: size, by: BenchStore.batch) {
            let messages = (start..<min(start + BenchStore.batch, size)).map { generator.message($0) }
            try await store.put(messages, in: MailGenerator.account)
            _ = try await store.backend.commit(
                ChangeSet(
                    messages.map { message in
                        .putInsight(
                            EmailInsight(
                                emailID: message.email(in: MailGenerator.account).id,
                                accountID: MailGenerator.account, modelID: "bench", category: .primary,
                                embedding: vector(&random)))
                    }))
        }
    }

    private static func vector(_ random: inout SeededRandom) -> [Float] {
        let raw = (0..<dimensions).map { _ in Float.random(in: -1...1, using: &random) }
        let length = raw.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return raw.map { $0 / length }
    }
}

extension Report {
    /// How many of 100 messages are put where no person would; below it, how many of each category are right.
    fileprivate mutating func addErrors(
        of trial: SortingTrial, by basis: SortingTrial.Basis, _ labeled: [LabeledMail],
        _ messages: [SortingTrial.Message], goal: Double, _ how: String
    ) async throws {
        let found = try await trial.categories(of: messages, by: basis).map(\.rawValue)
        let pairs = Array(zip(labeled, found))
        func share(_ pairs: [(LabeledMail, String)]) -> Double {
            100 * Double(pairs.count { $0.category == $1 }) / Double(max(1, pairs.count))
        }
        add(
            Figure(
                "intelligence.errors-\(basis)", "wrongly sorted of \(pairs.count) messages, \(how)",
                100 - share(pairs), "%", against: "\(Int(goal)) %", goal))
        let categories = ["primary", "social", "promotions", "updates", "forums"]
        let kinds = categories.map { kind in
            "\(kind) \(Int(share(pairs.filter { $0.0.category == kind }).rounded())) %"
        }
        let languages = ["en", "de", "fr", "es", "it"].map { language in
            "\(language) \(Int(share(pairs.filter { $0.0.language == language }).rounded())) %"
        }
        print("    right: " + kinds.joined(separator: ", ") + "; " + languages.joined(separator: ", "))
    }
}

/// A real model to measure with, where there is one.
enum BenchModel {
    static func reader() async throws -> (any AIModelProvider, Model)? {
        let plugin = Checkout.root.appending(path: "Plugins/LocalModels")
        guard SmallModels.areThere,
            FileManager.default.fileExists(atPath: plugin.appending(path: "plugin.json").path)
        else { return nil }
        let folder = Checkout.root.appending(path: ".build/bench-models")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard
            case .model(let provider) = try OpenedPlugin(at: plugin)
                .makeProvider(host: .forTesting(dataFolder: folder))
        else { return nil }
        func find() async throws -> Model? {
            try await provider.models().first { $0.status == .downloaded && $0.abilities.contains(.embed) }
        }
        if let model = try await find() { return (provider, model) }
        _ = try await provider.importModel(from: SmallModels.reader, name: "MiniLM")
        return try await find().map { (provider, $0) }
    }
}
