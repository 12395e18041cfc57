import { describe, expect, test } from "vitest";
import { executedTable } from "../../../src/config/executed-table.ts";
import { layerOf } from "../../../src/config/operator-layer.ts";
import { parseData } from "../../../src/config/parse.ts";
import { ProfileFile } from "../../../src/config/schema.ts";
import { readShipped, shippedNames } from "../../../src/config/shipped.ts";
import { readYaml, type YamlFile } from "../../../src/config/yaml.ts";
import { accessTo } from "../../../src/profile/access-to.ts";
import { MACOS_GROUPS } from "../../../src/profile/macos.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { literalPrefix } from "../../../src/profile/pattern.ts";
import { SYSCALL_GROUPS } from "../../../src/profile/syscalls.ts";

const [workspace, home, runtime] = ["/srv/project", "/home/ann", "/usr"].map(absolutePath);
const variables = {
  workspace: [absolutePath("/srv/project")],
  home: [absolutePath("/home/ann")],
  runtime: [absolutePath("/usr")],
  system: [absolutePath("/usr")],
};

function shipped(name: string): { readonly file: ProfileFile; readonly yaml: YamlFile } {
  const { path, bytes } = readShipped(name, { code: "PROFILE_INVALID", by: "PROFILE_INVALID", at: null });
  const yaml = readYaml(bytes, path, "PROFILE_INVALID");
  return { file: parseData(ProfileFile, yaml), yaml };
}

function profileOf(name: string) {
  const { file, yaml } = shipped(name);
  return layerOf(file, yaml, variables, undefined, executedTable(name)).profile;
}

describe.each(shippedNames())("%s", (name) => {
  const { file } = shipped(name);
  const examples = file.expect ?? [];
  /** The verdicts of the examples that speak of such a thing. */
  const verdicts = (key: "path" | "host" | "socket" | "name"): readonly string[] =>
    examples
      .filter((example) => key in example)
      .map((example) => ("allow" in example ? "allow" : "deny"))
      .toSorted();

  test("has a description, and an example of each verdict where it speaks of paths", () => {
    expect(file.description).toMatch(/\.$/);
    const speaksOfPaths = file.files !== undefined || file.masks !== undefined;
    expect(new Set(verdicts("path"))).toEqual(new Set(speaksOfPaths ? ["allow", "deny"] : []));
  });

  test("has an example of what it denies in each other section, all of which close something", () => {
    expect([file.network, file.env]).toEqual([file.network === undefined ? undefined : "none", undefined]);
    expect(verdicts("host").includes("deny")).toBe(file.network !== undefined);
    expect(verdicts("socket").includes("deny")).toBe(file.sockets !== undefined);
  });

  test("has an example of each group that it denies, and of one that it leaves where it leaves any", () => {
    for (const [field, groups] of [
      ["syscalls", SYSCALL_GROUPS],
      ["macos", MACOS_GROUPS],
    ] as const) {
      const left: readonly string[] = file[field] ?? groups;
      const denied = groups.filter((group) => !left.includes(group));
      const shown = (verdict: "allow" | "deny"): readonly string[] =>
        examples.flatMap((one) =>
          "group" in one && verdict in one && Object.values(one).includes(field) ? [one.group] : [],
        );
      expect([field, shown("deny").toSorted()]).toEqual([field, denied]);
      expect([field, shown("allow").length > 0]).toEqual([field, denied.length > 0 && left.length > 0]);
    }
  });

  test("grants what programs need to start, where it lists files at all", () => {
    expect(accessTo(profileOf(name), absolutePath("/usr/bin/env"))).not.toBe("none");
  });

  test("has no `none` mask whose matches must be looked for outside of the workspace", () => {
    const wide = profileOf(name).masks.filter(
      (mask) =>
        mask.atMost === "none" &&
        mask.pattern.literal === null &&
        !literalPrefix(mask.pattern).startsWith("/srv/project"),
    );
    expect(wide.map((mask) => mask.pattern.text)).toEqual([]);
  });
});

