import assert from 'node:assert/strict'
import { NodeError } from '@keelson/primitives'
import { runScan } from '../bytes/scan.ts'
import { deriveSpanBatch } from '../span-batch/span-batch.ts'
import { openSpanBatch } from '../span-batch/span-batch-cursor.ts'
import { decodeBatch, scanBatch } from './batch.ts'

const bytes = (hex: string) => Uint8Array.from(hex.replace(/\s/g, '').match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
const CHAIN = { genesisTimestampSec: 1000, blockTimeSec: 2, chainId: 901n }
const MAX_ELEMENTS = 3

function outcome(hex: string): string {
  try {
    const { batch, trailingBytes } = runScan(scanBatch(bytes(hex), MAX_ELEMENTS))
    if (batch.kind === 'span') {
      try {
        runScan(openSpanBatch(batch.layout, CHAIN))
      } catch (error) {
        if (error instanceof NodeError) return 'invalid'
        throw error
      }
    }
    return trailingBytes === 0 ? 'ok' : `ok, ${trailingBytes} ignored`
  } catch (error) {
    if (error instanceof NodeError) return 'malformed'
    throw error
  }
}

const H = (byte: string) => byte.repeat(32)
const rlpHash = (byte: string) => `a0${H(byte)}`

const singular = (fields: { parent?: string; epoch?: string; hash?: string; time?: string; txs?: string; more?: string } = {}) => {
  const { parent = rlpHash('a1'), epoch = '05', hash = rlpHash('b2'), time = '820400', txs = 'c0', more = '' } = fields
  const list = parent + epoch + hash + time + txs + more
  return `00f8${(list.length / 2).toString(16)}${list}`
}

const SINGULAR: readonly (readonly [title: string, hex: string, outcome: string])[] = [
  ['five fields, no transactions', singular(), 'ok'],
  ['a transaction', singular({ txs: 'c38202c0' }), 'ok'],
  ['an empty transaction, which a later rule refuses', singular({ txs: 'c180' }), 'ok'],
  ['epoch 0', singular({ epoch: '80' }), 'ok'],
  ['an epoch of 8 bytes', singular({ epoch: '88ffffffffffffffff' }), 'ok'],
  ['an epoch of 9 bytes', singular({ epoch: '89ffffffffffffffffff' }), 'malformed'],
  ['a timestamp of 8 bytes', singular({ time: '88ffffffffffffffff' }), 'ok'],
  ['a timestamp of 9 bytes', singular({ time: '89ffffffffffffffffff' }), 'malformed'],
  ['a number with a leading zero', singular({ epoch: '820005' }), 'malformed'],
  ['a number that is a zero byte', singular({ epoch: '00' }), 'malformed'],
  ['a parent hash of 31 bytes', singular({ parent: `9f${'a1'.repeat(31)}` }), 'malformed'],
  ['a parent hash of 33 bytes', singular({ parent: `a1${'a1'.repeat(33)}` }), 'malformed'],
  ['an epoch hash of 31 bytes', singular({ hash: `9f${'b2'.repeat(31)}` }), 'malformed'],
  ['transactions that are no list', singular({ txs: '80' }), 'malformed'],
  ['a transaction that is a list', singular({ txs: 'c1c0' }), 'malformed'],
  ['a list where a number belongs', singular({ epoch: 'c0' }), 'malformed'],
  ['four fields', singular({ txs: '' }), 'malformed'],
  ['six fields', singular({ more: '80' }), 'malformed'],
  ['one byte behind the list', `${singular()}ff`, 'ok, 1 ignored'],
  ['a string in place of the list', '0080', 'malformed'],
  ['the version alone', '00', 'malformed'],
  ['nothing', '', 'malformed'],
  ['version 2', `02${singular().slice(2)}`, 'malformed'],
  ['version 255', `ff${singular().slice(2)}`, 'malformed'],
]

const LEGACY = 'c30102 80'
const TYPES: Readonly<Record<number, string>> = {
  1: '01 c4010280c0',
  2: '02 c501020380c0',
  4: '04 c601020380c0c0',
}
interface SpanParts {
  time?: string
  l1?: string
  checks?: string
  count?: string
  origins?: string
  txCounts?: string
  creation?: string
  parity?: string
  signatures?: string
  tos?: string
  datas?: string
  nonces?: string
  gases?: string
  isProtected?: string
}
const SIGNATURE = H('11') + H('22')
/** delta/span-batches.md#span-batch-format */
const span = (parts: SpanParts = {}) => {
  const p: Required<SpanParts> = {
    time: '0a',
    l1: '05',
    checks: 'a1'.repeat(20) + 'b2'.repeat(20),
    count: '01',
    origins: '00',
    txCounts: '01',
    creation: '00',
    parity: '00',
    signatures: SIGNATURE,
    tos: '09'.repeat(20),
    datas: LEGACY,
    nonces: '07',
    gases: '8827',
    isProtected: '01',
    ...parts,
  }
  return `01${Object.values(p).join('')}`
}
const NO_TXS: SpanParts = { creation: '', parity: '', signatures: '', tos: '', datas: '', nonces: '', gases: '', isProtected: '' }
const empty = (count: number, parts: SpanParts = {}) => span({ count: `0${count}`, txCounts: '00'.repeat(count), ...NO_TXS, ...parts })
const typed = (type: number, parts: SpanParts = {}) => span({ datas: TYPES[type] as string, isProtected: '', ...parts })
const many = (count: number) =>
  span({
    txCounts: `0${count}`,
    signatures: SIGNATURE.repeat(count),
    tos: '09'.repeat(20 * count),
    datas: LEGACY.repeat(count),
    nonces: '07'.repeat(count),
    gases: '8827'.repeat(count),
  })

const SPAN: readonly (readonly [title: string, hex: string, outcome: string])[] = [
  ['one block, one legacy transaction', span(), 'ok'],
  ['a byte behind it', `${span()}00`, 'ok, 1 ignored'],
  // #span-batch-size-limits
  ['no block', empty(0, { origins: '' }), 'malformed'],
  ['one block without transactions', empty(1), 'ok'],
  ['blocks at the bound', empty(3), 'ok'],
  ['one block above it', empty(4), 'malformed'],
  ['transactions at the bound', many(3), 'ok'],
  ['one transaction above it', many(4), 'malformed'],
  ['transactions above it only together', span({ count: '02', txCounts: '0202' }), 'malformed'],
  ['a count that overflows 64 bits', span({ txCounts: 'ffffffffffffffffff02' }), 'malformed'],
  ['a time of 64 bits', span({ time: 'ffffffffffffffffff01' }), 'ok'],
  ['a time of 65 bits', span({ time: 'ffffffffffffffffff02' }), 'malformed'],
  ['a varint of 11 bytes', span({ time: '8080808080808080808000' }), 'malformed'],
  ['a varint longer than it must be', span({ time: '8a00' }), 'ok'],
  ['origin bit of the only block', span({ origins: '01' }), 'ok'],
  ['origin bit past the last block', span({ origins: '02' }), 'malformed'],
  ['creation bit past the last transaction', span({ creation: '02' }), 'malformed'],
  ['parity bit past the last transaction', span({ parity: '02' }), 'malformed'],
  ['protected bit past the last legacy transaction', span({ isProtected: '02' }), 'malformed'],
  ['a typed transaction has no protected bit', typed(2), 'ok'],
  ['and the byte of one is too many', typed(2, { isProtected: '01' }), 'ok, 1 ignored'],
  ['back to L1 block 0', empty(2, { l1: '01', origins: '02' }), 'ok'],
  // 64-bit arithmetic wraps (op-node: span_batch.go, `derive`)
  ['back before L1 block 0', empty(2, { l1: '00', origins: '02' }), 'ok'],
  ['the first bit counts no block of the span', empty(1, { l1: '00', origins: '01' }), 'ok'],
  ['creation', span({ creation: '01', tos: '' }), 'ok'],
  // optimism pull request 21795: a zero type byte is no legacy transaction
  ['a type byte of zero before a legacy transaction', span({ datas: '00 c3808080' }), 'invalid'],
  ['type 1', typed(1), 'ok'],
  ['type 2', typed(2), 'ok'],
  ['type 3', span({ datas: '03 c501020380c0', isProtected: '' }), 'invalid'],
  ['type 4. isthmus/derivation.md#span-batch-updates', typed(4), 'ok'],
  ['type 4 that creates a contract', typed(4, { creation: '01', tos: '' }), 'invalid'],
  ['type 5', span({ datas: '05 c501020380c0', isProtected: '' }), 'invalid'],
  ['a deposit', span({ datas: '7e c501020380c0', isProtected: '' }), 'invalid'],
  ['data that is a string', span({ datas: '83010280' }), 'malformed'],
  // only the list's header is checked (op-node: span_batch.go, `ReadTxData`)
  ['a list whose item runs past its end', span({ datas: 'c283ff' }), 'invalid'],
  ['one field too few', span({ datas: 'c20102' }), 'invalid'],
  ['one field too many', span({ datas: 'c401028080' }), 'invalid'],
  ['a value with a leading zero', span({ datas: 'c5 820001 02 80' }), 'invalid'],
  ['a value of a zero byte', span({ datas: 'c3000280' }), 'invalid'],
  ['calldata that is a list', span({ datas: 'c30102c0' }), 'invalid'],
  [
    'an access list entry of an address of 19 bytes',
    span({ datas: `01 da010280 d6d5${'93'}${'03'.repeat(19)}c0`, isProtected: '' }),
    'invalid',
  ],
  ['an access list entry of an address of 20 bytes', span({ datas: `01 db010280 d7d6${'94'}${'03'.repeat(20)}c0`, isProtected: '' }), 'ok'],
  ['an authorization of five fields', span({ datas: `04 df01020380c0 d9d8 0594${'05'.repeat(20)}800102`, isProtected: '' }), 'invalid'],
  ...(['signatures', 'tos', 'datas', 'nonces', 'gases', 'isProtected'] as const).map(
    (part) => [`the end in its ${part}`, span({ isProtected: '01' }).replace(/\s/g, '').slice(0, endWithin(part)), 'malformed'] as const,
  ),
]

function endWithin(part: string): number {
  const sizes: Readonly<Record<string, number>> = { signatures: 64, tos: 20, datas: 4, nonces: 1, gases: 2, isProtected: 1 }
  let end = 1 + 1 + 1 + 40 + 1 + 1 + 1 + 1 + 1
  for (const [name, size] of Object.entries(sizes)) {
    end += size
    if (name === part) break
  }
  return 2 * (end - 1)
}

describe('batch decoding', () => {
  describe('derivation.md#batch-format: version 0', () => {
    for (const [title, hex, expected] of SINGULAR) it(`${title}: ${expected}`, () => assert.equal(outcome(hex), expected))
  })

  describe('delta/span-batches.md#span-batch-format: version 1', () => {
    for (const [title, hex, expected] of SPAN) it(`${title}: ${expected}`, () => assert.equal(outcome(hex), expected))
  })

  it('delta/span-batches.md#how-derivation-works-with-span-batches: times and origins of three blocks', () => {
    const wire = decodeBatch(bytes(empty(3, { time: '0a', l1: '07', origins: '05' })), MAX_ELEMENTS)
    assert.ok(wire.kind === 'span')
    // bits 1, 0, 1: the last block has origin 7, those before it 6
    assert.deepEqual(
      [...deriveSpanBatch(wire.batch, CHAIN).blocks].map(({ timestampSec, epochNumber }) => [timestampSec, epochNumber]),
      [
        [1010, 6],
        [1012, 6],
        [1014, 7],
      ],
    )
  })
})
