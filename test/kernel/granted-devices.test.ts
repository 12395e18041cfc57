import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { describe, expect } from "vitest";
import { lookAtDeviceNodes } from "../../src/host/launch/device-nodes.ts";
import { DEVICE_GROUPS } from "../../src/profile/devices.ts";
import { type AbsolutePath, knownPath } from "../../src/profile/path.ts";
import type { Reply } from "../support/battery/job.ts";
import { itUnless, noDevices, notRoot, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER, ORDINARY, PEOPLE } from "../support/battery/people.ts";
import { Place, type Start } from "../support/battery/place.ts";

sandboxMustWork("granted devices");

const GROUP = 4242;

/** Opens `/dev/kvm`, asks for its version and makes a machine with one processor (include/uapi/linux/kvm.h). */
const KVM = `perl -e '
  open my $kvm, "+<", "/dev/kvm" or do { print "no: $!\\n"; exit 3 };
  my $version = ioctl($kvm, 0xae00, 0);
  open my $vm, "+<&=", ioctl($kvm, 0xae01, 0) + 0 or exit 4;
  my $cpu = ioctl($vm, 0xae41, 0);
  print "version $version, ", defined $cpu ? "a processor" : "no processor: $!", "\\n";
'`;

/** Opens `/dev/fuse` and mounts a file system of its own (mount.fuse3(8)); 165 is mount(2) here. */
const FUSE = `mkdir -p "$1" && exec perl -e '
  open my $fuse, "+<", "/dev/fuse" or do { print "no: $!\\n"; exit 3 };
  my $fd = fileno $fuse; $^F = $fd;
  my ($from, $at, $type, $how) = ("own", $ARGV[0], "fuse", "fd=$fd,rootmode=40000,user_id=0,group_id=0");
  my $done = syscall(165, $from, $at, $type, 0, $how);
  print "opened, ", $done == 0 ? "mounted" : "refused: $!", "\\n";
' "$1"`;

/** Starts what follows with another `/dev/kvm` and `/dev/fuse`, of a group, as an ordinary user who is or is not in it. */
function asMember(place: Place, groups: string): readonly string[] {
  const script = [
    ...["kvm 232", "fuse 229"].map((node) => {
      const [name, minor] = node.split(" ");
      const made = `${place.top}/${name}`;
      return `rm -f ${made} && mknod -m 660 ${made} c 10 ${minor} && chgrp ${GROUP} ${made} && mount -n --bind ${made} /dev/${name}`;
    }),
    `exec setpriv --reuid ${ORDINARY.uid} --regid ${ORDINARY.gid} ${groups} -- "$@"`,
  ].join(" && ");
  return ["/usr/bin/unshare", "-m", "/bin/sh", "-c", script, "sh"];
}

async function run(place: Place, line: string, devices: readonly string[], more: Partial<Start> = {}) {
  const settings = { sandbox: { ...more.settings?.sandbox, devices } };
  const job = { cwd: place.ws, calls: [{ argv: ["sh", "-c", line, "sh", `${place.ws}/mnt`] }] };
  const [, reply] = await place.run({ ...more, settings, job });
  return reply;
}

const said = (reply: Reply | undefined): string =>
  reply?.kind === "ran" ? reply.stdout.trim() : JSON.stringify(reply);

