import FoundationEssentials
import MailKernelAPI
import Network
import TestSupport

/// Large blobs through S3: sealed, with checksums, over TLS.
enum ObjectMeasure {
    private static let count = 12
    private static let size = 20_000_000
    /// What the kernel reads and writes at a time.
    private static let piece = 1 << 20
    private static let account = Id<Account>("objects")

    static func run(_ report: inout Report) async throws {
        guard BenchObjects.isInstalled else {
            return report.leaveOut(
                "postgresql.s3", "SeaweedFS is not installed: see the log of Tests/Tools/python-env")
        }
        let objects = try await BenchObjects()
        let server = try await BenchServer()
        do {
            let folder = try TemporaryFolder()
            let sqlite = try await BenchStore(in: folder.url)
            let theirs = try await measure(sqlite.backend)
            withExtendedLifetime(folder) {}
            let network = Network(
                NetworkSettings(version: "1", moreCertificates: objects.folder.url.appending(path: "ca.pem")),
                ledger: ConnectionLedger(folder: objects.folder.url.appending(path: "connections")) { Date() }
            )
            var settings = server.settings(.socket, schema: "objects").values
            settings["s3"] = objects.settings
            let ours = try await measure(try await objects.store(PluginSettings(settings), network))
            await network.close()
            let plain = try await objects.plain(bytes, count: count)
            for (name, what, limit, one, other, curl) in [
                ("in", "stored", 80.0, ours.written, theirs.written, plain.sent),
                ("out", "read", 500.0, ours.read, theirs.read, plain.read),
            ] {
                report.add(figure(name, what, limit, one, sqlite: other, curl: curl))
            }
        } catch {
            report.fail("postgresql.s3", "\(error)")
        }
        await server.stop()
        await objects.stop()
    }

    private static func figure(
        _ name: String, _ what: String, _ limit: Double, _ ours: Samples, sqlite: Samples, curl: Samples
    ) -> Figure {
        let megabytes = Double(size) / 1e6
        let rate = { (samples: Samples) in
            "\(Int(megabytes * Double(samples.values.count) / samples.sum * 1_000)) MB/s"
        }
        let ratio = rounded(ours.sum / Double(ours.values.count) / (curl.sum / Double(curl.values.count)))
        return Figure(
            "postgresql.s3.\(name)",
            "a blob of 20 MB \(what) through SeaweedFS over TLS: \(rate(ours)), \(Waiting(ours).description). "
                + "curl alone: \(rate(curl)), so it takes \(ratio) times as long. SQLite: \(rate(sqlite))",
            ours.sum / Double(ours.values.count), "ms",
            against: "\(Int(megabytes / limit * 1_000)) ms (\(Int(limit)) MB/s)", megabytes / limit * 1_000)
    }

    private static let bytes = {
        var random = SeededRandom(11)
        let words = (0..<size / 8).map { _ in random.next() }
        return words.withUnsafeBytes { Data($0) }
    }()

    private static func measure(
        _ backend: any StorageBackend
    ) async throws -> (written: Samples, read: Samples) {
        let account = Account(
            id: account, pluginID: "bench", address: "me@bench.example", displayName: "Me", addedAt: Date())
        _ = try await backend.commit(ChangeSet([.putAccount(account)]))
        var (written, read) = (Samples(), Samples())
        // The first one makes connections.
        for number in 0...count {
            let time = try await milliseconds { try await write(bytes, number, to: backend) }
            if number > 0 { written.add(time) }
        }
        for number in 0...count {
            var isSame = true
            let time = try await milliseconds { isSame = try await self.read(bytes.count, number, backend) }
            guard isSame else { throw BenchError(description: "A blob is too short.") }
            if number > 0 { read.add(time) }
        }
        await backend.close()
        return (written, read)
    }

    private static func write(
        _ bytes: Data, _ number: Int, to backend: any StorageBackend
    ) async throws {
        let writer = try await backend.writeBlob(
            BlobInfo(
                id: Id("blob\(number)"), accountID: account, type: "application/octet-stream",
                size: bytes.count, retention: .kept))
        for start in stride(from: 0, to: bytes.count, by: piece) {
            try await writer.write(bytes[start..<min(bytes.count, start + piece)])
        }
        try await writer.finish()
    }

    /// In order, as a download does.
    private static func read(_ size: Int, _ number: Int, _ backend: any StorageBackend) async throws -> Bool {
        var read = 0
        while read < size {
            let bytes = try await backend.readBlob(
                Id("blob\(number)"), in: account, offset: read, count: piece)
            guard !bytes.isEmpty else { return false }
            read += bytes.count
        }
        return true
    }
}
