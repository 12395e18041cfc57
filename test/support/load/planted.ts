import { CALLER } from "../battery/people.ts";
import { Place } from "../battery/place.ts";
import { MAX_HELD_MS } from "./busy.ts";
import { heldMs, slowness } from "./held-loop.ts";

/** What calls leave behind, one after another; the last of them is measured too. */
type Left = readonly [name: string, ...lines: readonly string[]];

const names = (count: number, ending: string) => `seq ${count} | sed 's/$/${ending}/' | xargs touch`;
const repository = (at: string) =>
  `mkdir -p ${at}/refs ${at}/objects && echo 'ref: refs/heads/main' > ${at}/HEAD`;

/** Names in trees of installed packages, and links outside of them that lead to each. */
const linked = (packages: number, links: number) =>
  `mkdir node_modules q && perl -e 'for (1..${packages}) { mkdir "node_modules/p$_"; open my $f, ">", "node_modules/p$_/.envrc" } symlink "node_modules", "l$_" for 1..${links}' && echo x > q/.envrc`;

/** Links that lead to each other, each through hundreds of names. */
const chain = `mkdir -p p/q && perl -e 'symlink "p", "e0"; symlink(("p/q/../../" x 400) . "e" . ($_ - 1), "e$_") for 1..38'`;

/** Each in a moment. */
export const SMALL: readonly Left[] = [
  [
    "branches of 8 MiB, of which nothing is one",
    `${repository(".git")} && mkdir -p .git/refs/heads && cd .git/refs/heads && seq 100 | xargs truncate -s 8388608`,
    "sleep 0.1; echo x > .envrc",
  ],
  [
    "a configuration that is nothing but line ends, in a clone with a planted file",
    `${repository("c/.git")} && yes '' | head -c 4000000 > c/.git/config && echo x > c/.envrc`,
  ],
  [
    "a section with a long name, given to each of its keys",
    `${repository("r/.git")} && (printf '[x "'; head -c 500000 /dev/zero | tr '\\0' a; echo '"]'; yes b=1 | head -c 500000) > r/.git/config`,
  ],
  ["thousands of names that hosts execute", names(3_000, ".code-workspace")],
  [
    "names that hosts execute at links through thousands of names",
    `${chain}; for i in $(seq 100); do mkdir r$i && ln -s ../e38/q/x r$i/.envrc; done`,
    "true",
  ],
  [
    "repositories at links through thousands of names",
    `${chain}; git init -q p/g; for i in $(seq 20); do mkdir r$i && ln -s ../e38/g/.git r$i/.git; done`,
    "true",
  ],
  [
    "hooks and settings that lead through thousands of names",
    `${chain}; git init -q z; for i in $(seq 60); do printf '[include]\\n path = ../../e38/c\n[core]\\n worktree = ../../e38/w\n' >> z/.git/config; ln -s ../../../e38/h$i z/.git/hooks/k$i; done`,
    "true",
  ],
  ["1,000 links, each to 1,000 installed packages that bring such a name", linked(1_000, 1_000)],
];

/** What takes its time. */
export const LARGE: readonly Left[] = [
  ["20,000 names that hosts execute", names(20_000, ".code-workspace")],
  ["60,000 names that are only told", names(60_000, ".tf")],
  ["5,000 links, each to 3,000 installed packages that bring such a name", linked(3_000, 5_000)],
  [
    "a branch folder with 100,000 files",
    `${repository(".git")} && mkdir -p .git/refs/heads && cd .git/refs/heads && seq 100000 | xargs touch`,
    "echo x > .envrc",
  ],
  [
    "2,000 repositories that run a program",
    `for i in $(seq 2000); do ${repository("r$i/.git")} && printf '[core]\\n\\tfsmonitor = /bin/x\\n' > r$i/.git/config; done`,
    "true",
  ],
  [
    "2,000 repositories, too many for later calls",
    `for i in $(seq 2000); do ${repository("r$i/.git")}; done`,
    "true",
  ],
  [
    "a folder of 20,000 hooks",
    `${repository("r/.git")} && mkdir r/.git/hooks && cd r/.git/hooks && seq 20000 | xargs touch && seq 20000 | xargs chmod +x`,
    "true",
  ],
  [
    "a configuration that includes 999 others of a megabyte",
    `${repository("r/.git")} && yes 'a = b' | head -c 1000000 > base && (echo '[include]'; for i in $(seq 999); do ln base inc$i; echo "path = ../../inc$i"; done) > r/.git/config`,
  ],
  [
    "links to one folder of 9,990 names",
    `mkdir big && (cd big && seq 9990 | xargs touch) && for i in $(seq 300); do mkdir f$i; for l in .direnv .mise mise .config; do ln -s ../big f$i/$l; done; done`,
    "true",
  ],
];

/** How long calls that leave this behind hold the event loop, in proportion to the most that they may; each has to end well. */
export async function heldByPlanting(lines: readonly string[]): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 && least > 1; tries += 1) least = Math.min(least, await heldOnce(lines));
  return least;
}

async function heldOnce(lines: readonly string[]): Promise<number> {
  using place = new Place(CALLER);
  await using supervisor = await place.supervisor({
    sandbox: { appeared: "quarantine" },
    shell: { default: { approval: false } },
  });
  const session = supervisor.session();
  await session.call("shell", { argv: ["true"] });
  let max = 0;
  for (const line of lines) {
    const held = await heldMs(async () => {
      const outcome = await session.call("shell", { argv: ["bash", "-c", line] });
      if (outcome.kind !== "done" || outcome.receipt.appeared.unknown !== null)
        throw new Error(JSON.stringify(outcome).slice(0, 2_000));
      const live = outcome.receipt.appeared.found.filter(({ fate }) => fate.kind === "live");
      if (live.length > 0) throw new Error(JSON.stringify(live).slice(0, 2_000));
    });
    max = Math.max(max, held);
  }
  return max / (MAX_HELD_MS * slowness());
}
