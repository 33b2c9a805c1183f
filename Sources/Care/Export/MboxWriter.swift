import FoundationEssentials
import Glibc
import MailKernelAPI

/// Writes messages into an mbox file, whose name it has only once all of it is on disk.
actor MboxWriter {
    private static let buffered = 1 << 20

    private let file: ExportFile
    private var output = Data()

    init(_ place: ExportPlace) throws(ExportProblem) {
        file = try ExportFile(place)
    }

    /// Adds a message.
    ///
    /// - Parameters:
    ///   - entry: its place and properties, to be restored on import.
    ///   - labels: its mailboxes for other programs, a field with its line end.
    func add(_ message: MessageSpool, _ entry: ArchiveEntry, labels: Data?) async throws {
        put("From \(MboxSeparator.ours) \(Self.date(entry.receivedAt))\n")
        output.append(entry.lines(and: Self.status(entry.keywords) + (labels ?? Data())))
        var quoting = MboxQuoting.Writer(dropsReturns: entry.form.dropsReturns)
        var offset = 0
        while offset < entry.form.size {
            let piece = try await message.read(at: offset)
            guard !piece.isEmpty else { break }
            offset += piece.count
            quoting.add(piece, to: &output)
            if output.count > Self.buffered { try flush() }
        }
        quoting.finish(&output)
        // The last line may have no line end; the recorded size reveals that.
        put(entry.form.size > 0 && !endsInNewline ? "\n\n" : "\n")
        if output.count > Self.buffered { try flush() }
    }

    /// The file has its name and is on disk when this returns.
    func finish() throws -> String {
        try flush()
        return try file.finish()
    }

    func discard() { file.discard() }

    /// Read and answered, in the form for other programs.
    private static func status(_ keywords: Set<Keyword>) -> Data {
        let letters = [(Keyword.answered, "A"), (.flagged, "F"), (.draft, "T")]
            .filter { keywords.contains($0.0) }.map(\.1).joined()
        return Data(
            ("Status: \(keywords.contains(.seen) ? "RO" : "O")\n"
                + (letters.isEmpty ? "" : "X-Status: \(letters)\n")).utf8)
    }

    private var lastWritten: UInt8?
    private var endsInNewline: Bool { (output.last ?? lastWritten) == UInt8(ascii: "\n") }

    private func put(_ text: String) { output.append(contentsOf: text.utf8) }

    private func flush() throws(ExportProblem) {
        try file.write(output)
        lastWritten = output.last ?? lastWritten
        output = Data()
    }

    /// As asctime writes it, in UTC. It has years of four digits.
    static func date(_ date: Date) -> String {
        var time = time_t(min(max(date.timeIntervalSince1970, 0), 253_402_300_799))
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
