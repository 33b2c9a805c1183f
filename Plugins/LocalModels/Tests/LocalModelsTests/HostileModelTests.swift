import CrashSupport
import FoundationEssentials
import Glibc
import InferenceWire
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

@testable import LocalModels

extension RunningModels {
    @Suite("The process that a model runs in can do no harm, and does not stay") struct HostileModelTests {
        /// What other tests have left loaded would be counted.
        init() async {
            for id in Children.ids { kill(id, SIGKILL) }
            while !Children.ids.isEmpty { await Task.yield() }
        }

        private static func request(_ tokens: Int) -> GenerationRequest {
            GenerationRequest(
                model: TestModels.writer, instruction: "Write a long story.", data: "About a mill.",
                maximumTokens: tokens)
        }

        /// Not even what llama.cpp itself never does: a model file may make it do anything.
        @Test func itCanReadAndComputeAndNothingElse() async throws {
            let place = try Place()
            let file = place.url.appending(path: "file").path
            try Data("text".utf8).write(to: URL(filePath: file))
            let lines = try await Child("local-models-confined", [file]).lines()
            #expect(lines.count == 15)
            for line in lines {
                let isItsOwn = ["read a file", "signal itself", "limit itself"].contains {
                    line.hasPrefix($0)
                }
                #expect(line.hasSuffix(isItsOwn ? ": possible" : ": refused"), "\(line)")
            }
        }

        /// As a file does that keeps the library busy for ever.
        @Test func itEndsWithTheProgramWhateverItIsDoing() async throws {
            let place = try Place()
            let file = place.url.appending(path: "endless").path
            try #require(mkfifo(file, 0o600) == 0)
            var ends: [CInt] = [0, 0]
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
            let id = try InferenceProcess.start(TestModels.program.path, line: ends[1])
            close(ends[1])
            let load = Request.load(
                LoadRequest(file: file, isForVectors: true, context: 512, memoryLimit: 1 << 30))
            #expect(Descriptors.write(try Frames.encode(load), to: ends[0]))
            var writer: CInt = -1
            while writer < 0 {
                // It can be opened once the process reads from it, and there is nothing to be read.
                writer = open(file, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
                await Task.yield()
            }
            defer { close(writer) }
            close(ends[0])
            let limit = ContinuousClock.now + .seconds(60)
            while waitpid(id, nil, WNOHANG) == 0 {
                try #require(ContinuousClock.now < limit, "it is still there")
                await Task.yield()
            }
        }

        @Test func aFloodOfWordsIsStopped() async throws {
            let place = try Place()
            let program = place.url.appending(path: "flood").path
            let script = #"""
                #!/bin/sh
                text=x
                while [ ${#text} -lt 65536 ]; do text=$text$text; done
                printf '\014\000\000\000{"ready":{}}' >&0
                while printf '\040\000\001\000{"piece":{"number":1,"text":"%s"}}' "$text" >&0; do :; done
                """#
            try Data(script.utf8).write(to: URL(filePath: program))
            chmod(program, 0o700)
            let bench = try Bench.ready(HelperProgram(path: program))
            let taken = Mutex(0)
            await #expect(throws: ModelError.self) {
                try await bench.provider.generate(Self.request(10)) { piece in
                    taken.withLock { $0 += piece.utf8.count }
                }
            }
            #expect((1...2 * InferenceProcess.mostBytes).contains(taken.withLock { $0 }))
        }

        @Test func whoWaitsForADeletedModelGetsNothing() async throws {
            let bench = try Bench.ready()
            let (engine, _) = try bench.provider.shelf.engine(for: TestModels.writer, to: .generate)
            let begun = Watched(false)
            let first = Task {
                try await bench.provider.generate(Self.request(100_000)) { _ in begun.withLock { $0 = true } }
            }
            await begun.wait { $0 }
            let second = Task {
                try await engine.perform {
                    .write(
                        number: $0,
                        WriteRequest(
                            instruction: "Write.", data: "", maximumTokens: 3, temperature: 0, seed: 0,
                            grammar: nil))
                } _: { reply throws(ModelError) -> Bool? in
                    if case .written = reply { true } else { nil }
                }
            }
            try await bench.provider.delete(TestModels.writer)
            for result in [await first.result.map { _ in }, await second.result.map { _ in }] {
                #expect(throws: ModelError.notAvailable) { try result.get() }
            }
            while !Children.ids.isEmpty { await Task.yield() }
        }
    }
}
