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
  ['kill or start it', (net, member) => (member.node.frozen ? net.revive(member) : net.kill(member))],
  [
    'kill and restart it',
    (net, member) =>
      member.node.frozen
        ? undefined
        : member.node
            .restart()
            .then(() => net.kill(member))
            .then(() => net.revive(member)),
  ],
  [
    'pause or resume it',
    async (net, member, seconds) => {
      if (member.node.frozen) return
      member.node.frozen = true
      await net.advance(seconds)
      member.node.frozen = false
    },
  ],
  [
    'isolate it from conductor and gossip, then reconnect it',
    async (net, member, seconds) => {
      Object.assign(member, { cutOff: true, unreachable: true, gossipCut: true })
      await net.advance(seconds)
      Object.assign(member, { cutOff: false, unreachable: false, gossipCut: false })
    },
  ],
  [
    'isolate it, then let it reach the conductor, which cannot reach it',
    async (net, member, seconds) => {
      Object.assign(member, { cutOff: true, unreachable: true, gossipCut: true })
      await net.advance(seconds)
      member.cutOff = false
    },
  ],
  ['cut or restore its gossip', toggle('gossipCut')],
  ["cut or restore the conductor's calls to it", toggle('unreachable')],
  ['cut or restore its calls to the conductor', toggle('cutOff')],
  ["lose or deliver the conductor's answers to it", toggle('answersLost')],
  ['stop or allow its building', toggle('cannotBuild')],
  [
    'stop or start its engine',
    (_, member) => {
      member.node.engineDown = !member.node.engineDown
    },
  ],
  [
    'stop or start the conductor',
    (net) => {
      if (net.conductorDown) net.restartConductor()
      net.conductorDown = !net.conductorDown
    },
  ],
  ['kill and restart the conductor', (net) => net.restartConductor()],
  ['the operator hands over', (net, member) => (net.conductorDown ? undefined : net.arbiter.transfer(member.id))],
  [
    'an operator starts it manually',
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

describe('a random sequence of hand-over faults', () => {
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
