/**
 * Requests per second through HAProxy with one and with three replicas, in turns on one network.
 *   npm run build && node --import=tsx scripts/bench/load/replicas.ts [--seconds N] [--rounds N] [--clients N] [--port-offset N]
 * Needs haproxy and redis-server. On one machine all replicas share its processors, so that the requests per second of
 * processor time matter more than those per second: replicas on machines of their own add up.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { parseArgs } from 'node:util'
import { openReplicaNetwork, REPLICAS, type ReplicaNetwork, ROUTERS } from '../../../test/support/replica-network.ts'
import { describeMachine, machineLine } from '../machine.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '24' },
    'port-offset': { type: 'string', default: '16000' },
  },
})
const seconds = Number(values.seconds)
const clients = Number(values.clients)
const offset = Number(values['port-offset'])

/** As the clock ticks of /proc are on Linux. */
const TICKS_PER_SEC = 100
const FIRST_SPARE_PORT = 8_100
const PREDEPLOY = '0x4200000000000000000000000000000000000015'

interface Round {
  readonly answered: number
  readonly failed: number
  readonly cpuSec: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Balances of addresses that no cache has, blocks, and calls of a contract. */
function bodyOf(i: number): string {
  const address = `0x${i.toString(16).padStart(40, '0')}`
  const [method, params] = [
    ['eth_getBalance', [address, 'latest']],
    ['eth_getBlockByNumber', ['latest', false]],
    ['eth_call', [{ to: PREDEPLOY, data: '0x8381f58a', from: address }, 'latest']],
  ][i % 3] as [string, unknown[]]
  return JSON.stringify({ jsonrpc: '2.0', id: i, method, params })
}

async function post(url: string, agent: Agent, body: string): Promise<boolean> {
  const sent = request(url, { method: 'POST', agent, headers: { 'content-type': 'application/json' } })
  sent.end(body)
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return response.statusCode === 200 && 'result' in JSON.parse(text)
}

async function measure({ url, pidOf }: ReplicaNetwork): Promise<Round> {
  const endMs = performance.now() + seconds * 1000
  const times: number[] = []
  let failed = 0
  let count = 0
  const cpuAtStart = cpuOf(pidOf)
  const client = async (number: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: `127.0.4.${number + 1}` })
    while (performance.now() < endMs) {
      const startMs = performance.now()
      const ok = await post(url, agent, bodyOf(count++)).catch(() => false)
      if (!ok) failed++
      else times.push(performance.now() - startMs)
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: clients }, (_, i) => client(i)))
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(share * times.length)] ?? Number.NaN
  return { answered: times.length, failed, cpuSec: cpuOf(pidOf) - cpuAtStart, p50Ms: at(0.5), p99Ms: at(0.99) }
}

/** Processor seconds of the execution clients. */
function cpuOf(pidOf: ReplicaNetwork['pidOf']): number {
  const ticks = REPLICAS.map((name) => {
    const fields =
      readFileSync(`/proc/${pidOf(`${name}-execution`)}/stat`, 'utf8')
        .split(') ')[1]
        ?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  })
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SEC
}

const network = await openReplicaNetwork(offset, FIRST_SPARE_PORT + offset)
try {
  await network.steps(3)
  for (const role of ROUTERS) await network.startRouter(role)
  for (const name of REPLICAS) await network.startReplica(name)
  await network.steps(6)
  console.log(machineLine(describeMachine()))
  console.log('replicas  requests/s  per CPU s  p50 ms  p99 ms  failed')
  // All of them compile their code before the first round counts.
  await measure(network)
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const count of [1, REPLICAS.length]) {
      for (const [i, name] of REPLICAS.entries())
        await network.command(`set server replicas/${name} state ${i < count ? 'ready' : 'maint'}`)
      await network.command('clear table replicas')
      const { answered, failed, cpuSec, p50Ms, p99Ms } = await measure(network)
      const row = [
        String(count),
        (answered / seconds).toFixed(0),
        (answered / cpuSec).toFixed(0),
        p50Ms.toFixed(1),
        p99Ms.toFixed(1),
        String(failed),
      ]
      console.log(row.map((cell, i) => cell.padStart([8, 10, 9, 6, 6, 6][i] as number)).join('  '))
    }
  }
} finally {
  await network.remove()
}
