import MailKernelAPI

/// A filter as a service is asked: with the service's names of mailboxes, and without what only this program knows.
package struct ServiceFilter {
    /// Matches everything that the filter does, and perhaps more.
    package let filter: EmailFilter

    package init(_ filter: MailFilter, _ map: RemoteMap) {
        self.filter = Reader(map: map).wide(filter)
    }

    private struct Reader {
        let map: RemoteMap

        func wide(_ filter: MailFilter) -> EmailFilter { read(filter, isWide: true) }

        /// - Parameter isWide: whether the answer may match more, instead of less.
        private func read(_ filter: MailFilter, isWide: Bool) -> EmailFilter {
            switch filter {
            case .all(let filters): .and(filters.map { read($0, isWide: isWide) })
            case .any(let filters): .or(filters.map { read($0, isWide: isWide) })
            case .none(let filters): .not(filters.map { read($0, isWide: !isWide) })
            // Which files they are is seen in what the service finds.
            case .attachment: isWide ? .hasAttachment(true) : .or([])
            case .stored(let filter): read(filter, isWide: isWide)
            }
        }

        private func read(_ filter: EmailFilter, isWide: Bool) -> EmailFilter {
            switch filter {
            case .and(let filters): .and(filters.map { read($0, isWide: isWide) })
            case .or(let filters): .or(filters.map { read($0, isWide: isWide) })
            case .not(let filters): .not(filters.map { read($0, isWide: !isWide) })
            case .inMailbox(let id): map.remote(id).map { .inMailbox(Id($0.rawValue)) } ?? .or([])
            case .inMailboxOtherThan(let ids):
                .inMailboxOtherThan(ids.compactMap { map.remote($0) }.map { Id($0.rawValue) })
            case .before, .after, .minSize, .maxSize, .hasKeyword, .notKeyword, .hasAttachment, .text, .from,
                .to, .cc, .bcc, .subject, .body, .header, .inRole:
                filter
            case .category, .allInThreadHaveKeyword, .someInThreadHaveKeyword, .noneInThreadHaveKeyword:
                isWide ? .and([]) : .or([])
            }
        }
    }
}
