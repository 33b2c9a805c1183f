struct PluginNewCommand {
    init(_ arguments: inout Arguments) throws {}
    func run() throws {}
}
