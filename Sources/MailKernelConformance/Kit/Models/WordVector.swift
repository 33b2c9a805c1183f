/// Which words a text has, as a vector: texts with the same words lie near each other.
enum WordVector {
    private static let dimensions = 64
    /// Texts are cut here.
    private static let longest = 512

    static func words(of text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    static func vector(of text: String) -> [Float] {
        var vector = [Float](repeating: 0, count: dimensions)
        // So that a text without words has a direction too.
        vector[0] = 0.01
        for word in words(of: text).prefix(longest) {
            vector[Int(hash(word) % UInt64(dimensions))] += 1
        }
        let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return vector.map { $0 / length }
    }

    /// FNV-1a: unlike `hashValue`, the same in every process.
    private static func hash(_ word: String) -> UInt64 {
        word.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
