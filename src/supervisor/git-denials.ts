import { gitHint, gitLines } from "../config/git-findings.ts";
import { visible } from "../errors.ts";
import { unsetFilters } from "../host/git/filters.ts";
import { type AbsolutePath, ROOT } from "../profile/path.ts";
import type { Call } from "../tool/call.ts";
import type { GitOfCaller, Root, Signing } from "../tool/facts.ts";
import { commandsIn } from "./commands-in.ts";
import type { Denial } from "./denial.ts";
import type { Side } from "./prepare.ts";
import type { Standing } from "./standing.ts";

/** What is known of a call when it has ended, as far as git is concerned. */
export interface GitCall {
  /** The words of each command of its line, and of those that it hands to a shell. */
  readonly commands: readonly (readonly string[])[];
  readonly cwd: AbsolutePath;
  readonly roots: readonly Root[];
  /** What the person's configuration says; null without the `git` runtime. */
  readonly git: GitOfCaller | null;
  /** The names of the variables inside. */
  readonly variables: readonly string[];
  readonly isFailed: boolean;
  /** The end of what it said on standard error. */
  readonly said: string;
}

/** How git says that it found no repository, or not all of one. */
const NO_REPOSITORY =
  /not a git repository|alternate object path|object directory .* does not exist|bad object/i;

/** How git says that nothing signed. */
const UNSIGNED =
  /gpg failed to sign|no private key found|couldn't (find|get|load) .*(key|agent|socket)|failed to write commit object/i;

/** How ssh-keygen says that it has no key. */
const BY_SSH = /private key found|public key|agent socket|key in agent/i;

/** Subcommands that make commits or tags, and those that write or compare files. */
const COMMITS = ["commit", "merge", "rebase", "cherry-pick", "revert", "am", "pull", "tag"];
const FILES = [
  ...COMMITS,
  "add",
  "stage",
  "checkout",
  "switch",
  "restore",
  "reset",
  "clone",
  "stash",
  "status",
  "diff",
];

/**
 * What the sandbox kept from git: a repository that lies in no root, what signs commits, the command of a filter.
 * Nothing is said where git was not used.
 */
export function gitDenials(
  ended: EndedCall,
  how: Pick<GitCall, "isFailed" | "said">,
  told: Set<string>,
): readonly Denial[] {
  return untold(gitDenialsOf({ ...gitCallOf(ended), ...how }), ended.call.sessionId, told);
}

/** A call that has ended, and what it had. */
interface EndedCall {
  readonly call: Call;
  readonly side: Side;
  readonly standing: Standing;
}

function gitCallOf({ call, side, standing }: EndedCall): Omit<GitCall, "isFailed" | "said"> {
  return {
    commands: commandsIn(call.input),
    cwd: side.launch?.cwd ?? ROOT,
    roots: standing.settings.roots,
    git: standing.settings.runtimes.find(({ name }) => name === "git")?.git ?? null,
    variables: Object.keys(side.launch?.env ?? {}),
  };
}

/** So much is remembered of what was told. */
const MOST_TOLD = 10_000;

/** What git does not complain about is told once in a session. */
function untold(found: readonly Found[], session: string, told: Set<string>): readonly Denial[] {
  return found.flatMap(({ isSilent, denial }) => {
    const key = JSON.stringify([session, denial.target, denial.because]);
    if (!isSilent) return [denial];
    if (told.has(key)) return [];
    if (told.size >= MOST_TOLD) told.clear();
    told.add(key);
    return [denial];
  });
}

/** All of it, told or not. */
export function gitDenialsOf(call: GitCall): readonly Found[] {
  return [...(call.isFailed ? elsewhere(call) : []), ...unsigned(call), ...unfiltered(call)];
}

/** A denial, and whether git itself said nothing of it. */
export interface Found {
  readonly isSilent: boolean;
  readonly denial: Denial;
}

function elsewhere({ roots, said }: GitCall): readonly Found[] {
  if (!NO_REPOSITORY.test(said)) return [];
  return gitLines(roots).map(({ elsewhere, line }) => ({
    isSilent: false,
    denial: {
      operation: elsewhere.mode === "rw" ? "write" : "read",
      target: elsewhere.path,
      certainty: "certain",
      because: `${visible(elsewhere.from)} leads git there, and it lies in no root`,
      remedy: gitHint({ elsewhere, line }),
    },
  }));
}

function unsigned({ commands, git, variables, isFailed, said }: GitCall): readonly Found[] {
  const signing = git?.signing ?? null;
  const isRefused = isFailed && UNSIGNED.test(said);
  if (!isRefused && (signing === null || isFailed || !commands.some((words) => isGit(words, COMMITS))))
    return [];
  // A repository's own configuration may sign in another way: git says in which.
  const isSsh = isRefused ? BY_SSH.test(said) : signing?.format === "ssh";
  const needs: Signing["needs"] = isSsh ? "SSH_AUTH_SOCK" : "GNUPGHOME";
  if (variables.includes(needs)) return [];
  const what =
    needs === "GNUPGHOME"
      ? "the folder of GnuPG that it names"
      : "the folder of the agent's socket that it names";
  const mode = needs === "GNUPGHOME" ? "mode: rw" : "mode: ro";
  const because = isRefused
    ? `git signs here, and the sandbox has no ${needs}`
    : `your git configuration signs, and the sandbox has no ${needs}: what this call commits or tags is not signed`;
  return [
    {
      isSilent: !isRefused,
      denial: {
        operation: "use",
        target: "what signs commits",
        certainty: isRefused ? "likely" : "certain",
        because,
        remedy: `pass ${needs} in \`sandbox.env.pass\` and list ${what} under \`sandbox.paths\` with \`${mode}\`, or sign outside; see docs/git.md`,
      },
    },
  ];
}

function unfiltered({ commands, cwd, roots, git }: GitCall): readonly Found[] {
  if (git === null || !commands.some((words) => isGit(words, FILES))) return [];
  const paths = roots.filter(({ mode }) => mode !== "none").map(({ path }) => path);
  return unsetFilters(cwd, paths, git.filters).map(({ filter, by }) => ({
    isSilent: true,
    denial: {
      operation: "use",
      target: `the filter ${visible(filter)} of git`,
      certainty: "certain",
      because: `${visible(by)} names it, and git inside has no command for it: files that it is for are taken as they are`,
      remedy:
        filter === "lfs"
          ? "install git-lfs where the sandbox finds programs, such as /usr/bin, and run `git lfs install` yourself; until then run this command outside"
          : "run this command outside, or set the filter in the repository's own configuration, with a program that is inside",
    },
  }));
}

function isGit([program = "", ...words]: readonly string[], subcommands: readonly string[]): boolean {
  return /(^|\/)git$/.test(program) && words.some((word) => subcommands.includes(word));
}
