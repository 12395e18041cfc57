import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { z } from "zod";
import { answer, argumentsOf, type Chat, isSame, post, type RelayOptions, relay, visible } from "./relay.ts";

/** A Teams channel with a workflow that posts cards, and an outgoing webhook named `cofferdam` to `/teams`. */
export interface TeamsOptions extends RelayOptions {
  /** The URL of the workflow "Post to a channel when a webhook request is received". */
  readonly incoming: string;
  /** The security token of the outgoing webhook, in base64. */
  readonly token: string;
}

const MAX_TEXT = 8_000;
const TOLERANCE_MS = 300_000;

const Said = z.object({
  id: z.string(),
  timestamp: z.iso.datetime({ offset: true }),
  text: z.string(),
  from: z.object({ aadObjectId: z.string(), name: z.string().optional() }),
});

/**
 * Posts requests as cards, and brings replies such as `@cofferdam approve 1a2b3c4d` to cofferdam under the user's
 * directory id. Cards of a workflow can't have buttons that answer, so people reply.
 */
export function teams(options: TeamsOptions): Chat {
  const waiting = new Map<string, { readonly approvalId: string; readonly isWhole: boolean }>();
  const used = new Set<string>();
  return {
    path: "/teams",
    ask: async (request) => {
      const { text, isWhole } = argumentsOf(request, MAX_TEXT);
      const short = request.approvalId.slice(0, 8);
      await post(options.incoming, {
        type: "message",
        attachments: [
          {
            contentType: "application/vnd.microsoft.card.adaptive",
            content: {
              type: "AdaptiveCard",
              version: "1.4",
              body: [
                line(`${request.tool}: ${request.description}`, { weight: "bolder" }),
                line(text, { fontType: "monospace" }),
                line(`because: ${request.reason}`),
                line(
                  isWhole
                    ? `Reply "@cofferdam approve ${short}" or "@cofferdam reject ${short} because …".`
                    : `Not all of it fits here: approve it in the inbox, or reply "@cofferdam reject ${short}".`,
                ),
              ],
            },
          },
        ],
      });
      waiting.set(short, { approvalId: request.approvalId, isWhole });
    },
    settle: async ({ approvalId }) => {
      waiting.delete(approvalId.slice(0, 8));
    },
    hear: async ({ headers }, body) => {
      const key = Buffer.from(options.token, "base64");
      const expected = `HMAC ${createHmac("sha256", key).update(body).digest("base64")}`;
      if (!isSame(headers.authorization ?? "", expected)) return { status: 401 };
      const said = Said.safeParse(JSON.parse(body));
      if (!said.success) return { status: 400 };
      const { id, timestamp, from } = said.data;
      const isOld = Math.abs(Date.now() - Date.parse(timestamp)) > TOLERANCE_MS;
      if (isOld || used.has(id)) return { status: 401 };
      used.add(id);
      const words = said.data.text.replaceAll(/<[^>]*>|&nbsp;/g, " ");
      const read = /\b(approve|reject)\s+([0-9a-z-]{1,8})\b\s*(.*)$/is.exec(words);
      const [, verb = "", short = "", note = ""] = read ?? [];
      const request = waiting.get(short.toLowerCase());
      if (request === undefined) return reply('Write "approve ID" or "reject ID because …".');
      const approved = verb.toLowerCase() === "approve";
      if (approved && !request.isWhole)
        return reply("Not all of it was shown here: approve it in the inbox.");
      const outcome = await answer(options, {
        approvalId: request.approvalId,
        approved,
        by: from.aadObjectId,
        ...(from.name === undefined ? {} : { name: from.name }),
        ...(note.trim() === "" ? {} : { note: note.trim() }),
      });
      return reply(outcome);
    },
  };
}

/** A text as it is: a text block reads Markdown, so its marks are escaped. */
function line(text: string, look: Readonly<Record<string, string>> = {}): unknown {
  const escaped = visible(text).replaceAll(/[\\`*_[\]()#+.!<>~|-]/g, "\\$&");
  return { type: "TextBlock", wrap: true, text: escaped, ...look };
}

function reply(text: string): { readonly status: number; readonly body: unknown } {
  return { status: 200, body: { type: "message", text } };
}

if (process.argv[1] === import.meta.filename) {
  const { WEBHOOK_SECRET = "", TEAMS_INCOMING = "", TEAMS_TOKEN = "", ANSWERS_TO = "" } = process.env;
  const options = {
    secret: WEBHOOK_SECRET,
    incoming: TEAMS_INCOMING,
    token: TEAMS_TOKEN,
    answersTo: ANSWERS_TO,
  };
  createServer(relay(options, teams(options))).listen(8082, "127.0.0.1");
}
