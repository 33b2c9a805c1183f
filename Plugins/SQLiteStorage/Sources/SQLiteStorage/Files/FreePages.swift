import CSQLite
import FoundationEssentials
import Glibc
import MailKernelAPI

/// Overwrites the content of free pages, like `secure_delete` but much faster: in place instead of through
/// the log. On most file systems they become holes, which is instant and frees the space.
///
/// The list of free pages is part of the documented file format (section 1.5). No other code reads these
/// pages, and none may write at the same time; the log must be empty, so that the file is current.
struct FreePages {
    private struct Header {
        var pageSize: Int
        var pages: Int
        var firstTrunk: Int
        var free: Int
    }

    /// So many at once: while the file system gives room back, a reader of this file may have to wait.
    private static let mostAtOnce = 2_048

    private let file: OpenFile
    private let header: Header

    init?(_ file: OpenFile) throws(StorageError) {
        self.file = file
        let bytes = [UInt8](try file.read(at: 0, count: 100))
        guard bytes.count == 100 else { return nil }
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        header = Header(
            pageSize: size == 1 ? 65_536 : size, pages: Self.number(bytes, 28),
            firstTrunk: Self.number(bytes, 32), free: Self.number(bytes, 36))
        guard header.pageSize >= 512 else { return nil }
    }

    /// Returns once the old content would not survive a power cut either.
    ///
    /// - Returns: whether the file system got the space back.
    func overwrite() throws(StorageError) -> Bool {
        var trunk = header.firstTrunk
        var leaves: [Int] = []
        var seen = 0
        while trunk != 0 {
            seen += 1
            guard isPage(trunk), seen <= header.free else {
                throw .corrupt(reason: "the list of free pages is endless")
            }
            let page = [UInt8](try file.read(at: offset(trunk), count: header.pageSize))
            guard page.count == header.pageSize else { throw .corrupt(reason: "a free page does not exist") }
            let count = Self.number(page, 4)
            guard count <= header.pageSize / 4 - 2 else {
                throw .corrupt(reason: "a list of free pages is too long")
            }
            leaves += (0..<count).map { Self.number(page, 8 + 4 * $0) }
            // After its entries, a page of the list contains old data.
            let used = 8 + 4 * count
            try file.zero(at: offset(trunk) + used, count: header.pageSize - used)
            trunk = Self.number(page, 0)
        }
        guard leaves.allSatisfy(isPage) else { throw .corrupt(reason: "a free page does not exist") }
        var isGivenBack = true
        for range in Self.ranges(leaves.sorted()) {
            let isHole = try file.punch(at: offset(range.lowerBound), count: range.count * header.pageSize)
            isGivenBack = isGivenBack && isHole
        }
        try file.synchronize()
        return isGivenBack
    }

    private func isPage(_ number: Int) -> Bool { number > 1 && number <= header.pages }
    private func offset(_ page: Int) -> Int { (page - 1) * header.pageSize }

    private static func ranges(_ sorted: [Int]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        for page in sorted {
            if let last = ranges.last, last.upperBound == page, last.count < mostAtOnce {
                ranges[ranges.count - 1] = last.lowerBound..<(page + 1)
            } else {
                ranges.append(page..<(page + 1))
            }
        }
        return ranges
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> Int {
        bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
}

extension OpenFile {
    /// Makes bytes zero.
    fileprivate func zero(at offset: Int, count: Int) throws(StorageError) {
        let zeros = [UInt8](repeating: 0, count: min(count, 1 << 20))
        var done = 0
        while done < count {
            let written = pwrite(descriptor, zeros, min(zeros.count, count - done), off_t(offset + done))
            if written < 0 {
                if errno == EINTR { continue }
                throw .writing()
            }
            done += written
        }
    }

    /// The same by giving the room back, where the file system can; returns whether it could.
    fileprivate func punch(at offset: Int, count: Int) throws(StorageError) -> Bool {
        if csqlite_punch_hole(descriptor, offset, count) == 0 { return true }
        try zero(at: offset, count: count)
        return false
    }
}
