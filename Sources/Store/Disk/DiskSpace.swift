import FoundationEssentials
import Glibc

/// How much room there is on the disk that keeps the mail.
package struct DiskSpace: Sendable {
    /// Below this, storage plugins reserve the remaining space for deletions.
    private static let least = 8 << 20

    private let folder: URL

    /// - Parameter folder: one that may not be there yet.
    package init(folder: URL) {
        self.folder = folder
    }

    /// In bytes.
    package var free: Int {
        var place = folder
        var status = statvfs()
        while statvfs(place.path, &status) != 0, place.path != "/" { place.deleteLastPathComponent() }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    package var isFull: Bool { free < Self.least }

    /// What the user reads while it is.
    package static let fullSentence =
        "The disk is full, so mail cannot be received or sent. You can read, search and delete mail. Permanently "
        + "delete mail or other files to continue. Nothing was lost."
}
