import assert from 'node:assert/strict'
import type { ForkTimes } from '@keelson/chainspec'
import { bytesToHex } from '@keelson/primitives'
import { encodePayloadAnswer } from '../../packages/consensus/src/p2p/exchange/payload-exchange.ts'
import { createLyingPeers, type LyingPeers } from '../support/lying-peers.ts'
import { payloadLies, WIRE_LIES } from '../support/payload-lies.ts'
import { createRecordingLogger } from '../support/recording-logger.ts'
import { createWorld, type World, type WorldNode } from '../support/world.ts'

const FORKS: readonly (readonly [name: string, forks: ForkTimes | undefined])[] = [
  ['Regolith', { regolith: 0 }],
  ['Canyon', { regolith: 0, canyon: 0, delta: 0 }],
  ['Ecotone', { regolith: 0, canyon: 0, delta: 0, ecotone: 0 }],
  ['Jovian', undefined],
]
const RECIPIENT = '0x00000000000000000000000000000000000000aa'
const HONEST = 'honest'
const AT_ONCE = 5
/** The sixth malformed answer leads to a ban, unless earlier penalties have decayed. */
const MOST_TRIES = 20

async function liesAbout(world: World, missing: number): Promise<ReadonlyMap<string, Uint8Array>> {
  const truth = await world.sequencer.payloadAt(missing)
  const encoded = encodePayloadAnswer(truth)
  const lies = [
    ...payloadLies(truth).map(({ name, envelope }) => [name, encodePayloadAnswer(envelope)] as const),
    ...WIRE_LIES.map(({ name, answer }) => [name, answer(encoded)] as const),
    ['the block before', encodePayloadAnswer(await world.sequencer.payloadAt(missing - 1))] as const,
  ]
  return new Map(lies.filter(([, lie]) => bytesToHex(lie) !== bytesToHex(encoded)))
}

async function hearEach(world: World, peers: LyingPeers, lies: ReadonlyMap<string, Uint8Array>): Promise<readonly string[]> {
  const tolerated: string[] = []
  const all = [...lies]
  for (let at = 0; at < all.length; at += AT_ONCE) {
    for (const [name, lie] of all.slice(at, at + AT_ONCE)) peers.add(name, async () => lie)
    for (let tries = 0; tries < MOST_TRIES && peers.connected().length > 0; tries++) await world.advance(2)
    tolerated.push(...peers.connected())
    for (const name of peers.connected()) peers.remove(name)
  }
  return tolerated
}

async function chainsOf(world: World, nodes: readonly WorldNode[]): Promise<readonly (readonly unknown[])[]> {
  const numbers = Array.from({ length: world.sequencer.heads().unsafe + 1 }, (_, number) => number)
  return Promise.all(nodes.map((node) => Promise.all(numbers.map((number) => node.hashAt(number)))))
}

describe('peers that lie about a block', () => {
  for (const [fork, forks] of FORKS) {
    it(`are banned for any change of one field under ${fork}, and the node stays on the honest chain`, async () => {
      const world = await createWorld(forks === undefined ? {} : { forks })
      const log = createRecordingLogger()
      const [forAlone, forHelped] = [createLyingPeers(world.clock, log), createLyingPeers(world.clock, log)]
      const follow = (name: string, peers: LyingPeers) =>
        world.addFollower(name, {
          wire: (real) => ({ ...real, gossip: real.gossip && { ...real.gossip, requestPayload: peers.requestPayload } }),
        })
      const alone = await follow('alone', forAlone)
      const helped = await follow('helped', forHelped)
      await world.advance(4)
      world.gossip.connected = false
      for (let i = 0; i < 3; i++) {
        const { node, transfer } = world.sequencer.execution
        await node.pool.add(transfer(i, RECIPIENT, 10n ** 15n), 'local')
      }
      await world.advance(2)
      world.gossip.connected = true
      const missing = world.sequencer.heads().unsafe
      const lies = await liesAbout(world, missing)
      for (const [name, lie] of lies) forHelped.add(name, async () => lie)
      forHelped.add(HONEST, async (number) => encodePayloadAnswer(await world.sequencer.payloadAt(number)))

      const tolerated = await hearEach(world, forAlone, lies)
      const outcomes = new Map([...lies.keys()].map((name) => [name, forAlone.outcomesOf(name)]))
      assert.deepEqual(
        [...lies.keys()].filter((name) => outcomes.get(name)?.length === 0),
        [],
        'each was asked',
      )
      assert.deepEqual(
        tolerated.filter((name) => !name.startsWith('blockHash: ') && !name.startsWith('result ')),
        [],
        'what states another hash is not looked into, and a refusal is no lie; everybody else is banned',
      )
      assert.deepEqual(
        [...lies.keys()].filter((name) => forAlone.outcomesOf(name).includes('payload') || forHelped.outcomesOf(name).includes('payload')),
        [],
        'no lie is taken for the block',
      )
      assert.deepEqual(forHelped.outcomesOf(HONEST), ['payload'])
      assert.equal(alone.heads().unsafe, missing - 1)
      assert.equal(helped.heads().unsafe, world.sequencer.heads().unsafe)

      await world.batch()
      await world.advance(8)
      const [expected, ...followed] = await chainsOf(world, [world.sequencer, alone, helped])
      for (const chain of followed) assert.deepEqual(chain, expected)
      for (const node of [alone, helped]) {
        assert.deepEqual(node.heads(), world.sequencer.heads())
        assert.ok(node.heads().safe > missing)
        assert.deepEqual(node.log.matching('by a deposits-only block'), [])
        assert.deepEqual(node.log.matching('dropped an invalid unsafe block'), [])
      }
      await world.stop()
    })
  }
})
