import assert from 'node:assert/strict'
import { createBlockHeader } from '@ethereumjs/block'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import fc from 'fast-check'
import { CodecError } from '../errors.ts'
import { bytesToHex, toAddress, toHash } from '../hex.ts'
import { type RlpInput, rlpEncode } from '../rlp.ts'
import {
  decodeHeader,
  EMPTY_CODE_HASH,
  EMPTY_OMMERS_HASH,
  EMPTY_REQUESTS_HASH,
  EMPTY_TRIE_ROOT,
  encodeHeader,
  type Header,
  hashHeader,
  headerFields,
  u64ToBytes,
  ZERO_ADDRESS,
  ZERO_HASH,
} from './header.ts'

const BLOCK_1: Header = {
  parentHash: toHash('0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3'),
  ommersHash: EMPTY_OMMERS_HASH,
  feeRecipient: toAddress('0x05a56e2d52c817161883f50c441c3228cfe54d9f'),
  stateRoot: toHash('0xd67e4d450343046425ae4271474353857ab860dbc0a1dde64b41b5cd3a532bf3'),
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: new Uint8Array(256),
  difficulty: 0x3ff800000n,
  number: 1,
  gasLimit: 5000n,
  gasUsed: 0n,
  timestampSec: 0x55ba4224,
  extraData: new Uint8Array(Buffer.from('476574682f76312e302e302f6c696e75782f676f312e342e32', 'hex')),
  mixHash: toHash('0x969b900de27b6ac6a67742365dd65f55a0526c41fd18e1b16f1a1215c2e66f59'),
  nonce: new Uint8Array(Buffer.from('539bd4979fef1ec4', 'hex')),
  baseFeeWei: null,
  withdrawalsRoot: null,
  blobGasUsed: null,
  excessBlobGas: null,
  parentBeaconBlockRoot: null,
  requestsHash: null,
  blockAccessListHash: null,
  slotNumber: null,
}

const word = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHash)
const u64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })

const prague: fc.Arbitrary<Header> = fc.record(
  {
    parentHash: word,
    ommersHash: fc.constant(EMPTY_OMMERS_HASH),
    feeRecipient: fc.uint8Array({ minLength: 20, maxLength: 20 }).map(toAddress),
    stateRoot: word,
    transactionsRoot: word,
    receiptsRoot: word,
    logsBloom: fc.uint8Array({ minLength: 256, maxLength: 256 }),
    difficulty: fc.constant(0n),
    number: fc.nat(),
    gasLimit: fc.bigInt({ min: 5000n, max: (1n << 62n) - 1n }),
    gasUsed: fc.constant(0n),
    timestampSec: fc.nat(),
    extraData: fc.uint8Array({ maxLength: 32 }),
    mixHash: word,
    nonce: fc.constant(new Uint8Array(8)),
    baseFeeWei: u64,
    withdrawalsRoot: word,
    blobGasUsed: fc.nat(6).map((n) => BigInt(n) * 131_072n),
    excessBlobGas: u64,
    parentBeaconBlockRoot: word,
    requestsHash: word,
    blockAccessListHash: fc.constant(null),
    slotNumber: fc.constant(null),
  },
  { noNullPrototype: true },
)
const amsterdam: fc.Arbitrary<Header> = fc
  .tuple(prague, word, u64)
  .map(([header, blockAccessListHash, slotNumber]) => ({ ...header, blockAccessListHash, slotNumber }))

/** Headers of reth 2.7.0 around Amsterdam: 191 with 21 fields, 192 with 23. */
const AROUND_AMSTERDAM = {
  ommersHash: EMPTY_OMMERS_HASH,
  feeRecipient: toAddress('0x8943545177806ed17b9f23f0a21ee5948ecaa776'),
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: new Uint8Array(256),
  difficulty: 0n,
  gasLimit: 200_000_000n,
  gasUsed: 0n,
  extraData: new Uint8Array(Buffer.from('726574682f76322e372e302f6c696e7578', 'hex')),
  nonce: new Uint8Array(8),
  baseFeeWei: 7n,
  withdrawalsRoot: EMPTY_TRIE_ROOT,
  blobGasUsed: 0n,
  excessBlobGas: 0n,
  requestsHash: EMPTY_REQUESTS_HASH,
}
const BEFORE_AMSTERDAM: Header = {
  ...AROUND_AMSTERDAM,
  parentHash: toHash('0x74f90ca1c71db6591cc4510eb6e831bdf7fcc7beabcdcbfaa1e7cb0788840153'),
  stateRoot: toHash('0xd430244510b470423f038afbfb318f1e8b458357727dd4959845e6b0182fbae8'),
  number: 191,
  timestampSec: 0x6abd0dc7,
  mixHash: toHash('0x879d6ebf21224bb92a05f0c4d50a2823ae85c1bfda76dd171381184d6f4070c5'),
  parentBeaconBlockRoot: toHash('0x9bdd621d2614dc45107bc9f80a2221de691a899d7740569523c6e0cc24f4ffd6'),
  blockAccessListHash: null,
  slotNumber: null,
}
const FIRST_OF_AMSTERDAM: Header = {
  ...AROUND_AMSTERDAM,
  parentHash: toHash('0x2648510bb7819909b36373a3a2ccda82a51a0c8b154d03ff7710ef8d64b689e6'),
  stateRoot: toHash('0x2338ab0cb5b76db31251fc2352e9142fd8b2bf19de6ac4a3c201b84d6ba737d3'),
  number: 192,
  timestampSec: 0x6abd0dcb,
  mixHash: toHash('0x27184df4d2e2182675a2310a546d32e0d74a7accd4fbeafa84a903cd489dd40c'),
  parentBeaconBlockRoot: toHash('0x1214de134cf32c261ff3c2b6f96435016e9b98bf7dcd4870ad0009a2acf79974'),
  blockAccessListHash: toHash('0x1d33a17375e8dd0aef5da65c3f51422043f1c40d52eceaaca238cc92501aa32e'),
  slotNumber: 192n,
}

