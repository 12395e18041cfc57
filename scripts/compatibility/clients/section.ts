import { rowText } from "../../lib/row-text.ts";
import { CLIENTS } from "./all.ts";
import type { Client } from "./client.ts";

/** The heading of the page's part about clients; `scripts/compat` tries the part above it. */
export const CLIENTS_HEADING = "## Through the egress proxy";

const TEXT = `${CLIENTS_HEADING}

With hosts listed under \`shell: { network: { hosts: [...] } }\` a program reaches them through a proxy, and finds that by
variables. \`scripts/test --room compatibility --all\` tries each of these, each night too, with servers of its own and without
any option that is about proxies:

- At a listed host it works. At another it fails with what stands in the last column, and the outcome's \`denials\` name host
  and port.
- Without the variables that it obeys it reaches nothing. Of several one is enough; Node wants \`NODE_USE_ENV_PROXY\` beside
  one of the others.
- TLS is passed on unread: which certificates a client trusts is told to it as ever. \`pip\` and \`cargo\` take 403 for an
  accident and try again, for ten seconds together.
`;

/** The part of the page about clients, from its heading on. */
export function clientsSection(): string {
  const rows = Object.values(CLIENTS)
    .flat()
    .map(({ name, does, ...client }) => rowText([name, does, obeyed(client), elsewhere(client)]));
  const head = ["| client | what was done | obeys | at a host that is not listed |", "|---|---|---|---|"];
  return `${[TEXT, ...head, ...rows].join("\n")}\n`;
}

function obeyed({ obeys }: Pick<Client, "obeys">): string {
  return obeys.length === 0 ? "nothing" : obeys.map((name) => `\`${name}\``).join(", ");
}

function elsewhere({ says, instead }: Pick<Client, "says" | "instead">): string {
  return instead === undefined ? `“${says}”` : `“${says}”, and so at every host. Instead: ${instead}`;
}
