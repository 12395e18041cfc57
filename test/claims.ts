import { kernelsInWords } from "../scripts/lib/kernels/page.ts";
import { readRecords } from "../scripts/lib/kernels/record.ts";
import { CLAIMS, type ClaimId } from "../src/attacks/claims.ts";
import { evidence } from "./support/claims/evidence.ts";
import { NOT_PROTECTED } from "./support/claims/not-protected.ts";
import { ON_MACOS } from "./support/claims/on-macos.ts";

/** Claims that are about macOS alone. */
const NOT_ON_LINUX: ReadonlySet<string> = new Set<ClaimId>(["services"]);

/** The tests of each claim: those of the selftest, and all others. */
export function proofs(): ReadonlyMap<ClaimId, { readonly selftest: number; readonly tests: number }> {
  const all = Map.groupBy(evidence(), ({ claim }) => claim);
  return new Map(
    [...all].map(([id, found]) => {
      const selftest = found.filter(({ where }) => where === "selftest").length;
      return [id, { selftest, tests: found.length - selftest }];
    }),
  );
}

/** The text of SECURITY.md: how to report a flaw, the claims and where they hold, and the gaps. */
export function printSecurity(): string {
  const rows = Object.entries(CLAIMS).map(
    ([id, claim]) => `| ${id} | ${claim} | ${NOT_ON_LINUX.has(id) ? "–" : "yes"} | ${macOf(id)} |`,
  );
  const gaps = Object.entries(NOT_PROTECTED).flatMap(([title, found]) => [
    `\n### ${title}\n\n| risk | effect | advice |\n|---|---|---|`,
    ...found.map(({ risk, effect, advice }) => `| **${risk}** | ${effect} | ${advice} |`),
  ]);
  return [HEAD, ...rows, NEXT, ...gaps].join("\n").concat("\n");
}

function macOf(id: string): string {
  return Object.entries(ON_MACOS).find(([one]) => one === id)?.[1] ?? "";
}

const HEAD = `# Security

## Report a flaw

Report it privately, through the repository's security advisories. You get an answer within a week. Each fix comes with
a test that fails without it.

## The boundary

The boundary is the OS sandbox. On Linux it is bubblewrap with user, mount, pid, network, ipc, uts and cgroup namespaces,
without capabilities or new privileges, and with a seccomp filter. On macOS it is Seatbelt through \`sandbox-exec\`, with
rules that deny everything they do not name.

The approval gate prevents mistakes; it is not a boundary. An approval never removes the sandbox.

**Attackers.** The model chooses tool inputs. A hostile repository supplies files, names, symlinks, git metadata and fake
configs. A sandboxed process runs any code for as long as it lives, also beside another sandbox on the same tree. It may
kill processes and be killed. Another local user reads process lists and shared folders.

**Trusted.** The kernel, the operator's files, the person who approves, and the process of the supervisor.

The [threat model](docs/explanation/threat-model.md) explains these choices.

## Claims

**Linux**, with bubblewrap 0.5 or newer: each claim is tested on a real kernel, as root and as an ordinary user. Each
test of a denial has a control that succeeds. \`cofferdam selftest\` tries most of them on your own machine.
${kernelsInWords(readRecords())}

**macOS**: the words of its column mean

- *by rules*: the generated Seatbelt rules enforce it. Two independent readers of such rules find exactly the profile
  in them. No selftest act and no random system call gets through on a simulated Mac. These proofs run on Linux, each night.
  Only \`cofferdam selftest\` and \`cofferdam doctor\` on your Mac show how its kernel behaves. Acts that cannot be tried
  there are listed and do not count. [More on macOS](docs/explanation/macos.md).
- *by the host*, *by the same code*: code outside the sandbox does it. It is tested on Linux and in the project's macOS
  runs.
- *in part*, *no*: as described there and [below](#macos).

| id | claim | Linux | macOS |
|---|---|---|---|`;

const NEXT = `
## Not protected

Each row is a known gap: the damage that can happen, and how to avoid it.`;
