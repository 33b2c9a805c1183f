import MailKernelAPI
import MailKernelConformance
import Testing

@testable import LocalModels

extension RunningModels {
    @Suite("Real models, run for real, keep every promise of models") struct ConformanceTests {
        @Test(arguments: ConformanceCase.all(.model))
        func keeps(_ promise: ConformanceCase) async throws {
            let server = try #require(TestModels.server)
            let subject = ConformanceSubject(network: server) { host in
                .model(
                    LocalModelProvider(
                        host: host, catalog: TestModels.entries, program: TestModels.program,
                        obstacle: nil, context: 1024))
            }
            #expect(try await promise.check(subject) == .kept)
        }
    }
}
