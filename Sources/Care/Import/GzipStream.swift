import FoundationEssentials
import Mail

/// A file that gzip compressed.
struct GzipStream: ByteStream {
    /// A small file can be made to expand a thousandfold. Mail expands five or ten times.
    private static let mostExpansion = 250
    private static let alwaysAllowed = 64_000_000
    private static let chunk = 1 << 18

    private let file: ReadOnlyFile
    private let inflater = Inflater()
    private(set) var consumed = 0
    private var input = Data()
    private var produced = 0
    private var isInsideMember = false
    private var isAtEnd = false
    private var isDamaged = false

    init(_ file: ReadOnlyFile) {
        self.file = file
    }

    mutating func read() throws(BrokenFile) -> Data {
        while !isAtEnd {
            if isDamaged {
                isAtEnd = true
                throw BrokenFile(reason: "the compressed file is damaged")
            }
            if input.isEmpty {
                input = file.read(at: consumed, count: Self.chunk)
                consumed += input.count
                guard !input.isEmpty else {
                    isAtEnd = true
                    guard !isInsideMember, consumed >= file.size else {
                        throw BrokenFile(reason: "the compressed file is incomplete")
                    }
                    break
                }
            }
            // Several compressed files in a row are one. What else follows the last one is padding.
            if !isInsideMember, input.first != 0x1F {
                isAtEnd = true
                consumed = file.size
                break
            }
            let output = try next()
            if !output.isEmpty { return output }
        }
        return Data()
    }

    private mutating func next() throws(BrokenFile) -> Data {
        isInsideMember = true
        let step = inflater.run(input, most: Self.chunk)
        isDamaged = step.isDamaged
        input = Data(input.dropFirst(step.used))
        if step.isEnd { isInsideMember = false }
        produced += step.output.count
        guard
            produced
                <= max(
                    Self.alwaysAllowed,
                    file.size.multipliedReportingOverflow(by: Self.mostExpansion).partialValue)
        else {
            isAtEnd = true
            throw BrokenFile(reason: "the compressed file expands to an implausible size")
        }
        return step.output
    }
}
