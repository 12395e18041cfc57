import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { z } from "zod";
import { answer, argumentsOf, type Chat, isSame, post, type RelayOptions, relay, visible } from "./relay.ts";

/** A Slack app with an incoming webhook, and interactivity sent to `/slack`. */
export interface SlackOptions extends RelayOptions {
  /** The URL of the incoming webhook. */
  readonly incoming: string;
  /** The signing secret of the app. */
  readonly signingSecret: string;
}

/** Slack refuses a longer text of a block. */
const MAX_TEXT = 2_900;
const TOLERANCE_S = 300;

const Pressed = z.object({
  type: z.literal("block_actions"),
  user: z.object({ id: z.string(), name: z.string().optional() }),
  response_url: z.url(),
  actions: z.tuple([z.object({ action_id: z.enum(["approve", "reject"]), value: z.string() })]),
});

/** Posts requests with buttons, and brings the pressed one to cofferdam under the user's Slack id. */
export function slack(options: SlackOptions): Chat {
  const used = new Set<string>();
  return {
    path: "/slack",
    ask: (request) => {
      const { text, isWhole } = argumentsOf(request, MAX_TEXT);
      const where = [request.agent, request.project].filter((one) => one !== null && one !== undefined);
      const button = (action_id: string, label: string, style: string) => ({
        type: "button",
        action_id,
        text: { type: "plain_text", text: label },
        style,
        value: request.approvalId,
      });
      return post(options.incoming, {
        text: `${visible(request.tool)} needs an approval`,
        blocks: [
          plain(`${visible(request.tool)}: ${visible(request.description)}`),
          plain(text),
          plain(
            `because: ${visible(request.reason)}${where.length === 0 ? "" : `; from ${visible(where.join(", in "))}`}`,
          ),
          ...(isWhole ? [] : [plain("Not all of it fits here: approve it in the inbox.")]),
          {
            type: "actions",
            elements: [
              ...(isWhole ? [button("approve", "Approve", "primary")] : []),
              button("reject", "Reject", "danger"),
            ],
          },
        ],
      });
    },
    settle: ({ approvalId, status, by }) =>
      post(options.incoming, {
        text: `Request ${approvalId.slice(0, 8)}: ${status}${by === null ? "" : ` by ${visible(by)}`}`,
      }),
    hear: async ({ headers }, body) => {
      const [time, signature] = [String(headers["x-slack-request-timestamp"]), headers["x-slack-signature"]];
      const expected = createHmac("sha256", options.signingSecret).update(`v0:${time}:${body}`).digest("hex");
      const isOld = !(Math.abs(Date.now() / 1000 - Number(time)) <= TOLERANCE_S);
      if (
        typeof signature !== "string" ||
        !isSame(signature, `v0=${expected}`) ||
        isOld ||
        used.has(signature)
      )
        return { status: 401 };
      used.add(signature);
      const pressed = Pressed.safeParse(JSON.parse(new URLSearchParams(body).get("payload") ?? "null"));
      if (!pressed.success) return { status: 400 };
      const { user, actions, response_url } = pressed.data;
      const [{ action_id, value }] = actions;
      const outcome = await answer(options, {
        approvalId: value,
        approved: action_id === "approve",
        by: user.id,
        ...(user.name === undefined ? {} : { name: user.name }),
      });
      await post(response_url, {
        replace_original: !outcome.startsWith("This answer"),
        text: outcome,
      });
      return { status: 200 };
    },
  };
}

function plain(text: string): unknown {
  return { type: "section", text: { type: "plain_text", text: text.slice(0, MAX_TEXT + 100), emoji: false } };
}

if (process.argv[1] === import.meta.filename) {
  const {
    WEBHOOK_SECRET = "",
    SLACK_INCOMING = "",
    SLACK_SIGNING_SECRET = "",
    ANSWERS_TO = "",
  } = process.env;
  const options = {
    secret: WEBHOOK_SECRET,
    incoming: SLACK_INCOMING,
    signingSecret: SLACK_SIGNING_SECRET,
    answersTo: ANSWERS_TO,
  };
  createServer(relay(options, slack(options))).listen(8081, "127.0.0.1");
}
