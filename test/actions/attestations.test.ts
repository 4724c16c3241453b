import assert from 'node:assert/strict'
import { createLocalBlockSigner, type UnsafeGossip } from '@keelson/consensus'
import type { SignedAttestation } from '@keelson/contracts'
import {
  type Offences,
  parseOffencesJson,
  parseSeenAttestationJson,
  type SeenAttestation,
  signedAttestationToJson,
} from '@keelson/contracts'
import { type ExecutionPayload, encodeSignedPart, type PayloadEnvelope, payloadHash, toHash } from '@keelson/primitives'
import { RpcError } from '@keelson/runtime'
import { createAttestationClient } from '@keelson/validator'
import {
  addressOf,
  attest,
  createStubContract,
  crypto,
  DOMAIN,
  EPOCH_BLOCKS,
  type StubContract,
  withBlockHashes,
} from '../../packages/consensus/src/p2p/attestations/attestations.test-support.ts'
import { recoverBlockSigner } from '../../packages/primitives/src/op/block-message.ts'
import { createWorld, type Wire, type World, type WorldNode } from '../support/world.ts'

const ACTIVE = [1, 2, 3, 4] as const
const SIGNER_KEY = new Uint8Array(32).fill(0x5e)
const WRONG_HASH = toHash(`0x${'ee'.repeat(32)}`)
const context = { signal: new AbortController().signal, transport: 'http' as const }

interface Net {
  readonly world: World
  readonly nodes: readonly WorldNode[]
  readonly contract: StubContract
}

async function createNet(): Promise<Net> {
  const contract = createStubContract(...ACTIVE)
  const staking: Wire = (real) => {
    const reader = withBlockHashes(contract.reader, async (number) => (await real.l2.payload(number))?.payload.blockHash ?? null)
    return { ...real, staking: { contract: DOMAIN.contract, reader } }
  }
  const world = await createWorld({ wire: staking })
  const first = await world.addFollower('first', { wire: staking })
  const second = await world.addFollower('second', { wire: staking })
  await world.addFollower('foreign')
  await world.advance(24)
  assert.deepEqual(
    world.nodes.map((node) => node.heads().unsafe),
    [12, 12, 12, 12],
  )
  return { world, nodes: [world.sequencer, first, second], contract }
}

function call(node: WorldNode, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const handler = node.consensus.methods[method]
  assert.ok(handler !== undefined)
  return Promise.resolve(handler(params, context))
}

const publish = (node: WorldNode, signed: SignedAttestation) => call(node, 'rollup_publishAttestation', signedAttestationToJson(signed))
const seenBy = async (node: WorldNode, epoch: number): Promise<readonly SeenAttestation[]> =>
  ((await call(node, 'rollup_attestations', epoch)) as unknown[]).map((one) => parseSeenAttestationJson(one))
const offencesOf = async (node: WorldNode): Promise<Offences> => parseOffencesJson(await call(node, 'rollup_offences'))

function remade({ payload, parentBeaconBlockRoot }: PayloadEnvelope, change: Partial<ExecutionPayload>): PayloadEnvelope {
  const other = { ...payload, ...change }
  return { payload: { ...other, blockHash: payloadHash(other, parentBeaconBlockRoot) }, parentBeaconBlockRoot }
}

async function joinAsTwin(world: World): Promise<UnsafeGossip> {
  const twin = world.gossip.join({
    name: 'twin',
    chainId: world.config.l2ChainId,
    validator: { judge: () => ({ verdict: 'ignore', reason: 'already-seen' }) },
    signer: createLocalBlockSigner(crypto, SIGNER_KEY),
  })
  await twin.start()
  return twin
}

