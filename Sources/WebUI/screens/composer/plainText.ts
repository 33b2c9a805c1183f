/** Text as HTML that reads the same. */
export function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/** Plain text as paragraphs, and what is quoted in it as quotes. */
export function htmlOf(text: string): string {
  let html = "";
  let depth = 0;
  let paragraph: string[] = [];
  const end = () => {
    if (paragraph.length > 0) html += `<p>${paragraph.join("<br>")}</p>`;
    paragraph = [];
  };
  for (const line of text.replace(/\s+$/, "").split("\n")) {
    const [signs = "", words = ""] = /^((?:> ?)*)(.*)$/.exec(line)?.slice(1) ?? [];
    const quotes = signs.replace(/ /g, "").length;
    if (quotes !== depth || words.trim() === "") end();
    for (; depth < quotes; depth += 1) html += '<blockquote type="cite">';
    for (; depth > quotes; depth -= 1) html += "</blockquote>";
    if (words.trim() !== "") paragraph.push(escaped(words));
  }
  end();
  return html + "</blockquote>".repeat(depth) || "<p></p>";
}
