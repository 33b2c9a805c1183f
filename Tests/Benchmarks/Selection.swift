/// The figures to measure, as `--only` has them.
struct Selection {
    /// The beginning of an id; nil for all.
    var only: String?

    /// - Parameter part: an id, or the beginning of several.
    func includes(_ part: String) -> Bool {
        only.map { part.hasPrefix($0) || $0.hasPrefix(part) } ?? true
    }
}
