import { rowText } from "../row-text.ts";
import { JOBS } from "./job.ts";
import { isWhole, type KernelRecord } from "./record.ts";

const HEAD = `# Kernels

What differs from one Linux kernel to another, and on which cofferdam was seen to hold. \`scripts/kernels\` starts Debian's own
kernels in an emulated machine with cgroup v2. It runs the same things there as root and as an ordinary user, each in a
cgroup of its own:

- **doctor**: every part of the sandbox works by itself, and memory and processes of a whole call can be limited.
- **selftest**: every attack is refused, and its control succeeds.
- **agreement**: what the kernel allows is what the profile says, in random trees.
- **limits**: memory and number of processes of a whole call stop at their limit, and the receipt says which limit was reached.

The tables are written from what the last runs recorded in \`kernels.json\`. A dash: that was not tried on this version of the
kernel, or did not hold when it was tried last.
`;

const WITHOUT_SYSTEMD = `
## Limits of a whole call without systemd

With systemd, \`systemd-run --user --scope -p Delegate=yes cofferdam …\` is enough. Without it, root prepares a cgroup once
after each boot, here for the user \`you\`:

\`\`\`sh
cd /sys/fs/cgroup
echo "+memory +pids" > cgroup.subtree_control
mkdir -p agent/cofferdam
chown you agent agent/cofferdam agent/cgroup.procs agent/cgroup.subtree_control agent/cofferdam/cgroup.procs
\`\`\`

Each start then begins in the leaf \`agent/cofferdam\`. Root moves the process there and goes on as the user:

\`\`\`sh
echo $$ > /sys/fs/cgroup/agent/cofferdam/cgroup.procs
exec setpriv --reuid=you --regid=you --init-groups cofferdam …
\`\`\`

A start in \`agent\` itself works as well, but only the first time: cofferdam moves into the leaf and hands the controllers down,
and from then on the kernel lets no process into \`agent\` (\`Device or resource busy\`).
`;

/** Facts about the machines, and their meaning for a sandbox. */
const FACTS: readonly (readonly [name: string, what: string, meaning: string])[] = [
  ["landlock", "Landlock, ABI version", "the sandbox does not need it; programs inside may use it"],
  [
    "modules",
    "security modules",
    "a profile of AppArmor, SELinux or Tomoyo can keep `bwrap` from making namespaces",
  ],
  [
    "kernel/unprivileged_userns_clone",
    "`kernel.unprivileged_userns_clone`",
    "0: only root can make a sandbox; Debian and its derivatives alone have it",
  ],
  [
    "kernel/apparmor_restrict_unprivileged_userns",
    "`kernel.apparmor_restrict_unprivileged_userns`",
    "1: `bwrap` needs an AppArmor profile to make a sandbox for an ordinary user; Ubuntu has it",
  ],
  [
    "user/max_user_namespaces",
    "`user.max_user_namespaces`",
    "0: nobody can make a sandbox; it is smaller on a machine with less memory",
  ],
  ["overlay", "overlay file systems in a user namespace", "the sandbox does not need them"],
  ["cgroup", "controllers of cgroup v2", "`memory` and `pids` limit a whole call"],
];

/** The text of docs/reference/kernels.md. */
export function kernelsPage(records: readonly KernelRecord[]): string {
  const columns = records.map(({ version }) => `\`${version}\``);
  const line = `|${"---|".repeat(records.length + 1)}`;
  const facts = FACTS.filter(([name]) => records.some(({ facts }) => facts[name] !== undefined)).map(
    ([name, what, meaning]) =>
      rowText([what, ...records.map(({ facts }) => facts[name] ?? "not there"), meaning]),
  );
  const seen = JOBS.map(({ name, user, kind }) =>
    rowText([
      `${kind}, as ${user === "root" ? "root" : "an ordinary user"}`,
      ...records.map((one) => one.seen[name] ?? "–"),
    ]),
  );
  return [
    HEAD,
    "## What holds",
    "",
    rowText(["", ...columns]),
    line,
    ...seen,
    "",
    "## What differs",
    "",
    rowText(["", ...columns, "what it means here"]),
    `${line}---|`,
    ...facts,
    WITHOUT_SYSTEMD,
  ].join("\n");
}

/** For SECURITY.md: the tried kernels, and the result on each. */
export function kernelsInWords(records: readonly KernelRecord[]): string {
  const kernels = records.map((one) => {
    const held = isWhole(one)
      ? "all of it held"
      : `${Object.keys(one.seen).length} of ${JOBS.length} parts seen to hold`;
    return `- \`${one.facts["release"]}\`: ${held}`;
  });
  return [
    "[Kernels](docs/reference/kernels.md) says what was tried under Debian's own, emulated, with cgroup v2, as root and as an ordinary user:",
    ...kernels,
  ].join("\n");
}
