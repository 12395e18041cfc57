import { defineTool } from "cofferdam";
import { requiresApproval, toolFrom } from "cofferdam/compat";
import { z } from "zod";

/** A letter that was sent. */
export interface Letter {
  readonly to: string;
  readonly body: string;
}

/** Three tools of a program; letters go to `post`. */
export function tools(post: (letter: Letter) => void) {
  /** An existing function, unchanged: each call needs an approval, which shows its arguments. */
  function send_letter({ to, body }: { readonly to: string; readonly body: string }): string {
    post({ to, body });
    return `sent to ${to}`;
  }
  return [
    toolFrom(
      requiresApproval(send_letter, {
        description: ({ to }) => `send a letter to ${typeof to === "string" ? to : "nobody"}`,
        // An approval for the session covers the recipient, with any text.
        payload: ({ to = null }) => ({ to }),
      }),
    ),
    /** A function with checked input. It runs in this process, without a sandbox. */
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
    /** A program: it runs in a sandbox without network that can only read the drafts. */
    defineTool({
      name: "word_count",
      description: "Counts lines, words and bytes of a draft.",
      input: z.strictObject({ file: z.string() }),
      command: ["wc", "--", "{file}"],
      needs: { roots: { drafts: "read" }, cwd: "drafts" },
    }),
  ];
}
