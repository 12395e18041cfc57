import { expect, it } from "vitest";
import { type Comparison, compare } from "../../../src/profile/compare.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { literalPattern, parsePatterns } from "../../../src/profile/pattern.ts";
import {
  type FileEntry,
  type Mask,
  normalProfile,
  OPEN,
  type Profile,
} from "../../../src/profile/profile.ts";

const entry = (
  path: string,
  access: FileEntry["access"],
  suffixes: FileEntry["suffixes"] = "any",
): FileEntry => ({
  path: absolutePath(path),
  access,
  suffixes,
});
const mask = (text: string, ignoreCase = false, atMost: Mask["atMost"] = "none"): readonly Mask[] =>
  parsePatterns(text).map((pattern) => ({ pattern, atMost, ignoreCase }));
const of = (files: readonly FileEntry[], masks: readonly Mask[] = []): Profile =>
  normalProfile({ files, masks });
const told = (found: Comparison): string => {
  if (found.kind === "unknown") return `unknown at ${found.mask.pattern.text}`;
  if (found.kind === "within") return "within";
  const { witness } = found;
  return witness.field === "files"
    ? `${witness.facts.kind} ${witness.path}: ${witness.has}, not ${witness.limit}`
    : JSON.stringify(witness);
};

it("a mask on the very file that would be asked about first hides nothing else", () => {
  const all = of(
    [entry("/r", "read")],
    [{ pattern: literalPattern(absolutePath("/r/sample")), atMost: "none", ignoreCase: false }],
  );
  expect(told(compare(all, of([entry("/r", "read", [".md"])])))).toBe(
    "file /r/other-0-sample: read, not none",
  );
});

it("a glob is known to matter or not where no other glob stands in its way", () => {
  const tree = of([entry("/home/u/x", "write"), entry("/home/u/x/a", "none"), entry("/home/u/x/b", "read")]);
  const under = (text: string, ignoreCase = false): string =>
    told(compare(tree, { ...tree, masks: mask(text, ignoreCase) }));
  expect(under("/home/*/y")).toBe("within");
  expect(under("/home/u/x/a*")).toBe("folder /home/u/x/aw: write, not none");
  expect(under("/home/u/x/[a]*/**")).toBe("folder /home/u/x/aw/w: write, not none");
  expect(under("/home/u/x/[ab]/deep")).toBe("folder /home/u/x/b/deep: read, not none");
  expect(under("/home/u/x/a/**/deep")).toBe("within");
  expect(under("/HOME/u/x/c", true)).toBe("folder /home/u/x/c: write, not none");
  expect(under("/home/u/x/a", true)).toBe("folder /home/u/x/A: write, not none");
  expect(under(".env")).toBe("folder /home/u/x/.env: write, not none");
  expect(under("**")).toBe("folder /home/u/x: write, not none");
});

it("a glob of the other may hide what a glob would show: then it is unknown, unless a match escapes it", () => {
  const root = [entry("/r", "write")];
  expect(told(compare(of(root, mask("/r/*x")), of(root, mask("/r/??x"))))).toBe("unknown at /r/??x");
  expect(told(compare(of(root, mask("/r/w*")), of(root, mask("/r/*.key"))))).toBe(
    "folder /r/sample-7.key: write, not none",
  );
  expect(told(compare(of(root, mask("/r/*.key")), of(root, mask("/r/*.key"))))).toBe("within");
  expect(told(compare(of(root, mask("/r/*.key", false, "read")), of(root, mask("/r/*.key"))))).toBe(
    "folder /r/w.key: read, not none",
  );
  expect(told(compare(of(root, mask("/r/*.key", true)), of(root, mask("/r/*.key"))))).toBe("within");
});

it("a mask that ignores case is no tighter where a set leaves letters out", () => {
  const root = [entry("/", "write")];
  const [minding, ignoring] = [of(root, mask("/[!a]")), of(root, mask("/[!a]", true))];
  expect(told(compare(ignoring, minding))).toBe("unknown at /[!a]");
  expect(told(compare(of(root, mask("/b", true)), of(root, mask("/b"))))).toBe("within");
});

it("every part is compared", () => {
  const less = {
    ...OPEN,
    network: "open",
    sockets: [absolutePath("/run/a")],
    env: ["A*"],
    terminal: false,
    syscalls: ["abi32"],
    devices: ["kvm"],
    macos: ["python", "tls"],
    limits: { processes: 4, strict: true },
  } as const;
  const exceeding = (part: keyof Profile): string => told(compare({ ...less, [part]: OPEN[part] }, less));
  expect(
    (["network", "sockets", "env", "terminal", "syscalls", "devices", "macos", "limits"] as const).map(
      exceeding,
    ),
  ).toEqual([
    '{"field":"network","target":"host"}',
    '{"field":"sockets","path":"any"}',
    '{"field":"env","name":"X"}',
    '{"field":"terminal"}',
    '{"field":"syscalls","group":"debug"}',
    '{"field":"devices","group":"gpu"}',
    '{"field":"macos","group":"java"}',
    '{"field":"limits","name":"processes"}',
  ]);
  expect(told(compare(less, OPEN))).toBe("within");
});
