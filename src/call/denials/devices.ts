import type { Facts } from "../../backend/facts.ts";
import type { AskDenial } from "../../decide/ask-denial.ts";
import { visible } from "../../errors.ts";
import { mayOpen, wayToOpen } from "../../host/launch/device-access.ts";
import { type FoundNode, nodesOf } from "../../host/launch/device-nodes.ts";
import type { Denial } from "../../policy/denial.ts";
import { DEVICE_GROUPS, type DeviceGroup } from "../../profile/devices.ts";
import type { AbsolutePath } from "../../profile/path.ts";

interface FailedProgram {
  readonly said: string;
  readonly words: readonly string[];
  readonly user: Facts["user"];
}

/** Messages about a missing device of the group, apart from its path (QEMU, NVML, CUDA, PyTorch, libfuse). */
const MISSED: Readonly<Record<DeviceGroup, RegExp>> = {
  gpu: /\/dev\/(dri|kfd|nvidia|accel|dxg|mali)|couldn't communicate with the NVIDIA driver|Failed to initialize NVML|no CUDA-capable device|CUDA_ERROR_NO_DEVICE|No CUDA GPUs are available|Found no NVIDIA driver/i,
  kvm: /\/dev\/kvm\b|access KVM kernel module|failed to initialize kvm|KVM is not available/i,
  fuse: /\/dev\/fuse\b|fuse: device not found|fuse device not found|fusermount\d?: (mount failed|user has no|failed)|Cannot mount AppImage/i,
  serial: /\/dev\/(tty(USB|ACM|AMA|XRUSB|S)\d|serial\/)/,
};
const FAILED =
  /no such file|not found|no such device|permission denied|operation not permitted|could ?n[o']t|cannot|can't|failed|not available|\bno CUDA|CUDA_ERROR|no NVIDIA|\bENOENT\b|\bEACCES\b|\bEPERM\b/i;
const REFUSED = /permission denied|operation not permitted|\bEACCES\b|\bEPERM\b/i;

/** Devices a failed program missed, of groups on this machine: its output only selects, and must name serial ports. */
export function deviceDenials(
  { said, words, user }: FailedProgram,
  ask: AskDenial,
  nodesIn: typeof nodesOf = nodesOf,
): readonly Denial[] {
  const text = [said, ...words].join("\n");
  if (!FAILED.test(said)) return [];
  return DEVICE_GROUPS.filter((group) => MISSED[group].test(text)).flatMap((group): readonly Denial[] => {
    const nodes = nodesIn(group).filter(
      ({ path }) => group !== "serial" || isNamedIn(text, path) || text.includes("/dev/serial/"),
    );
    const [first] = nodes;
    if (first === undefined) return [];
    if (group === "fuse") return [UNMOUNTABLE];
    const denial = ask({ ask: "devices", group }, MISSED[group].test(said) ? "certain" : "likely");
    if (denial !== null)
      return [{ ...denial, because: `${denial.because}; this machine has ${visible(first.path)}` }];
    return REFUSED.test(said) && !nodes.some((node) => mayOpen(node, user)) ? [unopened(first, user)] : [];
  });
}

function isNamedIn(text: string, path: AbsolutePath): boolean {
  return new RegExp(`${path}(?!\\w)`).test(text);
}

/** The setting would show `/dev/fuse` without effect: the mount is rejected. */
const UNMOUNTABLE: Denial = {
  operation: "use",
  target: "a file system in user space (FUSE)",
  certainty: "certain",
  because: "the sandbox allows no mounts, with or without `devices: [fuse]`",
  remedy:
    "mount it outside and list its folder under `sandbox.paths`; an AppImage runs without a mount if `APPIMAGE_EXTRACT_AND_RUN=1` is set under `sandbox.env.set`",
};

function unopened(node: FoundNode, user: Facts["user"]): Denial {
  const { path, stats } = node;
  return {
    operation: "use",
    target: path,
    certainty: "certain",
    because: `it is in the sandbox, but its mode and its group ${stats.gid} do not let this user open it`,
    remedy: wayToOpen(node, user),
  };
}
