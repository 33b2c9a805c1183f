public import FoundationEssentials

/// A connection: which plugin, which server, when, how much data, and why.
public struct ConnectionEntry: Sendable, Hashable, Codable, Identifiable {
    public enum State: String, Sendable, Codable {
        /// It is there now.
        case open
        /// It was used and closed.
        case finished
        /// It came to nothing or broke; `problem` says how.
        case failed
        /// The program ended before the connection did. How much it carried is not known.
        case interrupted
    }

    public let id: String
    /// The id of the plugin that it was made for.
    public let plugin: String
    public let host: String
    public let port: Int
    /// Why, in the plugin's words; several when it was used again for something else.
    public var purposes: [String]
    /// The proxy that was asked to connect, without the name and password for it.
    public let proxy: String?
    public let start: Date
    public var end: Date?
    /// Bytes on the wire, encryption included.
    public var received: Int
    public var sent: Int
    /// How many requests it carried; 1 for a stream.
    public var requests: Int
    public var state: State
    public var problem: String?
}

/// A line of the file: that a connection begins, or how it ended.
enum LedgerLine: Codable {
    case began(Beginning)
    case ended(Ending)

    struct Beginning: Codable, Sendable {
        let connection: String
        let process: ProcessMark
        let began: Date
        let plugin: String
        let host: String
        let port: Int
        let purpose: String
        let proxy: String?
    }

    struct Ending: Codable, Sendable {
        let connection: String
        let ended: Date
        let received: Int
        let sent: Int
        let requests: Int
        let purposes: [String]
        let problem: String?
    }

    init(from decoder: any Decoder) throws {
        // Only a beginning has a plugin.
        do {
            self = .began(try Beginning(from: decoder))
        } catch {
            self = .ended(try Ending(from: decoder))
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .began(let line): try line.encode(to: encoder)
        case .ended(let line): try line.encode(to: encoder)
        }
    }
}

extension ConnectionEntry {
    init(_ line: LedgerLine.Beginning) {
        id = line.connection
        plugin = line.plugin
        host = line.host
        port = line.port
        purposes = [line.purpose]
        proxy = line.proxy
        start = line.began
        received = 0
        sent = 0
        requests = 1
        state = .open
    }

    mutating func end(_ line: LedgerLine.Ending) {
        end = line.ended
        received = line.received
        sent = line.sent
        requests = line.requests
        purposes = line.purposes
        problem = line.problem
        state = line.problem == nil ? .finished : .failed
    }
}
