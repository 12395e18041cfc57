import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cofferdamFor, endingOf, environmentIn, saidBy, startCommand } from "../support/battery/command.ts";
import { itNeeds, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("inherited descriptors");

const PERL = "/usr/bin/perl";
const MAKE = "/usr/bin/make";

/**
 * Opens one of each kind, so that who is started has it: a folder, a file, a pair of sockets, a terminal, what can be
 * polled, an event, memory, a watch, the host's own namespaces; many of them, and some with high numbers.
 */
const OPENS = `
  use POSIX (); use Socket; $^F = 100_000; my $outside = shift; my @held; my $arm = (POSIX::uname())[4] eq "aarch64";
  my $took = sub { my $fd = syscall($_[0], @_[1 .. $#_]); die "@_: $!" if $fd < 0; open my $handle, "+<&=", $fd or die; push @held, $handle };
  sub hold { open my $handle, $_[0], $_[1] or die "$_[1]: $!"; push @held, $handle; $handle }
  my $folder = sub { my $fd = POSIX::open($outside, 0200000) // die "folder: $!"; fcntl_clear($fd); $fd };
  sub fcntl_clear { open my $handle, "<&=", $_[0] or die; fcntl($handle, 2, 0); push @held, $handle }
  $folder->() for 1 .. 300; hold("<", "$outside/canary"); hold("+<", "/dev/ptmx"); hold("<", "/proc/self/ns/mnt"); hold("<", "/proc/self/ns/user");
  socketpair my $one, my $other, AF_UNIX, SOCK_STREAM, 0; push @held, $one, $other; pipe my $out, my $in; push @held, $out, $in;
  $took->($arm ? 20 : 291, 0); $took->($arm ? 19 : 290, 1, 0); my $name = "leaked"; $took->($arm ? 279 : 319, $name, 0); $took->($arm ? 26 : 294, 0);
  for my $high (500, 1000, 4000) { POSIX::dup2(fileno $held[0], $high) // die "dup2: $!"; fcntl_clear($high) }
  exec @ARGV or die "exec: $!"`;

/** What the descriptors of every process inside lead to, other than pipes, the private null, and the list itself. */
const LISTS = String.raw`my %to = map { (readlink // "gone") => 1 } glob "/proc/[0-9]*/fd/*";
  print map "$_\n", (sort grep !m{^(pipe:\[|/dev/null$|/proc/\d+/fd|gone$)}, keys %to), "end"`;
/** Whether a file is reached from any of its own. */
const REACHES = 'print -e "$_/canary" ? "reached\\n" : "" for glob "/proc/self/fd/*"; print "end\\n"';

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  let place: Place;
  beforeEach(() => {
    place = new Place(person);
    place.file("outside/canary", "secret\n");
  });
  afterEach(() => place[Symbol.dispose]());

  const opening = (): readonly string[] => [PERL, "-e", OPENS, place.outside];

  it("fd: of hundreds of every kind, with high numbers too, none is to be had inside", {
    timeout: 60_000,
  }, async () => {
    const under = ["/bin/sh", "-c", 'ulimit -n 8192 && exec "$@"', "sh", ...opening()];
    const [made, ...replies] = await place.run({
      under,
      job: { calls: [LISTS, REACHES].map((line) => ({ argv: [PERL, "-e", line] })) },
    });
    expect([made?.kind, replies.map((one) => (one.kind === "ran" ? one.stdout : one))]).toEqual([
      "made",
      ["end\n", "end\n"],
    ]);
    const plain = spawnSync(under[0] ?? "", [...under.slice(1), PERL, "-e", `${LISTS}; ${REACHES}`], {
      ...person.runAs,
      encoding: "utf8",
    });
    expect(plain.stdout).toContain("\nreached\n");
    for (const kind of [
      place.outside,
      "canary",
      "socket:[",
      "eventpoll]",
      "eventfd]",
      "/memfd:leaked",
      "inotify",
      "ptmx",
      "mnt:[",
    ])
      expect(plain.stdout).toContain(kind);
  });

  it("fd: what works on files has none of them either", async () => {
    // It has opened the folders that it works in, of its own root. Looks from outside at the descriptors of the processes beside it that are in other namespaces.
    const looks = String.raw`
      my $own = readlink "/proc/self/ns/pid"; my $parent = getppid; my %up;
      for my $stat (glob "/proc/[0-9]*/stat") { open my $f, "<", $stat or next; $up{$1} = $2 if <$f> =~ /^(\d+) .*\) . (\d+)/ }
      for my $pid (keys %up) { my $at = $pid; $at = $up{$at} while $at && $at != $parent; next if !$at || $pid == $parent || $pid == $$;
        next if (readlink "/proc/$pid/ns/pid") eq $own; $seen++;
        for (glob "/proc/$pid/fd/*") { my $to = readlink // next; next if $to =~ m{^(pipe:|anon_inode:|/dev/null|/dev/u?random)} || $to eq "/" || $to eq $ARGV[0]; print STDERR "$pid $to\n"; $bad = 1 } }
      exit($bad || $seen < 2 ? 1 : 0)`;
    const [made, read, ...others] = await place.run({
      under: opening(),
      job: {
        calls: [],
        steps: [
          { tool: "list_dir", input: { path: "ws:" } },
          { run: [PERL, "-e", looks, place.ws] },
          { tool: "list_dir", input: { path: "ws:" } },
        ],
      },
    });
    expect([made?.kind, read?.kind, others.map(({ kind }) => kind)]).toEqual(["made", "told", ["told"]]);
  });

  it("fd: a command that is started without standard streams runs, and nothing of the host stands in for them", async () => {
    const argv = [
      "--",
      "sh",
      "-c",
      ": > up; readlink /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 > kinds; echo lost; echo lost >&2",
    ];
    const under = ["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh"];
    place.config();
    const child = startCommand(
      place,
      ["run", "--quiet", "--config", join(place.top, "config.yaml"), ...argv],
      { under },
    );
    expect(await endingOf(child)).toEqual({ status: 0, isBySignal: false });
    expect(place.read("ws/kinds")).toMatch(/^(pipe:\[\d+\]|\/dev\/null)\n\/.*\/ws\/kinds\npipe:\[\d+\]\n$/);
  });

  itNeeds([MAKE], "fd: under `make -j` a recipe neither gets the jobserver nor upsets it", async () => {
    place.config({ sandbox: { env: { pass: ["MAKEFLAGS"] } } });
    const run = [
      ...cofferdamFor(person),
      "run",
      "--quiet",
      "--config",
      join(place.top, "config.yaml"),
      "--",
    ].join(" ");
    const list =
      "echo $$MAKEFLAGS; for fd in 3 4; do [ -e /proc/self/fd/$$fd ] && echo open || echo shut; done";
    place.file("ws/inner.mk", "all: x y z\nx y z: ; @echo made $@\n");
    place.file(
      "ws/Makefile",
      [
        "all: inside again plain",
        `inside again: ; +@${run} sh -c '${list}; make -s -f inner.mk' > $@ 2>&1`,
        `plain: ; +@sh -c '${list}' > $@ 2>&1`,
        "",
      ].join("\n"),
    );
    const child = spawn(MAKE, ["-j2"], {
      ...person.runAs,
      cwd: place.ws,
      env: environmentIn(place),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = saidBy(child);
    expect(await endingOf(child)).toEqual({ status: 0, isBySignal: false });
    // It would say here that tokens were lost.
    expect(await said).toEqual({ stdout: "", stderr: "" });
    for (const name of ["inside", "again"])
      expect(place.read(`ws/${name}`)).toMatch(/jobserver-auth=.*\nshut\nshut\n(?:[\s\S]*made [xyz]\n){3}/);
    expect(place.read("ws/plain")).toMatch(/jobserver-auth=.*\nopen\nopen\n$/);
  });

  it("fd: a pipe of descriptors by name, as newer `make` has it, is no way out either", async () => {
    const fifo = join(place.outside, "fifo");
    expect(place.plainly(`mkfifo ${fifo}`).status).toBe(0);
    const both = openSync(fifo, "r+");
    try {
      const [, reply] = await place.run({
        inherits: new Map([[40, both]]),
        env: { MAKEFLAGS: `-j2 --jobserver-auth=fifo:${fifo}` },
        settings: { sandbox: { env: { pass: ["MAKEFLAGS"] } } },
        job: {
          calls: [
            {
              argv: [
                "sh",
                "-c",
                `echo $MAKEFLAGS; [ -e ${fifo} ] || echo none; readlink /proc/self/fd/40 | cut -c1-5`,
              ],
            },
          ],
        },
      });
      expect(reply).toMatchObject({
        kind: "ran",
        stdout: `-j2 --jobserver-auth=fifo:${fifo}\nnone\npipe:\n`,
      });
    } finally {
      closeSync(both);
    }
    expect(readdirSync(place.outside).toSorted()).toEqual(["canary", "fifo"]);
  });
});
