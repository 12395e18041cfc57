import { text } from "node:stream/consumers";
import { generateText, type ModelMessage } from "ai";
import { createSupervisor } from "cofferdam";
import { cofferdamTools } from "cofferdam/ai-sdk";
import { z } from "zod";
import { absolutePath } from "../../../src/profile/path.ts";
import { scriptedModel, toldOf } from "./scripted-model.ts";

/** Goes on with a conversation that another process began, and prints what the model is told of its calls. */
const Given = z.object({ config: z.string(), cwd: z.string(), messages: z.array(z.custom<ModelMessage>()) });
const { config, cwd, messages } = Given.parse(JSON.parse(await text(process.stdin)));
await using supervisor = await createSupervisor({ config, cwd: absolutePath(cwd) });
const { tools, toolApproval, prepareStep } = cofferdamTools(supervisor);
const model = scriptedModel("done");
await generateText({ model, tools, toolApproval, prepareStep, messages });
console.log(JSON.stringify(toldOf(model)));
