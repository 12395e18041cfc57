#!/usr/bin/env node
import { tooOld } from "../host/node-version.ts";

// This file is bundled with only this import and written for Node 12. No other file is parsed before the version is
// known to be supported.
const why = tooOld(process.versions.node);
if (why === null) void import("./start.ts").then(({ start }) => start());
else {
  process.stderr.write(`${why}\n`);
  process.exitCode = 69;
}
