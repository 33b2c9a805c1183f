import FoundationEssentials

/// One response as it came: its text, in which `{n}` and a line end stand for each literal.
struct RawResponse: Equatable {
    var text: [UInt8] = []
    /// Nil for one that was streamed or too large to keep.
    var literals: [Data?] = []
}
