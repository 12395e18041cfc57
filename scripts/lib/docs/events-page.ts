import { z } from "zod";
import { Event } from "../../../src/event/event.ts";
import { code, page, table } from "./markdown.ts";
import { rowsOf, type Schema, Schema as SchemaData } from "./schema-rows.ts";

/** The occasion of each event. */
const WHEN: Readonly<Record<Event["type"], string>> = {
  "session.started": "A session began, with this config, these operator profiles and this mode.",
  "call.received": "A tool was called.",
  "call.prepared": "The profile of the call was derived: by itself, and after an approval.",
  "call.judged": "The rules decided: allow, ask or deny.",
  "approval.requested": "A person is asked. Nothing runs before the answer.",
  "approval.resolved":
    "A request got its one answer that counts. `by` is `nobody` if nobody answered. A call that presents an earlier answer records it again, under its own `callId`.",
  "approval.expired": "Nobody answered in time.",
  "approval.auto": "A call was allowed or denied without asking anybody, by the rule, grant or mode in `by`.",
  "approval.reviewed":
    "A reviewer was asked about a request before any person, or could not be. Written before its answer has an effect.",
  "approval.ignored":
    "An answer came that does not count: it was too late, or whoever gave it may not answer.",
  "approval.failed": "A handler that should have asked failed, or answered something that is not a decision.",
  "approval.abandoned":
    "The process that took an approved request to run it has gone. The request is not run again.",
  "grant.saved": "An approval is remembered for the session.",
  "grant.revoked": "A remembered approval was taken back.",
  "call.planned": "The sandbox of the call was planned.",
  "walls.proven": "The sandbox was checked and is as planned. The program may start.",
  "network.amended": "A person allowed a host for a call that runs.",
  "network.refused": "The egress proxy refused a connection.",
  "network.used": "Bytes and connections of a call through the egress proxy, by host.",
  "call.appeared": "While the call ran, files appeared that other programs may obey.",
  "call.quarantined": "Files that a call made and that other programs execute were moved to quarantine.",
  "call.restored": "Files were given back from quarantine.",
  "config.changed":
    "The config, an operator profile or trust changed while sessions ran. It is recorded before it takes effect. `sessionId` is `none`: it holds for all sessions of the run.",
  "http.refused": "The HTTP server refused a request.",
  "mcp.refused": "Something of a wrapped MCP server, such as a tool or a message, was not passed on.",
  "call.ended": "The call ended, with this outcome.",
  "journal.continued": "A further file of the record begins.",
};

/** The page about events and the journal. */
export function eventsPage(): string {
  const forms = Event.options.map((option) => SchemaData.parse(z.toJSONSchema(option)));
  const typed = forms.map((form): [string, Schema] => [nameOf(form), form]);
  const envelope = Object.keys(forms[0]?.properties ?? {}).filter((key) =>
    forms.every(({ properties = {} }) => key in properties),
  );
  const isShared = (key: string): boolean => envelope.includes(key);
  return page(
    "Events and journal",
    "Each step of a call is an event. The journal keeps the events of a run as JSON, one a line, in `RUN.jsonl`. An event is written before the effect that it announces.",
    "`cofferdam journal show` prints a run, `cofferdam journal verify` checks its hashes. The HTTP API and `broker.events` send the events about approvals.",
    "## Every event",
    "`type` is the name of the event.",
    fields(forms[0], (key) => key !== "type" && isShared(key)),
    ...typed.flatMap(([type, form]) => [
      `## ${type}`,
      Object.entries(WHEN).find(([name]) => name === type)?.[1] ?? "",
      fields(form, (key) => !isShared(key)),
    ]),
  );
}

function nameOf({ properties = {} }: Schema): string {
  const name = properties["type"]?.const;
  return typeof name === "string" ? name : "";
}

/** One row for this field: the HTTP reference lists its keys. */
const ELSEWHERE = new Map([["request", "[HTTP API](http-api.md#approvalrequest)"]]);

function fields(form: Schema | undefined, isMeant: (key: string) => boolean): string {
  const { properties = {}, required = [] } = form ?? {};
  const own = Object.entries(properties)
    .filter(([key]) => isMeant(key))
    .map(([key, one]): [string, Schema] => [key, ELSEWHERE.has(key) ? { ...one, properties: {} } : one]);
  const rows = rowsOf({ properties: Object.fromEntries(own), required }).map((row) => {
    const { path, type, isRequired, description, like } = row;
    const place = ELSEWHERE.get(path);
    const also =
      place === undefined ? (like === null ? [] : [`keys as in ${code(like)}`]) : [`keys: ${place}`];
    return [code(path), type, isRequired ? "always" : "sometimes", [description, ...also].join("; ")];
  });
  return rows.length === 0
    ? "It has no fields of its own."
    : table(["field", "type", "is there", "meaning"], rows);
}
