public import FoundationEssentials
public import MailKernelAPI

extension PluginSettings {
    /// An https address in the settings.
    ///
    /// - Parameter usual: for settings without one. One that is no https address is ignored, with a warning.
    public func httpsURL(_ name: String, usual: String, log: PluginLog) -> URL {
        let usual = URL(string: usual) ?? URL(filePath: "/")
        guard let value = self[name] else { return usual }
        guard let url = value.stringValue.flatMap({ URL(string: $0) }), url.scheme == "https",
            url.host?.isEmpty == false
        else {
            log.warning("The setting “\(public: name)” is not an https address and is ignored.")
            return usual
        }
        return url
    }
}
