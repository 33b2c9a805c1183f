import FoundationEssentials
import Glibc
import MailKernelAPI
import TestSupport

/// Writes made-up mail as a Maildir, for programs that read files.
struct Maildir {
    let folder: URL
    /// With attached files of the sizes that they have in mailboxes; else there are a few bytes of each.
    var hasWholeFiles = false

    /// Returns how many bytes there are in the files.
    func fill(_ generator: MailGenerator) throws -> Int {
        for name in ["cur", "new", "tmp"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        var bytes = 0
        for number in 0..<generator.count {
            let message = generator.message(number)
            var flags = ""
            if message.keywords.contains(.flagged) { flags += "F" }
            if message.keywords.contains(.answered) { flags += "R" }
            if message.keywords.contains(.seen) { flags += "S" }
            let text = Data(
                (hasWholeFiles && message.hasAttachment
                    ? message.file(attachment: AttachedFile(number: number).base64) : message.file()).utf8)
            let seconds = Int(message.date.timeIntervalSince1970)
            try text.write(to: folder.appending(path: "cur/\(seconds).M\(number).bench:2,\(flags)"))
            bytes += text.count
        }
        return bytes
    }

    /// Writes the messages of the folder as an mbox beside it.
    func writeMbox(to file: URL) throws {
        let cur = folder.appending(path: "cur")
        guard FileManager.default.createFile(atPath: file.path, contents: nil),
            let output = fopen(file.path, "w")
        else { throw BenchError(description: "\(file.path) cannot be written.") }
        defer { fclose(output) }
        for name in try FileManager.default.contentsOfDirectory(atPath: cur.path).sorted() {
            let message = try String(contentsOf: cur.appending(path: name), encoding: .utf8)
            var text = "From bench@example.org Mon Nov 20 10:00:00 2023\n"
            text += message.replacing("\r\n", with: "\n").replacing("\nFrom ", with: "\n>From ")
            text += text.hasSuffix("\n") ? "\n" : "\n\n"
            guard fputs(text, output) >= 0 else {
                throw BenchError(description: "\(file.path) cannot be written.")
            }
        }
    }
}

/// A file as people attach them: most have some ten kilobytes, a few several megabytes.
struct AttachedFile {
    let number: Int
    var median = 104_000.0
    var largest = 6_000_000

    var base64: String {
        var random = SeededRandom(UInt64(number) &* 31 &+ 5)
        // The sum of twelve is as good as normal.
        let spread = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
        let size = min(largest, Int(median * spread.exponential))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size + 8)
        while bytes.count < size { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
        return Data(bytes).base64EncodedString(options: [
            .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ])
    }
}
