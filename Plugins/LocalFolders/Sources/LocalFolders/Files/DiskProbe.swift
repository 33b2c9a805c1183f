import Glibc

/// Finds out why a file cannot grow, by letting another beside it do so: the number that the system gave
/// is lost by the time that SQLite has said that something went wrong.
enum DiskProbe {
    private static let room = 1 << 20

    static func error(beside path: String) -> FolderError {
        let probe = path + "-probe"
        let file = open(probe, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return .writing() }
        defer {
            close(file)
            unlink(probe)
        }
        let bytes = [UInt8](repeating: 0xFF, count: room)
        let written = write(file, bytes, room)
        guard written == room else { return written < 0 ? .writing() : .full }
        var status = stat()
        // Files may be limited in size: this one reaches as far as the larger of the two could have.
        var largest: off_t = 0
        for path in [path, path + "-wal"] where stat(path, &status) == 0 {
            largest = max(largest, status.st_size)
        }
        guard pwrite(file, bytes, 1, largest + off_t(room)) == 1 else { return .writing() }
        return .unusable("the disk reports an error")
    }
}
