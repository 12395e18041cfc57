import { type Supervisor, terminalHandler } from "cofferdam";
import { cofferdamTools } from "cofferdam/langchain";

/** Two tools for your own program; questions appear at its terminal. */
export function toolsFor(supervisor: Supervisor) {
  return cofferdamTools(supervisor, { handler: terminalHandler(), only: ["read_file", "shell"] });
}
