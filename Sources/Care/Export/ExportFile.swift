import FoundationEssentials
import Glibc

/// A file that is written for the user, without its name until all of it is on disk.
struct ExportFile: ~Copyable {
    private let place: ExportPlace
    private let descriptor: CInt

    init(_ place: ExportPlace) throws(ExportProblem) {
        self.place = place
        descriptor = open(place.unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ExportProblem(place.unfinished) }
    }

    deinit { close(descriptor) }

    func write(_ bytes: Data) throws(ExportProblem) {
        let isWritten = bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.write(descriptor, part.baseAddress, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
        guard isWritten else { throw ExportProblem(place.unfinished) }
    }

    /// The file has its name and is on disk when this returns.
    func finish() throws(ExportProblem) -> String {
        guard fsync(descriptor) == 0 else { throw ExportProblem(place.unfinished) }
        return try place.finish()
    }

    func discard() { place.discard() }
}
