import { mkdirSync, writeFileSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { thisHost } from "../../../src/host/host.ts";
import { makeStateFolder } from "../../../src/host/machine.ts";
import { machine, refusalOf } from "../config/machine.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  ["/srv/state", "/srv/state/cofferdam"],
  ["/srv/state/", "/srv/state/cofferdam"],
  ["/srv//state/./", "/srv/state/cofferdam"],
  ["", `${thisHost().user.home}/.local/state/cofferdam`],
])("with XDG_STATE_HOME=%j it is %s", (xdg, folder) => {
  vi.stubEnv("XDG_STATE_HOME", xdg);
  expect(thisHost().stateFolder).toBe(folder);
});

test.each(["state", "./state", "~/state"])("XDG_STATE_HOME=%s is refused, not passed over", (xdg) => {
  vi.stubEnv("XDG_STATE_HOME", xdg);
  expect(refusalOf(() => thisHost())).toMatchObject({
    exit: 65,
    code: "CONFIG_INVALID",
    message: `XDG_STATE_HOME names no folder: the path \`${xdg}\` is not absolute`,
    hint: "set it to an absolute path, or unset it",
  });
});

test("one that can't be made says so", () => {
  const m = machine();
  mkdirSync(m.at("home/ann/.local"));
  writeFileSync(m.at("home/ann/.local/state"), "");
  const { host } = m;
  expect(refusalOf(() => makeStateFolder(host), m.folder)).toMatchObject({
    exit: 65,
    code: "CONFIG_INVALID",
    message: expect.stringMatching(
      /^the state folder `~\/home\/ann\/.local\/state\/cofferdam` cannot be made: ENOTDIR/,
    ),
    hint: "make it, or set XDG_STATE_HOME to a folder of your own",
  });
  makeStateFolder({ ...host, stateFolder: m.at("other/cofferdam") });
});
