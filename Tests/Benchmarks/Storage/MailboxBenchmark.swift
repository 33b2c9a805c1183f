import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import TestSupport

/// The storage plugin on mailboxes of several sizes.
enum MailboxBenchmark {
    /// The beginnings of the ids that it measures.
    static let parts = ["storage.", "search.", "draft.", "autocomplete.", "senders."]

    /// - Parameter only: the beginning of an id; nil for all.
    static func run(_ report: inout Report, only: String?, sizes: [Int]) async throws {
        let wants = Selection(only: only).includes
        for size in sizes {
            var run = try await MailboxRun(size)
            try await run.fill(&report, reporting: wants("storage."))
            if wants("storage.") {
                try await run.measureReading(&report)
                run.notePeak("reading")
            }
            if wants("draft.") { try await run.measureDraft(&report) }
            if wants("autocomplete.") { try await run.measureAutocomplete(&report) }
            if wants("senders.") { try await run.measureSenders(&report) }
            let comparesSearches = wants("search.newest") || wants("search.ranked")
            if comparesSearches { try await run.measureSearch(&report) }
            if wants("search.words") || wants("search.suggestions") { try await run.measureWords(&report) }
            if wants("storage.") { try await run.measureRemoval(&report) }
            if wants("storage.") || comparesSearches { run.measureMemory(&report) }
            await run.store.backend.close()
            // Their indexes take minutes for large mailboxes: `--sizes` chooses another.
            if comparesSearches, size == sizes.first { try await run.measurePrograms(&report) }
        }
    }
}

/// One size.
struct MailboxRun {
    let size: Int
    let generator: MailGenerator
    let store: BenchStore
    let folder: TemporaryFolder
    let bare: BareStore
    private let base: Double
    /// The 95th percentiles of searches, to set programs beside them.
    var newest = Double.nan
    /// Peers use memory, too: the most that was used while only the store was at work, by what it did.
    private var peaks: [(work: String, most: Double)] = []

    init(_ size: Int) async throws {
        let generator = MailGenerator(count: size)
        self.size = size
        self.generator = generator
        folder = try TemporaryFolder()
        bare = try BareStore(folder.url.appending(path: "bare.db").path)
        // Words and a batch of mail are the benchmark's own, and not counted.
        _ = (0..<min(size, 2 * BenchStore.batch)).map { BareMessage(generator.message($0)) }
        try ProcessMemory.forgetPeak()
        base = ProcessMemory.resident
        store = try await BenchStore(in: folder.folder("store"))
    }

    func limit(
        _ name: String, _ what: String, _ value: Double, _ limit: Double, unit: String = "ms"
    ) -> Figure {
        Figure("\(name)-\(size)", what, value, unit, against: "\(Int(limit)) \(unit)", limit)
    }

    mutating func notePeak(_ work: String) {
        let most = max(ProcessMemory.peak, peaks.last { $0.work == work }?.most ?? 0)
        peaks.removeAll { $0.work == work }
        peaks.append((work, most))
    }

    func measureMemory(_ report: inout Report) {
        let parts = peaks.map { "\($0.work) \((($0.most - base) * 10).rounded() / 10)" }
        report.add(
            limit(
                "storage.memory",
                "the process's memory above its base, at most (\(parts.joined(separator: ", ")))",
                (peaks.map(\.most).max() ?? .nan) - base, 60, unit: "MB"))
    }
}

// MARK: Filling

extension MailboxRun {
    mutating func fill(_ report: inout Report, reporting: Bool) async throws {
        try await store.addAccount(MailGenerator.account)
        var (ours, theirs) = (0.0, 0.0)
        var text = 0
        for start in stride(from: 0, to: size, by: BenchStore.batch) {
            // Newest first, as mail is fetched.
            let numbers = (start..<min(size, start + BenchStore.batch)).map { size - 1 - $0 }
            let messages = numbers.map(generator.message)
            text += messages.reduce(0) { $0 + $1.rawTextBytes }
            ours += try await milliseconds { try await store.put(messages, in: MailGenerator.account) }
            notePeak("filling")
            let rows = messages.map(BareMessage.init)
            theirs += try await milliseconds { try bare.insert(rows) }
            try ProcessMemory.forgetPeak()
        }
        try await store.settle()
        notePeak("filling")
        guard reporting else { return }
        report.add(
            Figure(
                "storage.insert-\(size)", "a message stored and indexed, in batches of \(BenchStore.batch)",
                ours / Double(size), "ms", against: "the same mail through bare SQLite",
                theirs / Double(size),
                goal: 1.5))
        let bytes = try store.bytes()
        report.add(
            Figure(
                "storage.size-\(size)", "the files for a message", Double(bytes) / Double(size) / 1_000, "kB",
                against: "its text with all headers and markup", Double(text) / Double(size) / 1_000,
                goal: 3.5)
        )
    }
}

// MARK: Reading

