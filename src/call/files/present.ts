import { thrownText } from "../../errors.ts";
import type { Presentation } from "../../policy/presentation.ts";
import type { Preview } from "../../tool/files/file-tool.ts";

/** The preview of a change: a new file whole, else a diff, or the error unless it must stay secret before approval. */
export async function presentPreview(made: Promise<Preview>, mayBeTold: boolean): Promise<Presentation> {
  const { presentDiff, presentFile, presentText } = await import("../../approval/present.ts");
  const preview = await (mayBeTold ? made : made.catch(whyNot));
  if (preview.kind === "text") return presentText(preview.text);
  const { path, before, after } = preview.change;
  return before === null || after === null
    ? presentFile({ path, content: after ?? before ?? "" })
    : presentDiff({ path, before, after });
}

function whyNot(cause: unknown): Preview {
  return { kind: "text", text: `It can't be done: ${thrownText(cause)}` };
}
