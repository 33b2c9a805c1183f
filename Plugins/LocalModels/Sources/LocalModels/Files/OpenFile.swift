import CLocalModels
import FoundationEssentials
import Glibc
import MailKernelAPI

/// An open file, closed when it is no longer held.
final class OpenFile: Sendable {
    let descriptor: CInt

    private init(_ descriptor: CInt) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// For writing, made for the user alone if it is not there. Never through a link.
    static func writing(_ path: String) throws(ModelError) -> OpenFile {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .fromSystem("The file of the model cannot be written") }
        return OpenFile(descriptor)
    }

    /// For reading; nil if it cannot be, or is no file.
    static func reading(_ path: String) -> OpenFile? {
        // A pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let file = OpenFile(descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return file
    }

    var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Locks the file for writing, also within this program. False if it is already locked.
    func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    func write(_ data: Data, at offset: Int) throws(ModelError) {
        var refusal: ModelError?
        data.withUnsafeBytes { bytes in
            do throws(ModelError) {
                try write(bytes, at: offset)
            } catch {
                refusal = error
            }
        }
        if let refusal { throw refusal }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(ModelError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let written = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw .fromSystem("The file of the model cannot be written") }
            done += written
        }
    }

    /// Writes to the disk itself, past the memory that the system keeps files in. All three have to be whole
    /// pages: the address, the count and the offset.
    ///
    /// - Returns: how much of it was written; nil if this file cannot be written so.
    func writePastCache(_ pages: UnsafeRawBufferPointer, at offset: Int) throws(ModelError) -> Int? {
        while true {
            let written = clocalmodels_write_past_cache(
                descriptor, pages.baseAddress, pages.count, off_t(offset))
            if written >= 0 { return written }
            switch errno {
            case EINTR: continue
            case EINVAL, EOPNOTSUPP: return nil
            default: throw .fromSystem("The file of the model cannot be written")
            }
        }
    }

    /// Up to `count` bytes from `offset` on; fewer only at the end.
    func read(at offset: Int, count: Int) throws(ModelError) -> Data {
        var data = Data(count: count)
        var filled = 0
        while filled < count {
            let got = data.withUnsafeMutableBytes {
                pread(
                    descriptor, $0.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled))
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .fromSystem("The file of the model cannot be read") }
            if got == 0 { break }
            filled += got
        }
        return filled == count ? data : data.prefix(filled)
    }

    func cut(to size: Int) throws(ModelError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else {
            throw .fromSystem("The file of the model cannot be written")
        }
    }

    /// Starts writing to the disk, so that `synchronize` has little left to do.
    func beginWriting(at offset: Int, count: Int) { clocalmodels_begin_writing(descriptor, offset, count) }

    /// Returns once the written data would survive a power cut.
    func synchronize() throws(ModelError) {
        guard fsync(descriptor) == 0 else { throw .fromSystem("The file of the model cannot be written") }
    }
}

extension ModelError {
    /// What the system just refused, in a sentence.
    static func fromSystem(_ what: String, _ code: CInt = errno) -> ModelError {
        // A quota and a limit on file sizes are full disks to everybody but the system.
        if [ENOSPC, EDQUOT, EFBIG].contains(code) { return .noSpace(needed: 0, free: 0) }
        return .failed(reason: "\(what): \(String(cString: strerror(code))).")
    }
}
