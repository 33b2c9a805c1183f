/// Counts the steps that a script takes on one message, and ends it when they are too many.
final class Budget {
    private var left: Int

    init(_ steps: Int) {
        left = steps
    }

    func spend(_ steps: Int = 1) throws(SieveError) {
        left -= steps
        if left < 0 { throw SieveError("The script takes too many steps on this message.") }
    }
}
