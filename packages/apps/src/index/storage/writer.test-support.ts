/** Indexes a long fake chain into the folder that is the argument, and prints each cursor until it is killed. */
import { keccak256Hash, toHash, utf8ToBytes, ZERO_ADDRESS, ZERO_HASH } from '@keelson/primitives'
import { createSilentLogger } from '@keelson/runtime'
import type { ChainBlock } from '../chain/ports.ts'
import { createBlockStore } from './block-store.ts'
import { openIndexDatabase } from './open-database.ts'

const hashOf = (number: number) => (number < 0 ? ZERO_HASH : toHash(keccak256Hash(utf8ToBytes(`block ${number}`))))

function block(number: number): ChainBlock {
  return {
    number,
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    timeSec: 1_700_000_000 + 2 * number,
    feeRecipient: ZERO_ADDRESS,
    gasUsed: 0n,
    gasLimit: 30_000_000n,
    baseFeeWei: 1n,
    sizeBytes: 500,
    transactions: [],
  }
}

const db = await openIndexDatabase(
  { dataDir: process.argv[2] as string, databaseUrl: null, maxConnections: 1 },
  { chainId: 901n, genesisHash: hashOf(0) },
  createSilentLogger(),
)
const store = createBlockStore(db)
for (let at = await store.cursor(); ; ) {
  const next = block((at?.number ?? -1) + 1)
  await store.append(at, [next])
  at = next
  process.stdout.write(`${next.number}\n`)
}
