import FoundationEssentials
import MailKernelAPI

/// An attempt to download a model: continues an earlier one, and goes from one source to the next.
struct ModelDownload {
    /// More attempts than any honest connection needs.
    private static let mostAttempts = 50
    /// The pauses before retrying after the network was lost, in seconds. Received bytes start over with the
    /// first.
    private static let retries = RetrySchedule([5, 15, 45])

    let entry: CatalogEntry
    let folder: ModelFolder
    let network: any PluginNetwork
    let clock: any HostClock

    /// Returns once the model is in place. Received bytes are kept if it is canceled or fails.
    func run(_ progress: @escaping @Sendable (DownloadProgress) -> Void) async throws(ModelError) {
        try folder.make()
        let meter = ProgressMeter(total: entry.size, clock: clock, progress: progress)
        let part = try PartialFile(entry, in: folder) { meter.reached($0) }
        let notes = DownloadNotes(folder.partNote(entry.id), sha256: entry.sha256)
        if notes.isOfAnotherFile { try await part.beginAnew() }
        try await part.takeUp()
        try await checkSpace(part)
        meter.reached(await part.received)
        try await fetchAll(part, notes) { received in
            progress(DownloadProgress(received: received, total: entry.size, bytesPerSecond: 0))
        }
        guard try await part.digest() == entry.sha256 else {
            try forget()
            throw .verificationFailed
        }
        do throws(ModelError) {
            try await part.accept(as: entry.id)
        } catch {
            if case .badFile = error { try forget() }
            throw error
        }
        try Folders.remove(folder.partNote(entry.id))
    }

    func forget() throws(ModelError) {
        try Folders.remove(folder.part(entry.id))
        try Folders.remove(folder.partNote(entry.id))
    }

    private func checkSpace(_ part: PartialFile) async throws(ModelError) {
        let rest = entry.size - (await part.received)
        let free = folder.freeSpace
        guard rest == 0 || free >= rest + PartialFile.reserve else {
            throw .noSpace(needed: rest + PartialFile.reserve, free: free)
        }
    }

    /// - Parameter rest: called with the received size before each pause.
    private func fetchAll(
        _ part: PartialFile, _ notes: DownloadNotes, rest: (Int) -> Void
    ) async throws(ModelError) {
        var failuresInARow = 0
        var attempts = 0
        var source = 0
        var waits = 0
        var mayPass = false
        while await part.received < entry.size {
            attempts += 1
            let before = await part.received
            let error = await fetch(entry.sources[source % entry.sources.count], part, notes)
            try await part.settle()
            guard let error else { continue }
            if Task.isCancelled { throw .cancelled }
            // Another source would meet the same full disk.
            guard case .network(let reason) = error, reason != .cancelled, attempts < Self.mostAttempts else {
                throw error
            }
            if await part.received > before {
                failuresInARow = 0
                waits = 0
                mayPass = false
            } else {
                failuresInARow += 1
                source += 1
            }
            mayPass = mayPass || reason.isPassing
            // And the same missing network.
            guard failuresInARow >= entry.sources.count || reason == .offline else { continue }
            waits += 1
            guard mayPass, let seconds = Self.retries.pause(after: waits) else { throw error }
            rest(await part.received)
            guard (try? await clock.sleep(for: seconds)) != nil else { throw .cancelled }
            failuresInARow = 0
            mayPass = false
        }
    }

