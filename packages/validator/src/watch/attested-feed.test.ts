import assert from 'node:assert/strict'
import { type RpcClient, RpcResponseError } from '@keelson/client'
import { encodeParameters, eventTopic, type SignedAttestation, STAKING_WORDS } from '@keelson/contracts'
import { bytesToHex, concatBytes, formatQuantity, hexToBytes, numberToBytes } from '@keelson/primitives'
import { createSilentLogger } from '@keelson/runtime'
import { addressOf, hashOf } from '../attestation.test-support.ts'
import { createAttestedFeed } from './attested-feed.ts'

const CONTRACT = addressOf(80)
const EPOCH_BLOCKS = 15
const ATTESTED = eventTopic('Attested(address,uint256,uint256,bytes32,uint256,uint256,uint256,bytes32,bytes)')
const word = (value: number) => numberToBytes(value, 32)
const signed = (epoch: number, seed = 1): SignedAttestation => ({
  attestation: {
    epoch,
    checkpointNumber: epoch * EPOCH_BLOCKS - 1,
    checkpointHash: hashOf(epoch),
    l1OriginNumber: seed,
    l1OriginHash: hashOf(5),
  },
  signature: new Uint8Array(65).fill(seed),
})

function createWorld() {
  const logs: { readonly block: number; readonly json: object }[] = []
  const world = {
    head: 100,
    told: [] as SignedAttestation[],
    refuse: null as Error | null,
    offered: 0,
    asked: [] as { readonly method: string; readonly params: readonly unknown[] }[],
    mine(block: number, { attestation, signature }: SignedAttestation) {
      const topics = [ATTESTED, bytesToHex(concatBytes(new Uint8Array(12), hexToBytes(addressOf(1)))), bytesToHex(word(attestation.epoch))]
      const data = encodeParameters('uint256,bytes32,uint256,uint256,uint256,bytes32,bytes', [
        BigInt(attestation.checkpointNumber),
        hexToBytes(attestation.checkpointHash),
        7n,
        1n,
        BigInt(attestation.l1OriginNumber),
        hexToBytes(attestation.l1OriginHash),
        signature,
      ])
      logs.push({
        block,
        json: { address: CONTRACT, topics, data: bytesToHex(data), blockNumber: formatQuantity(block), transactionHash: hashOf(9_000) },
      })
    },
  }
  const methods: Readonly<Record<string, (...params: never[]) => unknown>> = {
    eth_blockNumber: () => formatQuantity(world.head),
    eth_call: ({ data }: { data: string }) => {
      assert.equal(data, bytesToHex(STAKING_WORDS.epochBlocks))
      return bytesToHex(word(EPOCH_BLOCKS))
    },
    eth_getLogs: ({ fromBlock, toBlock }: { fromBlock: string; toBlock: string }) =>
      logs.filter(({ block }) => block >= Number(fromBlock) && block <= Number(toBlock)).map(({ json }) => json),
  }
  const rpc: Pick<RpcClient, 'host' | 'call'> = {
    host: 'node.example',
    async call(method, params) {
      world.asked.push({ method, params })
      return methods[method]?.(...(params as never[]))
    },
  }
  const publishAttestation = async (attestation: SignedAttestation) => {
    world.offered++
    if (world.refuse !== null) throw world.refuse
    world.told.push(attestation)
    return 'accepted' as const
  }
  const feed = createAttestedFeed({ rpc: rpc as RpcClient, contract: CONTRACT, gossip: { publishAttestation }, log: createSilentLogger() })
  return Object.assign(world, { feed })
}

describe('attestations of the chain', () => {
  it('are passed to the consensus client once each, if it accepts their epoch', async () => {
    const world = createWorld()
    for (const [epoch, block] of [
      [3, 47],
      [5, 80],
      [6, 91],
    ] as const)
      world.mine(block, signed(epoch))
    await world.feed.passOn()
    assert.deepEqual(world.told, [signed(5), signed(6)])
    world.head = 106
    world.mine(106, signed(7))
    await world.feed.passOn()
    await world.feed.passOn()
    assert.deepEqual(world.told, [signed(5), signed(6), signed(7)])
  })

  it('are read from events only: decoys in the call data of their transaction hide nothing', async () => {
    const world = createWorld()
    const all = [1, 2, 3].map((seed) => signed(6, seed))
    for (const one of all) world.mine(95, one)
    await world.feed.passOn()
    assert.deepEqual(world.told, all)
    assert.deepEqual([...new Set(world.asked.map(({ method }) => method))].sort(), ['eth_blockNumber', 'eth_call', 'eth_getLogs'])
  })

  it('are both passed on when a reorg replaces one by another of the same validator', async () => {
    const world = createWorld()
    world.mine(95, signed(6, 1))
    await world.feed.passOn()
    world.mine(96, signed(6, 2))
    await world.feed.passOn()
    assert.deepEqual(world.told, [signed(6, 1), signed(6, 2)])
  })

  it('are made up for when the consensus client was away', async () => {
    const world = createWorld()
    world.mine(95, signed(6))
    world.refuse = new Error('connection refused')
    for (let times = 0; times < 10; times++) await assert.rejects(world.feed.passOn(), /connection refused/)
    world.refuse = null
    await world.feed.passOn()
    assert.deepEqual(world.told, [signed(6)])
  })

  it('that the consensus client refuses hold nothing up, and are not offered without end', async () => {
    const world = createWorld()
    world.mine(95, signed(6))
    world.refuse = new RpcResponseError('temporary', 'rollup_publishAttestation', -32000, 'not taken (epoch-over)', undefined)
    for (let times = 0; times < 10; times++) await world.feed.passOn()
    assert.equal(world.offered, 3)
    world.refuse = null
    world.mine(96, signed(6, 2))
    await world.feed.passOn()
    assert.deepEqual(world.told, [signed(6, 2)])
  })
})
