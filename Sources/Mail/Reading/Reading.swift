import MailKernelAPI
import MessageFormat
import Store
import Synchronization

/// An email as it is shown.
package struct EmailView: Sendable {
    package var id: Id<Email>
    /// The content for a separate frame; nil if the message has no text.
    package var page: SafeHTML?
    /// Whether parts of the message are nested too deeply to be read.
    package var hasDeeperParts = false
    /// Images of other servers that are still coming.
    package var pendingImageCount = 0
    package var isSenderTrusted: Bool
    /// Attachments that can do harm when they are opened.
    package var risks: [(blobID: Id<Blob>, risk: AttachmentRisk)]
    /// Warnings about the hosts of links, keyed by their ASCII form.
    package var linkWarnings: [String: String]
}

/// Makes mail safe to look at.
package struct Reading: Sendable {
    let store: MailStore
    package let images: RemoteImages
    package let trustedSenders: TrustedSenders
    package let recentSearches: RecentSearches

    package init(store: MailStore, images: RemoteImages, ids: IDMaker) {
        self.store = store
        self.images = images
        trustedSenders = TrustedSenders(store: store, ids: ids)
        recentSearches = RecentSearches(store: store, ids: ids)
    }

    /// - Parameters:
    ///   - loadsRemote: the user asked for the images of other servers. Those of trusted senders load anyway.
    ///   - maxBytes: of each message's text so much is shown, before it is made safe; nil for as much as can be.
    ///   - address: where the page finds a blob.
    /// - Returns: those that exist, in the order of `ids`.
    package func views(
        of ids: [Id<Email>], in accountID: Id<Account>, loadsRemote: Bool, maxBytes: Int? = nil,
        address: @escaping @Sendable (Id<Blob>, _ type: String, _ name: String) -> String
    ) async throws(StorageError) -> [EmailView] {
        let trusted = Set(try await trustedSenders.all().map(\.email))
        var views: [EmailView] = []
        var remote: [Id<Email>: Set<Id<Blob>>] = [:]
        for stored in try await store.read.emails(ids, in: accountID) {
            guard let body = try await store.read.body(of: stored.email.id, in: accountID) else {
                continue
            }
            let author = TrustedSenders.onlyAuthor(of: stored.email.header, body.headers)
            let isTrusted = author.map(trusted.contains) ?? false
            let parts = BodyParts.split(body.structure)
            let named = Mutex(Set<Id<Blob>>())
            let page = page(
                of: body, parts, loadsRemote: (loadsRemote || isTrusted) && images.isPossible,
                maxBytes: maxBytes
            ) { id, type, name in
                if RemoteImages.isOne(id) { named.withLock { _ = $0.insert(id) } }
                return address(id, type, name)
            }
            remote[stored.email.id] = named.withLock { $0 }
            let heads = AttachmentHeads(accountID: accountID, store: store)
            let looks = (page?.linkHosts ?? []).map(HostLook.init)
            views.append(
                EmailView(
                    id: stored.email.id, page: page, hasDeeperParts: Self.hasDeeperParts(body),
                    isSenderTrusted: isTrusted,
                    risks: try await heads.risks(of: parts.attachments, in: stored.email.id),
                    linkWarnings: Dictionary(
                        looks.compactMap { look in look.warning.map { (look.shown, $0) } },
                        uniquingKeysWith: { first, _ in first })))
        }
        return await withImages(remote, views)
    }

    /// Messages with remote images wait for them together, for a moment.
    private func withImages(_ remote: [Id<Email>: Set<Id<Blob>>], _ views: [EmailView]) async -> [EmailView] {
        let all = remote.values.reduce(into: Set()) { $0.formUnion($1) }
        guard !all.isEmpty, await images.fetch(all) > 0 else { return views }
        return views.map { view in
            var view = view
            view.pendingImageCount = images.coming(of: remote[view.id] ?? [])
            return view
        }
    }

    private func page(
        of body: EmailBody, _ parts: BodyParts, loadsRemote: Bool, maxBytes: Int?,
        address: @escaping @Sendable (Id<Blob>, String, String) -> String
    ) -> SafeHTML? {
        let embedded = EmbeddedParts(of: body)
        var pages: [SafeHTML] = []
        var left = maxBytes
        for part in parts.shown(of: body) {
            if let left, left <= 0 || pages.count >= Self.mostPages {
                if !pages.isEmpty { pages[pages.count - 1].isTruncated = true }
                break
            }
            guard
                let page = page(
                    of: part, in: body, embedded, loadsRemote: loadsRemote, maxBytes: left, address: address)
            else { continue }
            pages.append(page)
            if let bytes = left {
                left = bytes - (part.partID.flatMap { body.values[$0] }?.value.utf8.count ?? 0)
            }
        }
        return pages.isEmpty ? nil : SafeHTML.joined(pages)
    }

    /// Of a message that is asked for in part so many are shown: images and empty texts have no length.
    private static let mostPages = 1000

    private func page(
        of part: EmailBodyPart, in body: EmailBody, _ embedded: EmbeddedParts, loadsRemote: Bool,
        maxBytes: Int?,
        address: @escaping @Sendable (Id<Blob>, String, String) -> String
    ) -> SafeHTML? {
        if part.type.hasPrefix("image/"), let blobID = part.blobID {
            return SafeHTML.image(at: address(blobID, part.type, part.name ?? "image"), text: part.name ?? "")
        }
        guard let value = part.partID.flatMap({ body.values[$0] }) else { return nil }
        var page: SafeHTML
        if part.type == "text/html" {
            var sanitizer = HTMLSanitizer()
            sanitizer.limit = min(sanitizer.limit, maxBytes ?? .max)
            sanitizer.isLoadable = { [images] url in images.isPossible && RemoteImages.url(url) != nil }
            if loadsRemote {
                sanitizer.remoteURL = { [images] url in
                    images.name(of: url).map { address($0, "application/octet-stream", "image") }
                }
            }
            let own: @Sendable (EmailBodyPart?) -> String? = { part in
                part.flatMap { part in part.blobID.map { address($0, part.type, part.name ?? "image") } }
            }
            if embedded.hasLocations {
                sanitizer.locationURL = { own(embedded.part(at: $0, in: part)) }
            }
            page = sanitizer.sanitize(value.value) { own(embedded.part(id: $0)) }
        } else {
            let type = part.headers.first { $0.name.lowercased() == "content-type" }?.value ?? ""
            var reader = TextHTML()
            reader.limit = min(reader.limit, maxBytes ?? .max)
            page = reader.page(of: value.value, contentType: type)
        }
        page.isTruncated = page.isTruncated || value.isTruncated
        return page
    }

    /// The parser leaves a multipart empty if it lies too deep.
    private static func hasDeeperParts(_ body: EmailBody) -> Bool {
        body.structure.all.contains { $0.type.hasPrefix("multipart/") && $0.subParts.isEmpty }
    }
}