    /// Downloads from one source. Returns why it is incomplete; nil also if the source must be requested
    /// again.
    private func fetch(
        _ source: URL, _ part: PartialFile, _ notes: DownloadNotes
    ) async -> ModelError? {
        await part.forgetProblem()
        let host = source.host ?? ""
        let start = await part.received
        var request = HTTPRequest("GET", source, purpose: "download the model \(entry.name)")
        if start > 0 {
            request.headers["Range"] = "bytes=\(start)-"
            request.headers["If-Range"] = await notes.version(for: source)
        }
        let judge = AnswerJudge(entry: entry, source: source, start: start, part: part, notes: notes)
        do {
            let answer = try await network.download(request, into: part) { try await judge.look(at: $0) }
            guard (200..<300).contains(answer.status) else {
                // There are more bytes than the server's file has: they belong to a different file.
                if answer.status == 416, start > 0 {
                    try await part.beginAnew()
                    return nil
                }
                return .network(.badAnswer(host: host, reason: "it returned status \(answer.status)"))
            }
            let received = await part.received
            guard received == entry.size else {
                return .network(
                    .badAnswer(host: host, reason: "it sent \(received) bytes of \(entry.size)"))
            }
            return nil
        } catch let error as NetworkError {
            if error == .cancelled { return .cancelled }
            if await judge.beginsAnew { return nil }
            if let problem = await judge.problem { return problem }
            guard let problem = await part.problem else { return .network(error) }
            return await part.refuse(problem, from: host)
        } catch {
            return error as? ModelError ?? .failed(reason: "The download stopped: \(error).")
        }
    }
}

/// Looks at the head of an answer before a byte of its body is taken.
private actor AnswerJudge {
    private struct Refused: Error {}

    private let entry: CatalogEntry
    private let source: URL
    private let start: Int
    private let part: PartialFile
    private let notes: DownloadNotes
    private(set) var problem: ModelError?
    /// The received bytes are of an older version: the whole file must be requested.
    private(set) var beginsAnew = false

    init(entry: CatalogEntry, source: URL, start: Int, part: PartialFile, notes: DownloadNotes) {
        self.entry = entry
        self.source = source
        self.start = start
        self.part = part
        self.notes = notes
    }

    func look(at answer: HTTPResponse) async throws {
        do throws(ModelError) {
            try await judge(answer)
        } catch {
            problem = error
            throw Refused()
        }
    }

    private func judge(_ answer: HTTPResponse) async throws(ModelError) {
        let version = DownloadNote.version(answer.headers)
        switch answer.status {
        case 206 where start > 0:
            guard let range = ContentRange(answer.headers["content-range"]), range.first == start,
                range.total ?? entry.size == entry.size
            else { throw bad("it sent a different part of the file than requested") }
            // A server that does not support If-Range continues with a changed file.
            if let known = await notes.version(for: source), let version, known != version {
                try await part.beginAnew()
                beginsAnew = true
                throw bad("the file has changed on the server")
            }
            try await notes.add(version, for: source)
        case 200:
            if let length = answer.headers["content-length"], Int(length) != entry.size {
                throw bad("its file has \(length) bytes instead of \(entry.size)")
            }
            try await part.beginAnew()
            try await notes.beginAnew(version, for: source)
        default:
            throw bad("it returned status \(answer.status)")
        }
    }

    private func bad(_ reason: String) -> ModelError {
        .network(.badAnswer(host: source.host ?? "", reason: reason))
    }
}

/// The note about a download, on disk.
private actor DownloadNotes {
    private let path: String
    private var note: DownloadNote
    /// Whether the received bytes belong to a different file.
    let isOfAnotherFile: Bool

    init(_ path: String, sha256: String) {
        self.path = path
        let found = DownloadNote.read(path)
        isOfAnotherFile = found?.sha256 != sha256
        note = found.flatMap { $0.sha256 == sha256 ? $0 : nil } ?? DownloadNote(sha256: sha256)
    }

    func version(for source: URL) -> String? { note.versions[source.absoluteString] }

    func add(_ version: String?, for source: URL) throws(ModelError) {
        guard note.versions[source.absoluteString] != version else { return }
        note.versions[source.absoluteString] = version
        try note.write(path)
    }

    func beginAnew(_ version: String?, for source: URL) throws(ModelError) {
        note.versions = [:]
        note.versions[source.absoluteString] = version
        try note.write(path)
    }
}
