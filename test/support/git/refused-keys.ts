import { CARRIED, isSigning, MADE_FILES } from "../../../src/host/look/runtimes/git-keys.ts";

/** Why keys that git lists are left out, each with the keys as git writes them: `*` is anything. */
export const REFUSED: Readonly<Record<string, readonly string[]>> = {
  "it is or names a program, or makes git start one by itself": [
    ...[
      "alias.*",
      "browser.*",
      "guitool.*",
      "man.*",
      "pager.<cmd>",
      "web.browser",
      "instaweb.*",
      "gui.*",
      "mergetool.*",
      "difftool.*",
    ],
    ...[
      "core.alternateRefsCommand",
      "core.askPass",
      "core.editor",
      "core.fsmonitor",
      "core.gitProxy",
      "core.hooksPath",
      "core.pager",
    ],
    ...[
      "core.sshCommand",
      "core.fsmonitorHookVersion",
      "sequence.editor",
      "ssh.variant",
      "credential*",
      "diff.<driver>.*",
      "diff.external",
    ],
    ...[
      "diff.tool",
      "diff.guitool",
      "merge.tool",
      "merge.guitool",
      "merge.<driver>.*",
      "filter.<driver>.*",
      "gpg.program",
      "gpg.<format>.program",
    ],
    ...[
      "gpg.ssh.defaultKeyCommand",
      "help.*",
      "interactive.diffFilter",
      "init.templateDir",
      "pull.octopus",
      "pull.twohead",
    ],
    ...[
      "log.showSignature",
      "merge.verifySignatures",
      "uploadpack.packObjectsHook",
      "fsmonitor.*",
      "maintenance.*",
      "completion.commands",
    ],
    ...["add.interactive.useBuiltin", "interactive.singleKey", "push.gpgSign", "tag.forceSignAnnotated"],
  ],
  "it names a file or folder of the machine": [
    ...[
      "include*",
      "blame.ignoreRevsFile",
      "commit.template",
      "diff.orderFile",
      "mailmap.*",
      "gpg.ssh.allowedSignersFile",
    ],
    ...["gpg.ssh.revocationFile", "trace2.*"],
  ],
  "it says what git reaches on the network, and with whose secrets": [
    ...[
      "http.*",
      "url.*",
      "protocol.*",
      "bundle.*",
      "imap.*",
      "sendemail.*",
      "push.pushOption",
      "push.negotiate",
      "fetch.negotiationAlgorithm",
    ],
    ...["transfer.advertiseSID", "transfer.credentialsInUrl", "transfer.hideRefs", "lsrefs.unborn"],
  ],
  "it is about one repository, whose own configuration says it": [
    ...[
      "branch.<name>.*",
      "remote.<name>.*",
      "remotes.<group>",
      "submodule.<name>.*",
      "submodule.active",
      "submodule.alternate*",
    ],
    ...[
      "submodule.propagateBranches",
      "core.bare",
      "core.worktree",
      "core.repositoryFormatVersion",
      "core.sharedRepository",
      "core.sparse*",
    ],
    ...[
      "core.ignoreCase",
      "core.ignoreStat",
      "core.splitIndex",
      "core.alternateRefsPrefixes",
      "core.preferSymlinkRefs",
      "extensions.*",
    ],
    ...[
      "core.hideDotFiles",
      "core.restrictinheritedhandles",
      "core.unsetenvvars",
      "index.*",
      "splitIndex.*",
      "sparse.*",
      "notes.<name>.mergeStrategy",
    ],
  ],
  "it guards: less of it is no person's to carry in": [
    ...[
      "core.protectHFS",
      "core.protectNTFS",
      "clean.requireForce",
      "fsck.*",
      "fetch.fsck.*",
      "gpg.minTrustLevel",
      "receive.*",
    ],
    ...[
      "uploadarchive.*",
      "uploadpack.allow*",
      "uploadpack.hideRefs",
      "uploadpack.keepAlive",
      "uploadpackfilter.*",
      "gitcvs.*",
      "gitweb.*",
    ],
  ],
  "it is about speed and storage alone": [
    ...[
      "checkout.thresholdForParallelism",
      "checkout.workers",
      "commitGraph.*",
      "core.bigFileThreshold",
      "core.commitGraph",
    ],
    ...[
      "core.compression",
      "core.createObject",
      "core.deltaBaseCacheLimit",
      "core.filesRefLockTimeout",
      "core.fsync*",
      "core.looseCompression",
    ],
    ...[
      "core.multiPackIndex",
      "core.packed*",
      "core.preloadIndex",
      "core.untrackedCache",
      "fastimport.*",
      "feature.*",
    ],
    ...[
      "fetch.parallel",
      "fetch.unpackLimit",
      "fetch.writeCommitGraph",
      "gc.aggressive*",
      "gc.autoDetach",
      "gc.autoPackLimit",
    ],
    ...[
      "gc.bigPackThreshold",
      "gc.cruftPacks",
      "gc.logExpiry",
      "gc.packRefs",
      "gc.writeCommitGraph",
      "gc.<pattern>.*",
      "grep.threads",
    ],
    ...["pack.*", "push.useBitmaps", "repack.*", "submodule.fetchJobs", "transfer.unpackLimit"],
  ],
  "it is about mail and old listings, which few make here": [
    ...[
      "format.attach",
      "format.cc",
      "format.cover*",
      "format.encodeEmailHeaders",
      "format.filenameMaxLength",
      "format.forceInBodyFrom",
    ],
    ...[
      "format.from",
      "format.headers",
      "format.notes",
      "format.numbered",
      "format.outputDirectory",
      "format.signature*",
    ],
    ...[
      "format.subjectPrefix",
      "format.suffix",
      "format.thread",
      "format.to",
      "format.useAutoBase",
      "mailinfo.*",
      "showBranch.*",
      "diff.wordRegex",
    ],
  ],
};

/** What becomes of a key as `git help --config` lists it: each reason for which it is carried, or refused. */
export function fatesOf(key: string): readonly string[] {
  const name = key.toLowerCase().replace(/<[^>]*>/g, "*");
  const carried = [
    ...CARRIED.filter(({ keys }) => Object.keys(keys).some((one) => isLike(one, name))).map(({ why }) => why),
    ...(name in MADE_FILES ? ["by its content"] : []),
    ...(isSigning(name) ? ["where something signs"] : []),
  ];
  const refused = Object.entries(REFUSED).flatMap(([why, keys]) =>
    keys.some((one) => isLike(one.toLowerCase().replace(/<[^>]*>/g, "*"), name)) ? [why] : [],
  );
  return carried.length === 0 ? refused : [...carried, ...refused];
}

/** Git's own list has a few names with a `*` of their own: those are like a pattern that has one there. */
function isLike(pattern: string, name: string): boolean {
  const source = pattern.replace(/[.$^+?()[\]{}|\\]/g, "\\$&").replaceAll("*", ".*");
  return new RegExp(`^${source}$`).test(name);
}
