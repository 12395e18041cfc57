import type { Facts } from "../backend/facts.ts";
import { visible } from "../errors.ts";
import { mayOpen, wayToOpen } from "../host/device-access.ts";
import { type FoundNode, nodesOf } from "../host/device-nodes.ts";
import { DEVICE_GROUPS, type DeviceGroup } from "../profile/devices.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { AskDenial } from "./ask-denial.ts";
import type { Denial } from "./denial.ts";

/** A program that failed, as far as devices are concerned. */
interface FailedProgram {
  /** The end of what it said on standard error. */
  readonly said: string;
  readonly words: readonly string[];
  /** Whom it ran as. */
  readonly user: Facts["user"];
}

/** How programs tell that they miss a device of the group, beside the path of one (QEMU, NVML, CUDA, PyTorch, libfuse). */
const MISSED: Readonly<Record<DeviceGroup, RegExp>> = {
  gpu: /\/dev\/(dri|kfd|nvidia|accel|dxg|mali)|couldn't communicate with the NVIDIA driver|Failed to initialize NVML|no CUDA-capable device|CUDA_ERROR_NO_DEVICE|No CUDA GPUs are available|Found no NVIDIA driver/i,
  kvm: /\/dev\/kvm\b|access KVM kernel module|failed to initialize kvm|KVM is not available/i,
  fuse: /\/dev\/fuse\b|fuse: device not found|fuse device not found|fusermount\d?: (mount failed|user has no|failed)|Cannot mount AppImage/i,
  serial: /\/dev\/(tty(USB|ACM|AMA|XRUSB|S)\d|serial\/)/,
};
const FAILED =
  /no such file|not found|no such device|permission denied|operation not permitted|could ?n[o']t|cannot|can't|failed|not available|\bno CUDA|CUDA_ERROR|no NVIDIA|\bENOENT\b|\bEACCES\b|\bEPERM\b/i;
const REFUSED = /permission denied|operation not permitted|\bEACCES\b|\bEPERM\b/i;

/**
 * Devices of this machine that a failed program missed. What it says selects among the groups, and only a group of which
 * this machine has a device is told; of serial ports only one that it named.
 */
export function deviceDenials(
  { said, words, user }: FailedProgram,
  told: AskDenial,
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
    const denial = told({ ask: "devices", group }, MISSED[group].test(said) ? "certain" : "likely");
    if (denial !== null)
      return [{ ...denial, because: `${denial.because}; this machine has ${visible(first.path)}` }];
    return REFUSED.test(said) && !nodes.some((node) => mayOpen(node, user)) ? [unopened(first, user)] : [];
  });
}

function isNamedIn(text: string, path: AbsolutePath): boolean {
  return new RegExp(`${path}(?!\\w)`).test(text);
}

/** The setting would show `/dev/fuse` and change nothing: what is refused is the mount. */
const UNMOUNTABLE: Denial = {
  operation: "use",
  target: "a file system in user space (FUSE)",
  certainty: "certain",
  because: "nothing can be mounted inside the sandbox, with or without `devices: [fuse]`",
  remedy:
    "mount it outside and list its folder under `sandbox.paths`; an AppImage runs without a mount when `APPIMAGE_EXTRACT_AND_RUN=1` is set under `sandbox.env.set`",
};

function unopened(node: FoundNode, user: Facts["user"]): Denial {
  const { path, stats } = node;
  return {
    operation: "use",
    target: path,
    certainty: "certain",
    because: `it is shown, and its mode and its group ${stats.gid} do not let this user open it`,
    remedy: wayToOpen(node, user),
  };
}
