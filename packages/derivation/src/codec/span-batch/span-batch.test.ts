import assert from 'node:assert/strict'
import {
  concatBytes,
  createPureCrypto,
  encodeSignedTransaction,
  hexToBytes,
  type RlpInput,
  rlpDecode,
  rlpEncode,
  rlpList,
  signingDigest,
  toHash,
  type UnsignedTransaction,
} from '@keelson/primitives'
import fc from 'fast-check'
import { ByteReader } from '../bytes/byte-reader.ts'
import { encodeUvarint } from '../bytes/uvarint.ts'
import { encodeBitlist, readBitlist } from './bitlist.ts'
import { createSpanBatch, decodeSpanBatch, deriveSpanBatch, encodeSpanBatch, type RawSpanBatch, type SpanBatchInput } from './span-batch.ts'
import { splitTransaction } from './span-batch-tx.ts'
import { MAX_TX_DATA_BYTES, readTxDatas } from './span-batch-txs.ts'

const crypto = createPureCrypto()
const KEY = new Uint8Array(32).fill(7)
const CHAIN = { genesisTimestampSec: 1000, blockTimeSec: 2, chainId: 901n }
const MAX = 10_000_000
const hash = (byte: string) => toHash(`0x${byte.repeat(32)}`)

const sign = (tx: UnsignedTransaction) => encodeSignedTransaction(tx, crypto.sign(signingDigest(tx), KEY)).raw
const call = { nonce: 1n, gasLimit: 21_000n, to: new Uint8Array(20).fill(9), valueWei: 5n, data: hexToBytes('0x0102') }
const fees = { chainId: 901n, maxPriorityFeePerGasWei: 0n, maxFeePerGasWei: 300n, accessList: [] }
const accessList = [{ address: new Uint8Array(20).fill(3), slots: [new Uint8Array(32).fill(4)] }]
const authorization = { chainId: 0n, address: new Uint8Array(20).fill(5), nonce: 0n, yParity: 1, r: 11n, s: 12n }

const TRANSACTIONS: Readonly<Record<string, Uint8Array>> = {
  'legacy with a chain id': sign({ type: 0, chainId: 901n, gasPriceWei: 7n, ...call }),
  'legacy without': sign({ type: 0, chainId: null, gasPriceWei: 7n, ...call }),
  'contract creation': sign({ type: 0, chainId: 901n, gasPriceWei: 7n, ...call, to: null }),
  'access list': sign({ type: 1, chainId: 901n, gasPriceWei: 7n, ...call, accessList }),
  'fee market': sign({ type: 2, ...fees, ...call, accessList }),
  'fee market creation without data': sign({ type: 2, ...fees, ...call, to: null, valueWei: 0n, nonce: 0n, data: new Uint8Array(0) }),
  // specs: protocol/lagoon/derivation.md#transaction-data; a payload of [1, 7, [[2, 1]]]
  'post-execution': hexToBytes('0x7dc60107c3c20201'),
  'set code': sign({ type: 4, ...fees, ...call, authorizationList: [authorization] }),
}

function input(i: number, epoch: number, transactions: readonly Uint8Array[], sequenceNumber = 1): SpanBatchInput {
  return { parentHash: hash('a1'), epoch: { number: epoch, hash: hash('b2') }, timestampSec: 1010 + 2 * i, transactions, sequenceNumber }
}

const derive = (raw: RawSpanBatch) => deriveSpanBatch(decodeSpanBatch(encodeSpanBatch(raw), MAX), CHAIN)
const CODE = { code: 'codec/batch' }

