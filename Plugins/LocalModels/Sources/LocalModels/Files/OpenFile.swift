import CLocalModels
import Files
import FoundationEssentials
import Glibc
import MailKernelAPI

typealias OpenFile = Files.OpenFile<ModelError>
typealias Folders = Files.Folders<ModelError>

// Both are this project's, so no other code declares it.
// swift-format-ignore: AvoidRetroactiveConformances
extension ModelError: @retroactive FileFailure {
    public static var full: ModelError { .noSpace(needed: 0, free: 0) }
    public static func unreadable(reason: String) -> ModelError {
        .failed(reason: "The files of the models cannot be read: \(reason).")
    }
    public static func unwritable(reason: String) -> ModelError {
        .failed(reason: "The files of the models cannot be written: \(reason).")
    }
}

extension OpenFile {
    /// For writing, made for the user alone if it is not there. Never through a link.
    static func writingModel(_ path: String) throws(ModelError) -> OpenFile {
        try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW)
    }

    /// For reading; nil if it cannot be, or is no file.
    static func readingModel(_ path: String) -> OpenFile? {
        // A pipe would wait for a writer.
        guard let file = try? OpenFile(path, O_RDONLY | O_NONBLOCK) else { return nil }
        var status = stat()
        guard fstat(file.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return file
    }

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
            guard written > 0 else { throw .writing() }
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
            default: throw .writing()
            }
        }
    }

    func cut(to size: Int) throws(ModelError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw .writing() }
    }

    /// Starts writing to the disk, so that `synchronize` has little left to do.
    func beginWriting(at offset: Int, count: Int) { clocalmodels_begin_writing(descriptor, offset, count) }
}