describe.skipIf(unusable !== null)("devices that a config grants", () => {
  itUnless(
    notRoot ?? noDevices,
    "fs.views: root makes a virtual machine where kvm is granted, and only there",
    async () => {
      using place = new Place(CALLER);
      const granted = await run(place, `${KVM}; cd /dev; ls -d kvm fuse tty* 2>/dev/null`, ["kvm"]);
      expect(said(granted).split("\n")).toEqual(["version 12, a processor", "kvm", "tty"]);
      expect(granted).toMatchObject({ kind: "ran", runAs: 0, standings: { files: "enforced" } });
      expect(said(await run(place, KVM, []))).toBe("no: No such file or directory");
      expect(said(await run(place, KVM, ["fuse", "gpu", "serial"]))).toBe("no: No such file or directory");
    },
  );

  itUnless(notRoot ?? noDevices, "fs.write: nothing of the machine's own node can be changed", async () => {
    using place = new Place(CALLER);
    place.file("ws/own", "");
    const before = statSync("/dev/kvm");
    const tries = (path: string): string =>
      `chmod "$(stat -c %a ${path})" ${path} && echo mode; chown $(id -u) ${path} && echo owner; touch -c -r ${path} ${path} && echo times`;
    expect(said(await run(place, `(${tries("/dev/kvm")}) 2>/dev/null`, ["kvm"]))).toBe("");
    expect(said(await run(place, tries(`${place.ws}/own`), ["kvm"]))).toBe("mode\nowner\ntimes");
    const after = statSync("/dev/kvm");
    expect([after.mode, after.uid, after.gid, after.mtimeMs]).toEqual([
      before.mode,
      before.uid,
      before.gid,
      before.mtimeMs,
    ]);
  });

  itUnless(notRoot, "fs.write: where no other node can be made, the receipt says so", async () => {
    using place = new Place(CALLER);
    const under = ["/usr/bin/setpriv", "--bounding-set", "-mknod"];
    const reply = await run(place, KVM, ["kvm"], { under });
    expect(said(reply)).toBe("version 12, a processor");
    expect(reply).toMatchObject({ standings: { files: "partial" } });
  });

  itUnless(
    notRoot ?? noDevices,
    "fs.views: an ordinary user's groups open a node inside as they do outside",
    async () => {
      using place = new Place(ORDINARY);
      const member = { under: asMember(place, `--groups ${GROUP}`), startedBy: CALLER };
      const other = { under: asMember(place, "--clear-groups"), startedBy: CALLER };
      expect(said(await run(place, KVM, ["kvm"], member))).toBe("version 12, a processor");
      expect(said(await run(place, KVM, ["kvm"], other))).toBe("no: Permission denied");
      // What it says of that on standard error is told with the way out, and a member has it.
      const failing = await run(place, `(${KVM}) | sed 's|^no|/dev/kvm|' >&2; false`, ["kvm"], other);
      expect(failing).toMatchObject({
        denials: [
          {
            target: "/dev/kvm",
            remedy:
              "outside the sandbox, add the user to the group of kvm (`stat -c %G /dev/kvm`), and log in again",
          },
        ],
      });
      expect(said(await run(place, KVM, [], member))).toBe("no: No such file or directory");
    },
  );

  itUnless(notRoot ?? noDevices, "mount: /dev/fuse opens, and no file system is mounted by it", async () => {
    for (const person of PEOPLE) {
      using place = new Place(person);
      const as = person.uid === 0 ? {} : { under: asMember(place, `--groups ${GROUP}`), startedBy: CALLER };
      expect([person.name, said(await run(place, FUSE, ["fuse"], as))]).toEqual([
        person.name,
        "opened, refused: Operation not permitted",
      ]);
      expect(said(await run(place, FUSE, ["kvm"], as))).toBe("no: No such file or directory");
    }
  });

  itUnless(noDevices, "denials: an AppImage that can't be mounted is told what lets it run", async () => {
    using place = new Place(CALLER);
    // Its runtime, as far as it matters here.
    const image = `[ "$APPIMAGE_EXTRACT_AND_RUN" = 1 ] && exec echo ran
      echo "fusermount3: mount failed: Operation not permitted" >&2; exit 127`;
    expect(await run(place, image, [])).toMatchObject({
      denials: [
        {
          remedy:
            "mount it outside and list its folder under `sandbox.paths`; an AppImage runs without a mount if `APPIMAGE_EXTRACT_AND_RUN=1` is set under `sandbox.env.set`",
        },
      ],
    });
    const settings = { sandbox: { env: { set: { APPIMAGE_EXTRACT_AND_RUN: "1" } } } };
    const ran = await run(place, image, [], { settings });
    expect(said(ran)).toBe("ran");
    expect(ran).not.toHaveProperty("denials");
  });

  itUnless(notRoot ?? noDevices, "fs.views: an operator's profile takes devices away", async () => {
    using place = new Place(CALLER);
    const settings = { sandbox: { os_profile: ["strict"] } };
    const reply = await run(
      place,
      "ls /dev/kvm /dev/fuse 2>&1 | wc -l; [ -e /dev/kvm ] || echo none",
      ["kvm", "fuse"],
      { settings },
    );
    expect(said(reply)).toBe("2\nnone");
  });

  itUnless(
    notRoot ?? noDevices,
    "denials: a failure for a device names the setting, and the receipt says what it gives",
    async () => {
      using place = new Place(CALLER);
      const perl = "open my $f, q(+<), q(/dev/kvm) or die qq(open /dev/kvm: $!)";
      const asked = async (devices: readonly string[], os_profile: readonly string[] = []) => {
        await using supervisor = await place.supervisor({ sandbox: { devices, os_profile } });
        return await supervisor.session({ caller: "person" }).call("shell", { argv: ["perl", "-e", perl] });
      };
      expect(await asked([])).toMatchObject({
        kind: "failed",
        denials: [
          {
            target: "/dev/kvm",
            certainty: "certain",
            remedy: "list `kvm` under `sandbox.devices` in the config, if intended",
          },
        ],
      });
      expect(await asked(["kvm"])).toMatchObject({
        kind: "done",
        receipt: {
          devices: [{ path: "/dev/kvm", may: "run virtual machines with /dev/kvm" }],
        },
      });
      expect(await asked(["kvm"], ["strict"])).toMatchObject({
        kind: "failed",
        denials: [{ target: "/dev/kvm", remedy: expect.stringContaining("only the owner of the profile") }],
      });
    },
  );
});

