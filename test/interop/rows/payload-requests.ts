import { eventually } from '../../support/eventually.ts'
import { rpcCall } from '../../support/json-rpc.ts'
import type { Row } from '../row.ts'
import { assertSameChain, heads, waitUnsafe } from '../same-chain.ts'
import { setBatching, type World } from '../world.ts'
import { addressOf, assertAtTip } from './following.ts'

const MISSED_BLOCKS = 30
const MISS_TIMEOUT_MS = 150_000
const FILL_TIMEOUT_MS = 90_000

async function counter(metricsUrl: string, name: string, labels: string): Promise<number> {
  const text = await (await fetch(metricsUrl, { signal: AbortSignal.timeout(5_000) })).text()
  const samples = text.split('\n').filter((line) => !line.startsWith('#') && line.includes(name) && line.includes(labels))
  return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}

async function missBlocks(world: World, from: number): Promise<void> {
  await setBatching(world, false)
  await waitUnsafe(world.sequencer, from + MISSED_BLOCKS, MISS_TIMEOUT_MS)
}

async function rpcHead(url: string): Promise<number> {
  return Number(await rpcCall<string>(url, 'eth_blockNumber'))
}

export const opNodeAsksOurs: Row = {
  what: `op-node asks ours for ${MISSED_BLOCKS} missed blocks`,
  needs: ['op-node'],
  async run(world) {
    const node = await world.node('op-node on ours')
    await node.pause()
    await (await overGeth(world))?.pause()
    try {
      const from = await rpcHead(node.rpcUrl)
      await missBlocks(world, from)
      const { metricsUrl } = sequencerMetrics(world)
      const before = await counter(metricsUrl, 'payloads_served_total', 'payload')
      await node.run({ peers: [await addressOf(world.sequencer)], sequencer: false })
      await assertFilled(world, node, from)
      const served = (await counter(metricsUrl, 'payloads_served_total', 'payload')) - before
      if (served < MISSED_BLOCKS - 2) throw new Error(`our sequencer served ${served} blocks, fewer than were missed`)
    } finally {
      await setBatching(world, true)
    }
  },
}

export const oursAsksOpNode: Row = {
  what: `ours (on op-geth) asks op-node for ${MISSED_BLOCKS} missed blocks`,
  needs: ['op-node', 'op-geth'],
  async run(world) {
    const [node, server] = await Promise.all([world.node('ours on op-geth'), world.node('op-node on ours')])
    await node.pause()
    try {
      const from = await rpcHead(node.rpcUrl)
      await missBlocks(world, from)
      await node.run({ peers: [await server.multiaddr()], sequencer: false })
      await assertFilled(world, node, from)
      const answered = await counter(node.metricsUrl, 'payload_requests_total', 'outcome="payload"')
      if (answered < MISSED_BLOCKS - 2) throw new Error(`op-node answered ${answered} requests, fewer than blocks were missed`)
    } finally {
      await setBatching(world, true)
    }
  },
}

const MISSED_OF_KONA = 10

/** kona registers the protocol ID with a trailing slash and returns no blocks. */
export const oursWithKona: Row = {
  what: 'ours with kona alone as peer: it serves no missed blocks, ours derives them and follows its gossip on',
  needs: ['kona-node'],
  async run(world) {
    const [node, kona] = await Promise.all([world.node('ours on ours'), world.node('kona-node on ours')])
    await node.run({ peers: null, sequencer: false })
    await kona.run({ peers: [await addressOf(world.sequencer)], sequencer: false })
    await waitUnsafe(node, 1, MISS_TIMEOUT_MS)
    await node.pause()
    const from = await rpcHead(node.rpcUrl)
    await waitUnsafe(world.sequencer, from + MISSED_OF_KONA, MISS_TIMEOUT_MS)
    await node.run({ peers: [await kona.multiaddr()], sequencer: false })
    const tip = (await heads(world.sequencer)).unsafe
    await waitUnsafe(node, tip, FILL_TIMEOUT_MS)
    await assertAtTip(world.sequencer, node)
    const served = await counter(node.metricsUrl, 'payload_requests_total', 'outcome="payload"')
    if (served > 0) throw new Error(`kona served ${served} blocks, so this row asks too little of it`)
    const { totalConnected } = await rpcCall<{ totalConnected: number }>(node.rollupUrl, 'opp2p_peers', [true])
    if (totalConnected !== 1) throw new Error(`ours has ${totalConnected} peers, expected kona to be kept`)
    await node.pause()
  },
}

async function assertFilled(world: World, node: Parameters<typeof waitUnsafe>[0], from: number): Promise<void> {
  const tip = (await heads(world.sequencer)).unsafe
  await waitUnsafe(node, tip, FILL_TIMEOUT_MS)
  const { safe } = await heads(node)
  if (safe >= from + MISSED_BLOCKS) throw new Error(`${node.name} has derived the missed blocks (safe ${safe}), so no peer was asked`)
  await assertSameChain(world.sequencer, node, Math.max(1, from), tip)
}

function sequencerMetrics(world: World): { readonly metricsUrl: string } {
  return { metricsUrl: world.devnet.facts.metrics.consensus }
}

async function overGeth(world: World) {
  return world.programs['op-geth'] === undefined ? null : world.node('ours on op-geth')
}

export const safeAgain: Row = {
  what: 'all followers become safe again once batches resume',
  needs: ['op-node'],
  async run(world) {
    const target = (await heads(world.sequencer)).unsafe
    for (const node of world.nodes()) {
      await eventually(`block ${target} being safe on ${node.name}`, async () => (await heads(node)).safe >= target)
      await assertSameChain(world.sequencer, node, Math.max(1, target - MISSED_BLOCKS), target)
    }
  },
}
