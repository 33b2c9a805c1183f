/// Recognizes what a page holds but does not show.
enum HiddenContent {
    /// Elements whose content is never text to read.
    static let unread: Set<String> = [
        "head", "script", "style", "title", "template", "noframes", "iframe", "object", "embed", "applet",
        "select", "textarea", "audio", "video", "canvas", "svg", "math", "map", "noembed", "button",
    ]

    /// Whether an element is hidden by its own attributes, as the preview texts of newsletters are.
    static func isHidden(_ element: HTMLElement) -> Bool {
        for attribute in element.attributes {
            switch attribute.name {
            case "hidden": return true
            case "style": if isHidden(style: attribute.value) { return true }
            default: break
            }
        }
        return false
    }

    static func isHidden(style: String) -> Bool {
        let style = style.lowercased()
        guard ["none", "hid", "collapse", "opacity", "max-height"].contains(where: style.containsBytes) else {
            return false
        }
        for declaration in style.split(separator: ";") {
            guard let colon = declaration.firstIndex(of: ":") else { continue }
            let name = declaration[..<colon].trimmingBlanks()
            let value = declaration[declaration.index(after: colon)...].prefix { $0 != "!" }.trimmingBlanks()
            switch name {
            case "display": if value == "none" { return true }
            case "visibility": if value == "hidden" || value == "collapse" { return true }
            case "mso-hide": if value == "all" { return true }
            // Not `font-size` and `max-width`: layouts set them to 0 around visible content.
            case "opacity", "max-height":
                if isZero(value) { return true }
            default: break
            }
        }
        return false
    }

    private static func isZero(_ value: String) -> Bool {
        let number = value.prefix { $0.isNumber || $0 == "." }
        return !number.isEmpty && number.allSatisfy { $0 == "0" || $0 == "." }
    }
}
