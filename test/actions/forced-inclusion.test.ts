import assert from 'node:assert/strict'
import { type PlannedTransaction, planPortalCall } from '@keelson/apps/bridge'
import { decodeParameters, encodeParameters, TRANSACTION_DEPOSITED_TOPIC } from '@keelson/contracts'
import { type Address, bigintToBytes, concatBytes, toAddress, toHash } from '@keelson/primitives'
import { PORTAL } from '../support/rollup-config.ts'
import { createWorld, type World, type WorldNode } from '../support/world.ts'

const SENDER = toAddress(`0x${'5e'.repeat(20)}`)
const RECIPIENT = toAddress(`0x${'2e'.repeat(20)}`)
const ETHER = 10n ** 18n
const WINDOW_L1_BLOCKS = 10
const L1_BLOCK_TIME_SEC = 4
const contracts = { portal: PORTAL, standardBridge: PORTAL, messenger: PORTAL, outputOracle: null }

const word = (address: Address) => toHash(`0x${address.slice(2).padStart(64, '0')}`)
const balance = async (node: WorldNode, address: Address) =>
  BigInt((await node.execution.call('eth_getBalance', address, 'latest')) as string)

function send(world: World, plan: PlannedTransaction): void {
  const [to, value, gasLimit, isCreation, data] = decodeParameters('address,uint256,uint64,bool,bytes', plan.data.subarray(4)) as [
    Address,
    bigint,
    bigint,
    boolean,
    Uint8Array,
  ]
  const opaque = concatBytes(
    bigintToBytes(plan.valueWei, 32),
    bigintToBytes(value, 32),
    bigintToBytes(gasLimit, 8),
    Uint8Array.of(isCreation ? 1 : 0),
    data,
  )
  const topics = [TRANSACTION_DEPOSITED_TOPIC, word(SENDER), word(to), toHash(`0x${'00'.repeat(32)}`)]
  world.l1.send({
    privateKey: new Uint8Array(32).fill(0x5e),
    to: PORTAL,
    logs: [{ address: plan.to, topics, data: encodeParameters('bytes', [opaque]) }],
  })
}

describe('forced inclusion', () => {
  it("moves the sender's L2 funds when the window has passed, also on the censoring sequencer", async () => {
    const world = await createWorld({ sequencingWindowL1Blocks: WINDOW_L1_BLOCKS, l1BlockTimeSec: L1_BLOCK_TIME_SEC })
    const follower = await world.addFollower('validator', { gossip: false })
    const call = (valueWei: bigint) => ({ to: RECIPIENT, valueWei, data: new Uint8Array(0), gasLimit: 100_000n })
    send(world, planPortalCall(contracts, call(0n), 5n * ETHER))
    await world.advance(2 * L1_BLOCK_TIME_SEC)
    send(world, planPortalCall(contracts, call(2n * ETHER), 0n))
    await world.advance((WINDOW_L1_BLOCKS - 2) * L1_BLOCK_TIME_SEC)
    assert.equal(await balance(follower, RECIPIENT), 0n, 'nodes that read only L1 wait for batches during the window')
    await world.advance(6 * L1_BLOCK_TIME_SEC)
    for (const node of [follower, world.sequencer]) {
      assert.equal(await balance(node, RECIPIENT), 2n * ETHER, node.name)
      assert.equal(await balance(node, SENDER), 3n * ETHER, node.name)
    }
    const { safe } = follower.heads()
    assert.equal(await follower.hashAt(safe), await world.sequencer.hashAt(safe))
    await world.stop()
  })
})
