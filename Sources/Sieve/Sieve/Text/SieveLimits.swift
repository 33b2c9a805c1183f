/// How much a script may be and do. What goes beyond is an error, never a slow program.
public struct SieveLimits: Sendable {
    /// Bytes of a script.
    public var scriptSize = 1 << 20
    /// Blocks and tests within one another.
    public var nesting = 32
    /// Commands and tests of a script.
    public var nodes = 20_000
    /// Strings in one list.
    public var listLength = 2_000
    /// Actions for one message.
    public var actions = 32
    /// Redirects of one message.
    public var redirects = 4
    /// Variables of a script.
    public var variables = 255
    /// Bytes that a variable keeps; longer values are cut.
    public var variableSize = 4_000
    /// Values that a match remembers as `${1}`, `${2}` and so on.
    public var matchValues = 32
    /// Parts of a message that are looked at, and how deep they may be nested.
    public var parts = 1_000
    /// How deep the parts of a message may be nested.
    public var partNesting = 32
    /// Instructions of a compiled regular expression.
    public var regexSize = 4_000
    /// Steps for one message: about one for each byte that a test looks at.
    public var steps = 50_000_000
    /// The beginnings of the URIs that `notify` takes.
    public var notifySchemes: Set<String> = ["mailto", "mailkernel"]

    public init() {}
}
