import { defineTool, requiresApproval, toolFrom } from "cofferdam";
import { z } from "zod";

/** A letter that was sent. */
export interface Letter {
  readonly to: string;
  readonly body: string;
}

/** Three tools of a program's own; letters go to `post`. */
export function tools(post: (letter: Letter) => void) {
  /** A function that there was already: asked about each time with its arguments, and not changed. */
  function send_letter({ to, body }: { readonly to: string; readonly body: string }): string {
    post({ to, body });
    return `sent to ${to}`;
  }
  return [
    toolFrom(
      requiresApproval(send_letter, {
        description: ({ to }) => `send a letter to ${typeof to === "string" ? to : "nobody"}`,
        // A yes for the session is for whoever it goes to, not for what it says.
        payload: ({ to = null }) => ({ to }),
      }),
    ),
    /** A function with checked input: it runs in this process, so its risk is all that guards it. */
    defineTool({
      name: "split_bill",
      risk: "read_only",
      description: "Splits an amount among people, to the cent.",
      input: z.strictObject({ cents: z.int().min(0), people: z.int().min(1).max(100) }),
      run: ({ input: { cents, people } }) => {
        const share = Math.floor(cents / people);
        return Array.from({ length: people }, (_, index) => share + (index < cents % people ? 1 : 0));
      },
    }),
    /** A program: it runs in a sandbox in which only the drafts are there, to read, and no network. */
    defineTool({
      name: "word_count",
      description: "Counts lines, words and bytes of a draft.",
      input: z.strictObject({ file: z.string() }),
      command: ["wc", "--", "{file}"],
      needs: { roots: { drafts: "read" }, cwd: "drafts" },
    }),
  ];
}
