import CMailKernelPlugin
import MailKernelAPI

/// What a library says it was built with. Plain bytes, read without running or trusting any Swift.
struct Descriptor {
    /// The bytes of magic, size and version, which never change their place.
    private static let firstFields = 16

    private let magic: UInt32
    private let size: Int
    private let api: APIVersion
    private let fingerprint: String
    private let swift: String

    init(reading memory: UnsafeMutableRawPointer) {
        magic = memory.loadUnaligned(as: UInt32.self)
        size = Int(memory.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        guard magic == MAILKERNEL_PLUGIN_MAGIC, size >= Self.firstFields else {
            // Nothing behind these two can be believed to be there.
            (api, fingerprint, swift) = (APIVersion(major: 0, minor: 0), "", "")
            return
        }
        api = APIVersion(
            major: Int(memory.loadUnaligned(fromByteOffset: 8, as: UInt32.self)),
            minor: Int(memory.loadUnaligned(fromByteOffset: 12, as: UInt32.self)))
        guard size >= MemoryLayout<mailkernel_descriptor>.size else {
            (fingerprint, swift) = ("", "")
            return
        }
        let raw = memory.loadUnaligned(as: mailkernel_descriptor.self)
        fingerprint = withUnsafeBytes(of: raw.fingerprint) { Self.text($0) }
        swift = withUnsafeBytes(of: raw.swift_version) { Self.text($0) }
    }

    func check() throws(Refusal) {
        guard magic == MAILKERNEL_PLUGIN_MAGIC else { throw .brokenDescriptor("its magic number is wrong") }
        // Before its size: the descriptor of another version may well be longer or shorter.
        guard size < Self.firstFields || api.isUsable else { throw .otherAPIVersion(plugin: api) }
        guard size >= MemoryLayout<mailkernel_descriptor>.size else {
            throw .brokenDescriptor(
                "its descriptor is \(size) bytes long instead of \(MemoryLayout<mailkernel_descriptor>.size)"
            )
        }
        // The compiler first: another one makes another layout even of the same source.
        guard swift == Self.programSwift else {
            throw .otherSwift(plugin: Self.readable(swift), program: Self.readable(Self.programSwift))
        }
        guard fingerprint == Self.programFingerprint else {
            throw .otherAPILayout(plugin: fingerprint, program: Self.programFingerprint)
        }
    }

    static let programSwift = APIVersion.compiler

    /// "60301, Clang 21.0.0 (…)" as "6.3.1, Clang 21.0.0 (…)"; anything else as it is.
    static func readable(_ swift: String) -> String {
        let digits = swift.prefix { $0.isNumber }
        guard let number = Int(digits), number >= 10_000 else { return swift }
        return "\(number / 10_000).\(number / 100 % 100).\(number % 100)" + swift.dropFirst(digits.count)
    }

    static let programFingerprint = APIVersion.fingerprint

    private static func text(_ field: UnsafeRawBufferPointer) -> String {
        // Printed in terminals and logs.
        let plain = field.prefix { $0 != 0 }.map { (32..<127).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: plain, as: UTF8.self)
    }
}

extension APIVersion {
    /// Whether a plugin of this version can be loaded by this program.
    var isUsable: Bool {
        major == APIVersion.current.major && minor <= APIVersion.current.minor
    }
}
