/// Collects the style sheets of a page, and the names that selectors can be about.
struct SheetText: HTMLVisitor {
    /// Each read alone, as where the page is shown: an open brace ends with its sheet.
    private(set) var text = ""
    private(set) var names: Set<String> = []
    private var sheet: String?
    private var remote = RemoteContent(remoteURL: nil, isLoadable: { _ in true })

    mutating func enter(_ element: HTMLElement) -> Bool {
        if element.isForeign || SafeElements.dropped.contains(element.name) { return false }
        names.formUnion(SelectorOutline.names(of: element))
        if element.name == "style" { sheet = "" }
        return true
    }

    mutating func leave(_ name: String) {
        guard name == "style", let text = sheet else { return }
        self.text += StyleFilter.sheet(text, &remote)
        sheet = nil
    }

    mutating func text(_ text: String) { sheet?.append(text) }
}
