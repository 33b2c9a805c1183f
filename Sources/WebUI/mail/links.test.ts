import { equal } from "../testing/assert.ts";
import { deception, unread } from "./links.ts";
import { Suffixes } from "./suffixes.ts";

const LIST = "com\nnet\nuk\nco.uk\nio\ngithub.io\nis\nde\njp\npy\nmd\npl\nrs\nid\n*.ck\n!www.ck\nрф\n";
const suffixes = new Suffixes(LIST);

function says(text: string, address: string, list = suffixes): string | null {
  return deception([text], address, list)?.says ?? null;
}

Deno.test("a link that says where it leads is followed without a question", () => {
  for (
    const [text, address] of [
      ["https://bank.example/login", "https://bank.example/other"],
      ["bank.example", "https://www.bank.example/"],
      ["www.bank.example", "https://login.bank.example/"],
      ["bank.co.uk", "https://www.bank.co.uk/"],
      ["BANK.example.", "https://bank.example/"],
      ["münchen.de", "https://xn--mnchen-3ya.de/"],
      ["пример.рф", "https://пример.рф/"],
      ["http://3221226219/", "http://192.0.2.235/"],
      ["https://web.example/save/https://bank.example/", "https://web.example/save/"],
      ["https://web.example/?to=bank.example", "https://web.example/"],
      ["Write to ana@bank.example", "mailto:ana@bank.example"],
      ["Ana Lima (ana.lima@bank.example)", "mailto:ana.lima@bank.example?subject=evil.example"],
      ["+49 89 1234.56", "tel:+4989123456"],
    ] as const
  ) equal([text, says(text, address)], [text, null]);
});

Deno.test("words that touch a host belong to its sentence", () => {
  for (
    const text of [
      "Visit bank.com—your bank",
      "(bank.com–secure)",
      "bank.com-Kunde",
      "_bank.com_",
      "bank.com™",
      "bank.comᵗᵐ",
      "bank.comⓇ login",
      "bank.com•Login",
      "bank.com▶Login",
      "bank.com·Login",
      "请访问bank.com登录",
      "bank.comをクリック",
      "bank.com에서 로그인",
      "เข้าสู่bank.comที่นี่",
      "bank.com-да",
      "support@bank.com—help",
      "www.bank.com—login",
    ]
  ) {
    equal([text, says(text, "https://evil.example/")?.replace(/^www\./, "")], [text, "bank.com"]);
    equal([text, says(text, "https://bank.com/")], [text, null]);
  }
  equal(says("bank.co.uk—login", "https://evil.example/"), "bank.co.uk");
  equal(says("банк.рф—вход", "https://evil.example/"), "банк.рф");
  equal(says("192.0.2.1—router", "https://evil.example/"), "192.0.2.1");
  for (const text of ["java.io.File", "node.js-Version", "v1.2-rc", "README.md-file"]) {
    equal([text, says(text, "https://docs.example/")], [text, null]);
  }
});

Deno.test("what stands before the host is noticed", () => {
  for (const before of ["bank.example", ":bank.example", "a:bank.example", ":%62ank.example"]) {
    const found = deception(["Sign in"], `https://${before}@evil.example/`, suffixes);
    equal([before, found?.opens], [before, "evil.example"]);
  }
});

Deno.test("a recipient may be named behind the question mark", () => {
  equal(says("service@bank.example", "mailto:?to=service@evil.example"), "service@bank.example");
  equal(says("service@bank.example", "mailto:?to=service%40bank.example"), null);
});

Deno.test("an ending is read with whatever looks like its letters", () => {
  const evil = "https://evil.example/";
  for (const text of ["bank.cօm", "bank.cဝm", "bank.cסm", "bank.c໐m", "bank.ꮯom", "bank.ϲom", "bank𝅭com"]) {
    equal([text, says(text, evil) !== null], [text, true]);
  }
  for (const text of ["です。Tシャツ", "1.0µm", "5.5Ωx", "Привет.Как", "a.été", "слово.дело"]) {
    equal([text, says(text, evil)], [text, null]);
  }
});

Deno.test("a mark that stands low between two words is a dot", () => {
  const evil = "https://evil.example/";
  for (
    const sign of ["\u00b8", "\u02db", "\u02cc", "\u02f3", "\u201a", "\u2009\u0323\u2009", "\u200a\u0323"]
  ) {
    equal([sign, says(`bank${sign}com`, evil)], [sign, "bank.com"]);
  }
  for (const text of ["l\u00b4info", "‚com‘", "gar\u0327on", "ni\u0303o net"]) {
    equal([text, says(text, evil)], [text, null]);
  }
});

