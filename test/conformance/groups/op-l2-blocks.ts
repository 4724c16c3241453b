import assert from 'node:assert/strict'
import { decodeL1Info, l1InfoOf } from '@keelson/derivation'
import { bytesToHex, CodecError, type Hex, hexToBytes, parseBlockJson, parseHeaderJson, TX_DEPOSIT } from '@keelson/primitives'
import type { ConformanceGroup } from '../group.ts'

const FOLDER = 'op-misc/l2-blocks/'

interface BlockFile {
  readonly data: {
    readonly result?: unknown
    readonly test_block_data?: unknown
    readonly assert_l2_block_hash?: string
    readonly assert_l2_block_number?: string | number
    readonly assert_l2_block_timestamp?: string | number
    readonly assert_l1_block_hash?: string
    readonly assert_l1_block_number?: string | number
    readonly assert_l1_block_timestamp?: string | number
  }
}

/** Truncated transaction lists must be rejected. */
function checkTransactions(answer: { readonly transactions: readonly unknown[] }, hash: string): void {
  try {
    assert.equal(parseBlockJson(answer).hash, hash)
  } catch (error) {
    const isCutShort = answer.transactions.length === 1 && error instanceof CodecError && /transactions have root/.test(error.message)
    if (!isCutShort) throw error
  }
}

function check({ data }: BlockFile): void {
  const answer = (data.result ?? data.test_block_data) as { readonly transactions: readonly { readonly input: Hex }[] }
  const block = parseHeaderJson(answer)
  checkTransactions(answer, block.hash)
  const first = { type: TX_DEPOSIT, data: hexToBytes(answer.transactions[0]?.input ?? '0x') }
  const info = l1InfoOf(first)
  assert.deepEqual(info, decodeL1Info(first.data), bytesToHex(first.data))
  if (data.assert_l2_block_hash === undefined) return
  assert.deepEqual(
    [block.hash, block.header.number, block.header.timestampSec, info.hash, info.number, info.timestampSec],
    [
      data.assert_l2_block_hash,
      Number(data.assert_l2_block_number),
      Number(data.assert_l2_block_timestamp),
      data.assert_l1_block_hash,
      Number(data.assert_l1_block_number),
      Number(data.assert_l1_block_timestamp),
    ],
  )
}

export const opL2Blocks: ConformanceGroup = {
  name: 'op-l2-blocks',
  under: [FOLDER],
  load: (folder) =>
    folder.casesOf(folder.paths(FOLDER, /\.json$/), (path) => {
      const file = folder.json<BlockFile>(path)
      return [{ id: path.slice(FOLDER.length).replace(/\.json$/, ''), run: () => check(file) }]
    }),
}
