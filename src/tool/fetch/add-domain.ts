import { z } from "zod";
import { visible } from "../../errors.ts";
import { ApprovalBlockedError } from "../../policy/approval-error.ts";
import { isAddress } from "../../profile/host-rule.ts";
import { type DefinedTool, defineTool } from "../define-tool.ts";
import type { Ask } from "../function-tool.ts";
import { domainName, PAGE_PORTS, readText, whyNotPublic } from "./address.ts";
import { isListed, whyAboveCeiling } from "./reach.ts";
import type { FetchPolicy } from "./web-fetch.ts";

const DomainName = readText(253, domainName);

/** Input of `web_fetch_add_domain`: one name, without its subdomains. */
export const AddDomainInput = z.strictObject({ domain: DomainName.describe("the name of the host") });
export type AddDomainInput = z.infer<typeof AddDomainInput>;

/** Output of `web_fetch_add_domain`. */
export interface AddDomainOutput {
  readonly domain: string;
  readonly ports: readonly number[];
  readonly is_new: boolean;
}

/** A host that is granted to the session. */
export interface AddedHost {
  readonly tool: string;
  readonly host: string;
  readonly ports: readonly number[];
  readonly covers: string;
  readonly by: string | null;
}

/** The policy for adding domains. */
export interface AddDomainPolicy
  extends Pick<FetchPolicy, "domains" | "layers" | "granted" | "approval" | "asksAlways"> {
  /** False: operators allow no grant for a session. */
  readonly sessionGrants: boolean;
  readonly add: (added: AddedHost) => Promise<void>;
}

/** `web_fetch_add_domain`: asks about one more host for the session; rejects an unreachable one without asking. */
export function addDomainTool(policy: AddDomainPolicy): DefinedTool {
  return defineTool({
    name: NAME,
    version: "1",
    risk: "write",
    description:
      "Asks a person to allow fetching pages of one more host without asking, until the session ends. Covers only this name, no subdomain.",
    input: AddDomainInput,
    checkApproval: ({ args }): Ask => {
      const { domain } = AddDomainInput.parse(args);
      assertCanBeAdded(domain, policy);
      return {
        description: `allow fetching pages of ${domain} without asking`,
        reason: `${coverOf(domain)}, until this session ends or the grant is revoked`,
        payload: { domain },
        // An approval is remembered as the added host: once that is revoked, a person is asked again.
        remember: false,
      };
    },
    run: async ({ input: { domain } }, { by }): Promise<AddDomainOutput> => {
      assertCanBeAdded(domain, policy);
      const hosts = [...policy.domains, ...(await policy.granted())];
      const isNew = !PAGE_PORTS.every((port) => isListed(hosts, { host: domain, port }));
      if (isNew)
        await policy.add({ tool: NAME, host: domain, ports: PAGE_PORTS, covers: coverOf(domain), by });
      return { domain, ports: PAGE_PORTS, is_new: isNew };
    },
  });
}

const NAME = "web_fetch_add_domain";

function coverOf(domain: string): string {
  return `every page of ${domain} on ports ${PAGE_PORTS.join(" and ")}, without subdomains`;
}

function assertCanBeAdded(domain: string, policy: AddDomainPolicy): void {
  const { layers, sessionGrants, approval, asksAlways = false } = policy;
  const why = whyNeverAdded(domain) ?? whyAboveCeiling({ host: domain, port: 443 }, layers);
  if (why !== null) throw new ApprovalBlockedError(NAME, why);
  if (!sessionGrants) throw new ApprovalBlockedError(NAME, "operators allow no grants for a session");
  if (approval === "never")
    throw new ApprovalBlockedError(NAME, "the config allows only pages of its listed hosts");
  // Otherwise the question would make a false promise.
  if (approval === "always" || asksAlways)
    throw new ApprovalBlockedError(NAME, "the config requires approval for every page");
}

function whyNeverAdded(domain: string): string | null {
  if (isAddress(domain)) return `${visible(domain)} is an address, and only names can be added`;
  const why = whyNotPublic(domain);
  return why === null ? null : `${visible(domain)} can't be added: ${why}`;
}
