import MailKernelAPI
import Store

/// The open windows of the page, and which of them are visible.
///
/// A window is open while its event stream is being read. Undo timers, notifications and the interval of
/// fetching depend on this.
package actor Presence {
    package struct Window: Sendable, Hashable {
        package let id: String
        package var isVisible: Bool
    }

    package static let dataType = DataType(rawValue: "Window")

    /// Streams per window: the page may open its next one before the last has ended.
    private var streams: [String: Int] = [:]
    private var hidden: Set<String> = []
    private var revision = 0
    private let news: StateNews

    package init(news: StateNews) {
        self.news = news
    }

    package var windows: [Window] {
        streams.keys.sorted().map { Window(id: $0, isVisible: !hidden.contains($0)) }
    }

    package var isAnyOpen: Bool { !streams.isEmpty }
    package var isAnyVisible: Bool { streams.keys.contains { !hidden.contains($0) } }
    package var state: State { news.state(revision) }

    package func opened(_ id: String) {
        streams[id, default: 0] += 1
        if streams[id] == 1 { changed() }
    }

    package func closed(_ id: String) {
        guard let count = streams[id] else { return }
        guard count == 1 else {
            streams[id] = count - 1
            return
        }
        streams[id] = nil
        hidden.remove(id)
        changed()
    }

    /// Returns whether there is such a window.
    package func setVisible(_ isVisible: Bool, _ id: String) -> Bool {
        guard streams[id] != nil else { return false }
        let isChange = isVisible ? hidden.remove(id) != nil : hidden.insert(id).inserted
        if isChange { changed() }
        return true
    }

    private func changed() {
        revision += 1
        news.publish([CommitResult.StateChange(Self.dataType, in: nil, state)])
    }
}
