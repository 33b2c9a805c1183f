public import FoundationEssentials

/// What a server of mail says about who signs people in for it (RFC 9728).
public struct ResourceMetadata: Sendable, Hashable {
    /// To the letter: the server that signs people in is told it (RFC 8707).
    public let resource: String
    /// The servers that sign people in, at least one.
    public let issuers: [URL]

    private static let mostIssuers = 10

    /// - Parameters:
    ///   - bytes: the answer, which may be anything.
    ///   - asked: the address that was refused without a token. The resource is there, or it is above it.
    init(_ bytes: Data, of asked: URL) throws(DiscoveryFailure) {
        guard bytes.count <= ServerMetadata.sizeLimit,
            let answer = try? JSONDecoder().decode(Answer.self, from: bytes), let text = answer.resource,
            let issuers = answer.issuers, issuers.count <= Self.mostIssuers
        else { throw .notUnderstood }
        guard let resource = WebPlace.read(text) else { throw .unsafePlace }
        let (above, below) = (WebPlace.path(resource) + "/", WebPlace.path(asked) + "/")
        guard WebPlace.origin(resource) == WebPlace.origin(asked), below.hasPrefix(above) else {
            throw .otherIssuer
        }
        self.resource = text
        self.issuers = issuers.compactMap { text in
            ServerDiscovery.issuer(text).flatMap { WebPlace.mayName($0, from: asked) ? $0 : nil }
        }
        guard !self.issuers.isEmpty else { throw .unsafePlace }
    }

    private struct Answer: Decodable {
        let resource: String?
        let issuers: [String]?

        enum CodingKeys: String, CodingKey {
            case resource
            case issuers = "authorization_servers"
        }
    }

    /// Where it is, as an answer with the status 401 says.
    ///
    /// - Parameters:
    ///   - challenge: the field `WWW-Authenticate`.
    ///   - asked: the address that was refused. Only a place of the same server is taken.
    public static func place(in challenge: String?, of asked: URL) -> URL? {
        guard let challenge, challenge.utf8.count <= 8_192,
            let place = Challenge.value(of: "resource_metadata", in: challenge).flatMap(WebPlace.read),
            WebPlace.origin(place) == WebPlace.origin(asked)
        else { return nil }
        return place
    }
}

/// The field `WWW-Authenticate` (RFC 9110, 11.6.1).
enum Challenge {
    /// The first parameter of this name, in whichever challenge.
    static func value(of name: String, in field: String) -> String? {
        var rest = Substring(field)
        while !rest.isEmpty {
            let word = rest.prefix { !" \t,=\"".contains($0) }
            rest = rest.dropFirst(word.count).drop { " \t".contains($0) }
            guard rest.first == "=" else {
                rest = rest.drop { " \t,".contains($0) }
                // A quotation mark outside of a value: not what the standard allows.
                if rest.first == "\"" { return nil }
                continue
            }
            rest = rest.dropFirst().drop { " \t".contains($0) }
            guard let value = value(&rest) else { return nil }
            if word.lowercased() == name { return value }
        }
        return nil
    }

    private static func value(_ rest: inout Substring) -> String? {
        guard rest.first == "\"" else {
            let word = rest.prefix { !" \t,".contains($0) }
            rest = rest.dropFirst(word.count)
            return String(word)
        }
        rest = rest.dropFirst()
        var value = ""
        while let character = rest.popFirst() {
            switch character {
            case "\"": return value
            case "\\": if let escaped = rest.popFirst() { value.append(escaped) }
            default: value.append(character)
            }
        }
        return nil
    }
}
