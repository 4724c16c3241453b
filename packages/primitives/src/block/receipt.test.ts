import assert from 'node:assert/strict'
import { Bloom, encodeReceipt as referenceEncode } from '@ethereumjs/vm'
import fc from 'fast-check'
import { concatBytes } from '../bytes.ts'
import { bytesToHex, hexToBytes, toAddress, toHash } from '../hex.ts'
import { type RlpInput, rlpEncode } from '../rlp.ts'
import { bloomMayContain, logsBloom, mergeBloom } from './bloom.ts'
import { decodeReceipt, encodeReceipt, type Log, type Receipt } from './receipt.ts'

const word = fc.uint8Array({ minLength: 32, maxLength: 32 })
const log: fc.Arbitrary<Log> = fc.record(
  {
    address: fc.uint8Array({ minLength: 20, maxLength: 20 }).map(toAddress),
    topics: fc.array(word.map(toHash), { maxLength: 4 }),
    data: fc.uint8Array({ maxLength: 100 }),
  },
  { noNullPrototype: true },
)
const receipt: fc.Arbitrary<Receipt> = fc
  .record(
    {
      type: fc.constantFrom(0, 1, 2, 3, 4),
      outcome: fc.oneof(
        fc.constantFrom({ status: 0 } as const, { status: 1 } as const),
        word.map((root) => ({ root: toHash(root) })),
      ),
      // At least 1: the reference library encodes zero as one byte.
      cumulativeGasUsed: fc.bigInt({ min: 1n, max: (1n << 64n) - 1n }),
      logs: fc.array(log, { maxLength: 4 }),
    },
    { noNullPrototype: true },
  )
  .map((fields) => ({ ...fields, logsBloom: logsBloom(fields.logs), depositNonce: null, depositReceiptVersion: null }))

const referenceLogs = (logs: readonly Log[]) =>
  logs.map((l) => [hexToBytes(l.address), l.topics.map((topic) => hexToBytes(topic)), l.data] as [Uint8Array, Uint8Array[], Uint8Array])

describe('receipts', () => {
  it('encodes as the reference library does and decodes to the same', () => {
    fc.assert(
      fc.property(receipt, (r) => {
        const encoded = encodeReceipt(r)
        const outcome = 'root' in r.outcome ? { stateRoot: hexToBytes(r.outcome.root) } : { status: r.outcome.status }
        const reference = { ...outcome, cumulativeBlockGasUsed: r.cumulativeGasUsed, bitvector: r.logsBloom, logs: referenceLogs(r.logs) }
        assert.equal(bytesToHex(encoded), bytesToHex(referenceEncode(reference as never, r.type as never)))
        assert.deepEqual(decodeReceipt(encoded), r)
      }),
    )
  })

  describe('refuses what would not encode to the same bytes again:', () => {
    const bloom = new Uint8Array(256)
    const cases: readonly [string, Uint8Array, RegExp][] = [
      ['a status of 2', rlpEncode([2, 0, bloom, []]), /status must be 0 or 1, got 2/],
      ['a log with a fourth field', rlpEncode([1, 0, bloom, [[new Uint8Array(20), [], new Uint8Array(0), 1]]]), /log with 4 fields/],
      ['gas of nine bytes', rlpEncode([1, 2n ** 64n, bloom, []]), /cumulativeGasUsed/],
      ['a legacy receipt behind a type byte', concatBytes(Uint8Array.of(0), rlpEncode([1, 0, bloom, []])), /0x0 is not a receipt type/],
      ['a type above 0x7f', concatBytes(Uint8Array.of(0x80), rlpEncode([1, 0, bloom, []])), /0x80 is not a receipt type/],
    ]
    for (const [name, raw, message] of cases) it(name, () => assert.throws(() => decodeReceipt(raw), { name: 'CodecError', message }))
  })

  it('hashes a deposit nonce only together with its version', () => {
    const base: Receipt = {
      type: 0x7e,
      outcome: { status: 1 },
      cumulativeGasUsed: 46_913n,
      logsBloom: new Uint8Array(256),
      logs: [],
      depositNonce: 5n,
      depositReceiptVersion: null,
    }
    const four: RlpInput[] = [1, 46_913, new Uint8Array(256), []]
    assert.deepEqual(encodeReceipt(base), concatBytes(Uint8Array.of(0x7e), rlpEncode(four)))
    const versioned: Receipt = { ...base, depositReceiptVersion: 1n }
    assert.deepEqual(encodeReceipt(versioned), concatBytes(Uint8Array.of(0x7e), rlpEncode([...four, 5, 1])))
    assert.deepEqual(decodeReceipt(encodeReceipt(versioned)), versioned)
    assert.deepEqual(decodeReceipt(encodeReceipt(base)), { ...base, depositNonce: null })
  })

  it('refuses malformed receipts', () => {
    assert.throws(() => decodeReceipt(new Uint8Array(0)), /empty receipt/)
    assert.throws(() => decodeReceipt(rlpEncode([1, 2, new Uint8Array(256)])), /receipt of type 0 with 3 fields/)
    assert.throws(
      () => decodeReceipt(concatBytes(Uint8Array.of(2), rlpEncode([1, 2, new Uint8Array(256), [], 5, 1]))),
      /type 2 with 6 fields/,
    )
    assert.throws(() => decodeReceipt(rlpEncode([1, 2, new Uint8Array(255), []])), /logsBloom: expected 256 bytes/)
  })
})

describe('log bloom', () => {
  it('sets the bits the reference library sets, and contains what was put in', () => {
    fc.assert(
      fc.property(fc.array(log, { maxLength: 5 }), (logs) => {
        const reference = new Bloom()
        for (const l of logs) {
          reference.add(hexToBytes(l.address))
          for (const topic of l.topics) reference.add(hexToBytes(topic))
        }
        const bloom = logsBloom(logs)
        assert.deepEqual(bloom, reference.bitvector)
        for (const l of logs) assert.ok(bloomMayContain(bloom, hexToBytes(l.address)))
        const merged = new Uint8Array(256)
        for (const l of logs) mergeBloom(merged, logsBloom([l]))
        assert.deepEqual(merged, bloom)
      }),
    )
  })

  it('denies what was never put in', () => {
    assert.ok(!bloomMayContain(new Uint8Array(256), Uint8Array.of(1)))
  })
})
