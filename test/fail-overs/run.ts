/** `npm run fail-overs`: hurts the machine of the leader again and again, and prints how long the others took. */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { createSeededRandom } from '@keelson/runtime'
import { assertOneBlockAtEachHeight, FAULTS, type FailOver, failOver } from '../support/etcd/fail-overs.ts'
import { findEtcd } from '../support/etcd/find-etcd.ts'
import { assertSameSafeChain, LEADER_NETWORK_PORTS, startLeaderNetwork } from '../support/etcd/leader-network.ts'
import { eventually } from '../support/eventually.ts'
import { renderFailOvers } from './render.ts'

const USAGE = `usage: npm run fail-overs -- [--count N] [--minutes N] [--seed N] [--port N] [--op-node PATH]
  --count    fail-overs, 200 by default
  --minutes  ends earlier after so many minutes; 60 by default
  --seed     of the order of the faults; 1 by default
  --port     the first of ${LEADER_NETWORK_PORTS} ports; 21000 by default
  --op-node  an op-node that is the sequencer of one of the three machines`

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    port: { type: 'string', default: '21000' },
    'op-node': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}
const etcd = findEtcd()
if (etcd === null) {
  console.error('npm run fail-overs: no etcd on the PATH (Debian: apt-get install etcd-server)')
  process.exit(2)
}
const [count, minutes, seed, port] = [values.count, values.minutes, values.seed, values.port].map(Number) as [
  number,
  number,
  number,
  number,
]
const random = createSeededRandom(seed)
const endMs = performance.now() + minutes * 60_000
console.log(`${etcd.version}, seed ${seed}: ${count} fail-overs, or as many as fit into ${minutes} minutes`)
const ports = Array.from({ length: LEADER_NETWORK_PORTS }, (_, i) => port + i)
const network = await startLeaderNetwork(ports, values['op-node'] ?? null)
const done: FailOver[] = []
try {
  await eventually('the first blocks', async () => (await network.head()) >= 2)
  while (done.length < count && performance.now() < endMs) {
    const fault = FAULTS[Math.floor(random.next() * FAULTS.length)] as (typeof FAULTS)[number]
    const result = await failOver(network, fault)
    assertOneBlockAtEachHeight(network)
    done.push(result)
    console.log(JSON.stringify({ ...result, load: loadavg()[0] }))
  }
  await assertSameSafeChain(network)
  assertOneBlockAtEachHeight(network)
} catch (error) {
  process.exitCode = 1
  console.error(error)
  for (const { id, roles } of network.machines)
    for (const [name, { output }] of Object.entries(roles)) console.error(`--- ${id} ${name}\n${output.slice(-15).join('\n')}`)
} finally {
  await network.close()
}
console.log(renderFailOvers(done))
console.log(`${network.seen.size} heights with one block each; ${process.exitCode === 1 ? 'FAILED' : 'all checks passed'}`)
