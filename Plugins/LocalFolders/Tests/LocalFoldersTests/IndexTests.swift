import FoundationEssentials
import Testing

@testable import LocalFolders

@Suite("The index holds what it is given") struct IndexTests {
    @Test(arguments: [Data(), Data([0]), Data([0, 1, 0])]) func bytesStayBytes(_ bytes: Data) throws {
        let database = try Database(":memory:")
        let type = "SELECT typeof(?) = 'blob'"
        #expect(try database.integer(type, .blob(bytes)) == 1, "an empty one is not the same as none")
        #expect(try database.integer("SELECT length(?)", .blob(bytes)) == Int64(bytes.count))
    }

    @Test(arguments: ["", "\0", "a\0b", "größer"]) func textsStayTexts(_ text: String) throws {
        let database = try Database(":memory:")
        #expect(try database.integer("SELECT typeof(?) = 'text'", .text(text)) == 1)
        #expect(
            try database.integer("SELECT length(CAST(? AS BLOB))", .text(text)) == Int64(text.utf8.count))
    }
}
