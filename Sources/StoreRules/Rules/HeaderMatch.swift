public import MailKernelAPI

extension HeaderField {
    /// Whether the field has this name and contains this text, which is folded. An empty text matches any value.
    public func matches(name: String, folded value: String) -> Bool {
        TextFolding.isSameField(self.name, name)
            && (value.isEmpty || TextFolding.fold(self.value).contains(value))
    }
}