describe('bitlist', () => {
  it('has item 0 in the lowest bit of the last byte', () => {
    assert.deepEqual(encodeBitlist(Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 1)), Uint8Array.of(1, 1))
    assert.deepEqual(encodeBitlist(new Uint8Array(0)), new Uint8Array(0))
  })

  it('decodes what it encodes', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(0, 1), { maxLength: 70 }), (bits) => {
        const list = Uint8Array.from(bits)
        assert.deepEqual(readBitlist(new ByteReader(encodeBitlist(list), 'codec/batch'), list.length, 'bits'), list)
      }),
    )
  })

  it('rejects a bit past its length', () => {
    assert.throws(() => readBitlist(new ByteReader(Uint8Array.of(0b100), 'codec/batch'), 2, 'bits'), CODE)
    assert.deepEqual(readBitlist(new ByteReader(Uint8Array.of(0b10), 'codec/batch'), 2, 'bits'), Uint8Array.of(0, 1))
  })
})

describe('uvarint', () => {
  const read = (bytes: Uint8Array) => new ByteReader(bytes, 'codec/batch').uvarint('number')

  it('accepts at most 64 bits', () => {
    for (const value of [0n, 127n, 128n, 300n, 2n ** 63n, 2n ** 64n - 1n]) assert.equal(read(encodeUvarint(value)), value)
    assert.deepEqual(encodeUvarint(300), Uint8Array.of(0xac, 0x02))
    assert.throws(() => read(encodeUvarint(2n ** 64n)), CODE)
    assert.throws(() => read(new Uint8Array(11).fill(0x80)), CODE)
    assert.throws(() => read(Uint8Array.of(0x80)), CODE)
  })
})

