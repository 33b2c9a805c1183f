import CGMime

/// An object of GMime's that we have to give back. It stays where it was made: it is neither copied nor
/// `Sendable`, so no two threads ever touch it.
struct Owned: ~Copyable {
    let pointer: UnsafeMutableRawPointer

    init?(_ pointer: UnsafeMutableRawPointer?) {
        guard let pointer else { return nil }
        self.pointer = pointer
    }

    deinit { cgmime_release(pointer) }
}

/// GMime, ready for use.
enum GMime {
    /// GMime keeps tables for the whole process; Swift sees to it that they are made once. They are read only
    /// from then on, but for its converters, which it locks.
    static let start: Void = cgmime_start()

    /// Text that GMime made for us, given back.
    static func take(_ text: UnsafeMutablePointer<CChar>?) -> String? {
        guard let text else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }

    static func text(_ text: UnsafePointer<CChar>?) -> String? {
        text.map { String(cString: $0) }
    }
}