function ethereumJsHash(h: Header): string {
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Prague })
  const header = createBlockHeader(
    {
      parentHash: h.parentHash,
      uncleHash: h.ommersHash,
      coinbase: h.feeRecipient,
      stateRoot: h.stateRoot,
      transactionsTrie: h.transactionsRoot,
      receiptTrie: h.receiptsRoot,
      logsBloom: h.logsBloom,
      difficulty: h.difficulty,
      number: BigInt(h.number),
      gasLimit: h.gasLimit,
      gasUsed: h.gasUsed,
      timestamp: BigInt(h.timestampSec),
      extraData: h.extraData,
      mixHash: h.mixHash,
      nonce: h.nonce,
      baseFeePerGas: h.baseFeeWei ?? 0n,
      withdrawalsRoot: h.withdrawalsRoot ?? ZERO_HASH,
      blobGasUsed: h.blobGasUsed ?? 0n,
      excessBlobGas: h.excessBlobGas ?? 0n,
      parentBeaconBlockRoot: h.parentBeaconBlockRoot ?? ZERO_HASH,
      requestsHash: h.requestsHash ?? ZERO_HASH,
    },
    { common, skipConsensusFormatValidation: true },
  )
  return bytesToHex(header.hash())
}

describe('headers', () => {
  it('hashes block 1 of Ethereum to its hash', () => {
    assert.equal(hashHeader(BLOCK_1), '0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6')
  })

  it('hashes headers with every later field as the reference library does', () => {
    fc.assert(
      fc.property(prague, (header) => assert.equal(hashHeader(header), ethereumJsHash(header))),
      { numRuns: 50 },
    )
  })

  it('hashes the blocks before and after Amsterdam on L1 to the hashes that reth gave them', () => {
    assert.equal(hashHeader(BEFORE_AMSTERDAM), FIRST_OF_AMSTERDAM.parentHash)
    assert.equal(hashHeader(FIRST_OF_AMSTERDAM), '0x86e1583ca604ce5de648b44c41fb309b8dfe72ab21b57ad9f12eb0d92ac991f8')
    assert.equal(headerFields(FIRST_OF_AMSTERDAM).length, 23)
    assert.deepEqual(decodeHeader(encodeHeader(FIRST_OF_AMSTERDAM)), FIRST_OF_AMSTERDAM)
  })

  it('survive encoding with every set of optional fields', () => {
    const order = [
      'baseFeeWei',
      'withdrawalsRoot',
      'blobGasUsed',
      'excessBlobGas',
      'parentBeaconBlockRoot',
      'requestsHash',
      'blockAccessListHash',
      'slotNumber',
    ] as const
    fc.assert(
      fc.property(amsterdam, fc.nat(order.length), (full, kept) => {
        const cut = Object.fromEntries(order.slice(kept).map((name) => [name, null]))
        const header: Header = { ...full, ...cut }
        assert.deepEqual(decodeHeader(encodeHeader(header)), header)
      }),
    )
  })

  it('are rejected when they skip an optional field', () => {
    assert.throws(
      () => encodeHeader({ ...BLOCK_1, baseFeeWei: 1n, blobGasUsed: 0n }),
      (error) => error instanceof CodecError && error.code === 'codec/header' && /has blobGasUsed but lacks/.test(error.message),
    )
  })

  it('are rejected when malformed', () => {
    const fields = headerFields(BLOCK_1)
    const cases: readonly (readonly [RlpInput[], RegExp])[] = [
      [fields.slice(0, 14), /header with 14 fields/],
      [[...fields, 0, ZERO_BYTES, 0, 0, ZERO_BYTES, ZERO_BYTES, ZERO_BYTES, 0, 0], /header with 24 fields; expected 15 to 23/],
      [fields.with(0, new Uint8Array(31)), /parentHash: expected 32 bytes/],
      [fields.with(6, new Uint8Array(255)), /logsBloom: expected 256 bytes/],
      [fields.with(14, new Uint8Array(7)), /nonce: expected 8 bytes/],
      [fields.with(9, 1n << 64n), /gasLimit: integer of 9 bytes/],
    ]
    for (const [list, reason] of cases) assert.throws(() => decodeHeader(rlpEncode(list)), reason)
  })

  it('are rejected with a time above 2^53-1, which is not rounded', () => {
    const at = (timestamp: bigint) => rlpEncode(headerFields(BLOCK_1).with(11, timestamp))
    const largest = (1n << 53n) - 1n
    assert.equal(decodeHeader(at(largest)).timestampSec, Number(largest))
    for (const timestamp of [largest + 1n, (1n << 64n) - 2n, (1n << 64n) - 1n]) {
      assert.throws(() => decodeHeader(at(timestamp)), {
        code: 'codec/rlp',
        message: `timestamp: ${timestamp} is above 2^53-1`,
      })
    }
  })

  it('knows the well-known hashes', () => {
    assert.equal(EMPTY_OMMERS_HASH, '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347')
    assert.equal(EMPTY_TRIE_ROOT, '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
    assert.equal(EMPTY_CODE_HASH, '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470')
    assert.equal(EMPTY_REQUESTS_HASH, '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    assert.equal(ZERO_ADDRESS, `0x${'0'.repeat(40)}`)
    assert.deepEqual(u64ToBytes(258), Uint8Array.of(0, 0, 0, 0, 0, 0, 1, 2))
  })
})

const ZERO_BYTES = new Uint8Array(32)
