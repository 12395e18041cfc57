import { CLAIMS, type ClaimId } from "../src/selftest/claims.ts";
import { evidence } from "./support/claims/evidence.ts";
import { NOT_PROTECTED } from "./support/claims/not-protected.ts";

/** Claims that hold on whatever platform; all others are the walls', which this version builds on Linux. */
const EVERYWHERE: ReadonlySet<ClaimId> = new Set<ClaimId>([
  "pages",
  "grants",
  "approve.once",
  "approve.forge",
  "approve.race",
  "approve.deny",
  "config.strict",
  "config.trust",
]);

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

/** The text of SECURITY.md: how to report a flaw, what is claimed and where it holds, and what is not protected. */
export function printSecurity(): string {
  const rows = Object.entries(CLAIMS).map(([id, claim]) => {
    const where = [...EVERYWHERE].some((one) => one === id) ? "everywhere" : "Linux";
    return `| ${id} | ${claim} | ${where} |`;
  });
  return [HEAD, ...rows, NEXT, ...NOT_PROTECTED.map((one) => wrapped(one))].join("\n").concat("\n");
}

const HEAD = `# Security

Report a flaw privately, through the repository's security advisories. You get an answer within a week; a fix comes
with a test that fails without it.

## What is a boundary, and what is not

The boundary is the OS sandbox: on Linux, bubblewrap with user, mount, pid, network, ipc, uts and cgroup namespaces, no
capability, no new privileges, and a seccomp filter. The approval gate guards against mistakes; it is no boundary by
itself, and approving a call never removes the sandbox.

**Who attacks.** The model chooses tool inputs. A hostile repository supplies files, names, symlinks, git metadata and
config look-alikes. A sandboxed process runs any code it likes, for as long as it lives, also beside another sandbox on
the same tree, and may be killed or kill. Another local user looks at process lists and shared folders.

**Who is trusted.** The kernel, the operator's files, the person who approves, the host process of the supervisor.

## What this version claims

On Linux with bubblewrap 0.5 or newer. Each claim is tested on a real kernel, as root and as an ordinary user, each denial
beside a twin that succeeds. \`cofferdam selftest\` tries most of them on your own machine.

| id | claim | holds on |
|---|---|---|`;

const NEXT = `
## What is not protected
`;

/** A list item in lines of at most 118 characters. */
function wrapped(text: string): string {
  const lines: string[] = [];
  let line = "-";
  for (const word of text.split(" ")) {
    if (line.length + 1 + word.length > 118) {
      lines.push(line);
      line = ` ${word === "" ? "" : ` ${word}`}`;
    } else line = `${line} ${word}`;
  }
  return [...lines, line].join("\n");
}
