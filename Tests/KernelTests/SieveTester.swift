import Foundation
import MailKernelAPI
import Testing

/// Debian's Pigeonhole as a service: its `sieve-test` decides about one message, and does nothing.
struct SieveTester {
    private static let program = "/usr/bin/sieve-test"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)
    static let missing: Comment = "sieve-test is not installed (apt-get install dovecot-sieve)"

    private let folder: URL
    private let configuration: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "served-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        configuration = folder.appending(path: "dovecot.conf")
        // Dovecot touches no mail as root.
        let user = geteuid() == 0 ? "mail_uid = 65534\nmail_gid = 65534\n" : ""
        try Data(
            """
            mail_location = maildir:\(folder.path)/mail:INDEX=MEMORY
            mail_home = \(folder.path)
            log_path = /dev/stderr
            first_valid_uid = 0
            hostname = example.org
            postmaster_address = postmaster@example.org
            base_dir = \(folder.path)/run
            \(user)namespace inbox {
             inbox = yes
             separator = .
             prefix = INBOX.
            }

            """.utf8
        ).write(to: configuration)
        if geteuid() == 0 {
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        }
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Nil if the script has a mistake, or more becomes of the message than one message.
    func outcome(of script: String, on message: ServedMessage) throws -> ServedOutcome? {
        let (source, file) = (folder.appending(path: "script.sieve"), folder.appending(path: "message.eml"))
        try? FileManager.default.removeItem(at: folder.appending(path: "script.svbin"))
        try Data(script.utf8).write(to: source)
        try message.bytes.write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: Self.program)
        process.arguments = [
            "-C", "-c", configuration.path, "-f", message.sender.isEmpty ? "<>" : message.sender,
            "-r", RuleScene.ada, "-a", RuleScene.ada, source.path, file.path,
        ]
        process.currentDirectoryURL = folder
        process.environment = [
            "PATH": "/usr/bin:/usr/sbin:/bin", "HOME": folder.path, "LC_ALL": "C", "TZ": "UTC", "USER": "ada",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Self.outcome(String(decoding: output, as: UTF8.self))
    }

    private static func outcome(_ report: String) -> ServedOutcome? {
        guard report.contains("Performed actions:") else { return nil }
        var found: [ServedOutcome] = []
        var isAnswered = false
        var isText = false
        for line in report.components(separatedBy: "\n") {
            if line == "START MESSAGE" || line == "END MESSAGE" { isText = line.hasPrefix("START") }
            if isText { continue }
            let words = line.trimmingCharacters(in: .whitespaces)
            if words.hasPrefix("* store message in folder: ") {
                let path = words.dropFirst("* store message in folder: ".count)
                let name = path.split(separator: ".").last.map(String.init) ?? ""
                found.append(ServedOutcome(mailbox: path == "INBOX" ? "Inbox" : name))
            } else if words.hasPrefix("* send vacation") {
                isAnswered = true
            } else if words.hasPrefix("* ") {
                return nil
            } else if words.hasPrefix("+ add IMAP flags: "), let last = found.indices.last {
                found[last].keywords = Set(words.dropFirst(18).split(separator: " ").map(keyword))
            }
        }
        guard found.count == 1 else { return nil }
        found[0].isAnswered = isAnswered
        return found[0]
    }

    private static func keyword(_ flag: Substring) -> Keyword {
        let known = ["\\seen": Keyword.seen, "\\flagged": .flagged, "\\answered": .answered]
        return known[flag.lowercased()] ?? Keyword(String(flag))
    }
}
