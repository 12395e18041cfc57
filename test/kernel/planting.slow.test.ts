import { describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import {
  expectDeniedToFileTools,
  expectTaken,
  expectTakenFromRepository,
  expectToldByFileTools,
  expectUnchanged,
  plantedBy,
} from "../support/planting/claims.ts";
import { isLive, type Plant, pathOf, plantingPlace, WAYS } from "../support/planting/ground.ts";
import { namesThatRun } from "../support/planting/names.ts";

sandboxMustWork("what hosts execute");

const unasked = namesThatRun("unasked");
const started = namesThatRun("started");

/** What programs of version control obey in a repository, and what others put into git's. */
const inRepositories = [
  ...unasked.filter((name) => /^(?:\.(?:git|hg|jj|sl|bzr|pijul)|_darcs)\//.test(name)),
  ".git/lazygit.yml",
  ".git/modules/vendor/lib/lazygit.yml",
  ".git/glab-cli/config.yml",
  ".git/sl/config-git-repo",
];

/** What is made: each name as a plain file at the top, and in one of the ways deeper; `planting.long` has each in each. */
function plantsOf(names: readonly string[], kind: string): readonly Plant[] {
  return names.flatMap((name, at): readonly Plant[] => [
    { way: "file", folder: `${kind}/${at}`, name },
    { way: WAYS[at % WAYS.length] ?? "file", folder: `sub/${kind}/deep/${at}`, name },
  ]);
}

/** One in twenty; `planting.long` has them all. */
function someOf(names: readonly string[]): readonly string[] {
  return names.filter((_, at) => at % 20 === 0);
}

describe.skipIf(unusable !== null).each(PEOPLE)("planted: by a call, as $name", (person) => {
  it("what programs of the host execute unasked is not live after the call that made it, however it was made", async () => {
    await expectTaken(person, plantsOf(unasked, "unasked"));
  });

  it("what is missing in a repository that was there is taken from it when a call made it", async () => {
    expect(inRepositories.length).toBeGreaterThan(20);
    await expectTakenFromRepository(person, inRepositories);
  });

  it("what a person starts is told of the call that made it, and stays", async () => {
    using place = plantingPlace(person);
    // Behind a link a search looks for what runs unasked alone.
    const isSearched = ({ way, name }: Plant) => way !== "linked" || !name.includes("/");
    const plants = plantsOf(started, "started").filter(isSearched);
    const told = await plantedBy(place, plants);
    expect(plants.map(pathOf).filter((path) => !told.has(path))).toEqual([]);
    expect(plants.map(pathOf).filter((path) => !isLive(place, path))).toEqual([]);
  });

  it("what programs of the host execute unasked can't be changed where it exists, nor by a folder above it", async () => {
    await expectUnchanged(person, unasked);
  });

  it("no file tool makes what runs unasked, nor changes it where it exists", async () => {
    await expectDeniedToFileTools(person, someOf(unasked));
  });

  it("what a person starts is told of the file tool that made it", async () => {
    await expectToldByFileTools(person, someOf(started));
  });
});
