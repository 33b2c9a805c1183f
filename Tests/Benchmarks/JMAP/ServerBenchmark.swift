import FoundationEssentials
import Glibc
import MailKernelAPI
import TestSupport

/// The whole program with a mailbox, asked over HTTP as another mail program asks it.
enum ServerBenchmark {
    static func run(_ report: inout Report, sizes: [Int]) async throws {
        for size in sizes where size <= 50_000 {
            let run = try await ServerRun(size)
            try await run.measure(&report)
            try await run.end()
        }
    }
}

private struct ServerRun {
    private static let account = MailGenerator.account.rawValue
    private let size: Int
    private let program: Command
    private let installed: Installed
    private let port: Int
    private let token: String

    init(_ size: Int) async throws {
        self.size = size
        installed = try Installed(
            plugins: [Checkout.root.appending(path: "Plugins")],
            program: Checkout.root.appending(path: ".build/release/mailkernel"))
        let folder = installed.data.appending(path: "plugins/org.mailkernel.sqlite")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try await MailGenerator.fill(folder, size)
        program = try installed.start("--tls-port", "none")
        guard await program.line(containing: "Open http://"),
            let port = program.outputSoFar.firstMatch(of: /Open http:\/\/[^:]+:([0-9]+)\//)?.1,
            let number = Int(port)
        else { throw BenchError(description: "The program does not say where its page is.") }
        self.port = number
        let made = try await installed.run("token", "create", "bench", loadsPlugins: false)
        token = made.output.split(separator: "\n").first.map(String.init) ?? ""
    }

    func end() async throws {
        program.signal(SIGTERM)
        _ = await program.result()
    }

    func measure(_ report: inout Report) async throws {
        let connection = try HTTPConnection(port: port, token: token)
        let memory = try residentMemory()
        try await add(
            &report, "jmap.open", "the opening batch: mailboxes, and 25 conversations with their emails", 30
        ) {
            try connection.call(Self.opening)
        }
        let questions = Self.words.map(Self.search)
        let search = try await p95(over: questions, times: 10) { try connection.call($0) }
        report.add(figure("jmap.search", "p95 of Email/query for the newest 50 with these words", search, 40))
        let contacts = try await p95(over: ["a", "an", "ma", "li"], times: 25) { text in
            try connection.call(
                "[\"Contact/query\",{\"accountId\":\"program\",\"text\":\"\(text)\"},\"0\"]")
        }
        report.add(figure("jmap.autocomplete", "p95 of Contact/query among 10,000 contacts", contacts, 5))
        try await measureRehearsal(&report, connection)
        try await measureEvents(&report, connection)
        try measureCrowd(&report)
        report.add(figure("jmap.memory", "the idle program's memory", memory, 80, unit: "MB"))
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

    private static let opening = """
        ["Mailbox/get",{"accountId":"\(account)"},"0"],
        ["Email/query",{"accountId":"\(account)","filter":{"inMailbox":"inbox"},
        "sort":[{"property":"receivedAt","isAscending":false}],"collapseThreads":true,"limit":25,
        "calculateTotal":true},"1"],
        ["Email/get",{"accountId":"\(account)","#ids":{"resultOf":"1","name":"Email/query","path":"/ids"},
        "properties":["threadId"]},"2"],
        ["Thread/get",{"accountId":"\(account)",
        "#ids":{"resultOf":"2","name":"Email/get","path":"/list/*/threadId"}},"3"],
        ["Email/get",{"accountId":"\(account)",
        "#ids":{"resultOf":"3","name":"Thread/get","path":"/list/*/emailIds"},
        "properties":["threadId","mailboxIds","keywords","hasAttachment","from","to","subject","receivedAt",
        "size","preview"]},"4"]
        """

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
        let listener = try HTTPConnection(port: port, token: token)
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
        let clients = try (0..<200).map { _ in try HTTPConnection(port: port, token: token) }
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

    private func residentMemory() throws -> Double {
        let status = try String(contentsOfFile: "/proc/\(program.processID)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").dropLast().last.flatMap { Double($0) } ?? .nan) / 1_024
    }
}

extension MailGenerator {
    /// Makes the store of a program with so many messages, and as many contacts as an account may have.
    static func fill(_ folder: URL, _ size: Int, contacts: Int = 10_000) async throws {
        let generator = MailGenerator(count: size)
        let store = try await BenchStore(in: folder)
        try await store.addAccount(account)
        for start in stride(from: 0, to: size, by: BenchStore.batch) {
            let numbers = (start..<min(size, start + BenchStore.batch)).map { size - 1 - $0 }
            try await store.put(numbers.map(generator.message), in: account)
        }
        let sightings = (0..<contacts).map { number in
            let language = Language.all[number % Language.all.count].language
            return ContactSighting(address: person(number, language), seenAt: generator.date(number % size))
        }
        _ = try await store.backend.commit(ChangeSet([.countContacts(sightings, in: account)]))
        await store.backend.close()
    }
}
