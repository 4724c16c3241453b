import assert from 'node:assert/strict'
import { createL1Client, createL1Until } from '@keelson/client'
import { headerFields, TX_BLOB } from '@keelson/primitives'
import { RECIPIENT, sendDeposit, transferLog } from '../support/deposit-log.ts'
import { createL1Rpc, type L1Rpc } from '../support/l1-rpc.ts'
import { createWorld, type Wire, type World, type WorldNode } from '../support/world.ts'

const GENESIS_SEC = 1_800_000_000
const L1_BLOCK_SEC = 4
const FORK_BLOCK = 12
const AMSTERDAM_SEC = GENESIS_SEC + FORK_BLOCK * L1_BLOCK_SEC
const ETHER = 10n ** 18n

const atAmsterdam = () => createWorld({ l1AmsterdamTimeSec: AMSTERDAM_SEC })

function overJson(world: World): { readonly wire: Wire; readonly l1: L1Rpc } {
  const l1 = createL1Rpc(world.l1)
  return { l1, wire: (real) => ({ ...real, l1: createL1Client(l1.rpc) }) }
}

async function assertAgree(world: World, node: WorldNode, upTo: number): Promise<void> {
  for (let number = 1; number <= upTo; number++) {
    assert.equal(await node.hashAt(number), await world.sequencer.hashAt(number), `${node.name}: block ${number}`)
  }
}

async function assertOriginsCanonical(world: World, node: WorldNode): Promise<void> {
  const origin = node.consensus.driver.heads?.safe.l1Origin
  assert.equal(world.l1.block(origin?.number ?? -1)?.ref.hash, origin?.hash)
}

const fieldCounts = (world: World, numbers: readonly number[]) =>
  numbers.map((number) => headerFields(world.l1.block(number)?.header ?? assert.fail(`no L1 block ${number}`)).length)

function blobBlocks(world: World): number[] {
  const numbers = Array.from({ length: world.l1.head.number + 1 }, (_, number) => number)
  return numbers.filter((number) => world.l1.block(number)?.transactions.some(({ type }) => type === TX_BLOB))
}

const said = (node: WorldNode, text: RegExp) => node.log.lines.some((line) => text.test(`${line.message} ${String(line.fields.why)}`))

