import FoundationEssentials

/// Information about the program: its version and its components, as recorded by the build.
package struct About: Sendable {
    /// The license of one part.
    package struct License: Sendable, Hashable {
        package var name: String
        package var version: String
        /// Its short name, such as “MIT”; empty if only the text says it.
        package var license: String
        package var text: String
    }

    package let version: String
    /// Where the privacy policy is in the page.
    package static let ownPrivacyPolicy = "/docs/privacy.html"

    private let facts: URL?
    private let data: URL?

    /// - Parameters:
    ///   - facts: the folder that the build wrote; nil if it wrote none.
    ///   - data: the folder that keeps the mail; nil if there is none.
    init(version: String, facts: URL?, data: URL?) {
        self.version = version
        self.facts = facts
        self.data = data
    }

    /// Tells builds of one version apart.
    package var build: String { fact("build") ?? "unknown" }

    /// The URL on the services' consent screens, if the builder of this program provided one.
    package var privacyPolicy: String { fact("privacy-url") ?? Self.ownPrivacyPolicy }

    /// Of everything that is linked or bundled, the program itself first.
    package var licenses: [License] {
        (fact("list") ?? "").split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 4, let text = fact("texts/" + fields[3]) else { return nil }
            return License(name: fields[0], version: fields[1], license: fields[2], text: text)
        }
    }

    package var diskEncryption: DiskEncryption { data.map { DiskEncryption.of($0) } ?? .unknown }

    private func fact(_ name: String) -> String? {
        guard let facts, let data = FileManager.default.contents(atPath: facts.appending(path: name).path)
        else { return nil }
        var text = Substring(decoding: data, as: UTF8.self)
        while text.last == "\n" { text.removeLast() }
        return text.isEmpty ? nil : String(text)
    }
}
