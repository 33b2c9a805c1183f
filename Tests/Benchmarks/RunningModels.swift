import Foundation
import Intelligence
import MailKernelAPI
import MailKernelConformance
import PluginHost
import Synchronization
import TestSupport

/// Small real models at work in the plugin, beside llama.cpp's own measure of them.
struct RunningModels {
    /// What people write, about 120 tokens of it.
    private static let letter = String(
        repeating: "Hello Sam, can we move our meeting about the new shop to Thursday? ", count: 7)

    /// One that writes, and its file.
    private struct Writer {
        let what: String
        /// At the end of an id.
        let mark: String
        let file: URL
        let model: Model
    }

    private let place: TemporaryFolder
    private let clock = ManualClock()
    private let models: any AIModelProvider
    private let writers: [Writer]
    private let reader: Model

    init(_ opened: OpenedPlugin) async throws {
        place = try TemporaryFolder()
        models = try ModelBenchmark.provider(opened, place, NoNetwork(), clock: clock)
        let small = SmallModels.writer
        // One of the size that the program lets write, which cannot be fetched from a package index.
        let large = place.url.appending(path: "shape.gguf")
        let script = Checkout.root.appending(path: "Tests/Tools/model-shape")
        let made = try await Command.run(script, [small.path, large.path])
        guard made.status == 0 else { throw BenchError(description: made.errors) }
        writers = [
            Writer(
                what: "SmolLM2 135M", mark: "", file: small,
                model: try await models.importModel(from: small, name: "Writer")),
            Writer(
                what: "a model of the shape of Qwen3 0.6B", mark: "-0.6b", file: large,
                model: try await models.importModel(from: large, name: "Large writer")),
        ]
        reader = try await models.importModel(
            from: SmallModels.reader, name: "Reader")
    }

    func measure(_ report: inout Report) async throws {
        let base = Self.memory()
        for writer in writers {
            try await measureTokens(&report, writer)
            try await measureFirst(&report, writer)
            try await measureReplies(&report, writer)
        }
        let mail = (0..<200).map { "Meeting \($0)\n" + Self.letter }
        let taken = try await milliseconds { _ = try await models.embed(mail, with: reader.id) }
        report.add(
            Figure(
                "models.vectors", "time for the vector of a mail of 120 tokens", taken / 200, "ms",
                against: "40 ms, which is 25 mails a second", 40))
        try await measureIdleness(&report, base)
        await models.unload()
    }

    func measureFirst(_ report: inout Report) async throws {
        for writer in writers { try await measureFirst(&report, writer) }
        await models.unload()
    }

    // MARK: Writing

    private func measureTokens(_ report: inout Report, _ writer: Writer) async throws {
        let request = GenerationRequest(
            model: writer.model.id, instruction: "Write a long story about a mill.", data: "Once upon a time",
            maximumTokens: 129)
        var (ours, theirs): ([Double], [Double]) = ([], [])
        // In turns, so that both meet the same weather.
        for _ in 0..<5 {
            let first = Mutex<ContinuousClock.Instant?>(nil)
            let text = try await models.generate(request) { _ in first.withLock { $0 = $0 ?? .now } }
            guard let began = first.withLock({ $0 }), text.tokens > 32 else { continue }
            ours.append((ContinuousClock.now - began).milliseconds / Double(text.tokens - 1))
            guard let peer = try await llamaBench(writer.file) else { continue }
            theirs.append(1000 / peer)
        }
        guard !theirs.isEmpty else {
            let script = "Plugins/LocalModels/Tests/Models/llama-bench"
            return report.leaveOut(
                "models.tokens\(writer.mark)",
                "\(ours.sorted()) ms for a token; llama-bench could not be built (\(script))")
        }
        report.add(
            Figure(
                "models.tokens\(writer.mark)", "time for a token, \(writer.what)",
                ours.sorted()[ours.count / 2], "ms",
                against: "llama-bench", theirs.sorted()[theirs.count / 2], goal: 1 / 0.95))
    }

    /// Tokens a second by llama.cpp's own measure; nil where it is not built.
    private func llamaBench(_ model: URL) async throws -> Double? {
        let program = Checkout.root.appending(path: ".build/llama-bench/llama-bench")
        guard FileManager.default.isExecutableFile(atPath: program.path) else { return nil }
        let options = ["-m", model.path, "-p", "0", "-n", "128", "-r", "1", "-t", "2", "-o", "json"]
        let result = try await Command.run(program, options)
        let lines = try JSONDecoder().decode([JSONValue].self, from: Data(result.output.utf8))
        return lines.first?["avg_ts"]?.numberValue
    }

    /// From the question to the first word, with the model in memory and without.
    private func measureFirst(_ report: inout Report, _ writer: Writer) async throws {
        for isLoaded in [false, true] {
            let value = try await median(of: 5) {
                if !isLoaded { await models.unload() }
                let first = Mutex<ContinuousClock.Instant?>(nil)
                let began = ContinuousClock.now
                // A mail of its own each time: none is known from the time before.
                let request = GenerationRequest(
                    model: writer.model.id, instruction: "Sum up this email in one sentence.",
                    data: "\(began): \(Self.letter)", maximumTokens: 4)
                _ = try await models.generate(request) { _ in first.withLock { $0 = $0 ?? .now } }
                return ((first.withLock { $0 } ?? .now) - began).milliseconds
            }
            report.add(
                Figure(
                    "models.first-token\(isLoaded ? "" : "-cold")\(writer.mark)",
                    "the first word about a mail of 120 tokens, \(writer.what)"
                        + (isLoaded ? "" : ", loaded for it"), value, "ms", against: "1 s", 1000))
        }
    }

    private func measureReplies(_ report: inout Report, _ writer: Writer) async throws {
        let trial = ReplyTrial(models, writer.model)
        let value = await median(of: 3) {
            await milliseconds { _ = await trial.replies(subject: "Thursday", text: Self.letter) }
        }
        report.add(
            Figure(
                "models.replies\(writer.mark)", "three replies to a mail, written by \(writer.what)",
                value / 1000, "s",
                against: "5 s", 5))
    }

    // MARK: Memory

    private func measureIdleness(_ report: inout Report, _ base: Double) async throws {
        let most = Self.memory()
        let deadline = ContinuousClock.now + .seconds(60)
        while !Self.helpers().isEmpty {
            guard ContinuousClock.now < deadline else {
                return report.fail(
                    "models.memory", "models were still in memory a minute after they were to go")
            }
            clock.advance(by: 301)
            // A process that ends tells its parent alone, and that is the plugin.
            try await Task.sleep(for: .milliseconds(50))
        }
        report.add(
            Figure(
                "models.memory",
                "memory that three models leave after five idle minutes (\(Int(most - base)) MB at work)",
                Self.memory() - base, "MB", against: "10 MB", 10))
    }

    /// Of this process and of those that run models for it, in megabytes.
    private static func memory() -> Double {
        (helpers() + ["self"]).reduce(0) { $0 + (status($1, "VmRSS:") ?? 0) / 1_024 }
    }

    /// The processes that run models for this one, among the servers of other benchmarks.
    private static func helpers() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let own = Double(ProcessInfo.processInfo.processIdentifier)
        return names.filter { name in
            guard Int(name) != nil, status(name, "PPid:") == own else { return false }
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(name)/exe")
            return program.map { URL(filePath: $0).lastPathComponent.hasPrefix("mailkernel-inference") }
                == true
        }
    }

    private static func status(_ process: String, _ field: String) -> Double? {
        let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix(field) }
        return line?.dropFirst(field.count).split(whereSeparator: \.isWhitespace).first.flatMap { Double($0) }
    }
}
