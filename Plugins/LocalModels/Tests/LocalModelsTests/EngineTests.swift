import FoundationEssentials
import Glibc
import InferenceWire
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

@testable import LocalModels

/// One after the other: some of these look at all processes that were started here, and end them.
@Suite(
    "Real models are run", .serialized,
    .enabled(if: TestModels.areHere, Comment(rawValue: TestModels.missing)), .timeLimit(.minutes(10)))
enum RunningModels {}

extension RunningModels {
    @Suite("A model runs in a process of its own") struct EngineTests {
        /// What other tests have left loaded would be counted.
        init() async {
            for id in Children.ids { kill(id, SIGKILL) }
            while !Children.ids.isEmpty { await Task.yield() }
        }

        private static func request(_ tokens: Int, grammar: String? = nil) -> GenerationRequest {
            GenerationRequest(
                model: TestModels.writer, instruction: "Write a long story.", data: "About a mill.",
                maximumTokens: tokens, grammar: grammar)
        }

        /// Begins a long text, does something at its first piece, and waits for its end.
        private func interrupt(
            _ bench: Bench, _ body: @escaping @Sendable () -> Void
        ) async -> Result<Generation, ModelError> {
            let isFirst = Mutex(true)
            do throws(ModelError) {
                return .success(
                    try await bench.provider.generate(Self.request(100_000)) { _ in
                        let isNow = isFirst.withLock { isFirst in
                            defer { isFirst = false }
                            return isFirst
                        }
                        if isNow { body() }
                    })
            } catch {
                return .failure(error)
            }
        }

        @Test func aCancelledTextIsOverAtOnceAndTheNextOneComes() async throws {
            let bench = try Bench.ready()
            let began = Mutex<ContinuousClock.Instant?>(nil)
            let task = Mutex<Task<Result<Generation, ModelError>, Never>?>(nil)
            let work = Task {
                await interrupt(bench) {
                    began.withLock { $0 = .now }
                    task.withLock { $0 }?.cancel()
                }
            }
            task.withLock { $0 = work }
            guard case .failure(.cancelled) = await work.value else {
                Issue.record("it was not cancelled")
                return
            }
            let end = try #require(began.withLock { $0 })
            #expect(end.duration(to: .now) < .seconds(20))
            // The same process goes on.
            let before = Children.ids
            #expect(before.count == 1)
            #expect(try await bench.provider.generate(Self.request(3)) { _ in }.tokens == 3)
            #expect(Children.ids == before)
            await bench.provider.unload()
        }

        @Test func aCrashIsAnErrorOfOneCall() async throws {
            let bench = try Bench.ready()
            for crash in 1...3 {
                let ended = await interrupt(bench) {
                    for id in Children.ids { kill(id, SIGKILL) }
                }
                guard case .failure(.failed(let reason)) = ended else {
                    Issue.record("\(ended)")
                    return
                }
                #expect(reason.hasPrefix("The model crashed"))
                if crash == 1 {
                    #expect(try await bench.provider.generate(Self.request(2)) { _ in }.tokens == 2)
                    // It went well: the count begins again.
                    _ = await interrupt(bench) { for id in Children.ids { kill(id, SIGKILL) } }
                }
            }
            guard case .unusable = try await bench.status(TestModels.writer) else {
                Issue.record("it is tried again and again")
                return
            }
            #expect(Children.ids.isEmpty)
            // Until the user wants it.
            try await bench.provider.download(TestModels.writer) { _ in }
            #expect(try await bench.status(TestModels.writer) == .downloaded)
            #expect(try await bench.provider.generate(Self.request(2)) { _ in }.tokens == 2)
            await bench.provider.unload()
        }

