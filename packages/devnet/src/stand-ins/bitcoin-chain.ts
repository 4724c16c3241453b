/** A deterministic regtest chain, one block per ten minutes of L2 time, with only coinbase transactions. */
import { type BitcoinBlock, type ChainReader, SourceError } from '@keelson/platform'
import { Block, networks, payments, script, Transaction } from 'bitcoinjs-lib'

export const BLOCK_TIME_SEC = 600
const SOURCE = 'regtest chain of the development network'
/** Bitcoin Core's regtest genesis, in display (reversed) byte order. */
const GENESIS = { hash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206', timeSec: 1_296_688_602 } as const
const BITS = 0x207fffff
const DIFFICULTY = 4.656542373906925e-10
const VERSION = 0x20000000
const HALVING_BLOCKS = 150
const FIRST_SUBSIDY_SATS = 5_000_000_000n
/** Number of blocks for the median time past (BIP 113). */
const MEDIAN_BLOCKS = 11
const MARK = new TextEncoder().encode('keelson')
const REWARD_SCRIPT = payments.p2wpkh({ hash: new Uint8Array(20).fill(1), network: networks.regtest }).output as Uint8Array
/** One year of blocks; later requests mine the rest. */
const MAX_BLOCKS_AT_ONCE = 52_560

export interface LocalBitcoin {
  latestBlock(): Promise<BitcoinBlock>
}

export function createLocalBitcoin(chain: Pick<ChainReader, 'block' | 'latest' | 'label'>): LocalBitcoin {
  let startSec: number | null = null
  let height = 0
  let tip: Block | null = null
  let tipHash: string = GENESIS.hash
  let times: readonly number[] = [GENESIS.timeSec]

  function extend(timeSec: number): void {
    height++
    tip = mine(height, tipHash, timeSec)
    tipHash = tip.getId()
    times = [...times, timeSec].slice(-MEDIAN_BLOCKS)
  }

  return {
    async latestBlock() {
      const first = startSec ?? (await chain.block(0))?.timestampSec
      if (first === undefined) throw new SourceError(chain.label, 'bad-answer', 'it has no first block')
      startSec = first
      const nowSec = (await chain.latest()).timestampSec
      const target = Math.min(Math.floor((nowSec - first) / BLOCK_TIME_SEC) + 1, height + MAX_BLOCKS_AT_ONCE)
      while (height < target) extend(first + height * BLOCK_TIME_SEC)
      if (tip === null) throw new SourceError(chain.label, 'bad-answer', 'its newest block is older than its first')
      return described(tip, height, times)
    },
  }
}

/** At this difficulty, half of all nonces are valid. */
function mine(height: number, previousHash: string, timeSec: number): Block {
  const block = new Block()
  block.version = VERSION
  block.prevHash = Uint8Array.from(Buffer.from(previousHash, 'hex')).reverse()
  block.timestamp = timeSec
  block.bits = BITS
  block.transactions = [coinbase(height)]
  block.merkleRoot = Block.calculateMerkleRoot(block.transactions)
  block.nonce = 0
  while (!block.checkProofOfWork()) block.nonce++
  return block
}

function coinbase(height: number): Transaction {
  const tx = new Transaction()
  tx.version = 2
  tx.addInput(new Uint8Array(32), 0xffffffff, 0xffffffff, script.compile([script.number.encode(height), MARK]))
  tx.addOutput(REWARD_SCRIPT, FIRST_SUBSIDY_SATS >> BigInt(Math.floor(height / HALVING_BLOCKS)))
  return tx
}

function described(block: Block, height: number, times: readonly number[]): BitcoinBlock {
  const hex = (hash: Uint8Array | undefined) =>
    Buffer.from(hash ?? [])
      .reverse()
      .toString('hex')
  const median = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number
  return {
    height,
    hash: block.getId(),
    previous_hash: hex(block.prevHash),
    merkle_root: hex(block.merkleRoot),
    version: block.version,
    timestamp: new Date(block.timestamp * 1000).toISOString(),
    median_time: new Date(median * 1000).toISOString(),
    nonce: block.nonce,
    bits: block.bits,
    difficulty: DIFFICULTY,
    tx_count: 1,
    size: block.byteLength(),
    weight: block.weight(),
    source: SOURCE,
  }
}
