import assert from 'node:assert/strict'
import fc from 'fast-check'
import { parseTransaction, serializeTransaction, type TransactionSerializable } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { concatBytes } from '../bytes.ts'
import { SECP256K1_HALF_ORDER } from '../crypto/crypto.ts'
import { createPureCrypto } from '../crypto/pure-crypto.ts'
import { CodecError } from '../errors.ts'
import { bytesToHex, type Hex, hexToBytes } from '../hex.ts'
import { keccak256Hash } from '../keccak.ts'
import { type RlpInput, rlpDecode, rlpEncode } from '../rlp.ts'
import { decodeSignedTransaction, decodeTransaction } from './decode-transaction.ts'
import { encodeDeposit, encodeSignedTransaction, signatureToBytes, signingDigest } from './encode-transaction.ts'
import { recoverSender } from './sender.ts'
import {
  accessListOf,
  effectiveGasPriceWei,
  isDeposit,
  maxFeePerGasWei,
  maxPriorityFeePerGasWei,
  type SignedTransaction,
  TX_BLOB,
  TX_DEPOSIT,
  TX_LEGACY,
  TX_SET_CODE,
  type UnsignedTransaction,
} from './transaction.ts'

const crypto = createPureCrypto()
const SECP256K1_ORDER = 2n * SECP256K1_HALF_ORDER + 1n
const KEY = `0x${'4c'.repeat(32)}` as const
const account = privateKeyToAccount(KEY)

const hexOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(bytesToHex)
const wei = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n })
const accessList = fc.array(fc.record({ address: hexOf(20), storageKeys: fc.array(hexOf(32), { maxLength: 3 }) }), { maxLength: 3 })
const call = {
  nonce: fc.nat(),
  gas: fc.bigInt({ min: 0n, max: (1n << 63n) - 1n }),
  value: wei,
  data: fc.uint8Array({ maxLength: 200 }).map(bytesToHex),
}
const to = { to: fc.oneof(hexOf(20), fc.constant(undefined)) }
const chainId = { chainId: fc.integer({ min: 1, max: 2 ** 31 }) }
const fees = fc
  .tuple(wei, wei)
  .map(([a, b]) => (a > b ? { maxFeePerGas: a, maxPriorityFeePerGas: b } : { maxFeePerGas: b, maxPriorityFeePerGas: a }))

const kinds: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  'legacy without replay protection': fc.record({ type: fc.constant('legacy'), ...call, ...to, gasPrice: wei }),
  legacy: fc.record({ type: fc.constant('legacy'), ...call, ...to, ...chainId, gasPrice: wei }),
  eip2930: fc.record({ type: fc.constant('eip2930'), ...call, ...to, ...chainId, gasPrice: wei, accessList }),
  eip1559: fc
    .tuple(fc.record({ type: fc.constant('eip1559'), ...call, ...to, ...chainId, accessList }), fees)
    .map(([a, b]) => ({ ...a, ...b })),
  eip4844: fc
    .tuple(
      fc.record({
        type: fc.constant('eip4844'),
        ...call,
        to: hexOf(20),
        ...chainId,
        accessList,
        maxFeePerBlobGas: wei,
        blobVersionedHashes: fc.array(
          hexOf(31).map((hash) => `0x01${hash.slice(2)}`),
          { minLength: 1, maxLength: 3 },
        ),
      }),
      fees,
    )
    .map(([a, b]) => ({ ...a, ...b })),
}

