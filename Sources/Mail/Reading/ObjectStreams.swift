import FoundationEssentials
import MessageFormat

/// Most objects of a PDF can be in compressed streams. They are unpacked as far as that is quick.
enum ObjectStreams {
    private static let mostBytes = 2_000_000
    /// Of all streams, and of those with objects.
    private static let most = (all: 5000, withObjects: 200)
    private static let longest = (packed: 64 * 1024, unpacked: 256 * 1024)
    /// What describes a stream stands before it, and is short.
    private static let dictionarySize = 400

    static func unpacked(_ file: [UInt8]) -> [UInt8] {
        let word = Array("stream".utf8)
        let starts = file.indices.lazy.filter { file.has(word, at: $0) }.prefix(most.all)
            .filter { holdsObjects(file[max(0, $0 - dictionarySize)..<$0]) }.prefix(most.withObjects)
        var found: [UInt8] = []
        for start in starts where found.count < mostBytes {
            let packed = file[(start + word.count)...].drop { $0 == 0x0D || $0 == 0x0A }
            let step = Inflater().run(Data(packed.prefix(longest.packed)), most: longest.unpacked)
            found += step.output
        }
        return found
    }

    private static func holdsObjects(_ dictionary: ArraySlice<UInt8>) -> Bool {
        unescaped(dictionary, escape: UInt8(ascii: "#")).lastPlace(of: Array("/ObjStm".utf8)) != nil
    }
}