describe('span batch', () => {
  for (const [name, raw] of Object.entries(TRANSACTIONS)) {
    it(`carries a transaction: ${name}`, () => {
      const batch = derive(createSpanBatch([input(0, 5, [raw])], CHAIN))
      assert.deepEqual([...batch.blocks][0]?.transactions, [raw])
    })
  }

  it('carries all types at once, in blocks with and without transactions', () => {
    const all = Object.values(TRANSACTIONS)
    const inputs = [input(0, 5, all), input(1, 5, []), input(2, 6, [...all].reverse(), 0), input(3, 8, all.slice(0, 1), 0)]
    const batch = derive(createSpanBatch(inputs.slice(0, 3), CHAIN))
    assert.deepEqual(
      [...batch.blocks],
      inputs.slice(0, 3).map(({ timestampSec, epoch, transactions }) => ({ timestampSec, epochNumber: epoch.number, transactions })),
    )
  })

  it('has 20 bytes of the first parent hash and the last origin hash', () => {
    const raw = createSpanBatch([input(0, 5, [])], CHAIN)
    assert.deepEqual(raw.parentCheck, hexToBytes(`0x${'a1'.repeat(20)}`))
    assert.deepEqual(raw.l1OriginCheck, hexToBytes(`0x${'b2'.repeat(20)}`))
    assert.equal(raw.relTimestampSec, 10n)
  })

  it('writes the fields of the prefix and the payload in order', () => {
    const raw = createSpanBatch([input(0, 300, [], 0), input(1, 301, [], 0)], CHAIN)
    const expected = concatBytes(
      Uint8Array.of(10),
      Uint8Array.of(0xad, 0x02),
      raw.parentCheck,
      raw.l1OriginCheck,
      Uint8Array.of(2, 0b11, 0, 0),
    )
    assert.deepEqual(encodeSpanBatch(raw), expected)
    assert.deepEqual(
      [...derive(raw).blocks].map((block) => block.epochNumber),
      [300, 301],
    )
  })

  it('rejects zero blocks, too many blocks and too many transactions', () => {
    const head = concatBytes(Uint8Array.of(0, 1), new Uint8Array(40))
    assert.throws(() => decodeSpanBatch(concatBytes(head, Uint8Array.of(0)), MAX), /at least one block/)
    assert.throws(() => decodeSpanBatch(concatBytes(head, Uint8Array.of(3, 0, 0, 0, 0)), 2), /at most 2/)
    assert.throws(() => decodeSpanBatch(concatBytes(head, Uint8Array.of(1, 0), encodeUvarint(2n ** 63n)), MAX), /at most/)
    assert.throws(() => decodeSpanBatch(concatBytes(head, Uint8Array.of(2, 0, 2, 1)), 2), /3 transactions/)
    assert.throws(() => createSpanBatch([], CHAIN), CODE)
  })

  it('ignores bytes after it, and rejects any truncation', () => {
    const raw = createSpanBatch([input(0, 5, [TRANSACTIONS['fee market'] as Uint8Array])], CHAIN)
    const bytes = encodeSpanBatch(raw)
    assert.deepEqual(decodeSpanBatch(concatBytes(bytes, Uint8Array.of(1, 2, 3)), MAX), raw)
    for (let length = 0; length < bytes.length; length++) {
      assert.throws(
        () => decodeSpanBatch(bytes.subarray(0, length), MAX),
        (error: { code?: string }) => /^codec\//.test(error.code ?? ''),
      )
    }
  })

  // op-node does not check uint64 overflow: span_batch.go, `derive`
  it('wraps times and L1 origins at 64 bits', () => {
    const raw = createSpanBatch([input(0, 0, []), input(1, 1, [], 0)], CHAIN)
    assert.deepEqual(
      [...derive({ ...raw, l1OriginNumber: 0n }).blocks].map((block) => block.epochNumber),
      [Number.MAX_SAFE_INTEGER, 0],
    )
    assert.deepEqual(
      [...derive({ ...raw, relTimestampSec: 2n ** 64n - 1000n + 7n }).blocks].map((block) => block.timestampSec),
      [7, 9],
    )
    assert.deepEqual(
      [...derive({ ...raw, relTimestampSec: 2n ** 64n - 1001n }).blocks].map((block) => block.timestampSec),
      [Number.MAX_SAFE_INTEGER, 1],
    )
  })

  for (const type of [[], [2]]) {
    it(`accepts transaction data of 10,000,000 bytes and rejects one byte more, ${type.length === 0 ? 'without' : 'with'} a type byte`, () => {
      assert.equal(MAX_TX_DATA_BYTES, 10_000_000)
      const withList = (bytes: number) => {
        const data = new Uint8Array(type.length + bytes)
        data.set([...type, 0xfa, (bytes - 4) >> 16, ((bytes - 4) >> 8) & 0xff, (bytes - 4) & 0xff])
        return new ByteReader(data, 'codec/batch')
      }
      assert.equal(readTxDatas(withList(10_000_000), 1)[0]?.length, type.length + 10_000_000)
      assert.throws(() => readTxDatas(withList(10_000_001), 1), /10000001 bytes in a span batch, at most 10000000/)
    })
  }

  it('rejects unsupported transactions', () => {
    const fm = TRANSACTIONS['fee market'] as Uint8Array
    assert.throws(() => splitTransaction(fm, 1n), /signed for chain 901/)
    const blob = sign({ type: 3, ...fees, ...call, maxFeePerBlobGasWei: 1n, blobVersionedHashes: [new Uint8Array(32)] })
    assert.throws(() => splitTransaction(blob, 901n), CODE)
    const raw = createSpanBatch([input(0, 5, [TRANSACTIONS['set code'] as Uint8Array])], CHAIN)
    const creation = { ...raw, txs: { ...raw.txs, contractCreationBits: Uint8Array.of(1), tos: [] } }
    assert.throws(() => derive(creation), /cannot create/)
    const unknown = { ...raw, txs: { ...raw.txs, datas: [concatBytes(Uint8Array.of(5), (raw.txs.datas[0] as Uint8Array).subarray(1))] } }
    assert.throws(() => derive(unknown), /type 5/)
  })

  // isthmus/derivation.md#span-batch-updates; EIP-7702 gives the widths
  for (const [field, at, most] of [
    ['chain id', 0, 32],
    ['nonce', 2, 8],
    ['y parity', 3, 1],
    ['r', 4, 32],
    ['s', 5, 32],
  ] as const) {
    it(`accepts an authorization's ${field} of ${most} bytes, but not of ${most + 1}`, () => {
      const raw = createSpanBatch([input(0, 5, [TRANSACTIONS['set code'] as Uint8Array])], CHAIN)
      const data = raw.txs.datas[0] as Uint8Array
      const withField = (bytes: number) => {
        const fields = [...rlpList(rlpDecode(data.subarray(1)), 'transaction')]
        const authorization = [...rlpList(rlpList(fields[5], 'authorizations')[0], 'authorization')] as RlpInput[]
        authorization[at] = new Uint8Array(bytes).fill(1)
        const list = rlpEncode([...(fields.slice(0, 5) as RlpInput[]), [authorization]])
        return { ...raw, txs: { ...raw.txs, datas: [concatBytes(Uint8Array.of(4), list)] } }
      }
      assert.equal(derive(withField(most)).blockCount, 1)
      assert.throws(() => derive(withField(most + 1)), CODE)
    })
  }

  it('rejects blocks whose times are not consecutive', () => {
    assert.throws(() => createSpanBatch([input(0, 5, []), input(2, 5, [])], CHAIN), /expected time 1012, got 1014/)
  })
})

