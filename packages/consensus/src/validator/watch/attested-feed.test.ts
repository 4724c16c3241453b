import assert from 'node:assert/strict'
import { type RpcClient, RpcResponseError } from '@keelson/client'
import { encodeAttest, eventTopic, type SignedAttestation, STAKING_WORDS } from '@keelson/contracts'
import { bytesToHex, concatBytes, formatQuantity, type Hash, hexToBytes, numberToBytes } from '@keelson/primitives'
import { createSilentLogger } from '@keelson/runtime'
import { addressOf, hashOf } from '../attestation.test-support.ts'
import { createAttestedFeed } from './attested-feed.ts'

const CONTRACT = addressOf(80)
const EPOCH_BLOCKS = 15
const ATTESTED = eventTopic('Attested(address,uint256,uint256,bytes32,uint256,uint256)')
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

/** A node with the logs and transactions a test mines, and a consensus client that notes what it is told. */
function createWorld() {
  const logs: { readonly block: number; readonly transaction: Hash; readonly json: object }[] = []
  const inputs = new Map<Hash, Uint8Array>()
  const world = {
    head: 100,
    told: [] as SignedAttestation[],
    refuse: null as Error | null,
    asked: [] as { readonly method: string; readonly params: readonly unknown[] }[],
    mine(block: number, input: Uint8Array, ...attestations: readonly SignedAttestation[]) {
      const transaction = hashOf(9_000 + logs.length)
      inputs.set(transaction, input)
      for (const { attestation } of attestations) {
        const topics = [
          ATTESTED,
          bytesToHex(concatBytes(new Uint8Array(12), hexToBytes(addressOf(1)))),
          bytesToHex(word(attestation.epoch)),
        ]
        const data = bytesToHex(concatBytes(word(attestation.checkpointNumber), hexToBytes(attestation.checkpointHash), word(7), word(1)))
        logs.push({
          block,
          transaction,
          json: { address: CONTRACT, topics, data, blockNumber: formatQuantity(block), transactionHash: transaction },
        })
      }
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
    eth_getTransactionByHash: (hash: Hash) => ({ input: bytesToHex(inputs.get(hash) as Uint8Array) }),
  }
  const rpc: Pick<RpcClient, 'host' | 'call'> = {
    host: 'node.example',
    async call(method, params) {
      world.asked.push({ method, params })
      return methods[method]?.(...(params as never[]))
    },
  }
  const publishAttestation = async (attestation: SignedAttestation) => {
    if (world.refuse !== null) throw world.refuse
    world.told.push(attestation)
    return 'accepted' as const
  }
  const feed = createAttestedFeed({ rpc: rpc as RpcClient, contract: CONTRACT, gossip: { publishAttestation }, log: createSilentLogger() })
  return Object.assign(world, { feed })
}

describe('attestations of the chain', () => {
  it('are told to the consensus client, each once, those of the epochs that it takes', async () => {
    const world = createWorld()
    for (const [epoch, block] of [
      [3, 47],
      [5, 80],
      [6, 91],
    ] as const)
      world.mine(block, encodeAttest(signed(epoch)), signed(epoch))
    await world.feed.passOn()
    assert.deepEqual(world.told, [signed(5), signed(6)])
    world.head = 106
    world.mine(106, encodeAttest(signed(7)), signed(7))
    await world.feed.passOn()
    await world.feed.passOn()
    assert.deepEqual(world.told, [signed(5), signed(6), signed(7)])
    assert.equal(world.asked.filter(({ method }) => method === 'eth_getTransactionByHash').length, 3)
  })

  it('of several validators in one transaction are all told', async () => {
    const world = createWorld()
    const all = [1, 2, 3].map((seed) => signed(6, seed))
    world.mine(95, concatBytes(Uint8Array.of(1, 2, 3, 4), ...all.map(encodeAttest)), ...all)
    await world.feed.passOn()
    assert.deepEqual(world.told, all)
  })

  it('are made up for when the consensus client was away', async () => {
    const world = createWorld()
    world.mine(95, encodeAttest(signed(6)), signed(6))
    world.refuse = new Error('connection refused')
    for (let times = 0; times < 10; times++) await assert.rejects(world.feed.passOn(), /connection refused/)
    world.refuse = null
    await world.feed.passOn()
    assert.deepEqual(world.told, [signed(6)])
  })

  it('that the consensus client refuses hold nothing up, and are not offered without end', async () => {
    const world = createWorld()
    world.mine(95, encodeAttest(signed(6)), signed(6))
    world.refuse = new RpcResponseError('temporary', 'rollup_publishAttestation', -32000, 'not taken (epoch-over)', undefined)
    for (let times = 0; times < 10; times++) await world.feed.passOn()
    assert.equal(world.asked.filter(({ method }) => method === 'eth_getTransactionByHash').length, 3)
    world.refuse = null
    world.mine(96, encodeAttest(signed(6, 2)), signed(6, 2))
    await world.feed.passOn()
    assert.deepEqual(world.told, [signed(6, 2)])
  })
})
