import { toolQuestion } from "../approval/tool-question.ts";
import { OUTSIDE } from "../host/outside.ts";
import { type HostRule, parseHostRule, printHostRule } from "../profile/host-rule.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import { isListed } from "../tool/fetch/reach.ts";
import type { Draft } from "./draft.ts";
import { fetchTools } from "./fetch-tools.ts";
import type { Outlook } from "./files/outlook.ts";

/** Names that a list of hosts holds only where it holds all the names of their kind; nothing is looked up or fetched. */
const UNLISTED = ["com", "org", "net", "dev", "info"].map((end) => `a-name-that-nobody-lists.${end}`);
/** The port of a page that names none. */
const HTTPS = 443;

/** The tools for pages, as a session without grants has them; nothing that is done with them is kept. */
export function draftFetchTools({ loaded }: Draft): readonly DefinedTool[] {
  return fetchTools({
    settings: loaded.config.webFetch,
    ceiling: loaded.ceiling,
    broker: { grants: async () => [], saveGrant: async () => undefined },
    sessionId: "draft",
    host: { id: () => "draft", now: () => 0, outside: OUTSIDE },
  });
}

/**
 * What would be decided about one of them for each listed host that it is about, and for one that is not listed: to add a
 * host is about those alone.
 */
export async function fetchOutlook(
  tool: DefinedTool,
  { loaded, standing }: Pick<Draft, "loaded" | "standing">,
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
  const policy = {
    operator: ceiling.approval,
    approval: config.approval,
    mode: standing.mode,
    legacyBareTools: "ask",
  } as const;
  return Promise.all(
    rows.map(async ({ root, args }): Promise<Outlook> => {
      const use = tool.use(args, { signal: null, metadata: {} });
      const { verdict } = await toolQuestion(
        { tool, args: use.args, use, agent: null, cwd: "." },
        policy,
        [],
      );
      return { root, action: verdict.action, reason: verdict.reason };
    }),
  );
}

/** A page of a listed host. */
function pageOf({ name, port }: HostRule): string {
  const host = name.includes(":")
    ? `[${name}]`
    : name.replace(/^\*\./, "any-name.").replace(/^\*$/, "any-name.com");
  return `https://${host}:${port ?? HTTPS}/`;
}