Deno.test("an ending may be wholly of letters that look like its own, or have marks", () => {
  const evil = "https://evil.example/";
  for (
    const text of [
      "bank.ΝΕΤ",
      "bank.ϹΟΜ",
      "ΒΑΝΚ.ΝΕΤ",
      "bank.ꓚꓳꓟ",
      "bank.ᏟᏫᎷ",
      "bank.c̣ọṃ",
      "bank.ċom",
      "bank.cøm",
      "bank.ƈom",
      "ʙᴀɴᴋ.ᴄᴏᴍ",
      "bank.🅲🅾🅼",
      "bank▪com",
      "bank•com",
      "bank･com",
      "bank።com",
    ]
  ) equal([text, says(text, evil) !== null], [text, true]);
  for (const text of ["Windows®net", "ニュース。ブログ", "neu.Für", "Sale🔥Net"]) {
    equal([text, says(text, evil)], [text, null]);
  }
});

Deno.test("a country's hosts are no files, unless files alone have such names", () => {
  const evil = "https://evil.example/";
  for (const text of ["mbank.pl", "Log in at allegro.pl", "banka.rs", "maib.md"]) {
    equal([text, says(text, evil) !== null], [text, true]);
  }
  for (const text of ["README.md", "See setup.py", "main.rs", "photos.zip"]) {
    equal([text, says(text, evil)], [text, null]);
  }
});

Deno.test("a link that writes to anyone but those it names is noticed", () => {
  for (
    const [text, address, named] of [
      ["ana.lima@bank.com", "mailto:ana.lirna@bank.com", "ana.lima@bank.com"],
      ["ana@bank.com", "mailto:ana@bank.com,mallory@bank.com", "ana@bank.com"],
      ["ana@bank.com", "mailto:ana@bank.com?cc=x@evil.example", "ana@bank.com"],
      ["ana@bank.com", "mailto:ana@bank.com?subject=Hi&BCC=x%40evil.example", "ana@bank.com"],
      ["ana@bank.com", "mailto:?bcc=x@evil.example", "ana@bank.com"],
      ["ana@bank.com", "mailto:ana@bank.com%20%3Cx@evil.example%3E", "ana@bank.com"],
      ["bank.com", "mailto:x@evil.example", "bank.com"],
      ["Ana@Bank.com", "mailto:ana@bank.com", null],
      ["ana@bank.com.", "mailto:ana+letters@bank.com", null],
      ["ana+letters@bank.com", "mailto:?to=ana+letters@bank.com", null],
      ["ana@bank.com, bo@bank.com", "mailto:ana@bank.com?cc=bo@bank.com", null],
      ["Write to us", "mailto:ana@bank.com?cc=bo@bank.com", null],
      ["bank.com", "mailto:ana@bank.com", null],
    ] as const
  ) equal([text, address, says(text, address)], [text, address, named]);
});

Deno.test("a link that calls another number than it names is noticed", () => {
  for (
    const [text, address, named] of [
      ["+1 800 555 0100", "tel:+900123456", "+1 800 555 0100"],
      ["Call (800) 555-0100 now", "tel:900-123-4567", "800) 555-0100"],
      ["+1 (800) 555-0100", "tel:+18005550100", null],
      ["0800 555 0100", "tel:+448005550100", null],
      ["+49 (0)89 123456", "tel:+4989123456", null],
      ["555-0100-20 ext. 5", "tel:555010020;ext=5", null],
      ["Call us before 17:00", "tel:+18005550100", null],
    ] as const
  ) equal([text, says(text, address)], [text, named]);
});

Deno.test("a text that is too long is said to be so", () => {
  equal(
    unread("https://evil.example/x").sentence,
    "The text of this link is too long to check. It opens evil.example.",
  );
});

Deno.test("what is no address raises no question", () => {
  for (
    const text of [
      "Read on",
      "Yahoo!",
      "Version 3.5",
      "e.g. this",
      "i.e. that",
      "report.pdf",
      "index.html",
      "README.md",
      "setup.py",
      "1.234.567",
      "12.11.2026",
      "Thanks.Regards",
      "Wait... com",
      "Dr. Lima",
      "It ended. Is it so?",
      "node.js",
      "10.30",
      "a.m.",
      "Nr.5",
      "",
    ]
  ) equal([text, says(text, "https://tracker.example/click")], [text, null]);
});

