import FoundationEssentials
import MailKernelAPI

/// The state of an unfinished download: its file, and each source's version of the received bytes.
struct DownloadNote: Codable, Equatable {
    let sha256: String
    /// By the address of the source: what `If-Range` is to say.
    var versions: [String: String] = [:]

    static func read(_ path: String) -> DownloadNote? {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
        return try? JSONDecoder().decode(DownloadNote.self, from: data)
    }

    func write(_ path: String) throws(ModelError) {
        do {
            try JSONEncoder().encode(self).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw .failed(reason: "The state of the download cannot be saved.")
        }
    }

    /// What names a version of a file for certain (RFC 9110, 13.1.5); nil if the server names none.
    static func version(_ headers: [String: String]) -> String? {
        if let tag = headers["etag"], tag.hasPrefix("\""), tag.utf8.count <= 1000 { return tag }
        return headers["last-modified"]
    }
}

/// The part of a file that a `Content-Range` says (RFC 9110, 14.4).
struct ContentRange: Equatable {
    let first: Int
    let last: Int
    /// Nil where the server does not know.
    let total: Int?

    init?(_ header: String?) {
        guard let header, header.hasPrefix("bytes ") else { return nil }
        let parts = header.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts.first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, ends.count == 2, let first = Int(ends[0]), let last = Int(ends[1]),
            first >= 0, last >= first, parts[1] == "*" || Int(parts[1]) != nil
        else { return nil }
        self.first = first
        self.last = last
        total = Int(parts[1])
    }
}
