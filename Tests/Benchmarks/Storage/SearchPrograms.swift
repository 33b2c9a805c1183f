import FoundationEssentials
import TestSupport

/// The programs that people search their mail with, asked as processes.
struct SearchProgram {
    let name: String
    private let prepare: @Sendable (_ mail: URL, _ folder: URL) async throws -> Void
    private let question: @Sendable (_ words: String, _ folder: URL) -> [String]
    private let environment: @Sendable (_ folder: URL) -> [String: String]

    static let all = [notmuch, mu]

    private static let notmuch = SearchProgram(
        name: "notmuch",
        prepare: { mail, folder in
            let settings = """
                [database]
                path=\(folder.path)
                mail_root=\(mail.path)
                [user]
                name=Bench
                primary_email=me@bench.example
                [maildir]
                synchronize_flags=true
                """
            try Data(settings.utf8).write(to: folder.appending(path: "config"))
            try await run(
                ["notmuch", "new", "--quiet"], ["NOTMUCH_CONFIG": folder.appending(path: "config").path])
        },
        question: { words, _ in ["notmuch", "search", "--limit=50", "--", words] },
        environment: { ["NOTMUCH_CONFIG": $0.appending(path: "config").path] })

    static let mu = SearchProgram(
        name: "mu",
        prepare: { mail, folder in
            let home = "--muhome=\(folder.path)"
            try await run(["mu", "init", "--quiet", home, "--maildir=\(mail.path)"], [:])
            try await run(["mu", "index", "--quiet", home], [:])
        },
        question: { words, folder in
            [
                "mu", "find", "--muhome=\(folder.path)", "--maxnum=50", "--sortfield=date", "--reverse",
                words,
            ]
        },
        environment: { _ in [:] })

    /// Nil if it is not installed.
    func path() -> URL? {
        let places = ["/usr/bin", "/usr/local/bin", "/bin"].map { URL(filePath: "\($0)/\(name)") }
        return places.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    func index(_ mail: URL, in folder: URL) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try await prepare(mail, folder)
    }

    /// How many lines it answers.
    func search(_ words: String, in folder: URL) async throws -> Int {
        let result = try await Command.run(
            URL(filePath: "/usr/bin/env"), question(words, folder), environment: environment(folder))
        return result.output.utf8.count(where: { $0 == UInt8(ascii: "\n") })
    }

    private static func run(_ words: [String], _ environment: [String: String]) async throws {
        let result = try await Command.run(URL(filePath: "/usr/bin/env"), words, environment: environment)
        guard result.status == 0 else {
            throw BenchError(description: "\(words.joined(separator: " ")): \(result.errors)")
        }
    }
}
