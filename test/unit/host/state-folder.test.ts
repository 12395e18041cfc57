import { mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { makeStateFolder, problemOfState } from "../../../src/host/launch/state-folder.ts";
import { thisHost } from "../../../src/host/look/host.ts";
import { knownPath } from "../../../src/profile/path.ts";
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
    message: `invalid XDG_STATE_HOME: the path \`${xdg}\` is not absolute`,
    hint: "set it to the absolute path of a folder, or unset it",
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
      /^the state folder `~\/home\/ann\/.local\/state\/cofferdam` cannot be created: `~\/home\/ann\/.local\/state` is not a folder$/,
    ),
    hint: "create it, or set XDG_STATE_HOME to a folder that you own",
  });
  makeStateFolder({ ...host, stateFolder: m.at("other/cofferdam") });
});

test("one that stands on a file, before it is made, is told without making it", () => {
  const m = machine();
  const { host } = m;
  expect(problemOfState(host)).toBeNull();
  mkdirSync(m.at("home/ann/.local"));
  writeFileSync(m.at("home/ann/.local/state"), "");
  expect(problemOfState(host)).toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining("is not a folder"),
  });
});

test.each([
  ["a folder", (place: string) => mkdirSync(place)],
  ["a link", (place: string) => symlinkSync("/dev/null", place)],
  ["a file that says something", (place: string) => writeFileSync(place, "x", { mode: 0o000 })],
  ["a file that can be read", (place: string) => writeFileSync(place, "")],
])("the file that hides files is none where %s stands", (_what, make) => {
  const { host } = machine();
  makeStateFolder(host);
  const place = `${host.stateFolder}/empty`;
  make(place);
  expect(problemOfState(host)).toMatchObject({ message: expect.stringContaining("contains `empty`") });
  rmSync(place, { recursive: true });
  writeFileSync(place, "", { mode: 0o000 });
  expect(problemOfState(host)).toBeNull();
});

test("where no folder can be made at all, that is said at once", () => {
  const { host } = machine();
  const stateFolder = knownPath("/proc/self/cofferdam");
  expect(() => makeStateFolder({ ...host, stateFolder })).toThrow(/is not writable|cannot be created/);
});

test("one that is a link, or lies behind one, that leads nowhere is refused at once", () => {
  const m = machine();
  symlinkSync(`${m.folder}/nowhere`, m.at("home/ann/.local"));
  for (const stateFolder of [m.host.stateFolder, m.at("home/ann/.local")])
    expect(refusalOf(() => makeStateFolder({ ...m.host, stateFolder }), m.folder)).toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("is not a folder"),
    });
});

test.each(["live", "cgroups", "journal", "ledger-lock"])(
  "a file in the place of its folder `%s` is named; a folder, or a link to one, is taken",
  (name) => {
    const m = machine();
    const { host } = m;
    makeStateFolder(host);
    const place = `${host.stateFolder}/${name}`;
    const leadsNowhere = `${m.folder}/nowhere`;
    symlinkSync(leadsNowhere, place);
    const refusal = {
      exit: 65,
      code: "CONFIG_INVALID",
      message: expect.stringContaining(`contains \`${name}\`, which cofferdam did not create`),
      hint: expect.stringMatching(/^remove .*: it is created again$/),
    };
    expect(refusalOf(() => makeStateFolder(host), m.folder)).toMatchObject(refusal);
    unlinkSync(place);
    writeFileSync(place, "");
    expect(refusalOf(() => makeStateFolder(host), m.folder)).toMatchObject(refusal);
    unlinkSync(place);
    mkdirSync(`${m.folder}/elsewhere`);
    symlinkSync(`${m.folder}/elsewhere`, place);
    makeStateFolder(host);
  },
);
