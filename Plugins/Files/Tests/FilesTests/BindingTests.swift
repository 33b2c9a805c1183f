import Foundation
import SQLite
import Testing

@Suite("A statement binds values unchanged") struct BindingTests {
    @Test(arguments: [Data(), Data([0]), Data([0, 1, 0])]) func bytesStayBytes(_ bytes: Data) throws {
        let database = try Database.inMemory()
        let type = "SELECT typeof(?) = 'blob'"
        #expect(try database.integer(type, .blob(bytes)) == 1, "an empty one is not the same as none")
        #expect(try database.integer("SELECT length(?)", .blob(bytes)) == Int64(bytes.count))
    }

    @Test(arguments: ["", "\0", "a\0b", "größer"]) func textsStayTexts(_ text: String) throws {
        let database = try Database.inMemory()
        #expect(try database.integer("SELECT typeof(?) = 'text'", .text(text)) == 1)
        #expect(
            try database.integer("SELECT length(CAST(? AS BLOB))", .text(text)) == Int64(text.utf8.count))
    }
}
