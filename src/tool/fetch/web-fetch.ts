import { z } from "zod";
import { CofferdamError, visible } from "../../errors.ts";
import { ApprovalBlockedError } from "../../policy/approval-error.ts";
import type { HostRule } from "../../profile/host-rule.ts";
import type { Network } from "../../profile/network.ts";
import { type DefinedTool, defineTool } from "../define-tool.ts";
import type { Requirement } from "../function-tool.ts";
import type { WebFetchSection } from "../settings.ts";
import { MOST_URL_LENGTH, type PageAddress, pageAddress, printHost } from "./address.ts";
import type { Fetched, Redirect, StoppedBecause } from "./page.ts";
import {
  isListed,
  type NetworkLayer,
  pageNetwork,
  rulesForOnce,
  whyAboveCeiling,
  whyNeverUnlisted,
} from "./reach.ts";

/** More of a page is never taken, in bytes. */
export const MOST_PAGE_BYTES = 5 * 1024 * 1024;

/** A URL in the one spelling that is shown, judged and fetched. */
const PageUrl = z
  .string()
  .min(1)
  .max(MOST_URL_LENGTH)
  .transform((text, context) => {
    try {
      return pageAddress(text).href;
    } catch (error) {
      if (!(error instanceof CofferdamError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
      return z.NEVER;
    }
  });

/** What `web_fetch` is called with. */
export const WebFetchInput = z.strictObject({
  url: PageUrl,
  /** What is beyond is cut. */
  max_bytes: z.int().min(1).max(MOST_PAGE_BYTES).default(MOST_PAGE_BYTES),
});
export type WebFetchInput = z.infer<typeof WebFetchInput>;

/** What `web_fetch` answers: the page as text, or why there is none. */
export type WebFetchOutput =
  | {
      readonly kind: "page";
      readonly url: string;
      readonly status: number;
      readonly content_type: string | null;
      readonly text: string;
      readonly bytes: number;
      readonly is_cut: boolean;
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly kind: "stopped";
      readonly url: string;
      readonly host: string;
      readonly because: StoppedBecause;
      readonly reason: string;
      readonly hint: string;
      readonly content_type: string | null;
      readonly size: number | null;
      readonly redirects: readonly Redirect[];
    };

/** What decides about pages. */
export interface FetchPolicy {
  readonly approval: WebFetchSection["approval"];
  /** Listed by the config. */
  readonly domains: readonly HostRule[];
  readonly layers: readonly NetworkLayer[];
  /** By which of these hosts may be reached. */
  readonly proxies?: readonly string[];
  /** Granted to the session, as it is now. */
  readonly granted: () => Promise<readonly HostRule[]>;
}

/** Fetches one page within a network; done by the supervisor's own process. */
export type FetchPage = (request: {
  readonly address: PageAddress;
  readonly network: Network;
  readonly method: "GET";
  readonly maxBytes: number;
  readonly signal: AbortSignal | null;
}) => Promise<Fetched>;

/**
 * `web_fetch`: a page of a listed host is fetched without asking, of any other with a yes, which is for this one call and
 * this host. Where a redirect leads to a host that is neither, it stops and names it.
 */
export function webFetchTool(policy: FetchPolicy, fetchPage: FetchPage): DefinedTool {
  return defineTool({
    name: NAME,
    version: "1",
    risk: "read_only",
    description:
      "Fetches one page as text. Of a host that is not listed a person is asked, for this page alone; where a redirect leads to yet another host, it stops and names it.",
    input: WebFetchInput,
    requireApproval: async ({ input }): Promise<Requirement> => {
      const address = pageAddress(input.url);
      const isKnown = isListed(await hostsNow(policy, address), address);
      const host = visible(printHost(address));
      if (isKnown && policy.approval !== "always")
        return { required: false, reason: `${host} is on the list of hosts that pages are fetched from` };
      return {
        required: true,
        description: `fetch ${address.href}`,
        reason: isKnown
          ? `every page is asked about, also of a listed host like ${host}`
          : `${host} is not on the list of hosts that pages are fetched from; a yes is for this page`,
        // Who wants more than this page adds its host to the list.
        remember: false,
      };
    },
    run: async ({ input, signal }): Promise<WebFetchOutput> => {
      const address = pageAddress(input.url);
      const hosts = await hostsNow(policy, address);
      const once = isListed(hosts, address) ? [] : rulesForOnce(address);
      const network = pageNetwork([...hosts, ...once], policy.layers, policy.proxies);
      return written(await fetchPage({ address, network, method: "GET", maxBytes: input.max_bytes, signal }));
    },
  });
}

const NAME = "web_fetch";

/** The listed hosts. Throws `ApprovalBlockedError` where nothing that anybody says lets the page be fetched. */
async function hostsNow(
  { approval, domains, granted, layers }: FetchPolicy,
  address: PageAddress,
): Promise<readonly HostRule[]> {
  const hosts = [...domains, ...(await granted())];
  const host = visible(printHost(address));
  const blocked = isListed(hosts, address)
    ? null
    : approval === "never"
      ? `${host} is not on the list of hosts that pages are fetched from`
      : whyNeverUnlisted(address);
  const why = whyAboveCeiling(address, layers) ?? blocked;
  if (why !== null) throw new ApprovalBlockedError(NAME, why);
  return hosts;
}

function written(fetched: Fetched): WebFetchOutput {
  const { url, redirects } = fetched;
  if (fetched.kind === "page") {
    const { status, text, bytes } = fetched;
    const { contentType, isCut } = fetched;
    return { kind: "page", url, status, content_type: contentType, text, bytes, is_cut: isCut, redirects };
  }
  const { host, because, reason, contentType, size } = fetched;
  const hint = HINTS[because];
  return { kind: "stopped", url, host, because, reason, hint, content_type: contentType, size, redirects };
}

const OTHER = "use another page";
const HINTS = {
  unlisted: "call web_fetch with this URL to ask for it, or web_fetch_add_domain for its host",
  never: OTHER,
  "no-address": "check how the host's name is spelt",
  private: OTHER,
  special: OTHER,
  connection: "try again later",
  certificate: OTHER,
  answer: OTHER,
  redirect: OTHER,
  redirects: OTHER,
  headers: OTHER,
  encoding: OTHER,
  type: "only text is fetched: use another page, or a program that a person allows",
  time: "try again later",
} as const satisfies Record<StoppedBecause, string>;
