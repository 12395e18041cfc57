import { describe, expect, it } from "vitest";
import type { Facts } from "../../../src/backend/facts.ts";
import { renderSeatbelt } from "../../../src/backend/seatbelt/render.ts";
import { type AbsolutePath, knownPath } from "../../../src/profile/path.ts";
import { type FileEntry, type Mask, normalProfile, type ProfileParts } from "../../../src/profile/profile.ts";
import type { ProgramStart } from "../../../src/tool/launch.ts";
import { entry, link, machine, masks, planOf, refusalOf, write } from "../../support/mac/machine.ts";

const { mac: MAC } = machine();
if (MAC === null) throw new Error("a Mac has facts of its own");
const TELLS_CASES_APART = machine(
  {},
  { mac: { ...MAC, volumes: [{ point: knownPath("/"), foldsCase: false }] } },
);
const APP = "/Users/ada/work/app";
const LAUNCH: ProgramStart = { argv: [knownPath("/bin/sh"), "-c", "make"], cwd: knownPath(APP), env: {} };

describe("what can't be enforced is refused, and what is close to it is not", () => {
  const masked = (pattern: string, atMost: Mask["atMost"]): ProfileParts => ({
    ...write(APP),
    masks: masks(pattern, atMost),
  });
  const hits = (count: number): readonly AbsolutePath[] =>
    Array.from({ length: count }, (_, index) => knownPath(`${APP}/p${index}/.env`));
  const listed = (count: number): readonly Mask[] =>
    Array.from({ length: count }, (_, index) => masks(`${APP}/${index}`, "none")).flat();
  const many = (count: number, name: string): readonly FileEntry[] =>
    Array.from({ length: count }, (_, index) => entry(`/Users/ada/${name}${index}`, "read"));

  const cases: readonly (readonly [
    what: string,
    field: string,
    refused: readonly [ProfileParts, Facts],
    twin: readonly [ProfileParts, Facts],
  ])[] = [
    [
      "every public address, where no proxy listens",
      "network",
      [{ network: "open" }, machine()],
      [{ network: "open" }, machine({}, { mac: { ...MAC, proxyPort: 8118 } })],
    ],
    [
      "listed hosts, where no proxy listens",
      "network",
      [{ network: { hosts: [{ name: "a.test", port: 443, private: false }], never: [] } }, machine()],
      [{ network: { hosts: [], never: [] } }, machine()],
    ],
    [
      "devices, which only Linux has as nodes",
      "devices",
      [{ ...write(APP), devices: ["gpu", "serial"] }, machine()],
      [{ ...write(APP), devices: [] }, machine()],
    ],
    [
      "the sandbox of another system",
      "platform",
      [{}, machine({}, { mac: null })],
      [{ network: "host" }, machine()],
    ],
    [
      "two spellings of one folder",
      "files",
      [{ files: [entry("/Users/ada/App", "write"), entry("/Users/ada/app/docs", "read")] }, machine()],
      [{ files: [entry("/Users/ada/app", "write"), entry("/Users/ada/app/docs", "read")] }, machine()],
    ],
    [
      "a socket behind a link of every macOS",
      "sockets",
      [{ sockets: [knownPath("/var/run/a.sock")] }, machine()],
      [{ sockets: [knownPath("/private/var/run/a.sock")] }, machine()],
    ],
    [
      "a folder by its other name on the data volume",
      "files",
      [write("/System/Volumes/Data/Users/ada/app"), machine()],
      [write("/Users/ada/app"), machine()],
    ],
    ["the whole disk", "files", [write("/"), machine()], [write("/Users/ada/app"), machine()]],
    [
      "the shared temporary folder",
      "files",
      [write("/private/tmp"), machine()],
      [write("/private/tmp/mine"), machine()],
    ],
    [
      "the data volume by its other name",
      "files",
      [write("/System"), machine()],
      [write("/System/Library"), machine()],
    ],
    ["a device", "files", [write("/dev/disk0"), machine()], [write("/devices"), machine()]],
    [
      "a root below a link of every macOS",
      "files",
      [write("/tmp/mine"), machine()],
      [write("/private/tmp/mine"), machine()],
    ],
    [
      "a root that is a link",
      "files",
      [write(APP), machine({ [APP]: link("/Volumes/app") })],
      [write("/Volumes/app"), machine({ [APP]: link("/Volumes/app") })],
    ],
    [
      "a literal mask behind a link that leads nowhere",
      "masks",
      [
        masked(`${APP}/.git/hooks`, "read"),
        machine({ [`${APP}/.git`]: { kind: "link", id: "l", target: null } }),
      ],
      [masked(`${APP}/.git/hooks`, "read"), machine({ [`${APP}/.git`]: link(`${APP}/git`) })],
    ],
    [
      "a pattern through a link",
      "masks",
      [masked(`${APP}/keys/*.pem`, "none"), machine({ [`${APP}/keys`]: link("/Volumes/keys") })],
      [masked(`${APP}/keys/*.pem`, "none"), machine({ [`${APP}/keys`]: "folder" })],
    ],
    [
      "a root that neither a rule nor an argument can spell",
      "files",
      [write("/Users/zoë/a=b"), machine()],
      [write("/Users/zoë/a-b"), machine()],
    ],
    [
      "a suffix that no rule can spell",
      "files",
      [write(APP, [".é"]), machine()],
      [write(APP, [".e"]), machine()],
    ],
    [
      "a path too long for a string",
      "files",
      [write(`/Users/${"1/".repeat(446)}a`), TELLS_CASES_APART],
      [write(`/Users/${"1/".repeat(445)}a`), TELLS_CASES_APART],
    ],
    [
      "a path whose spellings are too long for a string",
      "files",
      [write(`/Users/${"a/".repeat(171)}a`), machine()],
      [write(`/Users/${"a/".repeat(170)}a`), machine()],
    ],
    [
      "a root in which the calls have their own places",
      "files",
      [write("/Users/ada"), machine()],
      [
        {
          files: [
            ...(write("/Users/ada").files ?? []),
            { path: knownPath("/Users/ada/.local/state/cofferdam"), access: "none", suffixes: "any" },
          ],
        },
        machine(),
      ],
    ],
    [
      "more pins than a rule takes",
      "masks",
      [masked("**/.env", "none"), machine({}, { hits: hits(256) })],
      [masked("**/.env", "none"), machine({}, { hits: hits(240) })],
    ],
    [
      "more masks than a rule takes",
      "masks",
      [{ ...write(APP), masks: listed(126) }, machine()],
      [{ ...write(APP), masks: listed(125) }, machine()],
    ],
    [
      "a longer text than the compiler should be given",
      "files",
      [{ files: many(1_383, "f".repeat(60)) }, machine()],
      [{ files: many(1_382, "f".repeat(60)) }, machine()],
    ],
    [
      "more arguments than a launcher takes",
      "files",
      [{ files: many(159, "\u00e9".repeat(200)) }, machine()],
      [{ files: many(158, "\u00e9".repeat(200)) }, machine()],
    ],
    [
      "a mask that is spelled unlike the root, where case counts",
      "files",
      [{ ...write("/Users/ada/app"), masks: masks("/Users/ada/App/keys", "none", true) }, TELLS_CASES_APART],
      [{ ...write("/Users/ada/app"), masks: masks("/Users/ada/App/keys", "none", true) }, machine()],
    ],
  ];

  it.each(cases)("%s", (_, field, [parts, facts], [twinParts, twinFacts]) => {
    expect(refusalOf(renderSeatbelt(normalProfile(parts), LAUNCH, facts)).field).toBe(field);
    planOf(renderSeatbelt(normalProfile(twinParts), LAUNCH, twinFacts));
  });

  it("and so is asking about hosts where no proxy listens, with the network off besides; none is asked for, none is needed", () => {
    const { refusal, none } = {
      refusal: refusalOf(
        renderSeatbelt(normalProfile(write(APP)), { ...LAUNCH, asksForHosts: true }, machine()),
      ),
      none: planOf(renderSeatbelt(normalProfile(write(APP)), LAUNCH, machine())),
    };
    expect([refusal.field, none.proxy]).toEqual(["network", null]);
    const facts = machine({}, { mac: { ...MAC, proxyPort: 8118 } });
    const plan = planOf(renderSeatbelt(normalProfile(write(APP)), { ...LAUNCH, asksForHosts: true }, facts));
    expect(plan.proxy?.port).toBe(8118);
  });

  it("with field, reason and remedy", () => {
    const refusal = refusalOf(renderSeatbelt(normalProfile(write("/tmp/mine")), LAUNCH, machine()));
    expect(refusal).toEqual({
      field: "files",
      reason: "/tmp/mine goes through the symlink /tmp, so no rule would match",
      remedy: "write /private/tmp/mine",
    });
  });
});
