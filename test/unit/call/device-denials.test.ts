import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { deviceDenials } from "../../../src/call/denials/devices.ts";
import type { AskDenial } from "../../../src/decide/ask-denial.ts";
import type { FoundNode } from "../../../src/host/launch/device-nodes.ts";
import type { DeviceGroup } from "../../../src/profile/devices.ts";
import { knownPath } from "../../../src/profile/path.ts";

const USER = { uid: 1000, gid: 1000, isCaller: false };
const NODES: Readonly<Record<DeviceGroup, readonly string[]>> = {
  gpu: ["/dev/dri/renderD128"],
  kvm: ["/dev/kvm"],
  fuse: ["/dev/fuse"],
  serial: ["/dev/ttyUSB0"],
};

/** A machine with these nodes, which a stranger may (0666) or may not (0600) open. */
const nodesIn =
  (all: Partial<typeof NODES>, mode = 0o600) =>
  (group: DeviceGroup): readonly FoundNode[] =>
    (all[group] ?? []).map((path) => ({
      path: knownPath(path),
      stats: Object.assign(statSync("/dev/null"), { mode, uid: 0, gid: 0 }),
    }));

const notListed: AskDenial = (question, certainty) => ({
  operation: "use",
  target: "group" in question ? question.group : "",
  certainty,
  because: "not listed (config)",
  remedy: "list it",
});
const listed: AskDenial = () => null;

function targets(said: string, nodes = nodesIn(NODES), told = notListed, words: readonly string[] = []) {
  return deviceDenials({ said, words, user: USER }, told, nodes).map((one) => one.target);
}

test.each([
  ["Could not access KVM kernel module: No such file or directory", "kvm"],
  ["open /dev/kvm: No such file or directory", "kvm"],
  ["NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", "gpu"],
  ["RuntimeError: Found no NVIDIA driver on your system.", "gpu"],
  ["failed to open /dev/dri/renderD128: No such file or directory", "gpu"],
  ["could not open port /dev/ttyUSB0: [Errno 2] No such file or directory: '/dev/ttyUSB0'", "serial"],
])("%s names the setting, where the machine has the device and only there", (said, group) => {
  expect(targets(said)).toEqual([group]);
  expect(targets(said, nodesIn({}))).toEqual([]);
});

test("a serial port that the machine does not have is not the sandbox's doing", () => {
  expect(targets("could not open port /dev/ttyUSB1: No such file or directory")).toEqual([]);
  expect(targets("could not open port /dev/ttyUSB01: No such file or directory")).toEqual([]);
});

test("nothing is told of what a program merely prints, or has and does not complain about", () => {
  expect(targets("using /dev/kvm")).toEqual([]);
  expect(targets("No such file or directory: a.txt")).toEqual([]);
  expect(targets("open /dev/kvm: No such file or directory", nodesIn(NODES), listed)).toEqual([]);
});

test("a device that the words of the call name is likely to be the reason", () => {
  const words = ["-enable-kvm", "/dev/kvm"];
  const [denial] = deviceDenials({ said: "cannot start", words, user: USER }, notListed, nodesIn(NODES));
  expect(denial).toMatchObject({ target: "kvm", certainty: "likely" });
});

test("a mount of FUSE is never promised: the hint says what to do without one", () => {
  for (const said of [
    "fuse: device not found, try 'modprobe fuse' first",
    "fusermount3: mount failed: Operation not permitted",
  ]) {
    const denials = deviceDenials({ said, words: [], user: USER }, notListed, nodesIn(NODES));
    expect(denials).toMatchObject([{ because: expect.stringContaining("with or without") }]);
  }
});

test("a device that is shown and that its mode closes names what opens it; one that is open does not", () => {
  const said = "open /dev/kvm: Permission denied";
  const closed = deviceDenials({ said, words: [], user: USER }, listed, nodesIn(NODES));
  expect(closed).toEqual([
    {
      operation: "use",
      target: "/dev/kvm",
      certainty: "certain",
      because: "it is in the sandbox, but its mode and its group 0 do not let this user open it",
      remedy:
        "outside the sandbox, let a group of the user open it (`ls -l /dev/kvm` shows its owner), and log in again",
    },
  ]);
  const own = deviceDenials({ said, words: [], user: USER }, listed, nodesIn(NODES, 0o660));
  expect(own.map(({ remedy }) => remedy)).toEqual([
    "outside the sandbox, add user 1000 to the group of kvm (`stat -c %G /dev/kvm`), and start cofferdam as that user",
  ]);
  expect(targets(said, nodesIn(NODES, 0o666), listed)).toEqual([]);
});
