import assert from 'node:assert/strict'
import { eventTopic } from '@keelson/contracts'
import { createNativeCrypto } from '@keelson/node/assembly'
import { formatQuantity } from '@keelson/primitives'
import { createSilentLogger } from '@keelson/runtime'
import { buildL2Start } from '../roles/rollup-network.ts'
import { RollupWorld } from '../roles/rollup-world.ts'
import type { RunningNode } from '../roles/simulated-node.ts'
import { judgeExchange } from './exchange-judge.ts'

const START_MS = 1_800_000_000_000
const MINUTE_MS = 60_000
const SWAP_EVENT = 'Swap(address,uint256,uint256,uint256,uint256,address)'

describe('the judge of the exchange', function () {
  this.timeout(120_000)
  const crypto = createNativeCrypto()
  let world: RollupWorld
  let node: RunningNode

  before(async () => {
    const l2 = await buildL2Start(START_MS / 1000, crypto)
    const logger = () => createSilentLogger()
    world = new RollupWorld({ seed: 1, startMs: START_MS, validators: 0, transactionsPerSec: 3, crypto, l2, logger })
    world.start()
    await world.simulation.run(START_MS + 2 * MINUTE_MS)
    node = world.nodes[0]?.running as RunningNode
  })

  const rulesBroken = async (pairs = world.rollup.pairs) => {
    const broken: string[] = []
    await judgeExchange(pairs, { name: 'sequencer', oldestState: 0 }, node, (rule) => broken.push(rule))
    return broken
  }

  it('sees swaps that succeed, and is content', async () => {
    const { chain, methods } = node.execution
    const { number } = chain.label('unsafe').header
    const context = { signal: new AbortController().signal, transport: 'http' as const }
    const filter = { fromBlock: '0x0', toBlock: formatQuantity(number), topics: [eventTopic(SWAP_EVENT)] }
    const swaps = (await methods.eth_getLogs?.([filter], context)) as readonly unknown[]
    assert.ok(swaps.length > 10, `${swaps.length} swaps`)
    assert.deepEqual(await rulesBroken(), [])
  })

  it('misses the dollars of a holder that it is not shown', async () => {
    const { pairs } = world.rollup
    assert.deepEqual(await rulesBroken({ ...pairs, PairDollars: pairs.PairNativeBitcoin }), ['tokens are conserved'])
  })
})
