/** Headers, roots and signatures are real. */
import type { L1ChainConfig } from '@keelson/chainspec'
import type { BlobReader, L1Reader } from '@keelson/derivation'
import {
  type Address,
  bigintToBytes,
  bytesToHex,
  concatBytes,
  createPureCrypto,
  EMPTY_OMMERS_HASH,
  EMPTY_REQUESTS_HASH,
  EMPTY_TRIE_ROOT,
  encodeReceipt,
  encodeSignedTransaction,
  type Hash,
  type Header,
  hashHeader,
  hexToBytes,
  keccak256,
  type L1BlockRef,
  type Log,
  logsBloom,
  NodeError,
  orderedListRoot,
  type Receipt,
  type Severity,
  type SignedTransaction,
  signingDigest,
  type Transaction,
  TX_BLOB,
  TX_FEE_MARKET,
  toHash,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '@keelson/primitives'

export interface FakeL1Options {
  readonly chainId?: bigint
  readonly genesisTimestampSec: number
  readonly blockTimeSec?: number
  readonly amsterdamTimeSec?: number
}

export interface FakeL1Block {
  readonly ref: L1BlockRef
  readonly header: Header
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
}

export interface SendRequest {
  readonly privateKey: Uint8Array
  readonly to: Address
  readonly data?: Uint8Array
  readonly blobs?: readonly Uint8Array[]
  readonly logs?: readonly Log[]
}

export interface FakeL1 {
  readonly chain: L1ChainConfig
  readonly reader: L1Reader
  readonly blobReader: BlobReader
  readonly genesis: L1BlockRef
  readonly head: L1BlockRef
  readonly blockTimeSec: number
  send(request: SendRequest): SignedTransaction
  /** Number of the transaction's block; null after a reorg dropped it. */
  where(hash: Hash): number | 'waiting' | null
  sendAgain(tx: SignedTransaction, blobs?: readonly Uint8Array[]): void
  mine(count?: number): L1BlockRef
  mineUntil(timestampSec: number): void
  block(at: number | Hash): FakeL1Block | null
  /** Replaces the top `depth` blocks. By default, their transactions return to the pool. */
  reorg(depth: number, options?: { readonly keepTransactions?: boolean; readonly newBlocks?: number }): void
  setSafe(number: number): void
  setFinalized(number: number): void
  unreachable: boolean
  blobsMissing: boolean
  readonly requests: number
}

class FakeL1Unreachable extends NodeError<'fake-l1/unreachable'> {
  readonly severity: Severity = 'temporary'
}

interface Waiting {
  readonly tx: SignedTransaction
  readonly logs: readonly Log[]
}

const BLOB_GAS = 131_072n
const REFUNDED_GAS = 4_800n
const crypto = createPureCrypto()

export function createFakeL1(options: FakeL1Options): FakeL1 {
  const chainId = options.chainId ?? 900n
  const blockTimeSec = options.blockTimeSec ?? 4
  const amsterdamTimeSec = options.amsterdamTimeSec ?? Number.POSITIVE_INFINITY
  const byHash = new Map<Hash, FakeL1Block>()
  const blobs = new Map<Hash, Uint8Array>()
  const nonces = new Map<string, bigint>()
  const logsOf = new Map<Hash, readonly Log[]>()
  let canonical: FakeL1Block[] = []
  let waiting: Waiting[] = []
  let branch = 0
  let blobCounter = 0n
  let safe = 0
  let finalized = 0
  let requests = 0
  let unreachable = false
  let blobsMissing = false
  /** Answers by hash survive a reorg, as in an L1 client's cache. */
  const remembered = new Set<Hash>()

  function build(parent: FakeL1Block | null, timestampSec: number, included: readonly Waiting[]): FakeL1Block {
    let cumulativeGasUsed = 0n
    const receipts = included.map(({ tx, logs }): Receipt => {
      cumulativeGasUsed += tx.gasLimit
      return {
        type: tx.type,
        outcome: { status: 1 },
        cumulativeGasUsed,
        logsBloom: logsBloom(logs),
        logs,
        depositNonce: null,
        depositReceiptVersion: null,
      }
    })
    const amsterdam = timestampSec >= amsterdamTimeSec
    const blobCount = included.reduce((sum, { tx }) => sum + ('blobVersionedHashes' in tx ? tx.blobVersionedHashes.length : 0), 0)
    const number = parent === null ? 0 : parent.ref.number + 1
    const header: Header = {
      parentHash: parent?.ref.hash ?? ZERO_HASH,
      ommersHash: EMPTY_OMMERS_HASH,
      feeRecipient: ZERO_ADDRESS,
      stateRoot: EMPTY_TRIE_ROOT,
      transactionsRoot: orderedListRoot(included.map(({ tx }) => tx.raw)),
      receiptsRoot: orderedListRoot(receipts.map(encodeReceipt)),
      logsBloom: logsBloom(receipts.flatMap((receipt) => [...receipt.logs])),
      difficulty: 0n,
      number,
      gasLimit: 60_000_000n,
      // EIP-7778: refunds count in the block's gas, but not in the receipt's.
      gasUsed: cumulativeGasUsed + (amsterdam ? REFUNDED_GAS * BigInt(included.length) : 0n),
      timestampSec,
      extraData: bigintToBytes(BigInt(branch), 4),
      mixHash: toHash(keccak256(concatBytes(bigintToBytes(BigInt(number), 8), bigintToBytes(BigInt(branch), 4)))),
      nonce: new Uint8Array(8),
      baseFeeWei: 7_000_000_000n + BigInt(number),
      withdrawalsRoot: EMPTY_TRIE_ROOT,
      blobGasUsed: BLOB_GAS * BigInt(blobCount),
      excessBlobGas: 0n,
      parentBeaconBlockRoot: toHash(keccak256(concatBytes(hexToBytes(parent?.ref.hash ?? ZERO_HASH), Uint8Array.of(1)))),
      requestsHash: EMPTY_REQUESTS_HASH,
      blockAccessListHash: amsterdam ? toHash(keccak256(bigintToBytes(BigInt(number), 8))) : null,
      slotNumber: amsterdam ? BigInt((timestampSec - options.genesisTimestampSec) / blockTimeSec) : null,
    }
    const ref: L1BlockRef = { hash: hashHeader(header), number, parentHash: header.parentHash, timestampSec }
    const block = { ref, header, transactions: included.map(({ tx }) => tx), receipts }
    byHash.set(ref.hash, block)
    return block
  }

  const top = (): FakeL1Block => canonical[canonical.length - 1] as FakeL1Block
  const find = (at: number | Hash): FakeL1Block | null => (typeof at === 'number' ? canonical[at] : byHash.get(at)) ?? null
  const answer = async <T>(read: () => T): Promise<T> => {
    if (unreachable) throw new FakeL1Unreachable('fake-l1/unreachable', 'L1 is unreachable: connection refused')
    requests++
    return read()
  }
  const mineOne = () => {
    const included = waiting
    waiting = []
    canonical.push(build(top(), top().ref.timestampSec + blockTimeSec, included))
  }

  canonical.push(build(null, options.genesisTimestampSec, []))

  const l1: FakeL1 = {
    chain: {
      chainId,
      forks: [
        { fork: 'paris', fromBlock: 0, fromTimeSec: null },
        { fork: 'shanghai', fromBlock: null, fromTimeSec: 0 },
        { fork: 'cancun', fromBlock: null, fromTimeSec: 0 },
        { fork: 'prague', fromBlock: null, fromTimeSec: 0 },
        ...(options.amsterdamTimeSec === undefined
          ? []
          : ([
              { fork: 'osaka', fromBlock: null, fromTimeSec: 0 },
              { fork: 'amsterdam', fromBlock: null, fromTimeSec: options.amsterdamTimeSec },
            ] as const)),
      ],
      blobSchedule: [{ fromTimeSec: 0, target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n, name: 'prague' }],
      firstUnsupportedFork: null,
    },
    genesis: top().ref,
    blockTimeSec,
    get head() {
      return top().ref
    },
    reader: {
      blockRef: (at) =>
        answer(() => {
          if (at === 'latest') return top().ref
          if (at === 'safe') return find(safe)?.ref ?? null
          if (at === 'finalized') return find(finalized)?.ref ?? null
          return find(at)?.ref ?? null
        }),
      header: async (hash) => {
        if (remembered.has(hash)) return find(hash)?.header ?? null
        const header = await answer(() => find(hash)?.header ?? null)
        if (header !== null) remembered.add(hash)
        return header
      },
      transactions: (hash) => answer(() => find(hash)?.transactions ?? null),
      receipts: (hash) => answer(() => find(hash)?.receipts ?? null),
    },
    blobReader: {
      blobs: (_at, hashes) =>
        answer(() =>
          hashes.map((hash) => {
            const blob = blobs.get(hash)
            if (blob === undefined || blobsMissing) throw new FakeL1Unreachable('fake-l1/unreachable', `blob ${hash} is not available`)
            return blob
          }),
        ),
    },
    send(request) {
      const from = bytesToHex(crypto.addressOf(request.privateKey))
      const nonce = nonces.get(from) ?? 0n
      nonces.set(from, nonce + 1n)
      const common = {
        chainId,
        nonce,
        maxPriorityFeePerGasWei: 1_000_000_000n,
        maxFeePerGasWei: 50_000_000_000n,
        gasLimit: 1_000_000n,
        to: hexToBytes(request.to),
        valueWei: 0n,
        data: request.data ?? new Uint8Array(0),
        accessList: [],
      }
      const versionedHashes = (request.blobs ?? []).map((blob) => {
        // Not the hash of a KZG commitment: nobody on this L1 checks it.
        const hash = keccak256(concatBytes(blob, bigintToBytes(blobCounter++, 8)))
        hash[0] = 1
        blobs.set(toHash(hash), blob)
        return hash
      })
      const unsigned =
        request.blobs === undefined
          ? ({ type: TX_FEE_MARKET, ...common } as const)
          : ({ type: TX_BLOB, ...common, maxFeePerBlobGasWei: 10n, blobVersionedHashes: versionedHashes } as const)
      const tx = encodeSignedTransaction(unsigned, crypto.sign(signingDigest(unsigned), request.privateKey))
      const logs = request.logs ?? []
      logsOf.set(tx.hash, logs)
      waiting.push({ tx, logs })
      return tx
    },
    where(hash) {
      if (waiting.some(({ tx }) => tx.hash === hash)) return 'waiting'
      return canonical.find((block) => block.transactions.some((tx) => tx.hash === hash))?.ref.number ?? null
    },
    sendAgain(tx, ownBlobs = []) {
      const hashes = 'blobVersionedHashes' in tx ? tx.blobVersionedHashes : []
      ownBlobs.forEach((blob, i) => {
        blobs.set(toHash(hashes[i] as Uint8Array), blob)
      })
      waiting.push({ tx, logs: logsOf.get(tx.hash) ?? [] })
    },
    mine(count = 1) {
      for (let i = 0; i < count; i++) mineOne()
      return top().ref
    },
    mineUntil(timestampSec) {
      while (top().ref.timestampSec + blockTimeSec <= timestampSec) mineOne()
    },
    block: find,
    reorg(depth, { keepTransactions = true, newBlocks = depth } = {}) {
      const dropped = canonical.slice(canonical.length - depth)
      canonical = canonical.slice(0, canonical.length - depth)
      branch++
      if (keepTransactions) {
        const again = dropped.flatMap((block) => [...block.transactions]) as SignedTransaction[]
        waiting = [...again.map((tx) => ({ tx, logs: logsOf.get(tx.hash) ?? [] })), ...waiting]
      }
      for (let i = 0; i < newBlocks; i++) mineOne()
    },
    setSafe(number) {
      safe = number
    },
    setFinalized(number) {
      finalized = number
      safe = Math.max(safe, number)
    },
    get blobsMissing() {
      return blobsMissing
    },
    set blobsMissing(value) {
      blobsMissing = value
    },
    get unreachable() {
      return unreachable
    },
    set unreachable(value) {
      unreachable = value
    },
    get requests() {
      return requests
    },
  }
  return l1
}
