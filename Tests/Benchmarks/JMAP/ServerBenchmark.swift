import FoundationEssentials
import Glibc
import MailKernelAPI
import TestSupport

/// The whole program with a mailbox, asked over HTTP as another mail program asks it.
enum ServerBenchmark {
    /// - Parameter only: the beginning of an id; nil for all.
    static func run(_ report: inout Report, only: String?, sizes: [Int]) async throws {
        for size in sizes where size <= 50_000 {
            let run = ServerRun(size: size, program: try await MailboxProgram(size))
            try await run.measure(&report, Selection(only: only))
            await run.program.end()
        }
    }
}

private struct ServerRun {
    private static let account = MailboxProgram.account
    let size: Int
    let program: MailboxProgram

    func measure(_ report: inout Report, _ wanted: Selection) async throws {
        let connection = try program.connect()
        let memory = try program.residentMemory()
        if wanted.includes("jmap.open") {
            try await add(
                &report, "jmap.open", "the opening batch: mailboxes, and 25 conversations with their emails",
                30
            ) {
                try connection.call(MailboxProgram.opening)
            }
        }
        if wanted.includes("jmap.search") {
            let questions = Self.words.map(Self.search)
            let search = try await p95(over: questions, times: 10) { try connection.call($0) }
            report.add(
                figure("jmap.search", "p95 of Email/query for the newest 50 with these words", search, 40))
        }
        if wanted.includes("jmap.autocomplete") { try await measureContacts(&report, connection) }
        if wanted.includes("jmap.rehearse") { try await measureRehearsal(&report, connection) }
        if wanted.includes("jmap.event") { try await measureEvents(&report, connection) }
        if wanted.includes("jmap.crowd") { try measureCrowd(&report) }
        if wanted.includes("jmap.memory") {
            report.add(figure("jmap.memory", "the idle program's memory", memory, 80, unit: "MB"))
        }
    }

    private func measureContacts(_ report: inout Report, _ connection: HTTPConnection) async throws {
        let contacts = try await p95(over: ["a", "an", "ma", "li"], times: 25) { text in
            try connection.call(
                "[\"Contact/query\",{\"accountId\":\"program\",\"text\":\"\(text)\"},\"0\"]")
        }
        report.add(figure("jmap.autocomplete", "p95 of Contact/query among 10,000 contacts", contacts, 5))
    }

    private func add(
        _ report: inout Report, _ name: String, _ what: String, _ limit: Double, _ body: () throws -> Void
    ) async throws {
        report.add(figure(name, "p95 of " + what, try await p95(over: 0..<100) { _ in try body() }, limit))
    }

    private func figure(
        _ name: String, _ what: String, _ value: Double, _ limit: Double, unit: String = "ms"
    ) -> Figure {
        Figure("\(name)-\(size)", what, value, unit, against: "\(Int(limit)) \(unit)", limit)
    }

    private static let words = [
        "meeting", "project", "re", "invoice", "an", "the report", "bench.example", "update", "zzzz",
    ]

    private static func search(_ words: String) -> String {
        """
        ["Email/query",{"accountId":"\(account)","filter":{"text":"\(words)"},
        "sort":[{"property":"receivedAt","isAscending":false}],"limit":50},"0"]
        """
    }

    /// A rule about fields that every email has at hand, and one that reads the texts.
    private func measureRehearsal(_ report: inout Report, _ connection: HTTPConnection) async throws {
        let rules = [
            ("jmap.rehearse", "subject", "rehearsing a rule about subjects with all mail"),
            ("jmap.rehearse.words", "words", "rehearsing a rule about subjects and texts with all mail"),
        ]
        for (name, field, what) in rules {
            let time = try await median(of: 3) {
                try await milliseconds {
                    try connection.call(
                        """
                        ["RuleList/rehearse",{"accountId":"\(Self.account)","rule":{"kind":"rule","name":"Some",
                        "conditions":[{"field":"\(field)","value":"meeting"}],"actions":[{"verb":"star"}]}},"0"]
                        """)
                }
            }
            report.add(figure(name, what, time, 2_000))
        }
    }

    /// From the request that changes something to the event that tells another client.
    private func measureEvents(_ report: inout Report, _ connection: HTTPConnection) async throws {
        let listener = try program.connect()
        try listener.listen()
        var themes = ["dark", "light"]
        let delay = try await p95(over: 0..<100) { _ in
            themes.reverse()
            try connection.call(
                """
                ["Preferences/set",{"accountId":"program","update":{"singleton":{"appTheme":"\(themes[0])"}}},"0"]
                """)
            try listener.wait(for: "\"Preferences\"")
        }
        report.add(figure("jmap.event", "p95 from a change to the event of it, both over HTTP", delay, 20))
    }

    /// 200 clients at once, each on a connection of its own.
    private func measureCrowd(_ report: inout Report) throws {
        let clients = try (0..<200).map { _ in try program.connect() }
        var failures = 0
        for _ in 0..<10 {
            for client in clients {
                try client.begin("[\"Mailbox/get\",{\"accountId\":\"\(Self.account)\"},\"0\"]")
            }
            for client in clients where (try? client.answer()) == nil { failures += 1 }
        }
        report.add(
            Figure(
                "jmap.crowd-\(size)", "errors of 200 clients that ask at once, ten times each",
                Double(failures), "errors", against: "none", 1, goal: 0))
    }
}
