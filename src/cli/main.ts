#!/usr/bin/env node
import { dispatch } from "./dispatch.ts";
import { exitBySignals, unlessSignalled } from "./signals.ts";

exitBySignals();
process.exitCode = await dispatch(process.argv.slice(2));
await unlessSignalled();
