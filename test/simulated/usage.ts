import { FAULT_KINDS, needOf, UPGRADE_FORKS } from '@keelson/simulator'

const WIDTH = 110

/** The kinds that need the same thing in a network, below that thing. */
function kinds(): string {
  const needs = new Map<string, string[]>()
  for (const kind of FAULT_KINDS) needs.set(needOf(kind), [...(needs.get(needOf(kind)) ?? []), kind.name])
  return [...needs].map(([need, names]) => `${need === '' ? '  in every network' : `  with ${need}`}:\n${wrapped(names)}`).join('\n')
}

function wrapped(names: readonly string[]): string {
  const lines: string[] = []
  for (const name of names) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + name.length + 2 <= WIDTH) lines[lines.length - 1] = `${line}, ${name}`
    else lines.push(`    ${name}`)
  }
  return lines.join(',\n')
}

export const USAGE = `usage: npm run simulate -- [--seed N | --seeds A..B | --schedule FILE] [option]...

Runs a whole rollup on simulated time, L1, links and disks, in this process: a sequencer, validators, a batcher, a proposer,
services and users. Judges check its rules all the time. The same options give the same run on every machine. The exit code is 1
when a rule was broken. A value in parentheses is the default.

what runs
  --seed N         the number that decides everything that happens (a new one, which is printed)
  --seeds A..B     runs all seeds from A to B, and prints a table at the end
  --schedule FILE  runs a schedule that --save wrote; the file decides the seed, the network and the faults
  --days D         simulated days, at least 0.001 (0.05, which is an hour and twelve minutes)

the network
  --sequencers N   1 to 3; several have conductors, which share an etcd (1)
  --validators N   nodes beside the sequencers, 0 to 20 (2)
  --tps N          transactions that the users send in a second (1)
  --staking        lets validators stake, attest and report offences; without it they only follow
  --upgrade LIST   FORK@SECONDS,... for each fork that activates during the run, in seconds after genesis
                   (${UPGRADE_FORKS.join(', ')}); the chain begins with the fork before the first.
                   swarm leaves it to the seed (none: the newest fork from genesis)
  --l1-finality N  L1 blocks until one is final; with few, a short run has final blocks, proposals and withdrawals (64)
  --frame-bytes N  puts batches into calldata, in frames of at most N bytes and several frames a channel
  --real-rpc       uses JSON-RPC between all parts of the rollup, as every eighth seed does; otherwise they pass objects
  --real-crypto    uses real KZG commitments instead of hashes, and recovers a transaction's signer on every node

faults
  --faults LIST    none, all, kinds of the list below, or swarm: the seed chooses kinds and rates (none)
  --fault-rate R   multiplies how often faults happen (1)
  --recovery M     minutes after the last fault until all rules must hold again; the run lasts until then (30)

many seeds
  --workers N      processes that share the seeds (1)
  --minutes M      starts no further seed after M minutes

a failing seed
  --shrink M       searches M minutes for a smaller schedule that breaks the same rule, and prints it
  --save FILE      writes the schedule of the run, or the smaller one that --shrink found

output
  --watch          draws machines, heads, links and faults during the run; prints a line a minute without a terminal
  --speed X        runs at most X times as fast as real time (as fast as possible)
  --record FILE    writes a recording for the page /simulation of keelson web, about 6 MB for a day
  --log LEVEL      prints the logs of all roles: error, warn, info or debug (silent)
  --json           prints a line for each run: seed, days, traceHash, speedup, events, violations
  --help           prints this text

kinds of faults
${kinds()}

examples:
  npm run simulate -- --seed 7                          an hour and twelve minutes
  npm run simulate -- --seed 7 --days 1 --json          a day, for a program to read
  npm run simulate -- --seed 7 --faults swarm           prints the faults at the end, as a story
  npm run simulate -- --seeds 1..100 --faults swarm --workers 2
  npm run simulate -- --seed 7 --faults swarm --shrink 20 --save failure.json
  npm run simulate -- --seed 7 --faults swarm --watch --record seed-7.jsonl
  npm run simulate -- --seed 7 --log info | grep batcher`
