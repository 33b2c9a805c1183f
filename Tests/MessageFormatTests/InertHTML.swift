import Foundation

@testable import MessageFormat

/// Reads HTML that was made safe once more, as a browser would, and finds what should not be there. The list
/// is written on its own, so that a mistake in the sanitizer's is seen.
struct InertHTML: HTMLVisitor {
    private(set) var problems: [String] = []
    private(set) var elements: [HTMLElement] = []
    private(set) var text = ""
    private var isStyle = false

    init(_ html: String, allowsRemote: Bool = false) {
        self.allowsRemote = allowsRemote
        guard let tree = HTMLTree(html) else { return }
        tree.walk(&self)
    }

    private let allowsRemote: Bool

    private static let tags = Set(
        """
        html head body style a abbr acronym address article aside b bdi bdo big blockquote br caption center
        cite code col colgroup dd del details dfn dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5
        h6 header hr i img ins kbd li main mark menu nav ol p pre q rp rt ruby s samp section small span strike
        strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr
        """.split { $0.isWhitespace }.map(String.init))

    mutating func enter(_ element: HTMLElement) -> Bool {
        elements.append(element)
        if element.isForeign || !Self.tags.contains(element.name) {
            problems.append("element <\(element.name)>")
        }
        for attribute in element.attributes { check(attribute, of: element.name) }
        isStyle = element.name == "style"
        return true
    }

    mutating func leave(_ name: String) { isStyle = false }

    mutating func text(_ text: String) {
        if isStyle { check(style: text) } else { self.text += text }
    }

    private mutating func check(_ attribute: HTMLElement.Attribute, of element: String) {
        let value = attribute.value.lowercased().filter { !$0.isWhitespace }
        switch attribute.name {
        case "href":
            let isGood = ["http://", "https://", "mailto:", "tel:", "#"].contains { value.hasPrefix($0) }
            if element != "a" || !isGood { problems.append("\(element) href \(value)") }
        case "src":
            let isGood =
                value.hasPrefix("/blob/") || value.hasPrefix("data:image/") && !value.contains("svg")
                || allowsRemote && value.hasPrefix("https://")
            if element != "img" || !isGood { problems.append("\(element) src \(value)") }
        case "style": check(style: attribute.value)
        case "action", "formaction", "srcdoc", "srcset", "background", "poster", "data", "xlink:href", "ping",
            "dynsrc", "lowsrc", "http-equiv", "manifest", "codebase", "profile":
            problems.append("\(element) \(attribute.name)")
        default:
            if attribute.name.hasPrefix("on") { problems.append("\(element) \(attribute.name)") }
        }
    }

    private mutating func check(style: String) {
        // Images are asked for, and lie where the program says.
        let lower = style.lowercased().replacing(
            allowsRemote ? #/url\("https:[^"\\<()]*"\)/# : #/(?!)/#, with: "none"
        )
        .replacing("background-position", with: "")
        for word in [
            "url(", "expression", "@import", "javascript", "behavior", "-moz-binding", "position",
            "image-set",
            "\\", "<", "-o-link", "@font-face", "content:",
        ] where lower.contains(word) {
            problems.append("style \(word): \(style.prefix(80))")
        }
    }
}
