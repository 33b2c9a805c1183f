import FoundationEssentials
import Glibc
import MailKernelAPI

/// Writes made-up mail as a Maildir, for programs that read files.
struct Maildir {
    let folder: URL

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
            let text = Data(message.file.utf8)
            let seconds = Int(message.date.timeIntervalSince1970)
            try text.write(to: folder.appending(path: "cur/\(seconds).M\(number).bench:2,\(flags)"))
            bytes += text.count
        }
        return bytes
    }
}
