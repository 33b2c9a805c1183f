import CIMAPZlib
import FoundationEssentials

/// The two directions of a compressed connection (RFC 4978).
///
/// Not `Sendable`: the connection that owns it is an actor.
struct Compression {
    enum Unpacked {
        case bytes(Data)
        case needsMore
        /// The other side has said that nothing more is packed: further bytes are invalid.
        case ended
        case damaged
    }

    private let deflater: Deflater
    private let inflater: Inflater

    /// - Parameter rest: bytes that arrived already packed.
    init?(after rest: Data) {
        guard let deflater = Deflater(), let inflater = Inflater() else { return nil }
        (self.deflater, self.inflater) = (deflater, inflater)
        inflater.push(rest)
    }

    func push(_ bytes: Data) { inflater.push(bytes) }

    func unpack() -> Unpacked {
        guard inflater.hasInput else { return .needsMore }
        guard let bytes = inflater.unpack() else { return .damaged }
        if !bytes.isEmpty { return .bytes(bytes) }
        return inflater.isEnded ? .ended : .needsMore
    }

    /// Nil on failure.
    func pack(_ bytes: Data) -> Data? { deflater.pack(bytes) }
}

/// zlib's stream to the other side, with its state on the heap, where zlib insists that it stays.
final class Deflater {
    private let stream: UnsafeMutablePointer<z_stream>

    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard imap_zlib_deflate_init(stream) == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// The bytes, packed, so that the other side can unpack all of them now. Nil on failure.
    func pack(_ bytes: Data) -> Data? {
        run(stream, bytes, limit: .max) { deflate($0, Z_SYNC_FLUSH) }?.output
    }
}

/// zlib's stream from the other side.
final class Inflater {
    private let stream: UnsafeMutablePointer<z_stream>
    private var input = Data()
    /// The other side has said that nothing more is packed.
    private(set) var isEnded = false

    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard imap_zlib_inflate_init(stream) == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    var hasInput: Bool { !input.isEmpty }

    func push(_ bytes: Data) { input.append(bytes) }

    /// The next bytes, unpacked, at most about 1 MiB: a few bytes can unpack to very many. Nil on failure.
    func unpack() -> Data? {
        if isEnded { return Data() }
        guard let step = run(stream, input, limit: 1 << 20, { inflate($0, Z_SYNC_FLUSH) }) else { return nil }
        input = Data(input.suffix(Int(stream.pointee.avail_in)))
        isEnded = step.isEnd
        return step.output
    }
}

/// Feeds `bytes` to a stream until they are used up, `limit` is reached or the stream ends.
private func run(
    _ stream: UnsafeMutablePointer<z_stream>, _ bytes: Data, limit: Int,
    _ step: (UnsafeMutablePointer<z_stream>) -> CInt
) -> (output: Data, isEnd: Bool)? {
    var input = [UInt8](bytes)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var output = Data()
    // zlib does not modify its input, although its header is not const.
    return input.withUnsafeMutableBufferPointer { input in
        stream.pointee.next_in = input.baseAddress
        stream.pointee.avail_in = CUnsignedInt(input.count)
        defer { stream.pointee.next_in = nil }
        repeat {
            let result = buffer.withUnsafeMutableBufferPointer { buffer in
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = CUnsignedInt(buffer.count)
                return step(stream)
            }
            stream.pointee.next_out = nil
            guard result == Z_OK || result == Z_BUF_ERROR || result == Z_STREAM_END else { return nil }
            let made = buffer.count - Int(stream.pointee.avail_out)
            output.append(contentsOf: buffer[..<made])
            if result == Z_STREAM_END { return (output, true) }
            if result != Z_OK { break }
        } while (stream.pointee.avail_out == 0 || stream.pointee.avail_in > 0) && output.count < limit
        return (output, false)
    }
}
