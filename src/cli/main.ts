#!/usr/bin/env node
import { tooOld } from "../host/node-version.ts";

// This file is bundled with nothing but that one import, and is written in what Node 12 understands: no other file is
// parsed before the version is known to do.
const why = tooOld(process.versions.node);
if (why === null) void import("./start.ts").then(({ start }) => start());
else {
  process.stderr.write(`${why}\n`);
  process.exitCode = 69;
}