/** The root of a made machine: nodes in its `/dev`, and what its `/sys` says of a port by USB and of a graphics card. */
function madeMachine(place: Place): AbsolutePath {
  const top = place.folder("machine");
  const script = `
    set -e; cd "$1"; mkdir -p dev/dri/by-path dev/serial/by-id sys/dev/char sys/class/tty/console sys/class/drm sys/bus/pci/devices
    node() { mknod -m 660 dev/$1 c $2 $3; }
    node ttyUSB0 188 0; node ttyS0 4 64; node ttyS1 4 65; node ttyS2 4 66; node dri/card0 226 0; node dri/renderD128 226 128
    node kvm 10 232; ln -s /dev/null dev/fuse; : > dev/ttyACM0; node malice 9 9; node nvidia0 195 0
    ln -s ../../ttyUSB0 dev/serial/by-id/usb-board; ln -s ../card0 dev/dri/by-path/pci-card
    echo ttyS0 > sys/class/tty/console/active
    for n in "1 0" "2 4"; do set -- $n; mkdir sys/class/tty/ttyS$1; echo $2 > sys/class/tty/ttyS$1/type; done
    p=sys/devices/pci0/0000:01:00.0; mkdir -p $p/drm/renderD128
    ln -s ../../devices/pci0/0000:01:00.0/drm/renderD128 sys/dev/char/226:128
    ln -s ../../devices/pci0/0000:01:00.0/drm/renderD128 sys/class/drm/renderD128
    ln -s ../../../devices/pci0/0000:01:00.0 sys/bus/pci/devices/0000:01:00.0
    ln -s ../../../0000:01:00.0 $p/drm/renderD128/device; ln -s ../../../../../class/drm $p/drm/renderD128/subsystem
    ln -s ../../../bus/pci $p/subsystem; echo 0x1002 > $p/vendor; echo secret > $p/resource0; echo own > $p/numa_node; chmod 600 $p/numa_node`;
  execFileSync("/bin/sh", ["-c", script, "sh", top]);
  return knownPath(top);
}

describe("the devices of a machine", () => {
  const whose = { user: { uid: 1000, gid: 1000, isCaller: true }, devices: { kind: "host" } } as const;

  itUnless(
    notRoot ?? noDevices,
    "devices: each group has its own nodes, and no console, card, link or file",
    () => {
      using place = new Place(CALLER);
      const top = madeMachine(place);
      const found = lookAtDeviceNodes(place.host(), whose, DEVICE_GROUPS, top);
      expect(found.map(({ group, path }) => `${group} ${path.slice(top.length)}`)).toEqual([
        "gpu /dev/nvidia0",
        "gpu /dev/dri/renderD128",
        "kvm /dev/kvm",
        "serial /dev/ttyS2",
        "serial /dev/ttyUSB0",
      ]);
      expect(lookAtDeviceNodes(place.host(), whose, ["kvm"], top)).toHaveLength(1);
    },
  );

  itUnless(
    notRoot ?? noDevices,
    "devices: what `/sys` says of a card is which one it is, and nothing of its memory",
    () => {
      using place = new Place(CALLER);
      const top = madeMachine(place);
      const all = lookAtDeviceNodes(place.host(), whose, ["gpu", "serial"], top);
      const without = (path: string): string => path.slice(top.length);
      const card = all.find(({ path }) => path.endsWith("renderD128"));
      expect(card?.files.map(({ path, text }) => [without(path), text])).toEqual([
        ["/sys/devices/pci0/0000:01:00.0/vendor", "0x1002\n"],
      ]);
      expect(card?.links.map(({ path }) => without(path)).toSorted()).toEqual([
        "/sys/bus/pci/devices/0000:01:00.0",
        "/sys/class/drm/renderD128",
        "/sys/dev/char/226:128",
        "/sys/devices/pci0/0000:01:00.0/drm/renderD128/device",
        "/sys/devices/pci0/0000:01:00.0/drm/renderD128/subsystem",
        "/sys/devices/pci0/0000:01:00.0/subsystem",
      ]);
      expect(all.at(-1)?.links).toEqual([
        { path: `${top}/dev/serial/by-id/usb-board`, target: "../../ttyUSB0" },
      ]);
    },
  );

  itUnless(
    notRoot ?? noDevices,
    "devices: a node that the sandbox's user owns is exposed until another is made",
    () => {
      using place = new Place(CALLER);
      const top = madeMachine(place);
      const isExposed = (uid: number): boolean | undefined =>
        lookAtDeviceNodes(place.host(), { ...whose, user: { ...whose.user, uid } }, ["kvm"], top)[0]
          ?.isExposed;
      expect([isExposed(0), isExposed(1000)]).toEqual([true, false]);
    },
  );
});
