import assert from 'node:assert/strict'
import { createSeededRandom } from '@keelson/runtime'
import { createWorld, type World, type WorldNode } from '../support/world.ts'

const L2_BLOCK_SEC = 2
const L1_BLOCK_SEC = 4
const WINDOW = 8
const DEPTHS = [1, 2, 3, 4, 5, 6, 7, 8]
// Below the sequencing window; otherwise no batch would arrive in time.
const SEQUENCER_CONFIRMATIONS = [0, 1, 2, 4]
const VERIFIER_CONFIRMATIONS = [0, 1, 3, 8]
const MAX_ROUNDS = 12

async function assertOriginCanonical(world: World, node: WorldNode): Promise<void> {
  const origin = node.consensus.driver.heads?.unsafe.l1Origin
  assert.equal(world.l1.block(origin?.number ?? -1)?.ref.hash, origin?.hash, `${node.name}: origin ${origin?.number}`)
}

async function worldWithVerifiers(confirmations: number): Promise<World> {
  const world = await createWorld({ sequencingWindowL1Blocks: WINDOW, sequencer: { l1Confirmations: confirmations } })
  for (const depth of VERIFIER_CONFIRMATIONS) {
    await world.addFollower(`verifier-${depth}`, { gossip: depth === 1, consensus: { verifierL1Confirmations: depth } })
  }
  return world
}

describe('an L1 reorg against confirmation depths', () => {
  for (const depth of DEPTHS) {
    for (const confirmations of SEQUENCER_CONFIRMATIONS) {
      it(`of depth ${depth} leaves all in agreement, with depth ${confirmations} at the sequencer and ${VERIFIER_CONFIRMATIONS.join(', ')} at verifiers`, async () => {
        const random = createSeededRandom(100 * depth + confirmations)
        const upTo = (n: number) => (random.bytes(1)[0] as number) % (n + 1)
        const world = await worldWithVerifiers(confirmations)
        await world.advance((8 + upTo(3)) * L1_BLOCK_SEC)
        await world.batch()
        await world.advance((1 + upTo(3)) * L1_BLOCK_SEC)
        const at = world.sequencer.heads().unsafe
        const before = await world.sequencer.hashAt(at)
        const newBlocks = Math.max(1, depth - 1 + upTo(3))
        const keepTransactions = upTo(1) === 0
        world.l1.reorg(depth, { keepTransactions, newBlocks })
        await world.settle()
        for (const node of world.nodes) await assertOriginCanonical(world, node)
        if (confirmations >= depth) assert.equal(await world.sequencer.hashAt(at), before, 'deep enough: nothing is rebuilt')

        const verifiers = world.nodes.filter((node) => node !== world.sequencer)
        const behind = () => verifiers.filter((node) => node.heads().safe <= at)
        for (let round = 0; behind().length > 0; round++) {
          assert.ok(round < MAX_ROUNDS, `stuck: ${behind().map((node) => `${node.name} at ${node.heads().safe}`)}, to pass ${at}`)
          await world.batch()
          await world.advance(2 * L1_BLOCK_SEC)
        }
        const due = (world.clock.nowMs() / 1000 - world.config.genesis.l2TimestampSec) / L2_BLOCK_SEC
        const { unsafe } = world.sequencer.heads()
        assert.ok(unsafe >= due - 1, `block ${unsafe}, due ${due}`)
        for (const node of world.nodes) {
          await assertOriginCanonical(world, node)
          for (let number = 1; number <= node.heads().safe; number++) {
            assert.equal(await node.hashAt(number), await world.sequencer.hashAt(number), `${node.name}: block ${number}`)
          }
          assert.ok(
            node.log.matching('derivation reset').length <= 2,
            `${node.name}: ${node.log.matching('derivation reset').length} resets`,
          )
          assert.equal(node.log.matching('again and again').length, 0, node.name)
        }
        await world.stop()
      })
    }
  }
})
