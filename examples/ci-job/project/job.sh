#!/bin/sh
# One job of a pipeline. The first command that fails ends it with its status.
set -eu
cd "$(dirname "$0")"

# The config and its profiles load, and every rule of them does something.
cofferdam check --config cofferdam.yaml

# The ceiling that is in force allows nothing that was not agreed.
cofferdam profile diff --config cofferdam.yaml profiles/agreed.yaml profiles/ceiling.yaml --fail-if-wider

# The tests run inside the walls; what would have to be asked is refused.
cofferdam run --config cofferdam.yaml --strict -- npm test

# A tool's result goes where reports go, and nowhere else.
cofferdam call --config cofferdam.yaml --strict write_file \
  '{"path": "reports:summary.md", "content": "The tests passed inside the walls.\n"}'
