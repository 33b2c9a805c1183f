import MailKernelAPI

/// Servers that process only so many messages in one command, and say so (RFC 9738).
extension IMAPConnection {
    /// The most messages that a command may name; nil for any number.
    var messageLimit: Int? {
        capabilities.lazy.compactMap { name in
            name.hasPrefix("MESSAGELIMIT=") ? Int(name.dropFirst(13)) : nil
        }.first { $0 > 0 }
    }

    /// Each answer has at least one message: no mailbox needs more.
    private static var mostRepetitions: Int { 100_000 }

    /// Fetches items of messages, as often as a server needs that leaves some out.
    func fetch(
        _ uids: UIDSet, _ items: String, changedSince: UInt64? = nil, most: Int? = nil
    ) async throws(AccountError) -> Result {
        var result = try await perform(.fetch(uids, items, changedSince: changedSince), most: most)
        var rest = uids
        for _ in 0..<Self.mostRepetitions {
            guard let left = try result.leftOut(of: rest), !left.isEmpty else { return result }
            rest = left
            let more = try await perform(.fetch(rest, items, changedSince: changedSince), most: most)
            result = result.followed(by: more)
        }
        throw .badAnswer("the server leaves out messages without end")
    }

    /// The answers to a search, asked again as long as the server has not looked at all messages.
    func searchAll(
        _ command: @escaping ((Command) -> Command) -> Command, _ criteria: (Command) -> Command
    ) async throws(AccountError) -> Result {
        var result = try await perform(command(criteria)).orThrow()
        var rest = UIDSet(1...(.max))
        for _ in 0..<Self.mostRepetitions {
            guard let left = try result.leftOut(of: rest), !left.isEmpty else { return result }
            rest = left
            let more = try await perform(command { criteria($0.raw("UID").raw(left.wire)) }).orThrow()
            result = result.followed(by: more)
        }
        throw .badAnswer("the server leaves out messages without end")
    }
}

extension IMAPConnection.Result {
    /// The messages that the server did not get to; nil if it has processed all.
    fileprivate func leftOut(of uids: UIDSet) throws(AccountError) -> UIDSet? {
        guard isOK, case .messageLimit(_, let lowest?) = code else { return nil }
        // Messages that are not mentioned would be taken for gone.
        guard let last = uids.last, lowest <= last else {
            throw .badAnswer("the server repeats its limit without progress")
        }
        return lowest > 1 ? uids.limited(to: 1...(lowest - 1)) : nil
    }

    fileprivate func followed(by more: Self) -> Self {
        let completion = IMAPSession.Completion(
            tag: more.completion.tag, command: more.completion.command, status: more.completion.status,
            malformed: completion.malformed + more.completion.malformed)
        return Self(completion: completion, responses: responses + more.responses)
    }
}
