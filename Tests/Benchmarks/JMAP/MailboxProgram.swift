import FoundationEssentials
import Glibc
import MailKernelAPI
import TestSupport

/// The whole program with a mailbox of generated mail, asked over HTTP as another mail program asks it.
struct MailboxProgram {
    static let account = MailGenerator.account.rawValue

    let port: Int
    let token: String
    private let program: Command
    private let installed: Installed

    /// - Parameter more: other changes to the store, before the program is started.
    init(_ size: Int, with more: [StorageChange] = []) async throws {
        installed = try Installed(
            plugins: [Checkout.root.appending(path: "Plugins")],
            program: Checkout.root.appending(path: ".build/release/mailkernel"))
        let folder = installed.data.appending(path: "plugins/org.mailkernel.sqlite")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try await MailGenerator.fill(folder, size, with: more)
        program = try installed.start("--tls-port", "none")
        guard await program.line(containing: "Open http://"),
            let port = program.outputSoFar.firstMatch(of: /Open http:\/\/[^:]+:([0-9]+)\//)?.1,
            let number = Int(port)
        else { throw BenchError(description: "The program does not say where its page is.") }
        self.port = number
        let made = try await installed.run("token", "create", "bench", loadsPlugins: false)
        token = made.output.split(separator: "\n").first.map(String.init) ?? ""
    }

    func end() async {
        program.signal(SIGTERM)
        _ = await program.result()
    }

    func connect() throws -> HTTPConnection { try HTTPConnection(port: port, token: token) }

    /// In megabytes.
    func residentMemory() throws -> Double {
        let status = try String(contentsOfFile: "/proc/\(program.processID)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").dropLast().last.flatMap { Double($0) } ?? .nan) / 1_024
    }

    /// What the page asks for when it opens the inbox: mailboxes, and 25 conversations with their emails.
    static let opening = """
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
}

extension MailGenerator {
    /// Makes the store of a program with so many messages, and as many contacts as an account may have.
    static func fill(
        _ folder: URL, _ size: Int, contacts: Int = 10_000, with more: [StorageChange] = []
    ) async throws {
        let generator = MailGenerator(count: size)
        let store = try await BenchStore(in: folder)
        try await store.fill(generator)
        let sightings = (0..<contacts).map { number in
            let language = Language.all[number % Language.all.count].language
            return ContactSighting(address: person(number, language), seenAt: generator.date(number % size))
        }
        _ = try await store.backend.commit(ChangeSet([.countContacts(sightings, in: account)] + more))
        await store.backend.close()
    }
}

extension BenchStore {
    /// Adds the account and all mail of a generator, newest first, as mail is fetched.
    func fill(_ generator: MailGenerator) async throws {
        try await addAccount(MailGenerator.account)
        for start in stride(from: 0, to: generator.count, by: Self.batch) {
            let numbers = (start..<min(generator.count, start + Self.batch)).map { generator.count - 1 - $0 }
            try await put(numbers.map(generator.message), in: MailGenerator.account)
        }
    }
}
