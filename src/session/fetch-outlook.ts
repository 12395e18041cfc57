import { decideTool } from "../approval/tool-question.ts";
import { fetchTools } from "../call/fetch-tools.ts";
import type { Outlook } from "../decide/outlook.ts";
import { OUTSIDE } from "../host/look/outside.ts";
import { NOTHING_REMEMBERED } from "../policy/remembered.ts";
import { type HostRule, parseHostRule, printHostRule } from "../profile/host-rule.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import { isListed } from "../tool/fetch/reach.ts";
import type { Draft } from "./draft.ts";

/** Names that a list of hosts includes only with a wildcard. Nothing is looked up or fetched. */
const UNLISTED = ["com", "org", "net", "dev", "info"].map((end) => `a-name-that-nobody-lists.${end}`);
const HTTPS = 443;

/** The tools for pages, as in a session without grants. Their effects are not kept. */
export function draftFetchTools({ loaded }: Draft): readonly DefinedTool[] {
  return fetchTools({
    settings: loaded.config.webFetch,
    ceiling: loaded.ceiling,
    broker: { grants: async () => [], saveGrant: async () => undefined },
    sessionId: "draft",
    host: { id: () => "draft", now: () => 0, outside: OUTSIDE },
  });
}

/** The verdicts of a tool on each listed host it covers, and on an unlisted one, the only kind a new entry affects. */
export async function fetchOutlook(
  tool: DefinedTool,
  { loaded, policy }: Pick<Draft, "loaded" | "policy">,
): Promise<readonly Outlook[]> {
  const { ceiling, config } = loaded;
  const listed = config.webFetch.domains.map(parseHostRule);
  const isPage = tool.name === "web_fetch";
  const other = UNLISTED.find((host) => !isListed(listed, { host, port: HTTPS }));
  const rows = [
    ...(isPage ? listed : []).map((rule) => ({ root: printHostRule(rule), args: { url: pageOf(rule) } })),
    ...(other === undefined ? [] : [other]).map((host) => ({
      root: "other hosts",
      args: isPage ? { url: `https://${host}/` } : { domain: host },
    })),
  ];
  const toolPolicy = {
    operator: ceiling.approval,
    approval: config.approval,
    mode: policy.mode,
    legacyBareTools: "ask",
  } as const;
  return Promise.all(
    rows.map(async ({ root, args }): Promise<Outlook> => {
      const use = tool.use(args, { signal: null, metadata: {} });
      const { verdict } = await decideTool(
        { tool, args: use.args, use, agent: null, cwd: ".", project: "." },
        toolPolicy,
        NOTHING_REMEMBERED,
      );
      return { root, action: verdict.action, reason: verdict.reason };
    }),
  );
}

function pageOf({ name, port }: HostRule): string {
  const host = name.includes(":")
    ? `[${name}]`
    : name.replace(/^\*\./, "any-name.").replace(/^\*$/, "any-name.com");
  return `https://${host}:${port ?? HTTPS}/`;
}
