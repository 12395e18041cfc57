import { Api } from "./api.ts";
import { part } from "./dom.ts";
import { Inbox } from "./inbox.ts";
import { forgetToken, keepToken, takeParts } from "./token.ts";

/** Opens the inbox with a token, for as long as the server accepts it. */
async function open(): Promise<void> {
  const { token, request } = takeParts();
  if (token === null) return askForToken();
  part("desk", HTMLElement).hidden = false;
  await new Inbox(new Api(token), request).run();
  forgetToken();
  part("door-words", HTMLElement).textContent =
    "The server does not know this token; it may have restarted. Open the address that it printed last.";
  askForToken();
}

function askForToken(): void {
  part("desk", HTMLElement).hidden = true;
  part("door", HTMLElement).hidden = false;
  const field = part("door-token", HTMLInputElement);
  field.value = "";
  field.focus();
  part("door-form", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    // A whole address is also accepted.
    const token = field.value.trim().replace(/^.*#token=/, "");
    if (token === "") return;
    keepToken(token);
    window.location.reload();
  });
}

// A link that opens in a tab with this page only changes the part after the `#`.
window.addEventListener("hashchange", () => window.location.reload());
await open();
