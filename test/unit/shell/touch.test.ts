import { expect, test } from "vitest";
import { parseLine } from "../../../src/shell/parse.ts";
import type { ShellTouch } from "../../../src/shell/touch.ts";

const read = (path: string | null): ShellTouch => ({ act: "open", path, mode: "read" });
const write = (path: string | null): ShellTouch => ({ act: "open", path, mode: "write" });
const move = (path: string | null): ShellTouch => ({ act: "move", path });
const set = (name: string): ShellTouch => ({ act: "set", name });

test.each<readonly [line: string, touches: readonly ShellTouch[]]>([
  ["a b 'c d' | e && f", []],
  ["a >b", [write("b")]],
  ["a >>'b c' 2>|/d", [write("b c"), write("/d")]],
  ["a &>b; c &>>d", [write("b"), write("d")]],
  ["a <>b", [write("b")]],
  ["a <b >c", [read("b"), write("c")]],
  [">b", [write("b")]],
  ["a $(<b)", [read("b")]],
  ["(a; b) >c", [write("c")]],
  ["for i in 1; do a; done <b", [set("i"), read("b")]],
  ["a $(b >c) <(d <e)", [write("c"), read("e")]],
  ["cat <<E >a\n$(b <c)\nE", [read("c"), write("a")]],
  // Nothing is opened that was not open before.
  ["a >/dev/null 2>&1 </dev/stdin 2>/dev/stderr >/dev/fd/3 3>&- 4<&0", []],
  ["a < <(b) > >(c) <<<d", []],
  // Only bash knows the path.
  ["a >$x", [write(null)]],
  ['a <"b/$x"', [read(null)]],
  ["a >~/b", [write(null)]],
  ["a >b*", [write(null)]],
  // Folders, in their order.
  ["cd a && b >c; cd ..", [move("a"), write("c"), move("..")]],
  ["(cd a && b)", [move("a")]],
  [
    "cd; cd ~; cd -; cd $x; cd a b; cd -P a; cd -- -b; cd '-'",
    [move(null), move(null), move(null), move(null), move(null), move("a"), move(null), move(null)],
  ],
  ["for x in a; do cd b; cd /c; done; cd d", [move(null), move("/c"), set("x"), move("d")]],
  ["while cd a; do b; done", [move(null)]],
  ["pushd a; popd; pushd", [move("a"), move(null), move(null)]],
  // Variables.
  ["x=1 y=$z", [set("x"), set("y")]],
  ["CI=1 a", [set("CI")]],
  ["export CI=1 PORT", [set("CI"), set("PORT")]],
  ["read -r x y; read", [set("x"), set("y"), set("REPLY")]],
  ["unset x", [set("x")]],
  ["IFS=, read x", [set("x")]],
])("%s", (line, touches) => {
  const { unread, touches: found } = parseLine(line);
  expect({ unread, touches: found }).toEqual({ unread: [], touches });
});

test("a line that is not understood still tells what of it is seen", () => {
  expect(parseLine("cd a; eval b >c; PATH=d").touches).toEqual([move("a"), write("c"), set("PATH")]);
});
