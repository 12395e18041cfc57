/**
 * The scenarios for servers of the protocol's conformance suite (`@modelcontextprotocol/conformance`), and which of them are about
 * what `cofferdam mcp` has; of the others, why not.
 */
export const SCENARIOS: Readonly<Record<string, string>> = {
  "server-initialize": "applies",
  ping: "applies",
  "tools-list": "applies",
  "tools-call-simple-text": "applies",
  "tools-call-error": "applies",
  "tools-call-with-progress": "applies",
  "tools-call-elicitation": "applies",
  "json-schema-2020-12": "applies",
  "server-sse-multiple-streams": "applies",
  "dns-rebinding-protection": "applies",
  "tools-call-image": "our tools answer texts and data, no pictures",
  "tools-call-audio": "our tools answer texts and data, no sounds",
  "tools-call-embedded-resource":
    "our tools answer texts and data; files are read by tools, not as resources",
  "tools-call-mixed-content": "our tools answer texts and data alone",
  "tools-call-with-logging": "no logging is offered: the record is the log, and it is not the client's",
  "logging-set-level": "no logging is offered",
  "tools-call-sampling": "nothing here asks a client's model anything",
  "elicitation-sep1034-defaults": "our one form has no answer filled in beforehand, on purpose",
  "elicitation-sep1330-enums": "our one form has one choice, and needs no others",
  "server-sse-polling": "streams are not taken up again: what a client missed of a call is in its result",
  "completion-complete": "no completion is offered: there is nothing to complete",
  "resources-list": "no resources are offered: files are behind the gate, as tools",
  "resources-read-text": "no resources are offered",
  "resources-read-binary": "no resources are offered",
  "resources-templates-read": "no resources are offered",
  "resources-subscribe": "no resources are offered",
  "resources-unsubscribe": "no resources are offered",
  "prompts-list": "no prompts are offered: what a model is asked is its host's",
  "prompts-get-simple": "no prompts are offered",
  "prompts-get-with-args": "no prompts are offered",
  "prompts-get-embedded-resource": "no prompts are offered",
  "prompts-get-with-image": "no prompts are offered",
};
