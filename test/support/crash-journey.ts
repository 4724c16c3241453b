import assert from 'node:assert/strict'
import { DEFAULT_EXECUTION_OPTIONS, type ExecutionNodeOptions } from '@keelson/execution'
import {
  type Block,
  blockToPayload,
  type GenesisAccount,
  type Hash,
  hexToBytes,
  type Random,
  TX_FEE_MARKET,
  toAddress,
  ZERO_HASH,
} from '@keelson/primitives'
import { createSeededRandom } from '@keelson/runtime'
import { createNativeCrypto } from '../../packages/node/src/crypto/native-crypto.ts'
import { createRecordingStore, type RecordingStore } from './crash-store.ts'
import { createExecutionWorld, type ExecutionWorld } from './execution-world.ts'

const WRITER = toAddress('0x00000000000000000000000000000000000c0de1')
const WRITER_CODE = '0x5f600543035543435560015f5fa100'

export const JOURNEY_ALLOC: readonly GenesisAccount[] = [
  { address: WRITER, nonce: 1n, balanceWei: 0n, code: hexToBytes(WRITER_CODE), storage: [] },
]

export const JOURNEY_OPTIONS: Partial<ExecutionNodeOptions> = {
  state: { ...DEFAULT_EXECUTION_OPTIONS.state, keepLayers: 4, maxLayers: 12, historyBlocks: 48 },
  cachedBlocks: 16,
}

export interface Answered {
  readonly batches: number
  readonly head: Hash
  readonly own: boolean
}

export interface Journey {
  readonly world: ExecutionWorld
  readonly store: RecordingStore
  readonly answered: readonly Answered[]
  readonly blocks: ReadonlyMap<Hash, Block>
  readonly goingBack: readonly (readonly [number, number])[]
}

interface Stall {
  readonly from: number
  readonly to: number
}

export async function runJourney(blockCount: number, seed = 1, store: RecordingStore = createRecordingStore()): Promise<Journey> {
  const crypto = createNativeCrypto()
  const world = await createExecutionWorld({ crypto, store, alloc: JOURNEY_ALLOC, options: JOURNEY_OPTIONS })
  const other = await createExecutionWorld({ crypto, clock: world.clock, alloc: JOURNEY_ALLOC })
  const random = createSeededRandom(seed)
  const blocks = new Map<Hash, Block>()
  const answered: Answered[] = []
  const goingBack: (readonly [number, number])[] = []
  // Finality stalls twice, so that the cap on diff layers flattens unfinalized blocks.
  const stalls: readonly Stall[] = [0.3, 0.7].map((part) => ({
    from: Math.floor(part * blockCount),
    to: Math.floor(part * blockCount) + 30,
  }))
  const label = (name: 'unsafe' | 'finalized') => world.node.chain.label(name)

  const choose = async (head: Hash, labels: { safe: Hash; finalized: Hash }, own: boolean) => {
    const { status } = await world.engine.forkchoiceUpdated({ head, ...labels }, null)
    assert.equal(status.status, 'VALID')
    answered.push({ batches: store.batches.length, head, own })
  }
  const give = async (to: ExecutionWorld, block: Block) => {
    const { payload, parentBeaconBlockRoot } = blockToPayload(block, true)
    assert.equal((await to.engine.newPayload(payload, parentBeaconBlockRoot)).status, 'VALID')
  }
  const back = async (depth: number) => {
    const number = Math.max(label('finalized').header.number, label('unsafe').header.number - depth)
    await choose(world.node.chain.canonicalHash(number) as Hash, { safe: ZERO_HASH, finalized: ZERO_HASH }, false)
  }
  const transactions = async (): Promise<Uint8Array[]> => {
    const from = pick(random, 10)
    const sender = world.accounts[from] as ExecutionWorld['accounts'][number]
    const nonce = BigInt(await world.call('eth_getTransactionCount', sender.address, 'latest'))
    const to = `0x${(pick(random, 40) + 0x1000).toString(16).padStart(40, '0')}` as const
    const write = world.sign(from, {
      type: TX_FEE_MARKET,
      chainId: world.chainId,
      nonce,
      gasLimit: 100_000n,
      to: hexToBytes(WRITER),
      valueWei: 0n,
      data: new Uint8Array(0),
      accessList: [],
      maxPriorityFeePerGasWei: 1_000n,
      maxFeePerGasWei: 10_000_000_000n,
    })
    return [write.raw, world.transfer(from, to, 1n, { nonce: nonce + 1n }).raw].slice(0, pick(random, 3))
  }

  while (blocks.size < blockCount) {
    const step = blocks.size
    const stalled = stalls.some(({ from, to }) => step >= from && step < to)
    const stallEnds = stalls.some(({ to }) => step === to)
    if (stallEnds) {
      await world.node.settled()
      const from = store.batches.length
      await back(20)
      goingBack.push([from, store.batches.length])
    } else if (!stalled && pick(random, 10) === 0) await back(1 + pick(random, 3))
    const own = pick(random, 4) !== 0
    const aside = pick(random, 12) === 0
    const parent = label('unsafe').hash
    const wanted = { parent, transactions: await transactions(), noTxPool: true, prevRandao: randao(step) }
    const block = await (own ? world : other).mine({ ...wanted, setHead: !own })
    await give(own ? other : world, block)
    blocks.set(block.hash, block)
    if (!aside || stallEnds) await choose(block.hash, stalled ? { safe: ZERO_HASH, finalized: ZERO_HASH } : labelsFor(world, block), own)
  }
  await world.node.settled()
  return { world, store, answered, blocks, goingBack }
}

function randao(step: number): Hash {
  return `0x${(step + 1).toString(16).padStart(64, '0')}` as Hash
}

function labelsFor(world: ExecutionWorld, head: Block): { safe: Hash; finalized: Hash } {
  const { chain } = world.node
  if (head.header.number % 5 !== 0 || head.header.number < 10) return { safe: ZERO_HASH, finalized: ZERO_HASH }
  const parent = { hash: head.header.parentHash, header: chain.header(head.header.parentHash) as Block['header'] }
  const at = (depth: number) => chain.ancestorHash(parent, Math.max(0, head.header.number - depth)) as Hash
  return { safe: at(3), finalized: at(6) }
}

function pick(random: Random, below: number): number {
  return Math.floor(random.next() * below)
}
