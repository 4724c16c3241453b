/**
 * Whatever happens to sequencers and conductor - kills, pauses, partitions in either direction, lost answers,
 * clients that cannot build - at most one block is sealed at a height, and in the end there is one chain. Seeded.
 */
import assert from 'node:assert/strict'
import { createSeededRandom } from '@keelson/runtime'
import { createHandOverWorld, type HandOverWorld, type Member } from '../support/hand-over-world.ts'

const STEPS = 30

type Happening = readonly [string, (net: HandOverWorld, member: Member, seconds: number) => unknown]

const toggle =
  (fault: 'cannotBuild' | 'gossipCut' | 'unreachable' | 'cutOff' | 'answersLost') =>
  (_: HandOverWorld, member: Member): void => {
    member[fault] = !member[fault]
  }

const HAPPENINGS: readonly Happening[] = [
  ['nothing', () => undefined],
  ['it is killed, or comes back', (net, member) => (member.node.frozen ? net.revive(member) : net.kill(member))],
  [
    'it is killed and restarted at once',
    (net, member) =>
      member.node.frozen
        ? undefined
        : member.node
            .restart()
            .then(() => net.kill(member))
            .then(() => net.revive(member)),
  ],
  [
    'it is paused, and goes on where it was',
    async (net, member, seconds) => {
      if (member.node.frozen) return
      member.node.frozen = true
      await net.advance(seconds)
      member.node.frozen = false
    },
  ],
  [
    'it is alone for a while: without conductor and gossip',
    async (net, member, seconds) => {
      Object.assign(member, { cutOff: true, unreachable: true, gossipCut: true })
      await net.advance(seconds)
      Object.assign(member, { cutOff: false, unreachable: false, gossipCut: false })
    },
  ],
  [
    'it is alone for a while, and then reaches the conductor, which does not reach it',
    async (net, member, seconds) => {
      Object.assign(member, { cutOff: true, unreachable: true, gossipCut: true })
      await net.advance(seconds)
      member.cutOff = false
    },
  ],
  ['its gossip is cut or mended', toggle('gossipCut')],
  ['the conductor does not reach it, or again', toggle('unreachable')],
  ['it does not reach the conductor, or again', toggle('cutOff')],
  ['answers of the conductor to it are lost, or not any more', toggle('answersLost')],
  ['it cannot build, or again', toggle('cannotBuild')],
  [
    'its engine stops or comes back',
    (_, member) => {
      member.node.engineDown = !member.node.engineDown
    },
  ],
  [
    'the conductor stops or comes back',
    (net) => {
      if (net.conductorDown) net.restartConductor()
      net.conductorDown = !net.conductorDown
    },
  ],
  ['the conductor is killed and comes back', (net) => net.restartConductor()],
  ['the operator hands over', (net, member) => (net.conductorDown ? undefined : net.arbiter.transfer(member.id))],
  [
    'an operator starts it by hand',
    (_, member) => {
      const { sequencer, driver } = member.node.consensus
      const head = driver.heads?.unsafe.hash
      return member.node.frozen || head === undefined ? undefined : sequencer?.start(head).catch(() => undefined)
    },
  ],
]

function assertOneSealed(net: HandOverWorld, told: string): void {
  for (const [number, hashes] of net.sealed) assert.equal(hashes.size, 1, `block ${number} was sealed as ${[...hashes]}: ${told}`)
}

describe('hand-over at random', () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    it(`seals one block at a height and ends in agreement, seed ${seed}`, async () => {
      const random = createSeededRandom(seed)
      const pick = (n: number) => Math.floor(random.next() * n)
      const net = await createHandOverWorld({ members: 2 + pick(2) })
      net.world.startBatcher()
      await net.advance(10)
      const story: string[] = []
      for (let step = 0; step < STEPS; step++) {
        const [name, happen] = HAPPENINGS[pick(HAPPENINGS.length)] as Happening
        const leading = pick(2) === 0 ? net.leading() : null
        const member = leading ?? (net.members[pick(net.members.length)] as Member)
        story.push(`${member.id}: ${name}`)
        await happen(net, member, 4 + pick(12))
        await net.advance(1 + pick(8))
        assertOneSealed(net, story.join(', '))
      }
      const told = story.join(', ')
      for (const member of net.members) {
        Object.assign(member, { cannotBuild: false, gossipCut: false, unreachable: false, cutOff: false, answersLost: false })
        member.node.engineDown = false
        if (member.node.frozen) await net.revive(member)
      }
      if (net.conductorDown) {
        net.restartConductor()
        net.conductorDown = false
      }
      assert.ok(net.arbiter.term > 1, 'leadership moved')
      const before = net.arbiter.head?.number ?? 0
      await net.advance(150)
      assertOneSealed(net, told)
      const fresh = await net.world.addFollower('fresh', { gossip: false })
      await net.advance(10)
      const due = Math.floor((net.world.clock.nowMs() / 1000 - net.world.config.genesis.l2TimestampSec) / 2)
      assert.ok((net.arbiter.head?.number ?? 0) >= due - 1, `recorded ${net.arbiter.head?.number}, due ${due}: ${told}`)
      assert.ok(fresh.heads().safe >= before, `safe ${fresh.heads().safe}, recorded ${before}: ${told}`)
      for (const node of net.world.nodes)
        for (let number = 0; number <= fresh.heads().safe; number++)
          assert.equal(await node.hashAt(number), await fresh.hashAt(number), `${node.name}, block ${number}: ${told}`)
      for (const [number, hashes] of net.sealed)
        if (number <= fresh.heads().safe) assert.ok(hashes.has((await fresh.hashAt(number)) as never), `block ${number}: ${told}`)
      await net.world.stop()
    })
  }
})
