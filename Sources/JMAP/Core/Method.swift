import MailKernelAPI

/// A method: its name, the capability it requires, and its implementation.
struct Method: Sendable {
    typealias Body =
        @Sendable (inout RequestContext, inout Arguments) async throws(MethodError) -> [String: JSONValue]

    let name: String
    let capability: Capability
    let run: Body

    /// Whether its answer can be withheld: then it is as if it had not been called.
    var onlyReads: Bool {
        name == "Core/echo"
            || ["/get", "/changes", "/query", "/queryChanges", "/parse"].contains { name.hasSuffix($0) }
    }

    init(_ name: String, _ capability: Capability, _ run: @escaping Body) {
        self.name = name
        self.capability = capability
        self.run = run
    }

    /// Everything that can be called.
    static let all: [String: Method] = Dictionary(
        (core + mailbox + thread + email + searchSnippet + identity + submission + vendor).map {
            ($0.name, $0)
        },
        uniquingKeysWith: { first, _ in first })
}
