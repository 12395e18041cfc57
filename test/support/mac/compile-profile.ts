import process from "node:process";
import { problemOf } from "./profile-problem.ts";

// Started by the stand-in with a text and its parameters: prints what is wrong with it, or nothing.
const [text = "", ...given] = process.argv.slice(2);
const params = new Map(given.map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]));
process.stdout.write(problemOf(text, params) ?? "");
