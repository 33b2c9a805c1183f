import Foundation
import Testing

/// Debian's Pigeonhole, which decides about the same messages by the same scripts.
struct Pigeonhole {
    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/sieve-filter")
    static let missing: Comment = "sieve-filter is not installed (apt-get install dovecot-sieve)"

    private let folder: URL
    private let configuration: URL

    init() throws {
        // In memory: Dovecot waits for the disk after each file.
        let isWritable = FileManager.default.isWritableFile(atPath: "/dev/shm")
        let place = isWritable ? URL(filePath: "/dev/shm") : FileManager.default.temporaryDirectory
        folder = place.appending(path: "sieve-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        configuration = folder.appending(path: "dovecot.conf")
        // Dovecot touches no mail as root.
        let user = geteuid() == 0 ? "mail_uid = 65534\nmail_gid = 65534\n" : ""
        try Data(
            """
            mail_location = maildir:\(folder.path)/mail0:INDEX=MEMORY
            mail_fsync = never
            mail_home = \(folder.path)
            log_path = /dev/stderr
            first_valid_uid = 0
            hostname = example.org
            postmaster_address = postmaster@example.org
            base_dir = \(folder.path)/run
            \(user)namespace inbox {
             inbox = yes
             separator = /
            }
            plugin {
             sieve_extensions = +vacation-seconds
             sieve_vacation_min_period = 0
            }

            """.utf8
        ).write(to: configuration)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Puts messages into the mailbox that `verdicts` looks at.
    func fill(_ messages: [[UInt8]], mailbox: Int = 0) throws {
        let mail = folder.appending(path: "mail\(mailbox)")
        for name in ["cur", "new", "tmp"] {
            try FileManager.default.createDirectory(
                at: mail.appending(path: name), withIntermediateDirectories: true)
        }
        for (number, message) in messages.enumerated() {
            let name = "\(1_000_000_000 + number).M1.x:2,"
            try Data(message).write(to: mail.appending(path: "cur/\(name)"))
        }
        if geteuid() == 0 { try Self.run("/bin/chown", ["-R", "65534:65534", folder.path], in: folder) }
    }

    /// What the script decides about each message of the mailbox; nil if it has a mistake.
    func verdicts(_ script: String, mailbox: Int = 0) throws -> [[String]]? {
        let source = folder.appending(path: "script.sieve")
        try? FileManager.default.removeItem(at: folder.appending(path: "script.svbin"))
        try Data(script.utf8).write(to: source)
        let output = try Self.run(
            "/usr/bin/sieve-filter",
            [
                "-v", "-C", "-c", configuration.path, "-o",
                "mail_location=maildir:\(folder.path)/mail\(mailbox):INDEX=MEMORY", source.path, "INBOX",
            ], in: folder)
        guard output.contains(">> Filtering message:") else { return nil }
        return output.components(separatedBy: ">> Filtering message:").dropFirst().map(
            PigeonholeReport.actions)
    }

    /// What the script decides about one message with an envelope.
    func verdict(_ script: String, _ message: [UInt8], from: String, to: String) throws -> [String]? {
        let source = folder.appending(path: "script.sieve")
        let file = folder.appending(path: "message.eml")
        try? FileManager.default.removeItem(at: folder.appending(path: "script.svbin"))
        try Data(script.utf8).write(to: source)
        try Data(message).write(to: file)
        let output = try Self.run(
            "/usr/bin/sieve-test",
            ["-C", "-c", configuration.path, "-f", from, "-r", to, "-a", to, source.path, file.path],
            in: folder)
        return output.contains("Performed actions:") ? PigeonholeReport.actions(output) : nil
    }

    @discardableResult
    private static func run(_ program: String, _ arguments: [String], in folder: URL) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
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
        return String(decoding: output, as: UTF8.self)
    }
}

/// Reads what sieve-test and sieve-filter print, into lines that can be compared.
enum PigeonholeReport {
    static func actions(_ report: String) -> [String] {
        guard report.contains("Performed actions:") else { return ["error"] }
        var found: [String] = []
        var isText = false
        var isImplicit = false
        for line in report.components(separatedBy: "\n") {
            if line == "START MESSAGE" || line == "END MESSAGE" { isText = line.hasPrefix("START") }
            if isText { continue }
            if line.hasPrefix("Implicit keep:") { isImplicit = true }
            if line.hasPrefix(" * ") {
                found.append(name(String(line.dropFirst(3)), isImplicit: isImplicit))
            } else if let last = found.indices.last, let detail = detail(line, of: found[last]) {
                found[last] += detail
            }
        }
        return found.filter { $0 != "track" }
    }

    private static func name(_ line: String, isImplicit: Bool) -> String {
        if line.hasPrefix("store message in folder: ") {
            let mailbox = line.dropFirst("store message in folder: ".count)
            return mailbox == "INBOX" ? isImplicit ? "keep implicitly" : "keep" : "file into \(mailbox)"
        }
        if line.hasPrefix("redirect message to: ") {
            return "redirect " + line.dropFirst(21).filter { !"<>".contains($0) }
        }
        for (start, name) in [
            ("reject", "reject"), ("send vacation", "vacation"), ("send notification", "notify"),
            ("discard", "discard"),
            ("track duplicate", "track"),
        ] where line.hasPrefix(start) { return name }
        return line
    }

    private static func detail(_ line: String, of action: String) -> String? {
        let words = line.trimmingCharacters(in: .whitespaces)
        if words.hasPrefix("+ add IMAP flags: ") {
            return " flags "
                + words.dropFirst(18).lowercased().split(separator: " ").sorted().joined(separator: ",")
        }
        if words == "+ create mailbox if it does not exist" { return " create" }
        guard words.hasPrefix("=> "), let colon = words.firstIndex(of: ":") else { return nil }
        let key = words[..<colon].dropFirst(3).trimmingCharacters(in: .whitespaces)
        let value = words[words.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        return ["seconds", "importance"].contains(key) ? " \(value)" : nil
    }
}
