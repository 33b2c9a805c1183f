import CUnicodeSpoof

/// What Unicode knows of names that look like others: ICU's tables, with everything unsafe kept here.
final class UnicodeNames: @unchecked Sendable {
    // @unchecked: both handles are set once and never changed, and ICU reads them from any thread.
    private let checker: UnsafeMutableRawPointer?
    private let idna: UnsafeMutableRawPointer?

    /// Opening takes milliseconds, and it is needed for one name in a thousand.
    static let shared = UnicodeNames()

    private init() {
        checker = cunicode_open_spoof()
        idna = cunicode_open_idna()
    }

    /// Whether a name mixes scripts that no language does, or has characters that no language of today uses, or that
    /// cannot be seen.
    func mixesScripts(_ name: String) -> Bool {
        guard let checker, let length = Self.length(of: name) else { return true }
        return cunicode_mixes(checker, name, length) != 0
    }

    /// Equal for names that look the same; nil if it cannot be told.
    func skeleton(of name: String) -> String? {
        guard let checker, let length = Self.length(of: name) else { return nil }
        return Self.text { cunicode_skeleton(checker, name, length, $0, $1) }
    }

    /// The host in readable form; nil if it is invalid.
    func readable(_ host: String) -> String? {
        guard let idna, let length = Self.length(of: host) else { return nil }
        return Self.text { cunicode_host(idna, false, host, length, $0, $1) }
    }

    /// The host in ASCII form; nil if it is invalid.
    func ascii(_ host: String) -> String? {
        guard let idna, let length = Self.length(of: host) else { return nil }
        return Self.text { cunicode_host(idna, true, host, length, $0, $1) }
    }

    /// The letters of the main language of a country, by the ending of its hosts; empty for other endings.
    func alphabet(ofCountry ending: String) -> Set<Unicode.Scalar> {
        guard ending.utf8.count == 2 else { return [] }
        return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 2000) { buffer in
            guard let start = buffer.baseAddress else { return [] }
            let count = cunicode_alphabet(ending, start, Int32(buffer.count))
            return Set(buffer.prefix(max(Int(count), 0)).compactMap(Unicode.Scalar.init))
        }
    }

    /// No host is longer than 253 letters; what mail calls one may be.
    private static func length(of name: String) -> Int32? {
        let count = name.utf8.count
        return count <= 1000 && !name.utf8.contains(0) ? Int32(count) : nil
    }

    private static func text(_ write: (UnsafeMutablePointer<CChar>, Int32) -> Int32) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 8000) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = write(start, Int32(buffer.count))
            guard count >= 0, count <= buffer.count else { return nil }
            return String(decoding: buffer.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
