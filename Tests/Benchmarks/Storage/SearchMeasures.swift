import FoundationEssentials
import MailKernelAPI

/// Searching, beside bare FTS5 and beside programs.
extension MailboxRun {
    private static let goals: [Int: (newest: Double, ranked: Double)] = [
        10_000: (3, 15), 50_000: (10, 60), 100_000: (20, 120),
    ]

    mutating func measureSearch(_ report: inout Report) async throws {
        let goal = Self.goals[size] ?? (Double(size) / 5_000, Double(size) / 800)
        var query = EmailQuery(in: [MailGenerator.account])
        newest = try await search(query)
        query.sort = [EmailSort(.relevance)]
        let ranked = try await search(query)
        notePeak("searching")
        report.add(limit("search.newest", "p95 of the newest 50 of a search", newest, goal.newest))
        report.add(limit("search.ranked", "p95 of the best 50 of a search", ranked, goal.ranked))

        let (theirNewest, theirRanked) = try await medians(
            of: 1,
            { try await p95(over: SearchQuestion.all, times: 3) { _ = try bare.newest($0.match) } },
            { try await p95(over: SearchQuestion.all, times: 3) { _ = try bare.best($0.match) } })
        report.add(beside("search.newest-fts5", "the newest 50", newest, "bare FTS5", theirNewest))
        report.add(beside("search.ranked-fts5", "the best 50", ranked, "bare FTS5", theirRanked))
        try ProcessMemory.forgetPeak()
    }

    private func search(_ query: EmailQuery) async throws -> Double {
        try await p95(over: SearchQuestion.all, times: 5) { question in
            var query = query
            query.filter = question.filter
            _ = try await store.backend.queryEmails(query)
        }
    }

    private func beside(
        _ name: String, _ what: String, _ ours: Double, _ peer: String, _ theirs: Double
    ) -> Figure {
        Figure("\(name)-\(size)", "p95 of \(what) of a search", ours, "ms", against: peer, theirs, goal: 1.2)
    }

    func measurePrograms(_ report: inout Report) async throws {
        let installed = SearchProgram.all.filter { $0.path() != nil }
        for program in SearchProgram.all where program.path() == nil {
            report.leaveOut("search.newest-\(program.name)-\(size)", "\(program.name) is not installed")
        }
        guard !installed.isEmpty else { return }
        let mail = folder.url.appending(path: "mail")
        _ = try Maildir(folder: mail).fill(generator)
        for program in installed {
            let index = folder.url.appending(path: program.name)
            try await program.index(mail, in: index)
            let theirs = try await p95(over: SearchQuestion.all) { question in
                _ = try await program.search(question.words, in: index)
            }
            report.add(
                beside(
                    "search.newest-\(program.name)", "the newest 50", newest, "\(program.name), restarted",
                    theirs))
        }
    }
}
