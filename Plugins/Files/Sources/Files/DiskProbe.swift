import Glibc

/// Finds out why a file cannot grow, by letting another beside it do so: SQLite does not report the
/// system's error code.
public enum DiskProbe {
    private static let room = 1 << 20

    /// The system's error code for the obstacle; that of a failing device if there is none.
    public static func error(beside path: String) -> CInt {
        let probe = path + "-probe"
        let file = open(probe, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return errno }
        defer {
            close(file)
            unlink(probe)
        }
        let bytes = [UInt8](repeating: 0xFF, count: room)
        let written = write(file, bytes, room)
        guard written == room else { return written < 0 ? errno : ENOSPC }
        var status = stat()
        // Files may be limited in size: this one reaches as far as the larger of the two could have.
        var largest: off_t = 0
        for path in [path, path + "-wal"] where stat(path, &status) == 0 {
            largest = max(largest, status.st_size)
        }
        guard pwrite(file, bytes, 1, largest + off_t(room)) == 1 else { return errno }
        return EIO
    }
}
