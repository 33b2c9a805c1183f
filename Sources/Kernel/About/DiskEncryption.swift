import FoundationEssentials
import Glibc

/// Whether the disk under a folder is encrypted, as far as the system tells.
package enum DiskEncryption: String, Sendable {
    case encrypted, notEncrypted, unknown

    /// Looks through what Linux says of mounts and block devices, which takes no rights. Folders that a file
    /// system encrypts one by one are not recognized.
    ///
    /// - Parameters:
    ///   - system: where `sys` and `proc` are.
    package static func of(_ folder: URL, system: URL = URL(filePath: "/")) -> DiskEncryption {
        guard let path = realpath(folder.path, nil) else { return .unknown }
        defer { free(path) }
        guard let mount = Mount.holding(String(cString: path), system: system) else { return .unknown }
        if mount.encryptsItself { return .encrypted }
        return of(device: mount.device, source: mount.source, system: system)
    }

    private static func of(device: String, source: String, system: URL) -> DiskEncryption {
        let devices = system.appending(path: "sys/dev/block")
        if let known = BlockDevice(devices.appending(path: device)) { return known.encryption(depth: 0) }
        // File systems on several disks have their own device number; their source is one of the disks.
        var status = stat()
        guard source.hasPrefix("/dev/"), stat(source, &status) == 0 else { return .unknown }
        // As the macros of sysmacros.h take them apart.
        let (device, low) = (UInt64(status.st_rdev), UInt64(0xfff))
        let major = (device >> 8 & low) | (device >> 32 & ~low)
        let number = "\(major):\((device & 0xff) | (device >> 12 & ~0xff))"
        return BlockDevice(devices.appending(path: number))?.encryption(depth: 0) ?? .unknown
    }
}

/// A line of `/proc/self/mountinfo`.
private struct Mount {
    var device: String
    var path: String
    var kind: String
    var source: String

    /// File systems that write nothing in clear.
    var encryptsItself: Bool {
        ["ecryptfs", "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs", "fuse.securefs"].contains(kind)
    }

    static func holding(_ path: String, system: URL) -> Mount? {
        guard
            let data = FileManager.default.contents(
                atPath: system.appending(path: "proc/self/mountinfo").path)
        else { return nil }
        // The last mount at a path hides earlier ones.
        return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { Mount($0) }
            .filter { $0.holds(path) }
            .enumerated().max {
                ($0.element.path.utf8.count, $0.offset) < ($1.element.path.utf8.count, $1.offset)
            }?
            .element
    }

    private init?(_ line: Substring) {
        let fields = line.split(separator: " ")
        guard let dash = fields.firstIndex(of: "-"), dash > 5, fields.count > dash + 2 else { return nil }
        device = String(fields[2])
        path = Self.unescaped(fields[4])
        kind = String(fields[dash + 1])
        source = Self.unescaped(fields[dash + 2])
    }

    private func holds(_ other: String) -> Bool {
        path == "/" || other == path || other.hasPrefix(path + "/")
    }

    /// Spaces and the like are written as octal numbers.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"),
                let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A disk, a part of one, or something that is mapped onto others.
private struct BlockDevice {
    let folder: URL

    init?(_ folder: URL) {
        guard access(folder.path, F_OK) == 0 else { return nil }
        self.folder = folder
    }

    func encryption(depth: Int) -> DiskEncryption {
        guard depth < 16 else { return .unknown }
        if text("dm/uuid")?.hasPrefix("CRYPT-") == true { return .encrypted }
        let below = slaves
        if below.isEmpty {
            // A file on another disk, or one over the network, of which nothing is known here.
            let isReal = text("dm/uuid") == nil && text("loop/backing_file") == nil && !isNetwork
            return isReal ? .notEncrypted : .unknown
        }
        let all = Set(below.map { $0.encryption(depth: depth + 1) })
        // One disk in clear is enough.
        return all.contains(.notEncrypted) ? .notEncrypted : all == [.encrypted] ? .encrypted : .unknown
    }

    private var slaves: [BlockDevice] {
        let place = folder.appending(path: "slaves")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
        return names.compactMap { BlockDevice(place.appending(path: $0)) }
    }

    private var isNetwork: Bool {
        folder.resolvingSymlinksInPath().lastPathComponent.hasPrefix("nbd")
    }

    private func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: folder.appending(path: name).path)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
