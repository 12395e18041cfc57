import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemVersion } from "../../../../src/host/launch/mac/launcher.ts";
import { callsFolder, lookAtMac } from "../../../../src/host/launch/mac/look.ts";
import { thisHost } from "../../../../src/host/look/host.ts";
import { knownPath } from "../../../../src/profile/path.ts";

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-look-")));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

it("the version is the release and its build", () => {
  const file = join(top, "SystemVersion.plist");
  const entry = (key: string, value: string): string => `<key>${key}</key>\n\t<string>${value}</string>\n`;
  writeFileSync(
    file,
    `<plist version="1.0"><dict>${entry("ProductBuildVersion", "24F74")}${entry("ProductCopyright", "1983")}${entry("ProductVersion", "15.5")}</dict></plist>`,
  );
  expect(systemVersion(file)).toBe("15.5 24F74");
  writeFileSync(file, "nothing of it");
  expect(systemVersion(file)).toBe("unknown");
  expect(systemVersion(join(top, "missing"))).toBe("unknown");
});

it("calls lie in the state folder, by the path that the kernel knows, also where it is not there yet", () => {
  mkdirSync(join(top, "real"));
  symlinkSync("real", join(top, "link"));
  const stateFolder = knownPath(join(top, "link/a/cofferdam"));
  expect(callsFolder({ stateFolder }, null)).toBe(join(top, "real/a/cofferdam/calls"));
  expect(callsFolder({ stateFolder }, { uid: 501 })).toBe(`${realpathSync("/var/run")}/cofferdam/501`);
});

it.skipIf(!existsSync("/dev/shm"))(
  "a root on a disk of its own is on a volume of its own, by whatever name; `/` is always one",
  () => {
    const { volumes } = lookAtMac(thisHost(), { uid: 501 }, [{ path: knownPath("/dev/shm") }]);
    expect(volumes.map(({ point }) => point)).toEqual(["/", "/dev/shm"]);
    expect(volumes[0]).toEqual({ point: "/", foldsCase: false });
  },
);
