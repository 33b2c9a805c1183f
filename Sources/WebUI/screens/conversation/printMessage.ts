/** Prints one message of the conversation: the style sheet leaves out what is not marked. */
export function printMessage(message: Element | null): void {
  if (!message) return;
  const root = document.documentElement;
  root.dataset["print"] = "message";
  message.setAttribute("data-printed", "");
  const end = () => {
    delete root.dataset["print"];
    message.removeAttribute("data-printed");
  };
  addEventListener("afterprint", end, { once: true });
  print();
}
