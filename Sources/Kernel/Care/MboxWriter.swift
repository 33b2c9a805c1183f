import FoundationEssentials
import Glibc
import MailKernelAPI

/// Writes messages into an mbox file, whose name it has only once all of it is on disk.
actor MboxWriter: ByteSink {
    /// A line that is longer is written in pieces.
    private static let longestLine = 64 * 1024

    private let file: ExportFile
    private var line = Data()
    private var isLineStart = true
    private var output = Data()
    private var lastByte = UInt8(ascii: "\n")
    /// Where the message under way begins, for taking it back.
    private var written = 0
    private var messageStart = 0

    init(_ place: ExportPlace) throws(ExportProblem) {
        file = try ExportFile(place)
    }

    /// Begins a message with the line that separates it and what the message itself does not say.
    func begin(
        sender: String?, receivedAt: Date, keywords: Set<Keyword>, labels: Data? = nil
    ) throws {
        let clean = (sender ?? "").filter { !$0.isWhitespace && $0.isASCII }
        messageStart = written + output.count
        put("From \(clean.isEmpty ? "MAILER-DAEMON" : clean) \(Self.date(receivedAt))\n")
        put("Status: \(keywords.contains(.seen) ? "RO" : "O")\n")
        let letters = [(Keyword.answered, "A"), (.flagged, "F"), (.draft, "T")]
            .filter { keywords.contains($0.0) }.map(\.1).joined()
        if !letters.isEmpty { put("X-Status: \(letters)\n") }
        if let labels { output.append(labels) }
        isLineStart = true
        line = Data()
    }

    func write(_ bytes: Data) throws {
        var rest = bytes[...]
        while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
            line.append(rest[..<newline])
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            putLine(ended: true)
            rest = rest[(newline + 1)...]
        }
        line.append(rest)
        if line.count > Self.longestLine { putLine(ended: false) }
        if output.count > 1 << 20 { try flush() }
    }

    func endMessage() throws {
        if !line.isEmpty || !isLineStart { putLine(ended: true) }
        put("\n")
    }

    /// Takes back the message under way.
    func dropMessage() throws {
        if messageStart >= written {
            output = output.prefix(messageStart - written)
        } else {
            output = Data()
            try file.cut(to: messageStart)
            written = messageStart
        }
        line = Data()
        isLineStart = true
    }

    /// The file has its name and is on disk when this returns.
    func finish() throws -> String {
        try flush()
        return try file.finish()
    }

    func discard() { file.discard() }

    private func putLine(ended: Bool) {
        // Every “From ” at the beginning of a line is quoted, and every quoted one once more (mboxrd): so it
        // can be undone.
        if isLineStart, line.drop(while: { $0 == UInt8(ascii: ">") }).starts(with: "From ".utf8) { put(">") }
        output.append(line)
        if ended { put("\n") }
        isLineStart = ended
        line = Data()
    }

    private func put(_ text: String) { output.append(contentsOf: text.utf8) }

    private func flush() throws(ExportProblem) {
        try file.write(output)
        written += output.count
        output = Data()
    }

    /// As asctime writes it, in UTC.
    static func date(_ date: Date) -> String {
        var time = time_t(date.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&time, &parts)
        func two(_ number: CInt) -> String { (number < 10 ? "0" : "") + "\(number)" }
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let day = (parts.tm_mday < 10 ? " " : "") + "\(parts.tm_mday)"
        let clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        return
            "\(days[Int(parts.tm_wday)]) \(months[Int(parts.tm_mon)]) \(day) \(clock) \(1900 + parts.tm_year)"
    }
}
