import { statSync } from "node:fs";
import { describe, expect } from "vitest";
import type { Reply } from "../support/battery/job.ts";
import { CALLER, ORDINARY, PEOPLE } from "../support/battery/people.ts";
import { Place, type Start } from "../support/battery/place.ts";
import { itUnless, noDevices, notRoot, sandboxMustWork, unusable } from "../support/battery/walls.ts";

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
      `chmod 660 ${path} && echo mode; chown $(id -u) ${path} && echo owner; touch -c -r ${path} ${path} && echo times`;
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
});
