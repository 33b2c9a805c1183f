import FoundationEssentials
import Glibc

/// A file that is replaced whole: after a crash or a power cut it is the old one or the new one.
struct SealedFile {
    let path: String

    init(_ url: URL) {
        path = url.path
    }

    var isThere: Bool { access(path, F_OK) == 0 }

    func read() throws(VaultError) -> Data {
        // A vault holds some passwords and tokens; a file of megabytes is none.
        let limit = 16 << 20
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw problem() }
        defer { close(descriptor) }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw problem() }
            guard count > 0 else { return data }
            data.append(contentsOf: buffer[..<count])
            guard data.count <= limit else { throw .damaged(path: path) }
        }
    }

    func replace(with data: Data) throws(VaultError) {
        let place = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36)).new"
        let descriptor = open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw problem() }
        let isWritten = data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return fsync(descriptor) == 0
        }
        guard isWritten, rename(place, path) == 0 else {
            let error = problem()
            close(descriptor)
            unlink(place)
            throw error
        }
        close(descriptor)
        // The name is on disk only when the folder is.
        let folder = open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { throw problem() }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw problem() }
    }

    /// There being none is not an error.
    func remove() throws(VaultError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw problem() }
    }

    private func problem() -> VaultError {
        .failed(path: path, reason: String(cString: strerror(errno)))
    }
}
