import Testing

@testable import StoreRules

@Suite("The words of an HTML text are found") struct HTMLTextTests {
    @Test(arguments: [
        ("<p>One<b>two</b> three</p>", "one two three"),
        ("no tag at all", "no tag at all"),
        ("a < b and c", "a"),
        ("open <a href='x'", "open"),
        ("before<!-- not <b>this</b> -->after", "before after"),
        ("before<!-- without an end", "before"),
        ("<STYLE>td { color: red }</STYLE>shown", "shown"),
        ("<script>if (a </ b) hidden()</script>shown", "shown"),
        ("<scripted>shown</scripted>", "shown"),
        ("<header>shown</header>", "shown"),
        ("<head><title>hidden</title></head><body>shown", "shown"),
        ("<script>without an end", ""),
        ("<title", ""), ("<", ""), ("</", ""), ("&", ""), ("&am", "am"), ("", ""),
        ("x&lt;y&gt;z&amp;&nbsp;q&#39;s&quot;", "x y z q s"),
        ("Käse&nbsp;<i>größer</i>", "kase großer"),
    ]) func withoutWhatNobodySees(_ html: String, _ words: String) {
        #expect(TextFolding.wordList(HTMLText.text(of: html)) == words)
    }
}
