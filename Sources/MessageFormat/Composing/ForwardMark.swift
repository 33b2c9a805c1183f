/// The mark of a message that is passed on, within the one that does. It is no quote, which other programs would fold.
enum ForwardMark {
    static let name = "mk-forwarded"

    static func isOne(_ element: HTMLElement) -> Bool {
        element.name == "div" && element["class"] == name
    }
}