Deno.test("a link that names another host is noticed, whatever hides it", () => {
  const evil = "https://evil.example/login";
  for (
    const [text, address, named] of [
      ["https://bank.example/login", evil, "bank.example"],
      ["bank.example", "https://bank.example.evil.example/", "bank.example"],
      ["b\u0430nk.example", "https://bank.example/", "b\u0430nk.example"], // a Cyrillic letter
      ["Sign in at bank.example now", evil, "bank.example"],
      ["(bank.example)", evil, "bank.example"],
      ["<https://bank.example>", evil, "bank.example"],
      ["“bank.example”!", evil, "bank.example"],
      ["ba\u200bnk\u2060.ex\u00adample", evil, "bank.example"],
      ["\u202dbank.example\u202c", evil, "bank.example"],
      ["bank。example", evil, "bank.example"],
      ["bank．example", evil, "bank.example"],
      ["bank｡example", evil, "bank.example"],
      ["bank․example", evil, "bank.example"],
      ["bank[.]example", evil, "bank.example"],
      ["bank . example", evil, "bank.example"],
      ["b a n k . c o m", evil, "bank.com"],
      ["bank\u200a.\u200aexample", evil, "bank.example"],
      ["ｂａｎｋ.com", evil, "bank.com"],
      ["bank.\u0441om", evil, "bank.\u0441om"], // the ending has a Cyrillic letter
      ["ba\u0332nk.com", evil, "bank.com"],
      ["https://bank.example@evil.example/", evil, "bank.example"],
      ["https://bank.example\u2044evil.example/", evil, "bank.example"],
      ["https:bank.example", evil, "bank.example"],
      ["https://bank/login", evil, "bank"],
      ["service@bank.example", evil, "bank.example"],
      ["service@bank.example", "mailto:service@evil.example", "service@bank.example"],
      ["192.0.2.7", evil, "192.0.2.7"],
      ["http://192.0.2.7/login", evil, "192.0.2.7"],
      ["http://0xC0.0.2.7/", evil, "0xC0.0.2.7"],
      ["http://[2001:db8::1]/", evil, "[2001:db8::1]"],
      ["bank.example", "http://3221226219/", "bank.example"],
      ["bank.example", "http://0xC00002EB/", "bank.example"],
      ["bank.example", "http://0300.0.2.235/", "bank.example"],
      ["ana.github.io", "https://mallory.github.io/", "ana.github.io"],
      ["bank.co.uk", "https://evil.co.uk/", "bank.co.uk"],
      ["evil.example or bank.example", evil, "bank.example"],
      ["setup.py", "https://evil.example/", null],
      ["https://setup.py", "https://evil.example/", "setup.py"],
    ] as const
  ) equal([text, says(text, address)], [text, named]);
});

Deno.test("a name before the host is taken for it", () => {
  equal(
    deception(["Sign in"], "https://bank.example@evil.example/", suffixes)?.sentence,
    "The address begins with bank.example, but this link opens evil.example.",
  );
});

Deno.test("every reading counts, and the sentence names both", () => {
  equal(
    deception(["Sign in", "bank.example"], "https://evil.example/", suffixes)?.sentence,
    "The text says bank.example, but this link opens evil.example.",
  );
});

Deno.test("without the list every ending is one", () => {
  equal(says("bank.example", "https://evil.example/", new Suffixes("")), "bank.example");
  equal(says("www.bank.example", "https://bank.example/", new Suffixes("")), null);
});

Deno.test("what is registered is one label below the suffix", () => {
  for (
    const [host, registered] of [
      ["a.b.com", "b.com"],
      ["b.com", "b.com"],
      ["com", "com"],
      ["a.b.co.uk", "b.co.uk"],
      ["co.uk", "co.uk"],
      ["a.b.github.io", "b.github.io"],
      ["x.a.b.ck", "a.b.ck"],
      ["x.www.ck", "www.ck"],
      ["a.b.unknown", "b.unknown"],
      ["a.b.xn--p1ai", "b.xn--p1ai"],
    ] as const
  ) equal([host, suffixes.registrable(host)], [host, registered]);
});
