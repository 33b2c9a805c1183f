import Foundation
import MailKernelAPI
import TestSupport

@testable import Care

/// Archives of other programs, made up for a test.
struct ForeignArchives {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    struct Found {
        var messages: [FoundMessage] = []
        var failures: [ImportFailure] = []
        var deleted = 0
        var isAtEnd = false

        var texts: [String] { messages.map { String(decoding: $0.bytes, as: UTF8.self) } }
        /// The names of the mailboxes and the subjects of the messages in them.
        var places: [String] {
            messages.map { message in
                let subject = String(decoding: message.bytes, as: UTF8.self).split(separator: "\n")
                    .first { $0.hasPrefix("Subject: ") }?.dropFirst(9)
                return (message.place ?? ["-"]).joined(separator: "/") + ": " + (subject ?? "")
            }.sorted()
        }
    }

    static func message(_ number: Int, _ body: String = "Hello.\n") -> String {
        "Message-ID: <\(number)@archive.example>\nSubject: \(number)\n\n\(body)"
    }

    /// A line that begins a message in an mbox.
    static let dated = "From a@b.c Mon Nov 20 10:00:00 2023\n"

    /// A message with a date, and with more fields in its header.
    static func letter(_ number: Int, _ fields: String = "") -> String {
        "From: a@b.example\nSubject: \(number)\nDate: Mon, 5 Oct 2020 10:00:00 +0000\n\(fields)\nHello.\n"
    }

    func read(_ path: String = "") throws -> Found {
        var source = try MailSources.open(path.isEmpty ? folder.url : folder.url.appending(path: path))
        var found = Found()
        while let item = try source.next() {
            switch item {
            case .message(let message): found.messages.append(message)
            case .deleted: found.deleted += 1
            case .failure(let failure): found.failures.append(failure)
            }
        }
        found.isAtEnd = source.position == source.size
        return found
    }

    /// Reads a file with these bytes.
    func read(bytes: Data, as name: String = "x.mbox") throws -> Found {
        try write(bytes, to: name)
        return try read(name)
    }

    func read(text: String, as name: String = "x.mbox") throws -> Found {
        try read(bytes: Data(text.utf8), as: name)
    }

    func write(_ bytes: Data, to path: String) throws {
        try folder.write("", to: path)
        try bytes.write(to: folder.url.appending(path: path))
    }

    /// As `gzip` does it, which is on every machine.
    static func packed(_ bytes: Data) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gzip", "-c"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let reading = Thread {
            try? input.fileHandleForWriting.write(contentsOf: bytes)
            try? input.fileHandleForWriting.close()
        }
        reading.start()
        let packed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return packed
    }
}
