import Files
import Foundation
import Testing

private typealias Folders = Files.Folders<TestFailure>
private typealias OpenFile = Files.OpenFile<TestFailure>
private typealias Reserve = Files.Reserve<TestFailure>

@Suite("Files that plugins share") struct FileTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    @Test func aFolderIsForTheUserAlone() throws {
        let path = folder.path + "/mail"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        try Folders.make(path)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test func aFileInPlaceOfAFolderIsReported() throws {
        let path = folder.path + "/mail"
        _ = try OpenFile.make(path)
        #expect(throws: TestFailure.unwritable(reason: "a file exists in place of the folder \(path)")) {
            try Folders.make(path)
        }
    }

    @Test func removingAFolderDoesNotFollowLinks() throws {
        let (kept, removed) = (folder.path + "/kept", folder.path + "/removed")
        for path in [kept, removed, removed + "/inside"] { try Folders.make(path) }
        _ = try OpenFile.make(kept + "/file")
        try FileManager.default.createSymbolicLink(
            atPath: removed + "/inside/link", withDestinationPath: kept)
        try Folders.removeAll(removed)
        #expect(Folders.names(in: folder.path) == ["kept"])
        #expect(Folders.names(in: kept) == ["file"])
    }

    @Test func whatIsAppendedIsReadBack() throws {
        let path = folder.path + "/file"
        #expect(try OpenFile.reading(path) == nil)
        try OpenFile.make(path).append(Data("0123456789".utf8))
        let file = try #require(try OpenFile.reading(path))
        let size = try file.size
        #expect(size == 10)
        #expect(try file.read(at: 4, count: 3) == Data("456".utf8))
        #expect(try file.read(at: 8, count: 100) == Data("89".utf8), "fewer at the end")
    }

    @Test func aLockIsTakenOnce() throws {
        let path = folder.path + "/lock"
        let (first, second) = (try OpenFile.writing(path), try OpenFile.writing(path))
        #expect(first.lock())
        #expect(!second.lock())
        first.unlock()
        #expect(second.lock())
    }

    @Test func aReserveIsLentAndHeldAgain() throws {
        let reserve = Reserve(path: folder.path + "/reserve", size: 1 << 16)
        #expect(!reserve.lend(), "nothing is reserved yet")
        reserve.hold()
        let size = try OpenFile.reading(reserve.path)?.size
        #expect(size == 1 << 16)
        #expect(reserve.lend())
        #expect(reserve.isLent)
        try reserve.demand()
        #expect(!reserve.isLent)
    }

    @Test(arguments: [ENOSPC, EDQUOT, EFBIG]) func quotasAndLimitsCountAsAFullDisk(_ code: CInt) {
        #expect(TestFailure.writing(code) == .full)
    }

    @Test func otherRefusalsHaveTheReasonOfTheSystem() {
        #expect(TestFailure.writing(EROFS) == .unwritable(reason: "Read-only file system"))
        #expect(TestFailure.reading(EIO) == .unreadable(reason: "Input/output error"))
    }
}
