import { expect, test } from "vitest";
import { commandWords, coversPastOptions } from "../../../src/shell/past-options.ts";
import { shellPattern } from "../../../src/shell/rule.ts";

test.each([
  ["surely", "git push", "git push"],
  ["surely", "git push", "git -C . push"],
  ["surely", "git push", "git --no-pager -C . --git-dir x push origin"],
  ["surely", "git push", "git --git-dir=x push"],
  ["surely", "git push", "git -- push"],
  ["surely", "/usr/bin/git push", "/usr/bin/git -C . push"],
  ["surely", "git push --force", "git push origin --force"],
  ["surely", "git push origin", "git push -f origin"],
  ["surely", "rm -rf", "rm -v x -rf"],
  ["maybe", "docker push", "docker --context x push"],
  ["maybe", "git push origin", "git push --repo x origin"],
  ["surely", "rm -rf", "rm -f x -r"],
  ["maybe", "rm -rf", "rm -Rf x"],
  ["maybe", "rm -rf", "rm --recursive --force x"],
  ["maybe", "rm -rf", "rm -r --forc x"],
  ["maybe", "rm -rf", "rm --rec -vf x"],
  ["maybe", "rm -r", "rm -fr x"],
  ["maybe", "git push -f", "git push -uf origin"],
  ["maybe", "git push -f", "git -C x push --force"],
  ["maybe", "git push --force", "git push -qf"],
  ["maybe", "git push --delete", "git push --del origin x"],
  ["no", "rm -rf", "rm -r x"],
  ["no", "rm -rf", "rm --force x"],
  ["no", "rm -r", "rm -f x"],
  ["no", "git push -f", "git push --follow-tags"],
  ["no", "git push --force", "git push --force-with-lease"],
  ["no", "git push --force", "git push -- origin"],
  ["no", "docker push", "docker --context=x y push"],
  ["no", "git push", "git -C push status"],
  ["no", "git push", "git --no-pager log push"],
  ["no", "git push", "git commit -m push"],
  ["no", "git push --force", "git push origin"],
  ["no", "git push", "git"],
  ["no", "git", "git -C . push"],
  ["no", "git push", "gitk -C . push"],
])("%s: the pattern `%s` covers `%s`", (coverage, pattern, words) => {
  expect(coversPastOptions(shellPattern(pattern), commandWords(words.split(" ")))).toBe(coverage);
});
