import { describe } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { type Left, perl, repositories, stopsNoLaterCall } from "../support/planting/later-calls.ts";

sandboxMustWork("later calls, behind thousands of names");

const LEFT: readonly Left[] = [
  [
    "thousands of protected names",
    perl('mkdir "n"; for (1..3000) { mkdir "n/$_"; open my $f, ">", "n/$_/.envrc" }'),
  ],
  [
    "a link in the place of a folder to more names than are looked through",
    perl(
      'mkdir "m"; for (1..10_001) { open my $f, ">", "m/$_.rc" } symlink "m", ".direnv"; mkdir "n"; symlink "../m", "n/mise"',
    ),
  ],
  ["repositories that need more mounts than there may be", repositories(130)],
  [
    "such repositories, in which git would run something, beside protected names",
    repositories(
      120,
      'open my $g, ">", "r$_/.git/config"; print $g "[core]\\n pager = x\\n"; open my $h, ">", "r$_/.envrc"',
    ),
  ],
  [
    "what looks like a copy of the product, with more packages than one loads",
    perl(
      'mkdir $_ for ("node_modules", "node_modules/a", "node_modules/a/node_modules", "node_modules/a/node_modules/cofferdam"); open my $f, ">", "node_modules/a/node_modules/cofferdam/package.json"; print $f "{\\"dependencies\\":{", join(",", map { "\\"p$_\\":\\"1\\"" } 1..5000), "}}"',
    ),
  ],
];

describe.skipIf(unusable !== null).each(PEOPLE)(
  "planted: what a call leaves by thousands stops no later one, as $name",
  (person) => {
    stopsNoLaterCall(person, LEFT);
  },
);
