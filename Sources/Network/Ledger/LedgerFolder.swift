import FoundationEssentials
import Glibc

/// The files of the ledger: one a day, a line of JSON for each beginning and each end.
struct LedgerFolder: Sendable {
    /// How long a day's file is kept.
    static let daysKept = 30
    private static let suffix = ".jsonl"

    let url: URL

    /// Makes the folder.
    func create() throws {
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    static func day(of date: Date) -> String {
        date.formatted(dayStyle)
    }

    /// The days with a file, newest first.
    var days: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return names.filter { $0.hasSuffix(Self.suffix) }.map { String($0.dropLast(Self.suffix.count)) }
            .filter { (try? Self.dayStyle.parse($0)) != nil }
            .sorted(by: >)
    }

    func path(of day: String) -> String {
        url.appending(path: day + Self.suffix).path
    }

    /// Removes expired files.
    func prune(at date: Date) {
        let oldest = Self.day(of: date - Double(Self.daysKept) * 86_400)
        for day in days where day < oldest { unlink(path(of: day)) }
    }

    /// The content of a day's file, in order. Unreadable lines, such as one cut off by a full disk, are
    /// skipped.
    func lines(of day: String) -> [LedgerLine] {
        guard let data = try? Data(contentsOf: URL(filePath: path(of: day))) else { return [] }
        let decoder = Self.decoder
        return data.split(separator: UInt8(ascii: "\n")).compactMap {
            try? decoder.decode(LedgerLine.self, from: Data($0))
        }
    }

    static func encode(_ line: LedgerLine) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.formatted(Self.timeStyle))
        }
        return try encoder.encode(line)
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            try Self.timeStyle.parse(decoder.singleValueContainer().decode(String.self))
        }
        return decoder
    }

    private static let dayStyle = Date.ISO8601FormatStyle().year().month().day()
    private static let timeStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
