import CZlib
import FoundationEssentials

/// zlib's state, for data that gzip or zlib compressed.
///
/// `@unchecked Sendable`: it belongs to one stream, which one task reads.
package final class Inflater: @unchecked Sendable {
    // zlib keeps a pointer to it, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let isReady: Bool

    package init() {
        stream.initialize(to: z_stream())
        isReady = czlib_inflate_begin(stream) == Z_OK
    }

    deinit {
        if isReady { inflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    package struct Step {
        /// The unpacked bytes, including those before damage.
        package var output = Data()
        package var used = 0
        package var isEnd = false
        package var isDamaged = false
    }

    package func run(_ input: Data, most: Int) -> Step {
        guard isReady else { return Step(isDamaged: true) }
        var output = Data(count: most)
        var input = input
        let count = input.count
        let status = input.withUnsafeMutableBytes { source in
            output.withUnsafeMutableBytes { target in
                stream.pointee.next_in = source.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_in = UInt32(clamping: count)
                stream.pointee.next_out = target.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_out = UInt32(clamping: most)
                return inflate(stream, Z_NO_FLUSH)
            }
        }
        var step = Step()
        step.used = count - Int(stream.pointee.avail_in)
        step.output = Data(output.prefix(most - Int(stream.pointee.avail_out)))
        step.isEnd = status == Z_STREAM_END
        step.isDamaged =
            step.isEnd ? inflateReset(stream) != Z_OK : ![Z_OK, Z_BUF_ERROR].contains(status)
        return step
    }
}
