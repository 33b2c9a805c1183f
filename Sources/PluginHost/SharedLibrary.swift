import CLibltdl
import CPluginHost
import FoundationEssentials
import Glibc
import Synchronization

/// An opened shared library. It is never closed: Swift's types cannot be unloaded.
struct SharedLibrary {
    private let handle: lt_dlhandle

    /// libltdl is not made for several threads; everything it does happens under this lock.
    private static let isInitialized = Mutex(false)

    init(opening path: String) throws(Refusal) {
        try Self.checkHeader(path)
        let opened: Result<lt_dlhandle, Refusal> = Self.isInitialized.withLock { isInitialized in
            if !isInitialized {
                guard lt_dlinit() == 0 else { return .failure(.cannotOpen(Self.ltdlError)) }
                isInitialized = true
            }
            // libltdl binds functions when they are first called, and one that is missing then ends
            // the process. Binding everything now turns that into a refusal.
            guard open_bound(path) != nil else {
                return .failure(Self.refusal(dlerror().map { String(cString: $0) } ?? "unknown reason"))
            }
            guard let handle = lt_dlopen(path) else { return .failure(.cannotOpen(Self.ltdlError)) }
            lt_dlmakeresident(handle)
            return .success(handle)
        }
        handle = try opened.get()
    }

    func symbol(_ name: String) -> UnsafeMutableRawPointer? {
        let address = Self.isInitialized.withLock { _ in UInt(bitPattern: lt_dlsym(handle, name)) }
        return UnsafeMutableRawPointer(bitPattern: address)
    }

    private static var ltdlError: String {
        lt_dlerror().map { String(cString: $0) } ?? "unknown reason"
    }

    /// The loader reports a missing symbol or library only as text.
    private static func refusal(_ message: String) -> Refusal {
        if let range = message.firstRange(of: "undefined symbol: ") {
            let symbol = message[range.upperBound...].prefix { $0 != " " && $0 != "," }
            return .unresolvedSymbol(String(symbol))
        }
        if let range = message.firstRange(of: ": cannot open shared object file") {
            return .missingDependency(String(message[..<range.lowerBound]))
        }
        return .cannotOpen(message)
    }

    /// Checks the first bytes, to distinguish a file that is not a library for this computer from a library
    /// that cannot be opened.
    private static func checkHeader(_ path: String) throws(Refusal) {
        guard let file = FileHandleBytes(path) else {
            throw .cannotOpen(String(cString: strerror(errno)))
        }
        let header = file.first(20)
        guard header.count == 20, header.starts(with: [0x7f, 0x45, 0x4c, 0x46]) else {
            throw .notALibrary("it is not a shared library")
        }
        guard header[16] == 3 else {
            throw .notALibrary("it is a different kind of ELF file")
        }
        let machine = Int(header[18]) | Int(header[19]) << 8
        guard header[4] == 2, machine == thisMachine else {
            throw .notALibrary("it was built for a different kind of processor")
        }
    }

    #if arch(x86_64)
        private static let thisMachine = 62
    #elseif arch(arm64)
        private static let thisMachine = 183
    #endif
}

/// A file that is read from the beginning and closed by itself.
private struct FileHandleBytes: ~Copyable {
    private let descriptor: CInt

    init?(_ path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    func first(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
            length = max(0, read(descriptor, buffer.baseAddress, count))
        }
    }
}
