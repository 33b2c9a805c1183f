/// What `Tests/Tools/contacts` tells of a process, seen from outside of it: where it went, and what it asked for.
public struct Contacts: Decodable, Sendable {
    /// An address and a port, which are a list there.
    public struct Place: Decodable, Hashable, Sendable {
        public let address: String
        public let port: Int

        public init(from decoder: any Decoder) throws {
            var fields = try decoder.unkeyedContainer()
            address = try fields.decode(String.self)
            port = try fields.decode(Int.self)
        }
    }

    /// One for each connection that was begun.
    public let connected: [Place]
    public let sent: [Place]
    /// Names that were looked up.
    public let asked: [String]
    /// The paths of UNIX sockets.
    public let local: [String]
}
