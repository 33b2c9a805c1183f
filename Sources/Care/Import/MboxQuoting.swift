import FoundationEssentials
import Glibc

/// Every line that begins with “From ” gets a “>” before it, and every one that has some already gets one more
/// (mboxrd): so it can be undone exactly.
enum MboxQuoting {
    private static let from: [UInt8] = Array("From ".utf8)
    private static let quote = UInt8(ascii: ">")
    private static let newline = UInt8(ascii: "\n")

    /// Quotes a message that comes in pieces of any size, and holds none of it back.
    struct Writer {
        private enum State {
            /// Nothing but “>” since the line began.
            case lineStart
            /// So many letters of “From ” since then.
            case from(Int)
            case text
        }

        /// Whether line ends of the network become those of files.
        let dropsReturns: Bool
        private var state = State.lineStart
        private var holdsReturn = false

        init(dropsReturns: Bool) {
            self.dropsReturns = dropsReturns
        }

        mutating func add(_ piece: Data, to output: inout Data) {
            piece.withUnsafeBytes { bytes in
                var index = 0
                while index < bytes.count {
                    if holdsReturn {
                        holdsReturn = false
                        if bytes[index] != newline { output.append(UInt8(ascii: "\r")) }
                    }
                    switch state {
                    case .lineStart:
                        if bytes[index] == quote {
                            output.append(quote)
                            index += 1
                        } else {
                            state = .from(0)
                        }
                    case .from(let count) where count == from.count:
                        output.append(quote)
                        output.append(contentsOf: from)
                        state = .text
                    case .from(let count):
                        if bytes[index] == from[count] {
                            state = .from(count + 1)
                            index += 1
                        } else {
                            output.append(contentsOf: from.prefix(count))
                            state = .text
                        }
                    case .text:
                        index = copyLine(bytes, from: index, to: &output)
                    }
                }
            }
        }

        /// Copies up to the end of a line and returns where that is.
        private mutating func copyLine(
            _ bytes: UnsafeRawBufferPointer, from start: Int, to output: inout Data
        ) -> Int {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            let found = rest.baseAddress.flatMap { memchr($0, CInt(newline), rest.count) }
            let length = found.flatMap { end in rest.baseAddress?.distance(to: UnsafeRawPointer(end)) }
            var text = rest[..<(length ?? rest.count)]
            if dropsReturns, text.last == UInt8(ascii: "\r") {
                text = text.dropLast()
                holdsReturn = length == nil
            }
            output.append(contentsOf: text)
            guard let length else { return bytes.count }
            output.append(newline)
            state = .lineStart
            return start + length + 1
        }

        mutating func finish(_ output: inout Data) {
            if case .from(let count) = state {
                if count == from.count { output.append(quote) }
                output.append(contentsOf: from.prefix(count))
            }
            if holdsReturn { output.append(UInt8(ascii: "\r")) }
        }
    }

    /// Takes one “>” off every quoted line.
    ///
    /// - Parameter start: where the first line begins that is looked at.
    static func undone(_ text: Data, from start: Int = 0) -> Data {
        let text = text.startIndex == 0 ? text : Data(text)
        var output = Data()
        var (copied, next) = (0, start)
        while let place = text.place(of: ">From ", from: next) {
            next = place + 1
            guard let line = lineStart(of: place, in: text), line >= start else { continue }
            output.append(text[copied..<place])
            copied = place + 1
        }
        guard copied > 0 else { return text }
        output.append(text[copied...])
        return output
    }

    /// Whether a line begins with “From ” that is not quoted.
    static func hasUnquoted(_ text: Data, from start: Int) -> Bool {
        let text = text.startIndex == 0 ? text : Data(text)
        return text.place(of: "\nFrom ", from: max(0, start - 1)) != nil
    }

    /// Where the line begins that has nothing but “>” before this place.
    private static func lineStart(of place: Int, in text: Data) -> Int? {
        var start = place
        while start > 0, text[start - 1] == quote { start -= 1 }
        return start == 0 || text[start - 1] == newline ? start : nil
    }
}
