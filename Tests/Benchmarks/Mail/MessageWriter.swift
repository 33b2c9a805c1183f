import Glibc
import TestSupport

/// Writes words, sentences and letters in one language.
struct MessageWriter {
    let language: Language
    var random: SeededRandom

    mutating func words(_ count: Int) -> String {
        var text = ""
        for number in 0..<count {
            if number > 0 { text += language.separator }
            text += language.word(&random)
        }
        return text
    }

    /// A number of words around a median, seldom many times it.
    mutating func length(median: Double, widest: Double) -> Int {
        let spread = (Double.random(in: 0..<1, using: &random) + Double.random(in: 0..<1, using: &random)) - 1
        return max(4, Int(median * (spread * widest.logarithm).exponential))
    }

    /// Sentences in paragraphs.
    mutating func text(words: Int) -> String {
        var text = ""
        var left = words
        var sentences = 0
        while left > 0 {
            let length = min(left, Int.random(in: 5...16, using: &random))
            text += self.words(length)
            text += language.fullStop
            left -= length
            sentences += 1
            if sentences % 4 == 0 { text += "\n\n" }
        }
        return text
    }

    /// What one person writes to another, above a piece of what is answered.
    mutating func letter(quoting quoted: Language?) -> String {
        var text = language.greeting + ",\n\n" + self.text(words: length(median: 70, widest: 6))
        if random.next() % 8 == 0 { text += " 😀👍\n" }
        if quoted != nil {
            text += "\n\n"
            for _ in 0..<Int.random(in: 2...10, using: &random) { text += "> " + words(11) + "\n" }
        }
        return text + "\n-- \n" + language.name(&random)
    }
}

extension Double {
    var exponential: Double { exp(self) }
    var logarithm: Double { log(self) }
}
