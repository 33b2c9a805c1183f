import FoundationEssentials
import MailKernelAPI

/// Actions on generated mail in the whole program.
struct ActionRun {
    private static let rounds = 3
    /// The goal for this many messages is three seconds; others get as much for each message.
    private static let goal = (messages: 50_000.0, seconds: 3.0)

    let program: MailboxProgram
    let size: Int

    func measure(_ report: inout Report) async throws {
        let connection = try program.connect()
        try await measureStars(&report, connection)
        var (doing, undoing, answers): ([Double], [Double], [Double]) = ([], [], [])
        var opening = Samples()
        var changed = 0
        for _ in 0..<Self.rounds {
            let (samples, done) = try await whileOpening {
                // The inbox stays as full as it is, so that opening it is no less work than before.
                try await perform(
                    ["verb": "label", "mailboxId": "label0", "filter": .object([:])], connection)
            }
            doing.append(done.seconds)
            answers.append(done.answered)
            changed = done.changed
            opening.add(samples)
            let (more, undone) = try await whileOpening { try await undo(done.id, connection) }
            undoing.append(undone)
            opening.add(more)
        }
        report.add(
            limit(
                "action.label",
                "one label for all mail, until \(changed) of \(size) messages have it "
                    + "(answered after \(Int(Self.middle(answers) * 1_000)) ms)", Self.middle(doing)))
        report.add(limit("action.undo", "until all of them are as before", Self.middle(undoing)))
        report.add(
            Figure(
                "action.open-\(size)",
                "p95 of opening the inbox meanwhile, ten times a second (at most \(Int(opening.worst)) ms)",
                opening.p95, "ms", against: "100 ms", 100))
    }

    private func limit(_ name: String, _ what: String, _ seconds: Double) -> Figure {
        let limit = Self.goal.seconds * Double(size) / Self.goal.messages
        return Figure("\(name)-\(size)", what, seconds, "s", against: "\(limit) s", limit)
    }

    private static func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}

// MARK: Stars

extension ActionRun {
    /// The newest conversations, all selected at once.
    private func measureStars(_ report: inout Report, _ connection: HTTPConnection) async throws {
        let count = min(5_000, size / 2)
        let filter = try newest(count, connection)
        var times: [Double] = []
        var starred = 0
        for _ in 0..<Self.rounds {
            let done = try await perform(["verb": "star", "filter": filter], connection)
            times.append(done.seconds)
            starred = done.total
            _ = try await undo(done.id, connection)
        }
        report.add(
            Figure(
                "action.star-\(size)", "\(starred) conversations starred at once, until the last one is",
                Self.middle(times), "s", against: "1 s", 1))
    }

    private func newest(_ count: Int, _ connection: HTTPConnection) throws -> JSONValue {
        let query: JSONValue = [
            "sort": [["property": "receivedAt", "isAscending": false]], "collapseThreads": true,
            "position": .number(Double(count - 1)), "limit": 1,
        ]
        let found = try connection.call("Email/query", query, in: MailboxProgram.account)
        guard let id = found["ids"]?.arrayValue?.first else {
            throw BenchError(description: "There are fewer than \(count) conversations.")
        }
        let emails = try connection.call(
            "Email/get", ["ids": [id], "properties": ["receivedAt"]], in: MailboxProgram.account)
        return ["after": emails["list"]?.arrayValue?.first?["receivedAt"] ?? .null]
    }
}

// MARK: One action

extension ActionRun {
    private struct Done {
        var id: String
        /// From the request to its answer, and to the end of the last step.
        var answered: Double
        var seconds: Double
        /// Conversations, and messages.
        var total: Int
        var changed: Int
    }

    private func perform(_ action: JSONValue, _ connection: HTTPConnection) async throws -> Done {
        let began = ContinuousClock.now
        let answer = try connection.call(
            "MailAction/set", ["create": ["a": action]], in: MailboxProgram.account)
        let answered = (ContinuousClock.now - began) / .seconds(1)
        guard let id = answer["created"]?["a"]?["id"]?.stringValue else {
            throw BenchError(description: "The action was not recorded: \(answer)")
        }
        let done = try await wait(for: "done", id, connection)
        return Done(
            id: id, answered: answered, seconds: (ContinuousClock.now - began) / .seconds(1),
            total: done["total"]?.intValue ?? 0, changed: done["changed"]?.intValue ?? 0)
    }

    /// Seconds.
    private func undo(_ id: String, _ connection: HTTPConnection) async throws -> Double {
        let began = ContinuousClock.now
        try connection.call(
            "MailAction/set", ["update": .object([id: ["isUndone": true]])], in: MailboxProgram.account)
        let undone = try await wait(for: "undone", id, connection)
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        guard undone["kept"] == 0 else { throw BenchError(description: "Not all was undone: \(undone)") }
        return seconds
    }

    private func wait(
        for state: JSONValue, _ id: String, _ connection: HTTPConnection
    ) async throws -> JSONValue {
        let end = ContinuousClock.now + .seconds(900)
        while ContinuousClock.now < end {
            let answer = try connection.call(
                "MailAction/get", ["ids": [.string(id)]], in: MailboxProgram.account)
            if let action = answer["list"]?.arrayValue?.first, action["state"] == state { return action }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw BenchError(description: "The action did not come to its end.")
    }
}

// MARK: The page meanwhile

extension ActionRun {
    /// The times of opening the inbox, every 100 ms, while something else goes on.
    private func whileOpening<Result>(
        _ work: () async throws -> Result
    ) async throws -> (Samples, Result) {
        let program = program
        let page = Task {
            let connection = try program.connect()
            var samples = Samples()
            while !Task.isCancelled {
                let next = ContinuousClock.now + .milliseconds(100)
                samples.add(try await milliseconds { try connection.call(MailboxProgram.opening) })
                try? await Task.sleep(until: next, clock: .continuous)
            }
            return samples
        }
        defer { page.cancel() }
        let result = try await work()
        page.cancel()
        return (try await page.value, result)
    }
}

extension Samples {
    mutating func add(_ others: Samples) { for value in others.values { add(value) } }
}
