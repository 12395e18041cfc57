const CONFIG = "test/unit/supervisor/remedies.test.ts";
const GIT = "test/kernel/denials-git.slow.test.ts";
const PORTS = "test/unit/supervisor/ports.test.ts";
const FINAL = "says that nothing lifts it, or that it is done outside";

/**
 * Remedies of `src/` with the test that follows each in the situation that printed it, or why there is nothing to follow. `{}`
 * stands for what is put in. The others stand in `not-followed.txt`.
 */
export const FOLLOWED: Readonly<Record<string, string>> = {
  "give the folder `mode: rw` under `sandbox.paths` in the config, if it is meant": CONFIG,
  "list the folder under `sandbox.paths` in the config, if it is meant": CONFIG,
  "list the name's ending under `suffixes` of the folder's `sandbox.paths` in the config, if it is meant":
    CONFIG,
  "list the host under `shell.network` in the config, if it is meant": CONFIG,
  "name another folder: nothing in a config or an operator's profile gives this one to tools": FINAL,
  "say `mode: ro` for it, or name another folder{}": CONFIG,
  "git goes on as if it had: outside of the sandbox, look at `{}`, then finish with `{}`": GIT,
  "git stopped and left a part of its changes in the working tree: outside of the sandbox, put them aside with `{}`, {}then {}":
    GIT,
  "{} outside of the sandbox": GIT,
  "write `shell: { ports: [{}] }` in the config, or do without": PORTS,
  "`cofferdam explain port {}` names the profile: list the port under its `ports`, or do without": PORTS,
  "if it is meant, finish it outside of the sandbox: `{}`": GIT,
  "move it yourself, outside of the sandbox, if it is meant": FINAL,
  "only whoever keeps the profile {} can allow it; do it without": FINAL,
};
