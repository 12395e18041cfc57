#!/bin/sh
# One job of a pipeline. The first command that fails ends it with its status.
set -eu
cd "$(dirname "$0")"

# The config and its profiles are valid, and each rule has an effect.
cofferdam check --config cofferdam.yaml

# The current ceiling allows no more than the agreed profile.
cofferdam profile diff --config cofferdam.yaml profiles/agreed.yaml profiles/ceiling.yaml --fail-if-wider

# The tests run in the sandbox; calls that need an approval are denied.
cofferdam run --config cofferdam.yaml --strict -- npm test

# The result goes to the folder of reports, the only writable one.
cofferdam call --config cofferdam.yaml --strict write_file \
  '{"path": "reports:summary.md", "content": "The tests passed inside the sandbox.\n"}'
