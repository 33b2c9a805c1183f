/// A page's remote content: loaded, blocked, and refused.
struct RemoteContent {
    private let remoteURL: ((String) -> String?)?
    private let isLoadable: (String) -> Bool
    /// Whether the current element is hidden: an image in it is a tracker.
    var isHidden = false
    /// Images that would load if the user asked for them.
    private(set) var blockedImages = 0
    private(set) var refused = SafeHTML.Refused()
    private(set) var trackers = 0

    init(remoteURL: ((String) -> String?)?, isLoadable: @escaping (String) -> Bool) {
        self.remoteURL = remoteURL
        self.isLoadable = isLoadable
    }

    enum Image {
        /// Where the page finds it. `wasPlain`: the message names it without encryption.
        case shown(String, wasPlain: Bool)
        case blocked
        case tracker
    }

    /// An image of another server.
    mutating func image(_ address: String, isTracker: Bool = false) -> Image {
        if isHidden || isTracker || TrackingPixel.isTrackerAddress(address) {
            trackers += 1
            return .tracker
        }
        guard let url = RemoteURL.encrypted(address) else {
            refused.insecure += 1
            return .blocked
        }
        guard isLoadable(url) else {
            refused.address += 1
            return .blocked
        }
        guard let shown = remoteURL?(url) else {
            blockedImages += 1
            return .blocked
        }
        return .shown(shown, wasPlain: RemoteURL.https(address) == nil)
    }

    /// A style sheet or a font.
    mutating func refuseStyle(_ count: Int = 1) { refused.style += count }

    /// Videos, frames and other embedded content.
    mutating func refuseOther(_ count: Int = 1) { refused.other += count }
}
