import FoundationEssentials
import Glibc
import TestSupport

/// Bringing in 10,000 messages with `mailkernel import`, beside `mu index`, which keeps no copy of them.
enum ImportBenchmark {
    private static let count = 10_000
    private static let runs = 3
    private static let program = Checkout.root.appending(path: ".build/release/mailkernel")

    static func run(_ report: inout Report) async throws {
        let place = try TemporaryFolder()
        let maildir = Maildir(folder: place.url.appending(path: "mail"), hasWholeFiles: true)
        let megabytes = try maildir.fill(MailGenerator(count: count)) / 1_000_000
        let mbox = place.url.appending(path: "mail.mbox")
        try maildir.writeMbox(to: mbox)

        var (folders, files, peers): ([Double], [Double], [Double]) = ([], [], [])
        // Removed in the end only: file systems are slow with new files right after many were removed.
        var used: [Installed] = []
        let hasPeer = SearchProgram.mu.path() != nil
        for run in 0..<runs {
            for _ in 0..<2 {
                used.append(
                    try Installed(plugins: [Checkout.root.appending(path: "Plugins")], program: program))
            }
            folders.append(try await bringIn(maildir.folder, used[2 * run]))
            files.append(try await bringIn(mbox, used[2 * run + 1]))
            guard hasPeer else { continue }
            let index = place.url.appending(path: "mu-\(run)")
            peers.append(try await seconds { try await SearchProgram.mu.index(maildir.folder, in: index) })
        }
        guard hasPeer else { return report.leaveOut("import.", "mu is not installed") }
        let peer = peers.sorted()[runs / 2]
        let what = "\(count) messages, \(megabytes) MB, copied, read and indexed"
        for (name, source, taken) in [("maildir", "a Maildir", folders), ("mbox", "an mbox", files)] {
            report.add(
                Figure(
                    "import.\(name)", "\(what), from \(source)", taken.sorted()[runs / 2], "s",
                    against: "mu index of the Maildir", peer, goal: 0.5))
        }
    }

    /// Seconds, with the start and the end of the program.
    private static func bringIn(_ source: URL, _ installed: Installed) async throws -> Double {
        try await seconds {
            let result = try await installed.run("import", source.path)
            guard result.status == 0, result.output.hasPrefix("\(count) messages imported") else {
                throw BenchError(description: "Not all was imported: \(result.output)\(result.errors)")
            }
        }
    }

    private static func seconds(_ work: () async throws -> Void) async throws -> Double {
        let began = ContinuousClock.now
        try await work()
        return began.duration(to: .now) / .seconds(1)
    }
}
