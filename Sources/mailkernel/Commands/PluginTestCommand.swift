import FoundationEssentials
import Glibc
import MailKernelAPI
import MailKernelConformance
import PluginHost

/// Holds a built plugin to what its kind promises.
struct PluginTestCommand {
    private let folder: URL
    private let caseName: String?
    private let settings: PluginSettings
    private let answers: [String: Secret]

    init(_ arguments: inout Arguments) throws {
        caseName = try arguments.value("--case")
        settings = try Self.read(try arguments.value("--settings")) ?? PluginSettings()
        let plain: [String: String] = try Self.read(try arguments.value("--answers")) ?? [:]
        answers = plain.mapValues { Secret($0) }
        guard let path = arguments.word() else {
            throw UsageError("“plugins test” needs the plugin's folder.")
        }
        folder = URL(filePath: path)
        try arguments.finish()
    }

    func run() async throws {
        let plugin: OpenedPlugin
        do {
            plugin = try OpenedPlugin(at: folder)
        } catch {
            throw CommandError(error.sentence)
        }
        let cases = ConformanceCase.all(plugin.manifest.kind).filter {
            caseName == nil || $0.name == caseName
        }
        guard !cases.isEmpty else {
            throw CommandError(
                "There is no test\(caseName.map { " “\($0)”" } ?? "") for the kind “\(plugin.manifest.kind.rawValue)”."
            )
        }
        let subject = ConformanceSubject(settings: settings, formAnswers: answers) {
            try plugin.makeProvider(host: $0)
        }
        var counts = (kept: 0, broken: 0, notApplicable: 0)
        for promise in cases {
            CrashNote.set(
                "mailkernel: the plugin crashed while testing “\(promise.name)”: \(promise.promise)")
            switch await Self.outcome(of: promise, subject) {
            case .success(.kept):
                counts.kept += 1
                print("kept             \(promise.name)")
            case .success(.notApplicable(let reason)):
                counts.notApplicable += 1
                print("not applicable   \(promise.name): \(reason)")
            case .failure(let error):
                counts.broken += 1
                print("broken           \(promise.name): \(promise.promise)\n                 \(error)")
            }
            fflush(nil)
        }
        CrashNote.clear()
        print("\(counts.kept) kept, \(counts.broken) broken, \(counts.notApplicable) not applicable")
        if counts.broken > 0 { exit(1) }
    }

    private static func outcome(
        of promise: ConformanceCase, _ subject: ConformanceSubject
    ) async -> Result<ConformanceCase.Verdict, any Error> {
        // A plugin that never answers cannot be cancelled; the whole run ends with the sentence.
        let watchdog = Task.detached {
            try await Task.sleep(for: .seconds(600))
            print("broken           \(promise.name): it did not finish within ten minutes")
            exit(1)
        }
        defer { watchdog.cancel() }
        do {
            return .success(try await promise.check(subject))
        } catch {
            return .failure(error)
        }
    }

    private static func read<Value: Decodable>(_ path: String?) throws -> Value? {
        guard let path else { return nil }
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw CommandError("\(path) cannot be read.")
        }
        guard let value = try? JSONDecoder().decode(Value.self, from: data) else {
            throw CommandError("\(path) is not a JSON object of the expected type.")
        }
        return value
    }
}
