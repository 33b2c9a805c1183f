import FoundationEssentials
import Glibc
import Synchronization

/// The files of the page, from one folder. They are read when asked for, compressed once, and kept while
/// they do not change.
final class PageFiles: Sendable {
    private struct File: Sendable {
        var modified: Int
        var size: Int
        var data: Data
        var gzip: Data?
        var etag: String
        var type: String
    }

    private let root: String?
    private let files = Mutex<[String: File]>([:])

    /// - Parameter folder: nil, or a folder that is not there, if this build has no page.
    init(folder: URL?) {
        root = folder.flatMap { realpath($0.path, nil) }.map { path in
            defer { free(path) }
            return String(cString: path)
        }
    }

    func response(to request: HTTPRequest) -> HTTPResponse {
        guard let root else {
            return request.path == "/" ? PlainPages.noPage() : PlainPages.notFound()
        }
        guard let path = Self.path(request), let file = file(root + "/" + path) else {
            return PlainPages.notFound()
        }
        var headers = [
            ("Content-Type", file.type), ("ETag", file.etag), ("Cache-Control", Self.caching(path)),
            ("Vary", "Accept-Encoding"),
        ]
        if path.hasSuffix(".frame.html") {
            headers += [
                ("Content-Security-Policy", PageHeaders.mailFrame), ("X-Frame-Options", "SAMEORIGIN"),
            ]
        } else if path == "offline.js" {
            headers.append(("Content-Security-Policy", PageHeaders.serviceWorker))
        } else if file.type.hasPrefix("text/html") {
            headers.append(("Content-Security-Policy", PageHeaders.page))
        }
        if request.matches(etag: file.etag) { return HTTPResponse(304, headers) }
        if let gzip = file.gzip, request.acceptsGzip {
            return HTTPResponse(200, headers + [("Content-Encoding", "gzip")], body: .data(gzip))
        }
        return HTTPResponse(200, headers, body: .data(file.data))
    }

    /// The path below the folder; nil if it cannot be a file of the page.
    private static func path(_ request: HTTPRequest) -> String? {
        guard var components = request.pathComponents else { return nil }
        if components.last == "" { components[components.count - 1] = "index.html" }
        let isPlain = components.allSatisfy { component in
            !component.isEmpty && !component.hasPrefix(".") && !component.utf8.contains(0)
                && !component.contains("/") && !component.contains("\\")
        }
        return isPlain ? components.joined(separator: "/") : nil
    }

    private func file(_ path: String) -> File? {
        // A link must not lead out of the folder, so the resolved path must be equal to the path.
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        var status = stat()
        guard String(cString: real) == path, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let type = Self.type(of: path)
        else { return nil }
        let version = (
            modified: status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec,
            size: Int(status.st_size)
        )
        if let file = files.withLock({ $0[path] }), file.modified == version.modified,
            file.size == version.size
        {
            return file
        }
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
        let isText = data.count > 512 && !Self.compressed.contains(type)
        let file = File(
            modified: version.modified, size: version.size, data: data,
            gzip: isText ? Gzip.compress(data) : nil,
            etag: HTTPResponse.entityTag(of: data), type: type)
        files.withLock { $0[path] = file }
        return file
    }

    /// A script or style sheet whose name says what is in it is never another, so a browser need not ask for it again.
    /// The name ends as the bundler makes it: `main-I7UCMNZ2.js`.
    private static func caching(_ path: String) -> String {
        let parts = path.split(separator: ".")
        let mark = parts.first?.split(separator: "-").last ?? ""
        let isScriptOrStyle = parts.count == 2 && (parts[1] == "js" || parts[1] == "css")
        let isNamedByContent =
            isScriptOrStyle && path.contains("-") && mark.count == 8
            && mark.allSatisfy { $0.isASCII && ($0.isUppercase || $0.isNumber) }
        return isNamedByContent ? "private, max-age=31536000, immutable" : "no-cache"
    }

    private static let compressed: Set<String> = ["image/png", "image/jpeg", "image/webp", "font/woff2"]

    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "mjs": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "json": "application/json", "map": "application/json", "svg": "image/svg+xml",
        "webmanifest": "application/manifest+json", "txt": "text/plain; charset=utf-8",
        "png": "image/png", "jpg": "image/jpeg", "webp": "image/webp", "ico": "image/x-icon",
        "woff2": "font/woff2",
    ]

    /// Nil for what the page does not consist of.
    private static func type(of path: String) -> String? {
        path.split(separator: ".").last.flatMap { types[String($0)] }
    }
}

extension HTTPRequest {
    var acceptsGzip: Bool {
        (header("accept-encoding") ?? "").split(separator: ",").contains { part in
            let words = part.split(separator: ";").map(\.trimmed)
            return words.first == "gzip" && !words.contains("q=0")
        }
    }

    /// Whether the client already has the requested version.
    func matches(etag: String) -> Bool {
        guard let known = header("if-none-match") else { return false }
        return known.trimmed == "*"
            || known.split(separator: ",").contains { part in
                let tag = part.trimmed
                return (tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag) == etag
            }
    }
}
