#!/bin/sh
# Chromium and a font for the browser tests, where apt can; they are skipped, with the reason, where it cannot.
set -eu

if command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "No Chromium and no apt-get: install Chromium by hand to run the browser tests." >&2
    exit 0
fi
as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        echo "No Chromium: run 'sudo apt-get install chromium fonts-dejavu-core' to run the browser tests." >&2
        exit 0
    fi
    as_root="sudo -n"
fi
export DEBIAN_FRONTEND=noninteractive
if ! { $as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; }
then
    echo "apt-get could not install Chromium; the browser tests need it." >&2
fi
