import type { Query } from "../query.ts";
import { planChmod, planChown, planGetxattr, planSetxattr, planUtimes } from "./calls/attributes.ts";
import { planClone } from "./calls/clone.ts";
import { planAccess, planChdir, planGetcwd, planReaddir, planReadlink, planStat } from "./calls/look.ts";
import { planLink, planMkdir, planRemove, planRename, planSwap, planSymlink } from "./calls/names.ts";
import { planIoctl, planOpen, planRead, planTruncate, planWrite } from "./calls/open.ts";
import type { Plan, Scene } from "./calls/plan.ts";
import { planDlopen, planExec, planKill, planNamed } from "./calls/run.ts";
import { planSocket, planTalk } from "./calls/sockets.ts";
import { type Kernel, LIKELY } from "./kernel.ts";
import type { Asked, Result, Syscall } from "./syscall.ts";
import type { World } from "./world.ts";

/** Whether the sandbox says yes to a question. */
export type Judge = (query: Query) => boolean;

/** What the kernel asks before it makes a call, in this world as it is. Changes nothing. */
export function queriesOf(world: World, call: Syscall, kernel: Kernel = LIKELY): Asked {
  const plan = planOf({ world, kernel }, call);
  return plan.kind === "fails" ? plan : { kind: "queries", queries: plan.queries };
}

/**
 * Makes a call: asks all its questions, and when all are allowed and plain Unix allows it too, changes the world. A call
 * that ends in another way has changed nothing.
 */
export function perform(world: World, call: Syscall, judge: Judge, kernel: Kernel = LIKELY): Result {
  const plan = planOf({ world, kernel }, call);
  if (plan.kind === "fails") return plan;
  const query = plan.queries.find((asked) => !judge(asked));
  if (query !== undefined) return { kind: "refused", errno: "EPERM", query };
  return { kind: "done", returned: plan.act() };
}

function planOf(scene: Scene, call: Syscall): Plan {
  switch (call.call) {
    case "stat":
    case "lstat":
      return planStat(scene, call.call, call.path);
    case "readlink":
      return planReadlink(scene, call.path);
    case "readdir":
      return planReaddir(scene, call.path);
    case "access":
      return planAccess(scene, call);
    case "open":
      return planOpen(scene, call);
    case "read":
      return planRead(scene, call);
    case "write":
      return planWrite(scene, call);
    case "ioctl":
      return planIoctl(scene, call);
    case "mkdir":
      return planMkdir(scene, call.path);
    case "rmdir":
    case "unlink":
      return planRemove(scene, call.call, call.path);
    case "chdir":
      return planChdir(scene, call.path);
    case "rename":
      return planRename(scene, call);
    case "swap":
      return planSwap(scene, call);
    case "link":
      return planLink(scene, call);
    case "clonefile":
      return planClone(scene, call);
    case "symlink":
      return planSymlink(scene, call);
    case "chmod":
      return planChmod(scene, call);
    case "chown":
      return planChown(scene, call);
    case "utimes":
      return planUtimes(scene, call);
    case "truncate":
      return planTruncate(scene, call);
    case "getxattr":
      return planGetxattr(scene, call);
    case "setxattr":
      return planSetxattr(scene, call);
    case "getcwd":
      return planGetcwd(scene);
    case "exec":
      return planExec(scene, call.path);
    case "dlopen":
      return planDlopen(scene, call.path);
    case "socket":
      return planSocket(scene, call);
    case "connect":
    case "bind":
    case "listen":
      return planTalk(scene, call);
    case "kill":
      return planKill(call);
    case "mach-lookup":
    case "sysctl-read":
      return planNamed(call);
  }
}
