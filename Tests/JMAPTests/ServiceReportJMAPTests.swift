import KernelSupport
import MailKernelAPI
import Testing

@Suite("What services report can be read through the API") struct ServiceReportJMAPTests {
    /// ACC-20
    @Test func quotasHaveThePropertiesOfRFC9425() async throws {
        let test = try await TestKernel(messages: 2)
        let answer = try await test.call("AccountSettings/report")
        #expect(answer["accountId"] == .string(test.ada.rawValue))
        #expect(answer["jmapSessionUrl"] == .null)
        let quotas = try #require(answer["quotas"].arrayValue)
        #expect(quotas.map { $0["resourceType"]?.stringValue } == ["octets", "count"])
        #expect(
            quotas.last == [
                "id": "messages", "resourceType": "count", "used": 2, "hardLimit": 1_000_000,
                "softLimit": nil,
                "warnLimit": nil, "scope": "account", "name": "Messages", "description": nil,
                "types": ["Mail"],
            ])
        await test.kernel.stop()
    }
}
