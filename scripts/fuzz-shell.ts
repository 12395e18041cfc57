import { tryLines } from "../test/support/shell/fuzz.ts";

const [count = "100000", given] = process.argv.slice(2);
const seed = given === undefined ? Date.now() % 4_294_967_296 : Number(given);
console.error(`seed ${seed}`);
const { unsound, ...trial } = tryLines(seed, Number(count));
console.log(JSON.stringify({ seed, ...trial, unsound: unsound.length }));
for (const line of unsound) console.error(`\nallowed, and ran more:\n${line}`);
process.exitCode = unsound.length === 0 ? 0 : 1;
