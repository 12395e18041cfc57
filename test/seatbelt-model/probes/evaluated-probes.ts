import { posix } from "node:path";
import type { Act } from "../../../src/host/launch/mac/probes/act.ts";
import type {
  KernelProbe,
  ProbeAnswer,
  ProbeAnswers,
  Trial,
} from "../../../src/host/launch/mac/probes/probe.ts";
import { compile, type Profile } from "../compile.ts";
import { decide } from "../decide.ts";
import type { Query, Reading } from "../query.ts";
import type { Kernel } from "../world/kernel.ts";
import { macWith } from "../world/mac.ts";
import { perform } from "../world/perform.ts";
import { type Planted, USER } from "../world/spec.ts";
import type { Address, Syscall } from "../world/syscall.ts";
import type { World } from "../world/world.ts";

/** What the answers to a probe would be on a Mac whose rules are read so, and whose kernel asks so. */
export function answersUnder(probe: KernelProbe, reading: Reading, kernel: Kernel): ProbeAnswers {
  return new Map(
    probe.trials.flatMap((trial, number) => {
      const folder = `/private/tmp/cofferdam-p/${number}/i`;
      return answersOf(trial, (name) => posix.join(folder, name), reading, kernel);
    }),
  );
}

function answersOf(
  trial: Trial,
  at: (name: string) => string,
  reading: Reading,
  kernel: Kernel,
): readonly (readonly [string, ProbeAnswer])[] {
  const names = Object.keys(trial.acts);
  const all = (answer: ProbeAnswer) => names.map((name) => [name, answer] as const);
  const profile = compiled(trial.text(at), reading, trial.parameters?.(at) ?? {});
  if (profile === "unsupported") return all("not-tried");
  if (profile === "invalid") return all("rejected");
  const judge = (query: Query): boolean => decide(profile, query, reading).allowed;
  const world = macWith([...PROGRAMS, ...plantedFor(trial, at)], { cwd: "/" });
  const can = (call: Syscall): boolean => perform(world, call, judge, kernel).kind === "done";
  if (!can({ call: "exec", path: "/bin/sh" })) return all("rejected");
  return Object.entries(trial.acts).map(([name, act]) => [
    name,
    isDone(act(at), world, judge, kernel) ? "done" : "refused",
  ]);
}

const PROGRAMS: readonly Planted[] = [
  { path: "/System/Library/Perl/auto/Socket/Socket.bundle", kind: "file", bytes: "code", mode: 0o755 },
];

const texts = new Map<string, Profile | "invalid" | "unsupported">();

/** Once for all readings that take a text for the same rules. */
function compiled(text: string, reading: Reading, given: Readonly<Record<string, string>>) {
  const key = JSON.stringify([text, reading.sharpStrings, reading.knows("file-link"), given]);
  const known = texts.get(key);
  if (known !== undefined) return known;
  const result = compile(text, reading, { params: new Map(Object.entries(given)) });
  const made = result.kind === "profile" ? result : result.kind === "error" ? "invalid" : "unsupported";
  texts.set(key, made);
  return made;
}

function plantedFor({ given = [] }: Trial, at: (name: string) => string): readonly Planted[] {
  return [
    { path: at(""), kind: "folder", owner: USER },
    ...given.map((name): Planted => {
      const path = at(name.replace(/[/=]$/, ""));
      if (name.endsWith("/")) return { path, kind: "folder", owner: USER };
      if (name.endsWith("=")) return { path, kind: "socket", listener: "host", owner: USER };
      return { path, kind: "file", bytes: "x\n", owner: USER };
    }),
  ];
}

function isDone(act: Act, world: World, judge: (query: Query) => boolean, kernel: Kernel): boolean {
  const can = (call: Syscall): boolean => perform(world, call, judge, kernel).kind === "done";
  switch (act.kind) {
    case "start":
      return true;
    case "read":
      return can({ call: "open", path: act.path, access: "read" });
    case "write":
      return can({ call: "open", path: act.path, access: "write", creates: "or-opens" });
    case "create":
      return can({ call: "open", path: act.path, access: "write", creates: "or-opens", truncates: true });
    case "mkdir":
      return can({ call: "mkdir", path: act.path });
    case "remove":
      return can({ call: "unlink", path: act.path });
    case "rename":
    case "swap":
    case "link":
      return can({ call: act.kind, from: act.from, to: act.to });
    case "clone":
      return can({ call: "clonefile", from: act.from, to: act.to });
    case "connect":
    case "bind":
      return can({ call: act.kind, address: inet(act.host, act.port), type: "SOCK_STREAM" });
    case "connect-socket":
      return can({ call: "connect", address: { family: "AF_UNIX", path: act.path }, type: "SOCK_STREAM" });
    case "inspect":
      return judge({ operation: "process-info-pidinfo", target: "others" });
    case "registry":
      return judge({ operation: "iokit-get-properties" });
    case "firmware":
      return judge({ operation: "nvram-get" });
    case "load":
      return can({ call: "dlopen", path: "/System/Library/Perl/auto/Socket/Socket.bundle" });
    case "nest":
      return act.status === 71;
  }
}

function inet(host: string, port: number): Address {
  return { family: host.includes(":") ? "AF_INET6" : "AF_INET", host, port };
}
