import type { Client } from "./client.ts";
import { CLIENTS } from "./clients.ts";
import { rowText } from "./row-text.ts";

/** The heading under which the page tells of clients: what is above it is tried by `scripts/compat` itself. */
export const CLIENTS_HEADING = "## Through the egress proxy";

const TEXT = `${CLIENTS_HEADING}

With hosts listed under \`shell: { network: { hosts: [...] } }\` a program reaches them through a proxy, and finds that by
variables. \`test/kernel/clients-*.slow.test.ts\` tries each of these with servers of its own, without any option that is
about proxies:

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
