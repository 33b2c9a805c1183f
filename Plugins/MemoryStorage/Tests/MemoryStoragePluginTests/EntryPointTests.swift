import MailKernelAPI
import MailKernelConformance
import Testing

@testable import MemoryStoragePlugin

@Suite("The store in memory as a plugin") struct EntryPointTests {
    @Test func itsLibraryDescribesItself() throws {
        #expect(answer(nil) != nil)
    }

    @Test func itMakesAStore() throws {
        let call = ProviderCall(host: .forTesting())
        _ = answer(Unmanaged.passUnretained(call).toOpaque())
        #expect(try call.answer?.get().kind == .storage)
    }
}
