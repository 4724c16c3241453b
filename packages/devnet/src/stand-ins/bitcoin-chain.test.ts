import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { BitcoinBlock, type BlockFacts } from '@keelson/platform'
import { createLocalBitcoin } from './bitcoin-chain.ts'

const START_SEC = Date.UTC(2026, 0, 1) / 1000
/** Bitcoin Core, chainparams.cpp. */
const REGTEST_GENESIS = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206'
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()

function hashOf({ version, previous_hash, merkle_root, timestamp, bits, nonce }: BitcoinBlock): Buffer {
  const header = Buffer.alloc(80)
  header.writeInt32LE(version, 0)
  Buffer.from(previous_hash ?? '', 'hex')
    .reverse()
    .copy(header, 4)
  Buffer.from(merkle_root, 'hex').reverse().copy(header, 36)
  header.writeUInt32LE(Date.parse(timestamp) / 1000, 68)
  header.writeUInt32LE(bits, 72)
  header.writeUInt32LE(nonce, 76)
  return sha256(sha256(header)).reverse()
}

describe('bitcoin on the development network', () => {
  let nowSec: number
  const rollup = {
    label: 'rollup',
    block: async () => ({ timestampSec: START_SEC }) as BlockFacts,
    latest: async () => ({ timestampSec: nowSec }) as BlockFacts,
  }
  beforeEach(() => {
    nowSec = START_SEC
  })

  it('has a newest block without any other source: a chain of valid headers from the genesis of regtest', async () => {
    const bitcoin = createLocalBitcoin(rollup)
    let previous = REGTEST_GENESIS
    for (let height = 1; height <= 40; height++) {
      const block = await bitcoin.latestBlock()
      assert.deepEqual(BitcoinBlock.parse(block), block)
      assert.deepEqual([block.height, block.previous_hash, hashOf(block).toString('hex')], [height, previous, block.hash])
      assert.ok((hashOf(block)[0] as number) < 0x80)
      previous = block.hash
      nowSec += 600
    }
  })

  it('grows with the time of the rollup, and is the same for everybody', async () => {
    const bitcoin = createLocalBitcoin(rollup)
    nowSec = START_SEC + 50 * 600 + 599
    const block = await bitcoin.latestBlock()
    assert.deepEqual([block.height, block.timestamp], [51, new Date((START_SEC + 50 * 600) * 1000).toISOString()])
    assert.equal(block.median_time, new Date((START_SEC + 45 * 600) * 1000).toISOString())
    assert.deepEqual(await bitcoin.latestBlock(), block)
    assert.deepEqual(await createLocalBitcoin(rollup).latestBlock(), block)
    nowSec++
    assert.equal((await bitcoin.latestBlock()).previous_hash, block.hash)
  })
})
