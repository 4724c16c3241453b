/** Walk W4: what enters through the portal on L1 arrives on L2, also when nobody sequences it. */
import assert from 'node:assert/strict'
import { TRANSACTION_DEPOSITED_TOPIC } from '@keelson/contracts'
import { bigintToBytes, concatBytes, type Hash, hexToBytes, type Log, toHash } from '@keelson/primitives'
import { PORTAL } from '../support/rollup-config.ts'
import { createWorld, type World, type WorldNode } from '../support/world.ts'

const DEPOSITOR = '0x00000000000000000000000000000000000000d1'
const RECIPIENT = '0x00000000000000000000000000000000000000d2'
const ETHER = 10n ** 18n

function word(hex: string): Hash {
  return toHash(`0x${hex.slice(2).padStart(64, '0')}`)
}

/** The log OptimismPortal emits: the opaque data as one dynamic bytes parameter. */
function depositLog(mintWei: bigint, valueWei: bigint): Log {
  const opaque = concatBytes(bigintToBytes(mintWei, 32), bigintToBytes(valueWei, 32), bigintToBytes(100_000n, 8), Uint8Array.of(0))
  const padded = concatBytes(opaque, new Uint8Array((32 - (opaque.length % 32)) % 32))
  return {
    address: PORTAL,
    topics: [TRANSACTION_DEPOSITED_TOPIC, word(DEPOSITOR), word(RECIPIENT), word('0x00')],
    data: concatBytes(bigintToBytes(32n, 32), bigintToBytes(BigInt(opaque.length), 32), padded),
  }
}

function deposit(world: World, mintWei: bigint, valueWei = mintWei): void {
  world.l1.send({ privateKey: new Uint8Array(32).fill(0xd1), to: PORTAL, logs: [depositLog(mintWei, valueWei)] })
}

const balance = async (node: WorldNode, address: string) =>
  BigInt((await node.execution.call('eth_getBalance', address, 'latest')) as string)

describe('deposits', () => {
  it('arrive in the first block of their epoch, on the sequencer and on a node that saw only L1', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator', { gossip: false })
    deposit(world, 3n * ETHER)
    await world.advance(8)
    assert.equal(await balance(world.sequencer, RECIPIENT), 3n * ETHER)
    await world.batch()
    await world.advance(8)
    assert.equal(await balance(follower, RECIPIENT), 3n * ETHER)
    const [block] = (await Promise.all([1, 2, 3].map((number) => world.sequencer.payloadAt(number))).then((all) =>
      all.filter(({ payload }) => payload.transactions.length === 2),
    )) as [Awaited<ReturnType<WorldNode['payloadAt']>>]
    assert.equal(block.payload.transactions[1]?.[0], 0x7e)
    await world.stop()
  })

  it('keep the mint when the call fails, and are included all the same', async () => {
    const world = await createWorld()
    deposit(world, 1n * ETHER, 2n * ETHER)
    await world.advance(8)
    assert.equal(await balance(world.sequencer, RECIPIENT), 0n)
    assert.equal(await balance(world.sequencer, DEPOSITOR), 1n * ETHER)
    await world.stop()
  })

  it('are forced in when no batch comes for a whole sequencing window', async () => {
    const world = await createWorld({ sequencingWindowL1Blocks: 10, sequencer: { stopped: true } })
    const follower = await world.addFollower('validator', { gossip: false })
    deposit(world, 5n * ETHER)
    await world.advance(80)
    assert.equal(world.sequencer.heads().safe, world.sequencer.heads().unsafe)
    assert.ok(follower.heads().safe > 0)
    assert.equal(await balance(follower, RECIPIENT), 5n * ETHER)
    assert.equal(await follower.hashAt(follower.heads().safe), await world.sequencer.hashAt(follower.heads().safe))
    // every block in it is empty but for what L1 forces
    const payloads = await Promise.all([1, 2, 3].map((number) => follower.payloadAt(number)))
    assert.ok(payloads.every(({ payload }) => payload.transactions.every((tx) => tx[0] === 0x7e)))
    assert.ok(hexToBytes(payloads[0]?.payload.blockHash ?? '0x').length === 32)
    await world.stop()
  })
})
