import FoundationEssentials
import Glibc
import MailKernelAPI
import TestSupport

/// Writing and sending with the whole program, over HTTP, to a real submission server.
enum ComposeBenchmark {
    static func run(_ report: inout Report) async throws {
        guard BenchMailService.isInstalled else {
            return report.leaveOut("compose.", "dovecot-imapd is not installed")
        }
        let service = try await BenchMailService(messages: 2_000)
        let program = try await BenchProgram(service)
        try await program.signIn(service)
        try program.begin()
        try await program.wait(for: "the first sync") {
            try program.isListening() && program.count([:]) == 2_000
        }
        let run = try ComposeRun(service: service, program: program)
        try await run.measureSaving(&report)
        try await run.measureSending(&report)
        try await run.measureLarge(&report)
        await program.end()
        await service.stop()
    }
}

private struct ComposeRun {
    /// As attachments are encoded, this makes a message of almost 25 MB.
    private static let largest = 18_000_000

    let service: BenchMailService
    let program: BenchProgram
    private let identity: String

    init(service: BenchMailService, program: BenchProgram) throws {
        self.service = service
        self.program = program
        let identities = try program.call("Identity/get", [:])["list"]?.arrayValue
        identity = identities?.first?["id"]?.stringValue ?? ""
    }

    private func draft(_ subject: String, _ attachments: JSONValue = []) throws -> String {
        let object: JSONValue = [
            "identityId": .string(identity), "mode": "new", "subject": .string(subject), "body": "Some words",
            "to": [["name": "Bob", "email": "bob@example.test"]], "attachments": attachments,
        ]
        let made = try program.call("Draft/set", ["create": ["d": object]])
        return made["created"]?["d"]?["id"]?.stringValue ?? ""
    }

    func measureSaving(_ report: inout Report) async throws {
        let id = try draft("Draft")
        var text = "Some words"
        let save = try await p95(over: 0..<100) { number in
            text += " and word \(number)"
            try program.call("Draft/set", ["update": .object([id: ["body": .string(text)]])])
        }
        report.add(Figure("compose.save", "p95 of saving a draft", save, "ms", against: "10 ms", 10))
        try program.call("Draft/set", ["destroy": [.string(id)]])
    }

    /// Without an undo time its end is where sending is asked for.
    func measureSending(_ report: inout Report) async throws {
        let message = service.folder.url.appending(path: "message.eml")
        let hasPeer = MailPrograms.has("msmtp")
        let peers = MailPrograms(service: service)
        let (ours, theirs) = try await medians(
            of: 9, { try await send(try draft("A message")) },
            {
                guard hasPeer else { return .nan }
                try writePeersMessage(to: message)
                return try await peers.msmtp(message)
            })
        report.add(
            Figure(
                "compose.send", "from the end of the undo time until it is sent", ours * 1_000, "ms",
                against: "200 ms", 200))
        guard hasPeer else { return report.leaveOut("compose.send.peer", "msmtp is not installed") }
        report.add(
            Figure(
                "compose.send.peer", "from the end of the undo time until it is sent", ours * 1_000, "ms",
                against: "msmtp", theirs * 1_000, goal: 5))
    }

    func measureLarge(_ report: inout Report) async throws {
        guard MailPrograms.has("curl") else {
            return report.leaveOut("compose.large", "curl is not installed")
        }
        let bytes = Data((0..<Self.largest).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })
        let message = service.folder.url.appending(path: "large.eml")
        try writePeersMessage(to: message, bytes)
        let peers = MailPrograms(service: service)
        try program.forgetPeak()
        let (ours, theirs) = try await medians(
            of: 3, { try await send(try draft("A large message", [try upload(bytes)]), askedEvery: 10) },
            { try await peers.curl(message) })
        report.add(
            Figure(
                "compose.large", "a message of almost 25 MB, until it is sent", ours, "s", against: "curl",
                theirs, goal: 1.3))
        report.add(
            Figure(
                "compose.memory", "the most memory of that", try program.peak(), "MB", against: "150 MB", 150)
        )
    }

    /// What was uploaded is its draft's own, and goes with it: each draft has one.
    private func upload(_ bytes: Data) throws -> JSONValue {
        [
            "blobId": .string(try program.page.upload(bytes, to: program.account)), "name": "large.bin",
            "type": "application/octet-stream", "size": .number(Double(bytes.count)),
        ]
    }

    /// Seconds until the submission is sent.
    private func send(_ draft: String, askedEvery pause: Int = 1) async throws -> Double {
        let began = ContinuousClock.now
        let sent = try program.call("Draft/send", ["id": .string(draft)])
        let id = sent["submissionId"] ?? .null
        try await program.wait(for: "a sent message", every: pause) {
            let found = try program.call("EmailSubmission/get", ["ids": [id]])["list"]?.arrayValue?.first
            if found?["sendState"] == "failed" {
                throw BenchError(description: "It was not sent: \(found ?? .null)")
            }
            return found?["sendState"] == "sent"
        }
        return (ContinuousClock.now - began) / .seconds(1)
    }

    /// About what this program sends, made beforehand.
    private func writePeersMessage(to file: URL, _ attachment: Data = Data()) throws {
        var text = """
            From: \(BenchMailService.address)\r
            To: Bob <bob@example.test>\r
            Subject: A message\r
            MIME-Version: 1.0\r
            Content-Type: multipart/mixed; boundary=b\r
            \r
            --b\r
            Content-Type: text/plain\r
            \r
            Some words\r

            """
        if !attachment.isEmpty {
            text +=
                "--b\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n"
            text += attachment.base64EncodedString(options: [.lineLength76Characters]) + "\r\n"
        }
        try Data((text + "--b--\r\n").utf8).write(to: file)
    }
}
