/** Blocks of OP chains as their nodes answer them: the fields hash to the block's hash, and its first transaction says what L1 was. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeL1Info, l1InfoOf } from '@keelson/derivation'
import { bytesToHex, type Hex, hexToBytes, parseBlockJson, parseHeaderJson, TX_DEPOSIT } from '@keelson/primitives'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'

const FILES = 4

interface BlockFile {
  readonly data: {
    /** As a whole answer, or with what is to be read from it. */
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

/** Its authors left only the first transaction in it, so its list must be refused; the header and that transaction stand. */
const CUT_SHORT = 'ectone_raw_block'

function check({ data }: BlockFile, cutShort: boolean): void {
  const answer = (data.result ?? data.test_block_data) as { readonly transactions: readonly { readonly input: Hex }[] }
  const block = parseHeaderJson(answer)
  if (cutShort) assert.throws(() => parseBlockJson(answer), /transactions have root/)
  else assert.equal(parseBlockJson(answer).hash, block.hash)
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
  load(vectors): ConformanceCase[] {
    const directory = join(vectors, 'op-misc', 'l2-blocks')
    const files = readdirSync(directory).filter((file) => file.endsWith('.json'))
    assert.equal(files.length, FILES, `expected ${FILES} files in ${directory}`)
    return files.map((file) => ({
      id: file.replace(/\.json$/, ''),
      run: () => check(JSON.parse(readFileSync(join(directory, file), 'utf8')) as BlockFile, file.startsWith(CUT_SHORT)),
    }))
  },
}
