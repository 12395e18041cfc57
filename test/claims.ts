import { kernelsInWords } from "../scripts/lib/kernels/page.ts";
import { readRecords } from "../scripts/lib/kernels/record.ts";
import { CLAIMS, type ClaimId } from "../src/selftest/claims.ts";
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

/** The text of SECURITY.md: how to report a flaw, what is claimed and where it holds, and what is not protected. */
export function printSecurity(): string {
  const rows = Object.entries(CLAIMS).map(
    ([id, claim]) => `| ${id} | ${claim} | ${NOT_ON_LINUX.has(id) ? "–" : "yes"} | ${macOf(id)} |`,
  );
  return [HEAD, ...rows, NEXT, ...NOT_PROTECTED.map((one) => wrapped(one))].join("\n").concat("\n");
}

function macOf(id: string): string {
  return Object.entries(ON_MACOS).find(([one]) => one === id)?.[1] ?? "";
}

const HEAD = `# Security

Report a flaw privately, through the repository's security advisories. You get an answer within a week; a fix comes
with a test that fails without it.

## What is a boundary, and what is not

The boundary is the OS sandbox: on Linux, bubblewrap with user, mount, pid, network, ipc, uts and cgroup namespaces, no
capability, no new privileges, and a seccomp filter; on macOS, Seatbelt by the system's own \`sandbox-exec\`, with rules
that deny all that they don't name. The approval gate guards against mistakes; it is no boundary by
itself, and approving a call never removes the sandbox.

**Who attacks.** The model chooses tool inputs. A hostile repository supplies files, names, symlinks, git metadata and
config look-alikes. A sandboxed process runs any code it likes, for as long as it lives, also beside another sandbox on
the same tree, and may be killed or kill. Another local user looks at process lists and shared folders.

**Who is trusted.** The kernel, the operator's files, the person who approves, the host process of the supervisor.

## What this version claims

**Linux**, with bubblewrap 0.5 or newer: each claim is tested on a real kernel, as root and as an ordinary user, each denial
beside a twin that succeeds. \`cofferdam selftest\` tries most of them on your own machine.
${kernelsInWords(readRecords())}

**macOS**, where Seatbelt is documented by nobody who made it:
- *by rules*: the text that a call's rules are is what holds. What is proven of it is proven on Linux: two readers of such
  texts that share no code with what writes them find in it what the profile says, under every reading that others'
  observations leave open; and on a Mac that is imitated, files, links, spellings and all, none of those acts of the selftest
  that rules are asked about and no random run of system calls gets through, while each twin does, as long as its kernel asks
  about what is linked or cloned (see *names and links*). The gate and what ends a call are tested with real walls
  behind a stand-in for \`sandbox-exec\`. What your Mac's kernel does with such a text, \`cofferdam selftest\` shows there by
  real calls, and \`cofferdam doctor\` asks it what the proofs take for granted: before they have run on a Mac, nothing here was
  seen on it. An act that can't be tried there is said not to have been, and does not count.
- *by the host*, *by the same code*: what runs outside of all walls, and is tested on Linux, and by the project's runs on macOS.
- *in part*, *no*: as it says, and below.

| id | claim | Linux | macOS |
|---|---|---|---|`;

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
