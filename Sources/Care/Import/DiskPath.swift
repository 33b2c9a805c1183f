import FoundationEssentials
import Glibc

/// A path as the file system knows it: bytes, which need not be text.
struct DiskPath: Sendable, Hashable {
    let bytes: [UInt8]

    init(_ url: URL) {
        bytes = Array(url.path.utf8)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    func appending(_ name: [UInt8]) -> DiskPath {
        DiskPath(bytes: bytes + (bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name)
    }

    /// For the calls of the system.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let characters = bytes.map { CChar(bitPattern: $0) } + [0]
        // An array always has contiguous storage, and this one is never empty.
        return characters.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map(body) ?? "".withCString(body)
        }
    }

    /// Without links; nil if it leads nowhere.
    var resolved: DiskPath? {
        guard let real = withCString({ realpath($0, nil) }) else { return nil }
        defer { free(real) }
        return DiskPath(
            bytes: Array(UnsafeBufferPointer(start: real, count: strlen(real))).map(UInt8.init(bitPattern:)))
    }

    /// Whether it lies below a folder; both without links.
    func isInside(_ folder: DiskPath) -> Bool {
        folder.bytes == [UInt8(ascii: "/")] || bytes.starts(with: folder.bytes + [UInt8(ascii: "/")])
    }

    /// The type of the file at this path, without following links.
    var kind: mode_t? {
        var status = stat()
        return withCString { lstat($0, &status) } == 0 ? status.st_mode & S_IFMT : nil
    }

    /// A name for people. Names from other systems can be in an older encoding: then every byte is taken for the
    /// Latin-1 character of this number, which keeps different names apart.
    static func text(_ name: [UInt8]) -> String {
        String(validating: name, as: UTF8.self)
            ?? String(String.UnicodeScalarView(name.map { Unicode.Scalar($0) }))
    }
}

/// A file that is only read, by place.
final class ReadOnlyFile: Sendable {
    let size: Int
    let modified: Date
    private let descriptor: CInt

    init(_ path: DiskPath) throws {
        // Without waiting: a pipe that was put in a file's place would hold up everything.
        descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        let place = DiskPath.text(path.bytes)
        guard descriptor >= 0 else { throw ImportProblem.unreadable(place) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            Glibc.close(descriptor)
            throw ImportProblem.unreadable(place)
        }
        size = Int(status.st_size)
        modified = Date(timeIntervalSince1970: TimeInterval(status.st_mtim.tv_sec))
    }

    deinit { Glibc.close(descriptor) }

    /// Fewer bytes at the end, or where the disk fails.
    func read(at offset: Int, count: Int) -> Data {
        var data = Data(count: count)
        let length = data.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(offset)) }
        return data.prefix(max(0, length))
    }
}