describe('transactions', () => {
  for (const [name, kind] of Object.entries(kinds)) {
    it(`reads what viem signs, encodes it back and finds the signer: ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(kind, async (fields) => {
          const raw = await account.signTransaction(fields as TransactionSerializable)
          const tx = decodeSignedTransaction(hexToBytes(raw))
          assert.equal(bytesToHex(tx.raw), raw)
          assert.equal(tx.hash, keccak256Hash(tx.raw))
          assert.equal(bytesToHex(encodeSignedTransaction(tx, tx.signature).raw), raw)
          assert.equal(bytesToHex(signingDigest(tx)), keccak256Hash(hexToBytes(serializeTransaction(fields as TransactionSerializable))))
          assert.equal(bytesToHex(recoverSender(tx, crypto) ?? new Uint8Array()), account.address.toLowerCase())
          sameFields(tx, parseTransaction(raw))
        }),
        { numRuns: 15 },
      )
    })
  }

  it('signs what viem reads', () => {
    const unsigned: UnsignedTransaction = {
      type: TX_SET_CODE,
      chainId: 84532n,
      nonce: 3n,
      maxFeePerGasWei: 20n,
      maxPriorityFeePerGasWei: 2n,
      gasLimit: 90_000n,
      to: new Uint8Array(20).fill(7),
      valueWei: 0n,
      data: Uint8Array.of(1, 2, 3),
      accessList: [],
      authorizationList: [{ chainId: 84532n, address: new Uint8Array(20).fill(9), nonce: 4n, yParity: 1, r: 5n, s: 6n }],
    }
    const tx = encodeSignedTransaction(unsigned, crypto.sign(signingDigest(unsigned), hexToBytes(KEY)))
    const theirs = parseTransaction(bytesToHex(tx.raw) as `0x04${string}`)
    assert.equal(theirs.type, 'eip7702')
    assert.equal(theirs.authorizationList?.[0]?.address, `0x${'09'.repeat(20)}`)
    assert.equal(theirs.authorizationList?.[0]?.nonce, 4)
    assert.equal(bytesToHex(recoverSender(tx, crypto) ?? new Uint8Array()), account.address.toLowerCase())
    assert.equal(signatureToBytes(tx.signature).length, 65)
  })

  it('keep all fields of a deposit, which users cannot submit', () => {
    const deposit = encodeDeposit({
      type: TX_DEPOSIT,
      sourceHash: new Uint8Array(32).fill(1),
      from: new Uint8Array(20).fill(2),
      to: null,
      mintWei: 10n ** 18n,
      valueWei: 5n,
      gasLimit: 21_000n,
      isSystemTx: false,
      data: Uint8Array.of(9),
    })
    assert.equal(deposit.raw[0], 0x7e)
    const again = decodeTransaction(deposit.raw)
    assert.ok(isDeposit(again))
    assert.deepEqual({ ...again }, { ...deposit })
    assert.deepEqual(recoverSender(again, crypto), deposit.from)
    assert.throws(() => decodeSignedTransaction(deposit.raw), /deposit .* cannot be submitted/)
  })

  it('reads the deposit of a fork upgrade as the specification gives it', () => {
    // specs: protocol/isthmus/derivation.md#l1block-proxy-update
    const raw =
      '0x7ef876a0ebe8b5cb10ca47e0d8bda8f5355f2d66711a54ddeb0ef1d30e29418c9bf17a0e940000000000000000000000000000000000000000' +
      '94420000000000000000000000000000000000001580808' +
      '2c35080a43659cfe6000000000000000000000000ff256497d61dcd71a9e9ff43967c13fde1f72d12'
    const tx = decodeTransaction(hexToBytes(raw))
    assert.ok(isDeposit(tx))
    assert.equal(tx.gasLimit, 50_000n)
    assert.equal(tx.isSystemTx, false)
    assert.equal(bytesToHex(tx.to ?? new Uint8Array()), '0x4200000000000000000000000000000000000015')
    assert.equal(bytesToHex(tx.data), '0x3659cfe6000000000000000000000000ff256497d61dcd71a9e9ff43967c13fde1f72d12')
  })

  it('have no signer with malleable or impossible signatures', async () => {
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: 1,
      nonce: 0,
      gas: 21_000n,
      maxFeePerGas: 1n,
      to: account.address,
    })
    const tx = decodeSignedTransaction(hexToBytes(raw))
    const { r, s, yParity } = tx.signature
    const flipped = (1 - yParity) as 0 | 1
    const variants = [
      { r, s: SECP256K1_ORDER - s, yParity: flipped },
      { r: 0n, s, yParity },
      { r, s: 0n, yParity },
      { r: SECP256K1_ORDER, s, yParity },
    ]
    for (const signature of variants) assert.equal(recoverSender(encodeSignedTransaction(tx, signature), crypto), null)
  })

  it('have a signer with a high s under Frontier rules', () => {
    const unsigned = {
      type: TX_LEGACY,
      chainId: null,
      nonce: 0n,
      gasPriceWei: 1n,
      gasLimit: 21_000n,
      to: null,
      valueWei: 0n,
      data: new Uint8Array(0),
    } as const
    const key = new Uint8Array(32).fill(7)
    const { r, s, yParity } = crypto.sign(signingDigest(unsigned), key)
    const high = { r, s: SECP256K1_ORDER - s, yParity: (1 - yParity) as 0 | 1 }
    const tx = encodeSignedTransaction(unsigned, high)
    assert.deepEqual(recoverSender(tx, crypto, false), crypto.addressOf(key))
    assert.equal(recoverSender(tx, crypto), null)
    for (const beyond of [SECP256K1_ORDER, (1n << 256n) - 1n]) {
      assert.equal(recoverSender(encodeSignedTransaction(unsigned, { ...high, s: beyond }), crypto, false), null, `s = ${beyond}`)
    }
  })

  it('are rejected with a reason when malformed', async () => {
    const raw = hexToBytes(
      await account.signTransaction({ type: 'eip1559', chainId: 1, nonce: 0, gas: 21_000n, maxFeePerGas: 1n, to: account.address }),
    )
    const fields = rlpDecode(raw.subarray(1)) as RlpInput[]
    const rebuilt = (change: (f: RlpInput[]) => RlpInput[], type = 2) => concatBytes(Uint8Array.of(type), rlpEncode(change([...fields])))
    const cases: readonly (readonly [Uint8Array, RegExp])[] = [
      [new Uint8Array(0), /empty transaction/],
      [Uint8Array.of(0x05, 0xc0), /type 5 is not supported/],
      [Uint8Array.of(0x80), /not a transaction type/],
      [rebuilt((f) => f.slice(1)), /expected 12 fields, got 11/],
      [rebuilt((f) => [...f, 0]), /expected 12 fields, got 13/],
      [rebuilt((f) => f.with(5, new Uint8Array(19))), /to: expected 20 bytes, got 19/],
      [rebuilt((f) => f.with(1, Uint8Array.of(0, 1))), /nonce: integer with a leading zero/],
      [rebuilt((f) => f.with(1, new Uint8Array(9).fill(1))), /nonce: integer of 9 bytes/],
      [rebuilt((f) => f.with(9, 2)), /yParity must be 0 or 1/],
      [rebuilt((f) => f.with(8, [[new Uint8Array(20)]])), /accessList entry: expected 2 fields/],
      [
        rebuilt((f) => [...f.slice(0, 5), new Uint8Array(0), ...f.slice(6, 9), 1, [], ...f.slice(9)], TX_BLOB),
        /blob transaction cannot create/,
      ],
      [
        rebuilt((f) => [...f.slice(0, 5), new Uint8Array(0), ...f.slice(6, 9), [], ...f.slice(9)], TX_SET_CODE),
        /set-code transaction cannot create/,
      ],
      [concatBytes(raw, Uint8Array.of(0)), /bytes after the RLP item/],
      [rlpEncode([0, 0, 0, 0, 0, 0, 29, 1, 1]), /to: expected|v 29 is neither/],
    ]
    for (const [bytes, reason] of cases) {
      assert.throws(
        () => decodeTransaction(bytes),
        (error) => error instanceof CodecError && reason.test(error.message),
        String(reason),
      )
    }
  })

  it('prices gas by EIP-1559, and by the gas price for the old types', () => {
    const dynamic = { maxFeePerGasWei: 100n, maxPriorityFeePerGasWei: 10n } as UnsignedTransaction
    assert.equal(effectiveGasPriceWei(dynamic, 50n), 60n)
    assert.equal(effectiveGasPriceWei(dynamic, 95n), 100n)
    assert.equal(maxFeePerGasWei(dynamic), 100n)
    const legacy = { gasPriceWei: 70n } as UnsignedTransaction
    assert.equal(effectiveGasPriceWei(legacy, 50n), 70n)
    assert.equal(maxFeePerGasWei(legacy), 70n)
    assert.equal(maxPriorityFeePerGasWei(legacy), 70n)
    assert.deepEqual(accessListOf(legacy as SignedTransaction), [])
  })
})

function sameFields(ours: SignedTransaction, theirs: ReturnType<typeof parseTransaction>): void {
  assert.equal(ours.nonce, BigInt(theirs.nonce ?? 0))
  assert.equal(ours.gasLimit, theirs.gas ?? 0n)
  assert.equal(ours.valueWei, theirs.value ?? 0n)
  assert.equal(bytesToHex(ours.data), theirs.data ?? '0x')
  assert.equal(ours.to === null ? undefined : bytesToHex(ours.to), theirs.to?.toLowerCase())
  assert.equal(ours.chainId, theirs.chainId === undefined ? null : BigInt(theirs.chainId))
  assert.equal(maxFeePerGasWei(ours), theirs.maxFeePerGas ?? theirs.gasPrice ?? 0n)
  assert.deepEqual(
    accessListOf(ours).map((entry) => ({ address: bytesToHex(entry.address), storageKeys: entry.slots.map(bytesToHex) })),
    ((theirs.accessList ?? []) as readonly { address: Hex; storageKeys: readonly Hex[] }[]).map((entry) => ({
      address: entry.address.toLowerCase(),
      storageKeys: [...entry.storageKeys],
    })),
  )
}
