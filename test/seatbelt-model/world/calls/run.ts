import type { Query, Target } from "../../query.ts";
import { type Fails, fails } from "../errno.ts";
import type { Found } from "../resolve.ts";
import type { Syscall } from "../syscall.ts";
import { hasRight } from "../world.ts";
import { about, asks, existing, type Plan, type Scene, wayTo } from "./plan.ts";

/**
 * Running a program: about the program where it really is, and about a script's interpreter. One that is set-uid or set-gid
 * is refused whatever the profile says (`forbidden-exec-sugid`).
 */
export function planExec(scene: Scene, path: string): Plan {
  const program = runnable(scene, path);
  if (program.kind === "fails") return program;
  const { node } = program;
  const interpreter = node.vnode === "REGULAR-FILE" ? interpreterOf(node.bytes) : undefined;
  if (interpreter === undefined) return asks(imageOf(scene, program), () => undefined);
  const runner = runnable(scene, interpreter);
  if (runner.kind === "fails") return runner;
  const isScriptAgain =
    runner.node.vnode === "REGULAR-FILE" && interpreterOf(runner.node.bytes) !== undefined;
  if (isScriptAgain) return fails("ENOEXEC");
  return asks([...imageOf(scene, program), ...imageOf(scene, runner)], () => undefined);
}

/** Mapping a library's code into the process, which then has its bytes. */
export function planDlopen(scene: Scene, path: string): Plan {
  const place = existing(scene, path);
  if (place.kind === "fails") return place;
  const { node } = place;
  if (node.vnode !== "REGULAR-FILE") return fails("EACCES");
  if (!hasRight(scene.world, node, "read")) return fails("EACCES");
  return asks(
    [...wayTo(scene, place), about("file-read-data", place), about("file-map-executable", place)],
    () => ({ is: "bytes", bytes: node.bytes }),
  );
}

/** A signal; a child is of the same sandbox. */
export function planKill(call: Extract<Syscall, { call: "kill" }>): Plan {
  return asks([{ operation: "signal", target: TARGETS[call.process] }], () => undefined);
}

/** A question by name alone: a service's port, a kernel variable. */
export function planNamed({ call, name }: Extract<Syscall, { call: "mach-lookup" | "sysctl-read" }>): Plan {
  return asks([{ operation: call, name }], () => undefined);
}

const TARGETS: Readonly<Record<"self" | "child" | "other", Target>> = {
  self: "self",
  child: "same-sandbox",
  other: "others",
};

function runnable(scene: Scene, path: string): Found | Fails {
  const place = existing(scene, path);
  if (place.kind === "fails") return place;
  if (place.node.vnode !== "REGULAR-FILE") return fails("EACCES");
  if (!hasRight(scene.world, place.node, "execute")) return fails("EACCES");
  return (place.node.mode & 0o6000) === 0 ? place : fails("EPERM");
}

function imageOf(scene: Scene, program: Found): readonly Query[] {
  const image = scene.kernel.execChecksImage ? ["file-read-data", "file-map-executable"] : [];
  return [
    ...wayTo(scene, program),
    ...["process-exec", ...image].map((operation) => about(operation, program)),
  ];
}

/** The program that a `#!` line names. */
function interpreterOf(bytes: string): string | undefined {
  return /^#![ \t]*([^ \t\n]+)/.exec(bytes)?.[1];
}