// specs: protocol/lagoon/derivation.md#transposed-envelope-fields
describe('post-execution transaction in a span batch', () => {
  const POST_EXEC = hexToBytes('0x7dc60107c3c20201')
  const LEGACY = sign({ type: 0, chainId: 901n, gasPriceWei: 7n, ...call })
  const raw = createSpanBatch([input(0, 5, [LEGACY, POST_EXEC]), input(1, 5, [LEGACY])], CHAIN)
  const ZEROES = new Uint8Array(64)

  it('takes no recipient, has its creation bit set, and zeroes in all other places', () => {
    const { txs } = raw
    assert.deepEqual([...txs.contractCreationBits], [0, 1, 0])
    assert.equal(txs.tos.length, 2)
    assert.deepEqual([txs.yParityBits[1], txs.signatures[1], txs.nonces[1], txs.gases[1]], [0, ZEROES, 0n, 0n])
    assert.equal(txs.protectedBits.length, 2, 'legacy transactions only')
    assert.deepEqual(txs.datas[1], POST_EXEC)
  })

  it('comes out as it went in, whatever its payload means', () => {
    for (const transaction of [POST_EXEC, hexToBytes('0x7dc0'), hexToBytes('0x7dc4098081ff')]) {
      const batch = derive(createSpanBatch([input(0, 5, [LEGACY, transaction]), input(1, 5, [LEGACY])], CHAIN))
      assert.deepEqual(
        [...batch.blocks].map(({ transactions }) => [...transactions]),
        [[LEGACY, transaction], [LEGACY]],
      )
    }
  })

  const set = <T>(list: ArrayLike<T>, value: T): T[] => Array.from(list).with(1, value)
  const spoilt: Readonly<Record<string, Partial<RawSpanBatch['txs']>>> = {
    'y parity': { yParityBits: Uint8Array.from(set(raw.txs.yParityBits, 1)) },
    r: { signatures: set(raw.txs.signatures, ZEROES.with(31, 1)) },
    s: { signatures: set(raw.txs.signatures, ZEROES.with(63, 1)) },
    nonce: { nonces: set(raw.txs.nonces, 1n) },
    gas: { gases: set(raw.txs.gases, 1n) },
    'a recipient': {
      contractCreationBits: Uint8Array.from(set(raw.txs.contractCreationBits, 0)),
      tos: [...raw.txs.tos, new Uint8Array(20)],
    },
  }
  for (const [name, change] of Object.entries(spoilt)) {
    it(`makes the span batch invalid with another value: ${name}`, () => {
      assert.throws(() => derive({ ...raw, txs: { ...raw.txs, ...change } }), CODE)
    })
  }

  it('must be one RLP list', () => {
    for (const hex of ['0x7d', '0x7d80', '0x7dc1'])
      assert.throws(() => createSpanBatch([input(0, 5, [hexToBytes(hex)])], CHAIN), { name: 'CodecError' }, hex)
  })
})
