import { Api } from "./api.ts";
import { part } from "./dom.ts";
import { Inbox } from "./inbox.ts";
import { forgetToken, keepToken, takeToken } from "./token.ts";

/** Lets in whoever has a token, for as long as it is taken. */
async function open(): Promise<void> {
  const token = takeToken();
  if (token === null) return askForToken();
  part("desk", HTMLElement).hidden = false;
  await new Inbox(new Api(token)).run();
  forgetToken();
  part("door-words", HTMLElement).textContent =
    "The server does not know this token: perhaps it was started again. Open the address that it printed now.";
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
    // A whole address will do as well.
    const token = field.value.trim().replace(/^.*#token=/, "");
    if (token === "") return;
    keepToken(token);
    window.location.reload();
  });
}

// A link that is opened in a tab that has the page already changes nothing but what is behind the `#`.
window.addEventListener("hashchange", () => window.location.reload());
await open();
