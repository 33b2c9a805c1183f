/// Recognizes images that are there to be loaded and not to be seen.
enum TrackingPixel {
    static func isOne(_ image: HTMLElement, url: String) -> Bool {
        let width = size(image, "width")
        let height = size(image, "height")
        if let width, let height, width <= 2, height <= 2 { return true }
        if width == 0 || height == 0 { return true }
        return isTrackerAddress(url)
    }

    /// Whether an address has the shape of those that report that mail was opened.
    static func isTrackerAddress(_ url: String) -> Bool {
        let lower = url.lowercased()
        return shapes.contains { lower.containsBytes(of: $0) }
    }

    /// What the style says, or else the attribute; in pixels.
    private static func size(_ image: HTMLElement, _ name: String) -> Double? {
        if let style = image["style"] {
            for declaration in style.split(separator: ";") {
                let words = declaration.split(separator: ":", maxSplits: 1)
                guard words.count == 2 else { continue }
                let property = words[0].lowercased().trimmingBlanks()
                if property == name || property == "max-" + name {
                    if let value = pixels(String(words[1])) { return value }
                }
            }
        }
        return image[name].flatMap(pixels)
    }

    private static func pixels(_ value: String) -> Double? {
        let text = value.trimmingBlanks()
        let number = text.prefix { $0.isNumber || $0 == "." }
        let unit = text.dropFirst(number.count).prefix { $0.isLetter || $0 == "%" }.lowercased()
        guard let size = Double(number) else { return nil }
        return unit.isEmpty || unit == "px" || unit == "pt" || size == 0 ? size : nil
    }

    /// Parts of addresses by which senders learn that mail was opened.
    private static let shapes = [
        "/wf/open?", "/track/open", "/tracking/open", "/open.php?", "/open.aspx?", "/o.gif?", "/pixel.gif",
        "/pixel.png", "/tracking-pixel", "/trackingpixel", "/tracking_pixel", "/beacon.gif", "/webbug",
        "/email-open", "/emailopen", "/email_open", "/mail-open", "/e/open", "/open/log/", "/openrate",
        "google-analytics.com/", "doubleclick.net/", "pixel.mailtrack", "mailtrack.io/", "yesware.com/t/",
        "mailstat.us/", "bananatag.com/", "getnotify.com/", "readnotify.com/", "pixel.app.returnpath",
        "/trk/open", "/ss/o/", "/q/open", "open.convertkit", "/e3t/cto/", "/e2t/o/", "/e2t/to/",
        "/imp?s=", "/gp/r.html?", "mltrk.io/pixel", "/read/receipt", "/eo/",
    ]
}
