import FoundationEssentials
import MailKernelAPI

/// Reads a file from its beginning in windows; past the end is an error, not a surprise.
struct BoundedReader {
    let size: Int
    private(set) var offset = 0
    private let read: (_ offset: Int, _ count: Int) throws(ModelError) -> Data
    private var window: [UInt8] = []
    private var windowStart = 0
    private static let windowSize = 1 << 18

    init(_ file: OpenFile) {
        size = (try? file.size) ?? 0
        read = file.read(at:count:)
    }

    init(_ bytes: [UInt8]) {
        size = bytes.count
        read = { offset, count in Data(bytes[min(offset, bytes.count)..<min(offset + count, bytes.count)]) }
    }

    mutating func bytes(_ count: Int) throws(GGUFError) -> [UInt8] {
        guard count >= 0, count <= size - offset else { throw .cutShort }
        if offset < windowStart || offset + count > windowStart + window.count {
            let wanted = max(count, min(Self.windowSize, size - offset))
            do throws(ModelError) {
                window = [UInt8](try read(offset, wanted))
            } catch {
                throw .unreadable
            }
            windowStart = offset
            // The file has been truncated.
            guard window.count >= count else { throw .cutShort }
        }
        let start = offset - windowStart
        offset += count
        return Array(window[start..<start + count])
    }

    /// A number without a sign, least byte first.
    mutating func number(_ size: Int) throws(GGUFError) -> Int {
        let value = try bytes(size).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let number = Int(exactly: value) else {
            throw .broken("it contains a number that is too large")
        }
        return number
    }

    mutating func signedNumber(_ size: Int) throws(GGUFError) -> Int {
        let value = try bytes(size).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let unused = 64 - 8 * size
        return Int(Int64(bitPattern: value << UInt64(unused)) >> Int64(unused))
    }

    /// How many of something follow.
    mutating func count(upTo most: Int, _ what: String, size: Int = 8) throws(GGUFError) -> Int {
        let count = try number(size)
        // Each takes a byte at the very least.
        guard count <= most else { throw .broken("it claims to have \(count) \(what)") }
        guard count <= self.size - offset else { throw .cutShort }
        return count
    }

    mutating func text(upTo longest: Int) throws(GGUFError) -> String {
        let bytes = try bytes(count(upTo: longest, "bytes in a text"))
        return String(decoding: bytes, as: UTF8.self)
    }

    mutating func skipText(upTo longest: Int) throws(GGUFError) {
        try skip(count(upTo: longest, "bytes in a text"), of: 1)
    }

    mutating func skip(_ count: Int, of size: Int) throws(GGUFError) {
        let (bytes, isTooMuch) = count.multipliedReportingOverflow(by: size)
        guard !isTooMuch, bytes >= 0, bytes <= self.size - offset else { throw .cutShort }
        offset += bytes
    }
}