        @Test func itIsConfined() async throws {
            let bench = try Bench.ready()
            _ = try await bench.provider.embed(["text"], with: TestModels.reader)
            let id = try #require(Children.ids.first)
            let status = try String(contentsOf: URL(filePath: "/proc/\(id)/status"), encoding: .utf8)
            #expect(status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1"))
            let limits = try String(contentsOf: URL(filePath: "/proc/\(id)/limits"), encoding: .utf8)
            for limit in ["Max core file size", "Max file size"] {
                let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix(limit) })
                #expect(line.dropFirst(limit.count).split(separator: " ").prefix(2) == ["0", "0"], "\(line)")
            }
            // No terminal is its own: what it wrote there could be a command.
            #expect(getsid(id) == id)
            #expect(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(id)) >= 5)
            let environment = try Data(contentsOf: URL(filePath: "/proc/\(id)/environ"))
            #expect(!String(decoding: environment, as: UTF8.self).contains("HOME="))
            // Its connection, the model and nothing else of ours.
            let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd")
            #expect(files.count <= 4)
            await bench.provider.unload()
        }

        @Test func memoryIsGivenBackAfterFiveMinutesWithoutWork() async throws {
            let bench = try Bench.ready()
            let before = try await bench.provider.embed(["text"], with: TestModels.reader)
            #expect(Children.ids.count == 1)
            while bench.clock.sleepers == 0 { await Task.yield() }
            bench.clock.advance(by: 299)
            #expect(Children.ids.count == 1)
            bench.clock.advance(by: 2)
            while !Children.ids.isEmpty { await Task.yield() }
            #expect(try await bench.provider.embed(["text"], with: TestModels.reader) == before)
            await bench.provider.unload()
            while !Children.ids.isEmpty { await Task.yield() }
        }

        @Test func whatIsStuckIsStopped() async throws {
            let bench = try Bench.ready()
            let provider = bench.provider
            _ = try await provider.embed(["text"], with: TestModels.reader)
            let id = try #require(Children.ids.first)
            kill(id, SIGSTOP)
            let work = Task { try await provider.embed(["text"], with: TestModels.reader) }
            // The one that waits for idleness was woken by the call; the one that watches is asleep.
            while bench.clock.sleepers != 1 { await Task.yield() }
            while true {
                bench.clock.advance(by: Engine.silence)
                if Children.ids.isEmpty { break }
                await Task.yield()
            }
            guard case .failure(let error as ModelError) = await work.result, case .failed(let reason) = error
            else {
                Issue.record("it answered")
                return
            }
            #expect(reason.contains("in time"))
        }

        @Test func aModelWithoutMemoryIsAnErrorAndNoCrash() async throws {
            let request = LoadRequest(
                file: TestModels.file(TestModels.writer).path, isForVectors: false, context: 4096,
                memoryLimit: 24 << 20)
            let engine = Engine(TestModels.program, request, memoryNeeded: 1, clock: ManualClock())
            await #expect(throws: ModelError.self) {
                try await engine.perform {
                    .embed(number: $0, texts: ["text"])
                } _: { _ in
                    ()
                }
            }
            #expect(await !engine.isLoaded)
        }

        @Test func aTextFollowsItsGrammar() async throws {
            let bench = try Bench.ready()
            let grammar = #"root ::= "Yes: " [a-z]+ "\nNo: " [a-z]+ "!""#
            for temperature in [0, 0.8] {
                var request = Self.request(20, grammar: grammar)
                request.temperature = temperature
                let text = try await bench.provider.generate(request) { _ in }
                #expect(text.text.hasPrefix("Yes: "))
                if !text.isCut { #expect(text.text.contains("\nNo: ") && text.text.hasSuffix("!")) }
            }
            for wrong in ["root ::= (", "other ::= \"a\"", ""] {
                await #expect(throws: ModelError.self, "\(wrong)") {
                    try await bench.provider.generate(Self.request(5, grammar: wrong)) { _ in }
                }
            }
            // An invalid grammar stops no other request.
            #expect(try await bench.provider.generate(Self.request(2)) { _ in }.tokens == 2)
            await bench.provider.unload()
        }

        /// There is memory for what is usual, until something longer comes.
        @Test func aLongTextGetsMoreRoom() async throws {
            let bench = try Bench.ready(context: 4096)
            let long = String(repeating: "The mill stood by the river for a hundred years. ", count: 150)
            let request = GenerationRequest(
                model: TestModels.writer, instruction: "Sum it up.", data: long, maximumTokens: 12)
            let short = try await bench.provider.generate(Self.request(12)) { _ in }
            let first = try await bench.provider.generate(request) { _ in }
            #expect(first.tokens > 0)
            #expect(try await bench.provider.generate(Self.request(12)) { _ in } == short)
            #expect(try await bench.provider.generate(request) { _ in } == first)
            #expect(Children.ids.count == 1)
            await bench.provider.unload()
        }

        /// The program for wider registers, where this processor has them.
        @Test(
            .enabled(
                if: HelperProgram.name != HelperProgram.usualName, "this processor has no AVX-512 with VNNI"))
        func theProgramOfThisProcessorRuns() async throws {
            let bench = try Bench.ready(HelperProgram())
            #expect(try await bench.provider.generate(Self.request(5)) { _ in }.tokens == 5)
            let texts = ["A mill", "A windmill", "Tax"]
            let vectors = try await bench.provider.embed(texts, with: TestModels.reader)
            func nearness(_ one: Int, _ other: Int) -> Float {
                zip(vectors[one], vectors[other]).reduce(0) { $0 + $1.0 * $1.1 }
            }
            #expect(nearness(0, 1) > nearness(0, 2))
            await bench.provider.unload()
        }

        /// 10 mails that people would sort without thinking.
        @Test(arguments: [TestModels.reader, TestModels.writer])
        func easyMailIsSorted(_ id: Id<Model>) async throws {
            let bench = try Bench.ready()
            let labels = EasyMail.labels.map {
                ClassificationRequest.Label(name: $0, examples: EasyMail.examples[$0] ?? [])
            }
            let answers = try await bench.provider.classify(
                ClassificationRequest(model: id, texts: EasyMail.texts.map(\.text), labels: labels))
            let right = zip(answers, EasyMail.texts).count { $0.first?.label == $1.label }
            // By chance it would be 2. A model of this size that is not calibrated gives one label to all.
            #expect(right >= (id == TestModels.reader ? 8 : 4), "\(answers.map { $0.first?.label ?? "" })")
            #expect(Set(answers.compactMap { $0.first?.label }).count >= 3)
            await bench.provider.unload()
        }

        @Test func aModelFileIsTakenInAndDeleted() async throws {
            let bench = try Bench([])
            let model = try await bench.provider.importModel(
                from: TestModels.file(TestModels.reader), name: " My reader")
            #expect(model.name == "My reader" && model.abilities == [.classify, .embed])
            #expect(model.license == "apache-2.0" && model.status == .downloaded)
            #expect(try await bench.provider.models() == [model])
            #expect(try await bench.provider.embed(["text"], with: model.id).first?.count == 384)
            // The same file is the same model, after a restart too.
            let restarted = try Bench([], in: bench.place)
            #expect(
                try await restarted.provider.importModel(
                    from: TestModels.file(TestModels.reader), name: "Again"
                ).id == model.id)
            #expect(try await restarted.provider.models().count == 1)
            try await bench.provider.delete(model.id)
            #expect(try await bench.provider.models().isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: bench.file("").path).isEmpty)
            await restarted.provider.unload()
        }

        /// The program may be ended at any moment of an import, which takes a while.
        @Test func whatIsLeftOfAnImportGoesAtTheNextStart() async throws {
            let bench = try Bench([])
            let model = try await bench.provider.importModel(
                from: TestModels.file(TestModels.reader), name: "Reader")
            for name in ["import-1.part", "imported-0123456789abcdef.gguf"] {
                try Data("half".utf8).write(to: bench.file(name))
            }
            await bench.provider.unload()
            let restarted = try Bench([], in: bench.place)
            #expect(try await restarted.provider.models().map(\.id) == [model.id])
            #expect(try FileManager.default.contentsOfDirectory(atPath: bench.file("").path).count == 2)
        }

        /// It has the right form and none of what a model needs: llama.cpp refuses it, or dies of it elsewhere.
        @Test func aFileThatOnlyLooksLikeAModelIsRefused() async throws {
            let bench = try Bench([])
            let file = bench.place.url.appending(path: "looks.gguf")
            for architecture in ["llama", "bert", "qwen3", "gemma3", "nonsense"] {
                var model = SmallModel()
                model.values[0].bytes = SmallModel.text(architecture)
                try Data(model.file).write(to: file)
                await #expect(throws: ModelError.self, "\(architecture)") {
                    try await bench.provider.importModel(from: file, name: "Looks")
                }
            }
            #expect(try await bench.provider.models().isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: bench.file("").path).isEmpty)
        }

        /// A real model of which a few bytes were changed, where its figures and names are.
        @Test func damagedModelsHarmNobody() async throws {
            let bench = try Bench([])
            var random = SeededNumbers(state: 11)
            let good = try TestModels.data(TestModels.reader)
            let file = bench.place.url.appending(path: "damaged.gguf")
            try good.write(to: file)
            let handle = open(file.path, O_WRONLY)
            defer { close(handle) }
            for _ in 0..<12 {
                var places: [Int] = []
                for _ in 0..<3 {
                    let place = Int.random(in: 24..<1200, using: &random)
                    var byte = UInt8.random(in: 0...255, using: &random)
                    pwrite(handle, &byte, 1, off_t(place))
                    places.append(place)
                }
                // Taken or refused: this process is still here to say so.
                if let model = try? await bench.provider.importModel(from: file, name: "Damaged") {
                    try await bench.provider.delete(model.id)
                }
                for place in places {
                    var byte = good[place]
                    pwrite(handle, &byte, 1, off_t(place))
                }
            }
            #expect(try await bench.provider.importModel(from: file, name: "Whole").status == .downloaded)
            await bench.provider.unload()
        }

        @Test func aProgramThatOthersCanChangeIsNotStarted() async throws {
            let place = try Place()
            let program = place.url.appending(path: HelperProgram.name)
            try FileManager.default.copyItem(at: URL(filePath: TestModels.program.path), to: program)
            chmod(program.path, 0o775)
            let bench = try Bench.ready(HelperProgram(path: program.path))
            let error = await #expect(throws: ModelError.self) {
                try await bench.provider.embed(["text"], with: TestModels.reader)
            }
            guard case .failed(let reason) = error else { return }
            #expect(reason.contains("other users"))
        }
    }
}

/// The processes that this one started to run models.
enum Children {
    static var ids: [pid_t] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { pid_t($0) }.filter { id in
            let path = URL(filePath: "/proc/\(id)/stat")
            guard let stat = try? String(contentsOf: path, encoding: .utf8),
                let end = stat.lastIndex(of: ")"), stat.contains("(mailkernel-infe")
            else { return false }
            let fields = stat[stat.index(after: end)...].split(separator: " ")
            return fields.count > 1 && fields[0] != "Z" && pid_t(fields[1]) == getpid()
        }.sorted()
    }
}