extension MailboxRun {
    func measureReading(_ report: inout Report) async throws {
        let backend = store.backend
        let account = MailGenerator.account
        var list = EmailQuery(in: [account], filter: .inRole(.all), collapseThreads: true)
        report.add(
            limit(
                "storage.page", "p95 of the first page of conversations, ready to be shown",
                try await p95(over: 0..<100) { _ in try await show(list) }, 5))

        var anchors: [Id<Email>] = []
        list.limit = 1
        for tenth in 3...9 {
            list.window = .position(size * tenth / 25)
            anchors += try await backend.queryEmails(list).hits.map(\.emailID)
        }
        list.limit = 50
        let deep = list
        report.add(
            limit(
                "storage.page-deep", "p95 of a page far down",
                try await p95(over: anchors, times: 15) { anchor in
                    var page = deep
                    page.window = .anchor(anchor, offset: 1)
                    try await show(page)
                }, 5))

        let before = try await backend.state(of: .email, in: account)
        for number in 0..<50 {
            let update = EmailUpdate(
                GeneratedMessage.id(size - 1 - number * 3), in: account, addKeywords: [Keyword("bench")])
            _ = try await backend.commit(ChangeSet([.updateEmail(update)]))
        }
        report.add(
            limit(
                "storage.changes", "p95 of what changed since 50 commits ago",
                try await p95(over: 0..<100) { _ in
                    _ = try await backend.changes(of: .email, in: account, since: before, limit: 500)
                }, 2))
        // PV-SO-04
        guard let care = backend.parts.care else { return }
        report.add(
            limit(
                "storage.usage", "p95 of how much room everything takes",
                try await p95(over: 0..<50) { _ in _ = try await care.usage() }, 50))
    }

    /// What a list of conversations needs.
    private func show(_ query: EmailQuery) async throws {
        let hits = try await store.backend.queryEmails(query).hits
        guard hits.count == query.limit else { throw BenchError(description: "The page is not full.") }
        _ = try await store.backend.emails(hits.map(\.emailID), in: MailGenerator.account)
        _ = try await store.backend.threads(hits.map(\.threadID), in: MailGenerator.account)
    }

    func measureDraft(_ report: inout Report) async throws {
        let generator = generator
        let value = try await p95(over: 0..<60) { number in
            let message = generator.message(number * 7)
            var draft = message.email(in: MailGenerator.account)
            draft.id = Id("draft")
            draft.mailboxIDs = [Id("drafts")]
            draft.keywords = [.draft]
            draft.header.messageID = ["draft@bench.example"]
            draft.header.references = []
            draft.header.inReplyTo = []
            _ = try await store.backend.commit(ChangeSet([.putEmail(draft, message.body)]))
        }
        report.add(limit("draft.save", "p95 of a draft saved durably", value, 10))
    }

    func measureAutocomplete(_ report: inout Report) async throws {
        var random = SeededRandom(5)
        let seen = (0..<10_000).map { number in
            ContactSighting(
                address: MailGenerator.person(number, Language.all[number % Language.all.count].language),
                seenAt: generator.date(number % size))
        }
        let more = (0..<20_000).map { _ in
            let rank = Int((Double.random(in: 0..<1, using: &random) * 9.2).exponential) - 1
            return seen[min(seen.count - 1, rank)]
        }
        _ = try await store.backend.commit(
            ChangeSet([.countContacts(seen + more, in: MailGenerator.account)]))
        let typed = [
            "", "a", "an", "ann", "anna", "anna s", "gr", "jurgen", "größ", "francois", "ng", "фед", "王",
            "ليلى",
            "person12", "12", "people.ex", "zz", "brien", "smir",
        ]
        report.add(
            limit(
                "autocomplete.contacts", "p95 of ten suggestions out of 10,000 contacts",
                try await p95(over: typed, times: 5) { text in
                    _ = try await store.backend.contacts(matching: text, limit: 10)
                }, 2))
    }
}

// MARK: Removal

extension MailboxRun {
    mutating func measureRemoval(_ report: inout Report) async throws {
        try ProcessMemory.forgetPeak()
        try await store.addAccount(BenchStore.other)
        for start in stride(from: 0, to: 1_000, by: BenchStore.batch) {
            try await store.put(
                (start..<(start + BenchStore.batch)).map(generator.message), in: BenchStore.other)
        }
        let query = EmailQuery(in: [BenchStore.other], filter: .inRole(.inbox), collapseThreads: true)
        let backend = store.backend
        let reading = Task {
            var samples = Samples()
            while !Task.isCancelled {
                samples.add(try await milliseconds { _ = try await backend.queryEmails(query) })
                // A reader, and not one that takes a core for it.
                try? await Task.sleep(for: .milliseconds(5))
            }
            return samples
        }
        let taken = try await milliseconds { try await backend.removeAccount(MailGenerator.account) }
        reading.cancel()
        let samples = try await reading.value
        notePeak("removing")
        let fair = 2_000 * max(1, Double(size) / 50_000)
        report.add(limit("storage.remove", "an account removed, beside another", taken, fair))
        report.add(
            limit("storage.remove-reading", "the slowest answer to a reader meanwhile", samples.worst, 100))
    }
}
