import { gitHint, gitLines } from "../../config/git-findings.ts";
import type { CallPolicy } from "../../decide/call-policy.ts";
import type { PreparedRun } from "../../decide/prepare.ts";
import { visible } from "../../errors.ts";
import { unsetFilters } from "../../host/look/git/filters.ts";
import type { Denial } from "../../policy/denial.ts";
import { type AbsolutePath, ROOT } from "../../profile/path.ts";
import type { Call } from "../../tool/call.ts";
import type { GitOfCaller, Root, Signing } from "../../tool/facts.ts";
import { commandsIn } from "./commands-in.ts";

/** The facts about an ended call that matter for git. */
export interface GitCall {
  /** The words of each command of its line, and of those that it hands to a shell. */
  readonly commands: readonly (readonly string[])[];
  readonly cwd: AbsolutePath;
  readonly roots: readonly Root[];
  /** The person's git configuration; null without the `git` runtime. */
  readonly git: GitOfCaller | null;
  readonly variables: readonly string[];
  readonly isFailed: boolean;
  readonly said: string;
}

const NO_REPOSITORY =
  /not a git repository|alternate object path|object directory .* does not exist|bad object/i;

const UNSIGNED =
  /gpg failed to sign|no private key found|couldn't (find|get|load) .*(key|agent|socket)|failed to write commit object/i;

/** Messages of ssh-keygen about a missing key. */
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

/** Denials about a repository outside all roots, a signing program or a filter's command; empty without git. */
export function gitDenials(
  ended: EndedGit,
  how: Pick<GitCall, "isFailed" | "said">,
  reported: Set<string>,
): readonly Denial[] {
  return unreported(gitDenialsOf({ ...gitCallOf(ended), ...how }), ended.call.sessionId, reported);
}

interface EndedGit {
  readonly call: Call;
  readonly side: PreparedRun;
  readonly policy: CallPolicy;
}

function gitCallOf({ call, side, policy }: EndedGit): Omit<GitCall, "isFailed" | "said"> {
  return {
    commands: commandsIn(call.input),
    cwd: side.launch?.cwd ?? ROOT,
    roots: policy.settings.roots,
    git: policy.settings.runtimes.find(({ name }) => name === "git")?.git ?? null,
    variables: Object.keys(side.launch?.env ?? {}),
  };
}

const MAX_REPORTED = 10_000;

/** Reports problems that git is silent about once per session. */
function unreported(found: readonly GitDenial[], session: string, reported: Set<string>): readonly Denial[] {
  return found.flatMap(({ isSilent, denial }) => {
    const key = JSON.stringify([session, denial.target, denial.because]);
    if (!isSilent) return [denial];
    if (reported.has(key)) return [];
    if (reported.size >= MAX_REPORTED) reported.clear();
    reported.add(key);
    return [denial];
  });
}

/** All git denials of a call, reported before or not. */
export function gitDenialsOf(call: GitCall): readonly GitDenial[] {
  return [...(call.isFailed ? elsewhere(call) : []), ...unsigned(call), ...unfiltered(call)];
}

/** A denial, and whether git itself was silent about it. */
export interface GitDenial {
  readonly isSilent: boolean;
  readonly denial: Denial;
}

function elsewhere({ roots, said }: GitCall): readonly GitDenial[] {
  if (!NO_REPOSITORY.test(said)) return [];
  return gitLines(roots).map(({ elsewhere, line }) => ({
    isSilent: false,
    denial: {
      operation: elsewhere.mode === "rw" ? "write" : "read",
      target: elsewhere.path,
      certainty: "certain",
      because: `${visible(elsewhere.from)} leads git there, and it is in no root`,
      remedy: gitHint({ elsewhere, line }),
    },
  }));
}

function unsigned({ commands, git, variables, isFailed, said }: GitCall): readonly GitDenial[] {
  const signing = git?.signing ?? null;
  const isRefused = isFailed && UNSIGNED.test(said);
  if (!isRefused && (signing === null || isFailed || !commands.some((words) => isGit(words, COMMITS))))
    return [];
  // A repository's own configuration may sign in another way: git's message shows which.
  const isSsh = isRefused ? BY_SSH.test(said) : signing?.format === "ssh";
  const needs: Signing["needs"] = isSsh ? "SSH_AUTH_SOCK" : "GNUPGHOME";
  if (variables.includes(needs)) return [];
  const what =
    needs === "GNUPGHOME"
      ? "the GnuPG folder that it names"
      : "the folder of the agent's socket that it names";
  const mode = needs === "GNUPGHOME" ? "mode: rw" : "mode: ro";
  const because = isRefused
    ? `git signs commits here, but ${needs} is not set in the sandbox`
    : `your git configuration signs commits, but ${needs} is not set in the sandbox: commits and tags of this call are not signed`;
  return [
    {
      isSilent: !isRefused,
      denial: {
        operation: "use",
        target: "the signing of commits",
        certainty: isRefused ? "likely" : "certain",
        because,
        remedy: `list ${needs} in \`sandbox.env.pass\` and ${what} under \`sandbox.paths\` with \`${mode}\`, or sign outside; see docs/how-to/git.md`,
      },
    },
  ];
}

function unfiltered({ commands, cwd, roots, git }: GitCall): readonly GitDenial[] {
  if (git === null || !commands.some((words) => isGit(words, FILES))) return [];
  const paths = roots.filter(({ mode }) => mode !== "none").map(({ path }) => path);
  return unsetFilters(cwd, paths, git.filters).map(({ filter, by }) => ({
    isSilent: true,
    denial: {
      operation: "use",
      target: `the filter ${visible(filter)} of git`,
      certainty: "certain",
      because: `${visible(by)} names it, but git in the sandbox has no command for it: its files are not filtered`,
      remedy:
        filter === "lfs"
          ? "install git-lfs in a folder of the sandbox's PATH, such as /usr/bin, and run `git lfs install` yourself; until then run this command outside"
          : "run this command outside, or set the filter in the repository's own configuration, with a program of the sandbox",
    },
  }));
}

function isGit([program = "", ...words]: readonly string[], subcommands: readonly string[]): boolean {
  return /(^|\/)git$/.test(program) && words.some((word) => subcommands.includes(word));
}