describe('an L1 that activates Amsterdam', () => {
  for (const dataAvailability of ['blobs', 'calldata'] as const) {
    it(`is followed across the fork with headers, receipts and batches in ${dataAvailability}`, async () => {
      const world = await atAmsterdam()
      const follower = await world.addFollower('validator', { gossip: false, wire: overJson(world).wire })
      world.startBatcher({ dataAvailability })
      await world.advance(L1_BLOCK_SEC * (FORK_BLOCK - 1))
      sendDeposit(world.l1, 3n * ETHER, 3n * ETHER, [transferLog(3n * ETHER)])
      await world.advance(L1_BLOCK_SEC * (FORK_BLOCK + 1))
      assert.deepEqual(fieldCounts(world, [FORK_BLOCK - 1, FORK_BLOCK, FORK_BLOCK + 1]), [21, 23, 23])
      const { receipts } = world.l1.block(FORK_BLOCK) ?? assert.fail('no such block')
      assert.ok(
        receipts.some(({ logs }) => logs.length === 2),
        'the deposit is in the first block of the fork',
      )
      if (dataAvailability === 'blobs') {
        const numbers = blobBlocks(world)
        assert.ok(numbers.some((number) => number < FORK_BLOCK) && numbers.some((number) => number >= FORK_BLOCK), numbers.join())
      }
      const { safe } = follower.heads()
      assert.ok(safe * 2 >= L1_BLOCK_SEC * (FORK_BLOCK + 6), `safe ${safe}`)
      await assertAgree(world, follower, safe)
      await assertOriginsCanonical(world, follower)
      for (const node of world.nodes) assert.equal(node.log.matching('block differs from L1').length, 0, node.name)
      assert.equal(BigInt((await follower.execution.call('eth_getBalance', RECIPIENT, 'safe')) as string), 3n * ETHER)
      const block = (await follower.execution.call('eth_getBlockByNumber', 'safe', false)) as object
      assert.ok(!('slotNumber' in block) && !('blockAccessListHash' in block), 'L2 keeps its own rules')
      const fresh = await world.addFollower('fresh', { gossip: false, wire: overJson(world).wire })
      await fresh.settle()
      assert.ok(fresh.heads().safe >= safe)
      await assertAgree(world, fresh, safe)
      await world.stop()
    })
  }

  for (const keepTransactions of [true, false]) {
    it(`may reorganise across the fork, with batches ${keepTransactions ? 'included again' : 'lost'}`, async () => {
      const world = await atAmsterdam()
      const follower = await world.addFollower('validator', { gossip: false, wire: overJson(world).wire })
      world.startBatcher({ dataAvailability: 'blobs' })
      await world.advance(L1_BLOCK_SEC * (FORK_BLOCK + 3))
      const [before, depth] = [follower.heads().safe, world.l1.head.number - FORK_BLOCK + 4]
      const replaced = world.l1.block(FORK_BLOCK)?.ref.hash
      world.l1.reorg(depth, { keepTransactions, newBlocks: depth + 1 })
      assert.notEqual(world.l1.block(FORK_BLOCK)?.ref.hash, replaced)
      assert.deepEqual(fieldCounts(world, [FORK_BLOCK - 1, FORK_BLOCK]), [21, 23])
      await world.advance(L1_BLOCK_SEC * 20)
      const safe = Math.min(follower.heads().safe, world.sequencer.heads().safe)
      assert.ok(safe > before, `safe ${safe}, before ${before}`)
      await assertAgree(world, follower, safe)
      for (const node of world.nodes) {
        await assertOriginsCanonical(world, node)
        assert.ok(node.log.matching('derivation reset').length <= 2, node.name)
      }
      await world.stop()
    })
  }

  it('stops the node at a header with an unknown field until the header verifies, and the log names the remedy', async () => {
    const world = await atAmsterdam()
    const { wire, l1 } = overJson(world)
    const follower = await world.addFollower('validator', { gossip: false, wire })
    world.startBatcher()
    await world.advance(L1_BLOCK_SEC * FORK_BLOCK)
    const { safe } = follower.heads()
    assert.ok(safe > 0)
    l1.change = (method, _params, answer) =>
      method === 'eth_getBlockByNumber' && answer !== null
        ? { ...(answer as object), hash: `0x${'ab'.repeat(32)}`, inclusionListRoot: `0x${'cd'.repeat(32)}` }
        : answer
    await world.advance(L1_BLOCK_SEC * 4)
    assert.equal(follower.heads().safe, safe)
    assert.ok(said(follower, /fields that this release does not know \(inclusionListRoot\): .* install a release that does/))
    l1.change = null
    await world.advance(L1_BLOCK_SEC * 4)
    assert.ok(follower.heads().safe > safe)
    await world.stop()
  })

  it('stops derivation before a block with an unknown transaction type, and the log names the remedy', async () => {
    const world = await atAmsterdam()
    const { wire, l1 } = overJson(world)
    const follower = await world.addFollower('validator', { gossip: false, wire })
    world.startBatcher({ dataAvailability: 'calldata' })
    await world.advance(L1_BLOCK_SEC * FORK_BLOCK)
    const { safe } = follower.heads()
    l1.change = (method, [, full], answer) => {
      const block = answer as { transactions: object[] } | null
      if (method !== 'eth_getBlockByHash' || full !== true || block === null) return answer
      return { ...block, transactions: block.transactions.map((tx) => ({ ...tx, type: '0x5' })) }
    }
    await world.advance(L1_BLOCK_SEC * 6)
    assert.ok(follower.heads().safe <= safe + 1, `safe ${follower.heads().safe}, before ${safe}`)
    assert.ok(said(follower, /this release does not know transactions of type 5: .* install a release that does/))
    l1.change = null
    await world.advance(L1_BLOCK_SEC * 4)
    assert.ok(follower.heads().safe > safe + 1)
    await world.stop()
  })

  it('and then an unknown fork leaves the earlier blocks on the node, and a newer release continues', async () => {
    const world = await atAmsterdam()
    const stops: (number | null)[] = []
    const bogota: Wire = (real) => ({
      ...real,
      l1: createL1Until(createL1Client(createL1Rpc(world.l1).rpc), {
        timeSec: AMSTERDAM_SEC,
        firstBlock: world.config.genesis.l1.number,
        nowMs: () => world.clock.nowMs(),
        onReached: (last) => stops.push(last?.number ?? null),
      }),
    })
    const old = await world.addFollower('old', { gossip: false, wire: bogota })
    world.startBatcher()
    await world.advance(L1_BLOCK_SEC * (FORK_BLOCK + 8))
    assert.deepEqual(stops, [FORK_BLOCK - 1])
    const { safe } = old.heads()
    assert.ok(safe > 0 && safe * 2 <= L1_BLOCK_SEC * FORK_BLOCK, `safe ${safe}`)
    assert.ok(world.sequencer.heads().safe > safe)
    await assertAgree(world, old, safe)
    assert.equal(((await old.execution.call('eth_getBlockByNumber', 'safe', false)) as { hash: string }).hash, await old.hashAt(safe))
    const upgraded = await world.addFollower('upgraded', { gossip: false, wire: overJson(world).wire })
    await upgraded.settle()
    assert.ok(upgraded.heads().safe > safe)
    await assertAgree(world, upgraded, upgraded.heads().safe)
    await world.stop()
  })
})
