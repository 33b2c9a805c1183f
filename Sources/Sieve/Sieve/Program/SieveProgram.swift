/// A script that was checked and can decide about messages.
public struct SieveProgram: Sendable {
    let steps: [Step]
    let limits: SieveLimits
    /// The extensions that the script uses.
    public let extensions: Set<String>

    /// Checks a script. The error names the first mistake.
    public init(_ script: SieveScript, limits: SieveLimits = SieveLimits()) throws(SieveError) {
        var compiler = Compiler(limits: limits)
        steps = try compiler.compile(script)
        self.limits = limits
        extensions = compiler.required
    }

    /// Reads and checks a script.
    public init(parsing text: [UInt8], limits: SieveLimits = SieveLimits()) throws(SieveError) {
        try self.init(try SieveScript(parsing: text, limits: limits), limits: limits)
    }

    /// What scripts may require, sorted.
    public static var supportedExtensions: [String] { Extensions.supported.sorted() }
}
