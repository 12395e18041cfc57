import { toolQuestion } from "../approval/tool-question.ts";
import { parseHostRule } from "../profile/host-rule.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import type { Draft } from "./draft.ts";
import { fetchTools } from "./fetch-tools.ts";
import type { Outlook } from "./files/outlook.ts";

/** A host that nobody lists (RFC 6761, section 6.5: it is kept free for examples). */
const SOMEWHERE = "example.com";

/** The tools for pages, as a session without grants has them; nothing that is done with them is kept. */
export function draftFetchTools({ loaded }: Draft): readonly DefinedTool[] {
  return fetchTools({
    settings: loaded.config.webFetch,
    ceiling: loaded.ceiling,
    broker: { grants: async () => [], saveGrant: async () => undefined },
    sessionId: "draft",
    host: { id: () => "draft", now: () => 0 },
  });
}

/** What would be decided about one of them for each listed host, and for one that is not listed. */
export async function fetchOutlook(
  tool: DefinedTool,
  { loaded, standing }: Draft,
): Promise<readonly Outlook[]> {
  const { ceiling, config } = loaded;
  const listed = config.webFetch.domains.map((domain) =>
    parseHostRule(domain).name.replace(/^\*\./, "any-name."),
  );
  const hosts = [...listed, SOMEWHERE];
  const policy = {
    operator: ceiling.approval,
    approval: config.approval,
    mode: standing.mode,
    legacyBareTools: "ask",
  } as const;
  return Promise.all(
    hosts.map(async (host, at): Promise<Outlook> => {
      const args = tool.name === "web_fetch" ? { url: `https://${host}/` } : { domain: host };
      const use = tool.use(args, { signal: null, metadata: {} });
      const { verdict } = await toolQuestion({ tool, args: use.args, use, agent: null }, policy, []);
      const root = at < listed.length ? host : "other hosts";
      return { root, action: verdict.action, reason: verdict.reason };
    }),
  );
}
