import { describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { fatesOf, heldIn, namesIn, run, standingWith } from "../support/quarantine/planting.ts";

sandboxMustWork("what calls plant in great numbers");

describe.skipIf(unusable !== null)("what a call makes and hosts execute", () => {
  it("is one thing and in one step away, where it is a folder with 10,000 files", async () => {
    await using at = await standingWith("ask");
    const make = `mkdir .husky; perl -e 'for (1..10000) { open my $f, ">", ".husky/$_" }'`;
    expect(fatesOf(await run(at, make), at)).toEqual({ ".husky": "kept" });
    expect(namesIn(at.place, ".husky")).toHaveLength(10_000);
  });

  it("is all taken, be it 30,000 names, and neither the next call nor the next start pays for them", async () => {
    await using at = await standingWith("quarantine");
    const make = `perl -e 'for (1..30000) { mkdir "d$_"; open my $f, ">", "d$_/.envrc"; print $f $_ }'`;
    const outcome = await run(at, make);
    expect(outcome).toMatchObject({ receipt: { appeared: { more: 29_800, unknown: null } } });
    expect(heldIn(at.place)).toHaveLength(30_000);
    expect(at.place.plainly("ls -A d1 d30000").stdout).toBe("d1:\n\nd30000:\n");
    expect(fatesOf(await run(at, "true"), at)).toEqual({});
  });

  it("is all taken outside installed packages, where 5,000 links lead to 3,000 packages with such a name", async () => {
    await using at = await standingWith("quarantine");
    const packages = `for (1..3000) { mkdir "node_modules/p$_"; open my $f, ">", "node_modules/p$_/.envrc" }`;
    const make = `mkdir node_modules q; echo x > q/.envrc; perl -e '${packages} symlink "node_modules", "l$_" for 1..5000'`;
    expect(await run(at, make)).toMatchObject({ receipt: { appeared: { more: 7_801, unknown: null } } });
    expect(heldIn(at.place)).toHaveLength(5_001);
    expect(namesIn(at.place)).toEqual(["node_modules", "q"]);
    expect(at.place.plainly("ls -A node_modules/*/.envrc | wc -l").stdout).toBe("3000\n");
    expect(namesIn(at.place, "q")).toEqual([]);
  });
});