describe('attestations', () => {
  it('reach every node that follows the contract, and are shown with signer and time', async () => {
    const { world, nodes } = await createNet()
    const signed = attest(1, 1, { checkpointNumber: 3 })
    assert.equal(await publish(nodes[0] as WorldNode, signed), 'accepted')
    assert.equal(await publish(nodes[0] as WorldNode, signed), 'known')
    for (const node of nodes) {
      assert.deepEqual(await seenBy(node, 1), [{ ...signed, validator: addressOf(1), seenMs: world.clock.nowMs() }])
      assert.deepEqual(await seenBy(node, 2), [])
    }
    const api = createAttestationClient((method, params) => call(nodes[2] as WorldNode, method, ...params))
    assert.equal(await api.publishAttestation(signed), 'known')
    assert.equal((await api.attestations(1)).length, 1)
    assert.deepEqual(await api.offences(), { doubleAttestations: [], invalidAttestations: [], doubleBlocks: [] })
    await world.stop()
  })

  it('are rejected with the reason when peers would reject them', async () => {
    const { world, nodes, contract } = await createNet()
    const node = nodes[1] as WorldNode
    const refused = (signed: SignedAttestation, expected: RegExp) =>
      assert.rejects(publish(node, signed), (error: unknown) => error instanceof RpcError && expected.test(error.message))
    await refused(attest(1, 7), /epoch-to-come.*the current epoch is 1/)
    await refused(attest(9, 1), /not-active.*check the key, the chain id and the contract/)
    await refused({ ...attest(1, 1), signature: new Uint8Array(65) }, /signature-invalid/)
    contract.down = true
    await refused(attest(2, 1), /weight-unknown.*try again/)
    await assert.rejects(call(node, 'rollup_publishAttestation', { epoch: 1 }), /checkpointNumber/)
    await assert.rejects(call(node, 'rollup_attestations', 'latest'), /epoch/)
    const foreign = world.nodes[3] as WorldNode
    await assert.rejects(publish(foreign, attest(1, 1)), /attestations are off/)
    await world.stop()
  })

  it('for one epoch are evidence at every node when they differ, in any order and after a restart', async () => {
    const { world, nodes } = await createNet()
    const [a, b] = [attest(1, 1, { checkpointNumber: 3 }), attest(1, 1, { checkpointNumber: 4 })]
    await publish(nodes[1] as WorldNode, a)
    await publish(nodes[2] as WorldNode, b)
    await publish(nodes[2] as WorldNode, attest(2, 1))
    for (const node of nodes) {
      const { doubleAttestations } = await offencesOf(node)
      assert.deepEqual(doubleAttestations, [{ validator: addressOf(1), epoch: 1, first: a, second: b }])
      assert.equal((await seenBy(node, 1)).length, 3)
    }
    await assert.rejects(publish(nodes[0] as WorldNode, attest(1, 1, { checkpointNumber: 5 })), /enough-seen.*double signing/)
    const before = await offencesOf(nodes[1] as WorldNode)
    await (nodes[1] as WorldNode).restart()
    assert.deepEqual(await seenBy(nodes[1] as WorldNode, 1), [])
    assert.deepEqual(await offencesOf(nodes[1] as WorldNode), before)
    await world.stop()
  })

  it('are judged invalid only against final blocks', async () => {
    const { world, nodes } = await createNet()
    const node = nodes[1] as WorldNode
    const right = await node.hashAt(3)
    assert.ok(right !== null)
    await publish(node, attest(1, 1, { checkpointNumber: 3, checkpointHash: right }))
    await publish(node, attest(2, 1, { checkpointNumber: 3, checkpointHash: WRONG_HASH }))
    await publish(node, attest(3, 1, { checkpointNumber: 11, checkpointHash: WRONG_HASH }))
    assert.deepEqual((await offencesOf(node)).invalidAttestations, [], 'nothing is final yet')
    await world.batch(undefined, 0)
    await world.advance(8)
    world.l1.setFinalized(world.l1.head.number)
    await world.advance(4)
    assert.ok(node.heads().finalized >= 11, `finalized ${node.heads().finalized}`)
    for (const one of nodes) {
      const { invalidAttestations } = await offencesOf(one)
      assert.deepEqual(
        invalidAttestations.map(({ validator, attestation, actualHash }) => [validator, attestation.checkpointNumber, actualHash]),
        [
          [addressOf(2), 3, right],
          [addressOf(3), 11, await node.hashAt(11)],
        ],
      )
    }
    assert.equal(node.log.matching('not of the chain').length, 2)
    await world.stop()
  })

  it("count for the previous and the current epoch, also before the current epoch's first block", async () => {
    const { world, nodes } = await createNet()
    await world.advance((2 * EPOCH_BLOCKS - 1 - 12) * 2)
    assert.equal(world.sequencer.heads().unsafe, 2 * EPOCH_BLOCKS - 1)
    const node = nodes[0] as WorldNode
    assert.equal(await publish(node, attest(1, 1)), 'accepted')
    const early = publish(node, attest(1, 2))
    await world.advance(2)
    await world.clock.advance(200)
    assert.equal(await early, 'accepted')
    assert.equal((await seenBy(nodes[2] as WorldNode, 2)).length, 1)
    await world.advance(2 * EPOCH_BLOCKS * 2)
    await assert.rejects(publish(node, attest(2, 1)), /epoch-over/)
    await world.stop()
  })
})

describe('signed blocks', () => {
  it('of one key at one position are evidence with all data for a report, and at different positions are none', async () => {
    const { world, nodes } = await createNet()
    const follower = nodes[1] as WorldNode
    const block = await world.sequencer.payloadAt(12)
    const twin = await joinAsTwin(world)
    const other = remade(block, { stateRoot: WRONG_HASH })
    await twin.publish(other)
    await twin.publish(remade(other, { blockNumber: 13, parentHash: other.payload.blockHash }))
    const { doubleBlocks } = await offencesOf(follower)
    const [pair] = doubleBlocks
    assert.ok(pair !== undefined && doubleBlocks.length === 1)
    assert.deepEqual([pair.number, pair.parentHash], [12, block.payload.parentHash])
    assert.deepEqual([pair.first.blockHash, pair.second.blockHash], [block.payload.blockHash, other.payload.blockHash])
    for (const { signedPart, signature } of [pair.first, pair.second]) {
      const signer = recoverBlockSigner(crypto, world.config.l2ChainId, signature, signedPart)
      assert.equal(`0x${Buffer.from(signer ?? []).toString('hex')}`, pair.blockKey)
    }
    assert.deepEqual(pair.first.signedPart, encodeSignedPart(block))
    assert.equal(follower.log.matching('two blocks of one key at one place').length, 1)
    assert.equal((await offencesOf(world.sequencer)).doubleBlocks.length, 1)
    await world.stop()
  })
})
