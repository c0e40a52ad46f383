#!/bin/sh
# Measure this case study again (about 6 minutes): the same rows of measurements.new.csv each time, other times.
cd "$(dirname "$0")" && python3 generate.py && splc measure --sampling random:240,seed=1 --repeat 3 --warmup 0 \
    --command "zstd -vv -f -{level} {long?--long={window}} --zstd=wlog={window},{strategy} {row?--row-match-finder|--no-row-match-finder} {check?--check|--no-check} {literals?--compress-literals|--no-compress-literals} {single?--single-thread|-T{threads}} {rsyncable?--rsyncable} input.bin -o /dev/null" \
    --property time=time --property cpu=cpu --property "size=stderr:regex:=> *([0-9]+) B" --output measurements.new.csv "$@"