describe("protected", () => {
  const profile = profileOf("protected");
  const access = (path: string) =>
    accessTo(profile, absolutePath(path.replace("$W", `${workspace}`).replace("$H", `${home}`)));

  const readOnly = [
    "$W/.git/hooks/pre-commit",
    "$W/.git/config",
    "$W/.GIT/Config",
    "$W/.git/config.worktree",
    "$W/.git/commondir",
    "$W/nested/deep/.git/hooks/post-checkout",
    "$W/.git/modules/lib/config",
    "$W/.git/modules/third/party/lib/hooks/pre-push",
    "$W/.git/worktrees/one/gitdir",
    "$W/.git/worktrees/one/commondir",
    "$W/mirror.git/config",
    "$W/.envrc",
    "$W/.husky/pre-commit",
    "$W/.githooks/pre-push",
    "$W/.vscode/tasks.json",
    "$W/.idea/workspace.xml",
    "$W/.claude/settings.json",
    "$W/.cursor/mcp.json",
    "$W/.mcp.json",
    "$W/mise.toml",
    "$W/sub/.mise.local.toml",
    "$W/mise.production.toml",
    "$W/mise/config.local.toml",
    "$W/.hg/hgrc",
    "$W/.hg/hgrc-not-shared",
    "$W/sub/.hg/sharedpath",
    "$W/.jj/repo/config-id",
    "$W/.jj/workspace-config.toml",
    "$W/.mise/tasks/build",
    "$W/.config/mise/conf.d/a.toml",
    "$W/team.code-workspace",
    "$W/.zed/tasks.json",
    "$W/.exrc",
    "$W/.nvim.lua",
    "$W/.dir-locals.el",
    "$W/opencode.json",
    "$W/.opencode/plugins/a/index.ts",
    "$W/.kiro/hooks/a.kiro.hook",
    "$W/.windsurf/workflows/a.md",
    "$W/.aider.conf.yml",
    "$W/.npmrc",
    "$W/.yarnrc.yml",
    "$W/.pnpmfile.cjs",
    "$W/.corepack.env",
    "$W/pip.conf",
    "$W/sub/cofferdam.yaml",
    "$H/.bashrc",
    "$H/.zshenv",
    "$H/.config/fish/config.fish",
    "$H/.config/mise/config.toml",
    "$H/.config/zed/settings.json",
    "$H/.gitconfig",
    "$H/.config/cofferdam/profiles.d/a.yaml",
    "/etc/cofferdam/profiles.d/a.yaml",
  ];
  test.each(readOnly)("%s can be read and not changed", (path) => {
    expect(access(path)).toBe("read");
  });

  const unreadable = [
    "$H/.ssh/id_ed25519",
    "$H/.gnupg/x",
    "$H/.aws/credentials",
    "$H/.config/gcloud/x",
    "$H/.config/gh/hosts.yml",
    "$H/.kube/config",
    "$H/.docker/config.json",
    "$H/.netrc",
    "$H/.git-credentials",
    "$H/.npmrc",
    "$H/.claude/.credentials.json",
    "/etc/shadow",
    "/etc/sudoers.d/x",
    "/etc/ssh/ssh_host_ed25519_key",
  ];
  test.each(unreadable)("%s cannot be read", (path) => {
    expect(access(path)).toBe("none");
  });

  const free = [
    "$W/.tool-versions",
    "$W/.kiro/specs/a.md",
    "$W/.zed/notes.md",
    "$W/src/mise.rs",
    "$W/mise/notes.toml",
    "$W/.hg/requires",
    "$W/.hg/dirstate",
    "$W/.hg/store/00changelog.i",
    "$W/.jj/repo/op_heads/heads/a",
    "$W/.git/index",
    "$W/.git/index.lock",
    "$W/.git/HEAD",
    "$W/.git/COMMIT_EDITMSG",
    "$W/.git/refs/heads/config",
    "$W/.git/refs/stash",
    "$W/.git/logs/refs/heads/main",
    "$W/.git/objects/ab/cdef",
    "$W/.git/packed-refs",
    "$W/.git/info/exclude",
    "$W/.git/worktrees/one/HEAD",
    "$W/.git/modules/lib/index",
    "$W/.github/workflows/ci.yaml",
    "$W/.gitignore",
    "$W/.vscode/extensions.json",
    "$W/.claude/worktrees/one/src/a.c",
    "$W/config/hooks/a",
    "$W/src/config",
    "$H/work/a",
    process.platform === "darwin" ? "/private/etc/hosts" : "/etc/hosts",
  ];
  test.each(free)("%s is left to others to decide", (path) => {
    expect(access(path)).toBe("write");
  });

  test("says nothing about network, sockets, variables, terminal and limits", () => {
    expect(profile).toMatchObject({
      network: "host",
      sockets: "any",
      env: ["*"],
      terminal: true,
      limits: {},
    });
  });
});

test("strict, read-only and ci grant the workspace and the runtimes, and no more", () => {
  for (const [name, access] of [
    ["strict", "write"],
    ["read-only", "read"],
    ["ci", "write"],
  ] as const) {
    expect(profileOf(name).files).toEqual([
      { path: workspace, access, suffixes: "any" },
      { path: runtime, access: "read", suffixes: "any" },
    ]);
  }
});
