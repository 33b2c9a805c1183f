import Foundation
import Kernel
import TestSupport
import Testing

/// FR-OB-01, step 3: whether this disk is encrypted, on Linux with LUKS (platform.md).
@Suite("Whether the disk is encrypted") struct DiskEncryptionTests {
    private let place: TemporaryFolder

    init() throws {
        place = try TemporaryFolder()
    }

    /// A device with what lies below it.
    private func device(_ name: String, _ number: String, uuid: String? = nil, on below: [String] = []) throws
    {
        let folder = place.url.appending(path: "sys/devices/\(name)")
        let files = FileManager.default
        try files.createDirectory(at: folder.appending(path: "slaves"), withIntermediateDirectories: true)
        if let uuid { _ = try place.write(uuid + "\n", to: "sys/devices/\(name)/dm/uuid") }
        for other in below {
            try files.createSymbolicLink(
                atPath: folder.appending(path: "slaves/\(other)").path,
                withDestinationPath: place.url.appending(path: "sys/devices/\(other)").path)
        }
        let numbers = place.url.appending(path: "sys/dev/block")
        try files.createDirectory(at: numbers, withIntermediateDirectories: true)
        try files.createSymbolicLink(
            atPath: numbers.appending(path: number).path, withDestinationPath: folder.path)
    }

    private func mounts(_ lines: String...) throws {
        _ = try place.write(lines.joined(separator: "\n") + "\n", to: "proc/self/mountinfo")
    }

    private var found: DiskEncryption { .of(place.url, system: place.url) }

    @Test func aPlainDiskIsNot() throws {
        try device("sda2", "8:2")
        try mounts("1 0 8:2 / / rw - ext4 /dev/sda2 rw")
        #expect(found == .notEncrypted)
    }

    @Test func luksIs() throws {
        try device("sda2", "8:2")
        try device("dm-0", "253:0", uuid: "CRYPT-LUKS2-0123-root", on: ["sda2"])
        try mounts("1 0 253:0 / / rw,relatime shared:1 - ext4 /dev/mapper/root rw")
        #expect(found == .encrypted)
    }

    @Test func lvmOnLuksIsAndOnAPlainDiskIsNot() throws {
        try device("sda2", "8:2")
        try device("dm-0", "253:0", uuid: "CRYPT-LUKS2-0123-pv", on: ["sda2"])
        try device("dm-1", "253:1", uuid: "LVM-abc", on: ["dm-0"])
        try device("dm-2", "253:2", uuid: "LVM-def", on: ["dm-0", "sda2"])
        try mounts("1 0 253:1 / / rw - xfs /dev/mapper/vg-root rw")
        #expect(found == .encrypted)
        try mounts("1 0 253:2 / / rw - xfs /dev/mapper/vg-root rw")
        #expect(found == .notEncrypted, "one disk in clear is enough")
    }

    @Test func theFolderThatMattersIsItsOwnMount() throws {
        try device("sda1", "8:1")
        try device("dm-0", "253:0", uuid: "CRYPT-PLAIN-home", on: ["sda1"])
        let path = place.url.resolvingSymlinksInPath().path.replacing(" ", with: "\\040")
        try mounts(
            "1 0 8:1 / / rw - ext4 /dev/sda1 rw", "2 1 253:0 / \(path) rw - ext4 /dev/mapper/home rw",
            "3 1 8:1 / \(path)x rw - ext4 /dev/sda1 rw")
        #expect(found == .encrypted)
        try mounts("1 0 8:1 / / rw - ext4 /dev/sda1 rw", "2 1 0:50 / \(path) rw - fuse.gocryptfs /x rw")
        #expect(found == .encrypted)
    }

    @Test func whatCannotBeKnownIsSaidSo() throws {
        try mounts("1 0 0:22 / / rw - overlay overlay rw")
        #expect(found == .unknown)
        try mounts("nonsense", "")
        #expect(found == .unknown)
        #expect(DiskEncryption.of(place.url.appending(path: "none"), system: place.url) == .unknown)
        _ = try place.write("/disk.img\n", to: "sys/devices/loop0/loop/backing_file")
        try device("loop0", "7:0")
        try mounts("1 0 7:0 / / rw - ext4 /dev/loop0 rw")
        #expect(found == .unknown)
    }

    @Test func thisMachineIsAnswered() {
        let answer = DiskEncryption.of(FileManager.default.temporaryDirectory)
        #expect([.encrypted, .notEncrypted, .unknown].contains(answer))
    }
}
