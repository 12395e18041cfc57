import { z } from "zod";
import { CofferdamError, visible } from "../../errors.ts";
import { ApprovalBlockedError } from "../../policy/approval-error.ts";
import { isAddress } from "../../profile/host-rule.ts";
import { type DefinedTool, defineTool } from "../define-tool.ts";
import type { Ask } from "../function-tool.ts";
import { domainName, PAGE_PORTS, whyNotPublic } from "./address.ts";
import { isListed, whyAboveCeiling } from "./reach.ts";
import type { FetchPolicy } from "./web-fetch.ts";

const DomainName = z
  .string()
  .min(1)
  .max(253)
  .transform((text, context) => {
    try {
      return domainName(text);
    } catch (error) {
      if (!(error instanceof CofferdamError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
      return z.NEVER;
    }
  });

/** What `web_fetch_add_domain` is called with: one name, which stands for itself and for none below it. */
export const AddDomainInput = z.strictObject({ domain: DomainName });
export type AddDomainInput = z.infer<typeof AddDomainInput>;

/** What `web_fetch_add_domain` answers. */
export interface AddDomainOutput {
  readonly domain: string;
  readonly ports: readonly number[];
  /** False when it was on the list before. */
  readonly is_new: boolean;
}

/** A host that is granted to the session from now on. */
export interface AddedHost {
  readonly tool: string;
  readonly host: string;
  readonly ports: readonly number[];
  readonly covers: string;
  /** Who said yes; null where rules or a mode let it pass. */
  readonly by: string | null;
}

/** What decides about domains that are added. */
export interface AddDomainPolicy extends Pick<FetchPolicy, "domains" | "layers" | "granted" | "approval"> {
  /** False: operators let nothing be granted for a session. */
  readonly sessionGrants: boolean;
  readonly add: (added: AddedHost) => Promise<void>;
}

/**
 * `web_fetch_add_domain`: asks, each time, whether pages of one more host may be fetched without asking for the rest of
 * the session. What could not be reached anyway nobody is asked about.
 */
export function addDomainTool(policy: AddDomainPolicy): DefinedTool {
  return defineTool({
    name: NAME,
    version: "1",
    risk: "write",
    description:
      "Asks a person whether pages of one more host may be fetched without asking, until the session ends. The host is this name alone, none below it.",
    input: AddDomainInput,
    checkApproval: ({ args }): Ask => {
      const { domain } = AddDomainInput.parse(args);
      assertCanBeAdded(domain, policy);
      return {
        description: `let pages of ${domain} be fetched without asking`,
        reason: `${coverOf(domain)}, until this session ends or somebody takes it back`,
        payload: { domain },
        // A yes is remembered as the host that it adds: once that is taken back, somebody is asked again.
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
  return `every page of ${domain} on ports ${PAGE_PORTS.join(" and ")}, not of the names below it`;
}

function assertCanBeAdded(domain: string, { layers, sessionGrants, approval }: AddDomainPolicy): void {
  const why = whyNeverAdded(domain) ?? whyAboveCeiling({ host: domain, port: 443 }, layers);
  if (why !== null) throw new ApprovalBlockedError(NAME, why);
  if (!sessionGrants) throw new ApprovalBlockedError(NAME, "operators let nothing be granted for a session");
  if (approval === "never")
    throw new ApprovalBlockedError(NAME, "the config lets pages of its own hosts alone be fetched");
  // Else the question would promise what does not hold.
  if (approval === "always")
    throw new ApprovalBlockedError(NAME, "the config wants every page asked about, of whichever host");
}

function whyNeverAdded(domain: string): string | null {
  if (isAddress(domain)) return `${visible(domain)} is an address, and only names are added`;
  const why = whyNotPublic(domain);
  return why === null ? null : `${visible(domain)} is not added: ${why}`;
}
