import assert from 'node:assert/strict'
import { parseTransaction, type TransactionSerializable } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { CodecError } from '../errors.ts'
import { bytesToHex, hexToBytes } from '../hex.ts'
import { decodeTransaction } from '../tx/decode-transaction.ts'
import { encodeDeposit } from '../tx/encode-transaction.ts'
import { TX_DEPOSIT } from '../tx/transaction.ts'
import { parseTransactionJson } from './transaction-json.ts'

const account = privateKeyToAccount(`0x${'77'.repeat(32)}`)
const quantity = (value: bigint | number) => `0x${value.toString(16)}`
const TYPES = { legacy: 0, eip2930: 1, eip1559: 2, eip4844: 3, eip7702: 4 } as const

const call = { nonce: 7, gas: 100_000n, to: `0x${'0a'.repeat(20)}`, value: 12n, data: '0xdeadbeef', chainId: 84532 } as const
const accessList = [{ address: `0x${'0b'.repeat(20)}`, storageKeys: [`0x${'0c'.repeat(32)}`] }] as const
const fees = { maxFeePerGas: 50n, maxPriorityFeePerGas: 2n }

async function samples(): Promise<readonly TransactionSerializable[]> {
  const authorization = await account.signAuthorization({ address: `0x${'0d'.repeat(20)}`, chainId: 84532, nonce: 8 })
  return [
    { type: 'legacy', ...call, gasPrice: 5n },
    { type: 'legacy', ...call, chainId: undefined, gasPrice: 5n },
    { type: 'legacy', ...call, to: undefined, gasPrice: 5n },
    { type: 'eip2930', ...call, gasPrice: 5n, accessList },
    { type: 'eip1559', ...call, ...fees, accessList },
    { type: 'eip4844', ...call, ...fees, maxFeePerBlobGas: 4n, blobVersionedHashes: [`0x01${'0e'.repeat(31)}`], accessList: [] },
    { type: 'eip7702', ...call, ...fees, authorizationList: [authorization], accessList: [] },
  ] as TransactionSerializable[]
}

function answerOf(raw: `0x${string}`): Record<string, unknown> {
  const tx = parseTransaction(raw as `0x02${string}`) as Record<string, unknown> & {
    type: keyof typeof TYPES
    v?: bigint
    yParity?: number
  }
  const numbers = ['nonce', 'gas', 'value', 'gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas', 'maxFeePerBlobGas', 'chainId'] as const
  const defaults: Record<string, unknown> = { nonce: 0, value: 0n, ...(TYPES[tx.type] >= 2 ? { maxPriorityFeePerGas: 0n } : {}) }
  return {
    ...Object.fromEntries(
      numbers
        .map((key) => [key, tx[key] ?? defaults[key]] as const)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => [key, quantity(value as bigint)]),
    ),
    type: quantity(TYPES[tx.type]),
    to: tx.to ?? null,
    input: tx.data ?? '0x',
    ...(tx.type === 'legacy' ? {} : { accessList: tx.accessList ?? [] }),
    ...(tx.blobVersionedHashes === undefined ? {} : { blobVersionedHashes: tx.blobVersionedHashes }),
    ...(tx.authorizationList === undefined
      ? {}
      : {
          authorizationList: (
            tx.authorizationList as { chainId: number; address: string; nonce: number; yParity: number; r: string; s: string }[]
          ).map((entry) => ({
            address: entry.address,
            r: entry.r,
            s: entry.s,
            chainId: quantity(entry.chainId),
            nonce: quantity(entry.nonce),
            yParity: quantity(entry.yParity),
          })),
        }),
    v: quantity(tx.type === 'legacy' ? (tx.v ?? 0n) : (tx.yParity ?? 0)),
    ...(tx.type === 'legacy' ? {} : { yParity: quantity(tx.yParity ?? 0) }),
    r: tx.r,
    s: tx.s,
  }
}

describe('transactions as JSON', () => {
  it('encodes every type of user transaction to the bytes that were signed', async () => {
    for (const sample of await samples()) {
      const raw = await account.signTransaction(sample)
      const expected = decodeTransaction(hexToBytes(raw))
      const json = JSON.parse(JSON.stringify({ ...answerOf(raw), hash: expected.hash, blockNumber: '0x1', from: account.address }))
      const tx = parseTransactionJson(json)
      assert.equal(bytesToHex(tx.raw), raw, String(sample.type))
      assert.equal(tx.hash, expected.hash)
      assert.throws(() => parseTransactionJson({ ...json, nonce: '0x9' }), /its fields hash to/)
    }
  })

  it('encodes deposits, with or without their optional fields', () => {
    const deposit = encodeDeposit({
      type: TX_DEPOSIT,
      sourceHash: new Uint8Array(32).fill(3),
      from: new Uint8Array(20).fill(4),
      to: new Uint8Array(20).fill(5),
      mintWei: 0n,
      valueWei: 6n,
      gasLimit: 1_000_000n,
      isSystemTx: false,
      data: Uint8Array.of(1),
    })
    const json = {
      type: '0x7e',
      hash: deposit.hash,
      sourceHash: bytesToHex(deposit.sourceHash),
      from: bytesToHex(deposit.from),
      to: `0x${'05'.repeat(20)}`,
      value: '0x6',
      gas: '0xf4240',
      input: '0x01',
      nonce: '0x55',
      r: '0x0',
      s: '0x0',
      v: '0x0',
    }
    assert.deepEqual(parseTransactionJson(json).raw, deposit.raw)
    assert.deepEqual(parseTransactionJson({ ...json, mint: '0x0', isSystemTx: false }).raw, deposit.raw)
    assert.throws(() => parseTransactionJson({ ...json, mint: '0x1' }), /its fields hash to/)
    assert.throws(() => parseTransactionJson({ ...json, isSystemTx: true }), /its fields hash to/)
  })

  it('rejects values that it cannot encode, naming the field', async () => {
    const raw = await account.signTransaction({ type: 'eip1559', ...call, ...fees })
    const json = answerOf(raw)
    const cases: readonly (readonly [Record<string, unknown>, RegExp])[] = [
      [{ type: '0x5' }, /this release does not know transactions of type 5: .* install a release that does/],
      [{ yParity: '0x2' }, /yParity must be 0 or 1, got 2/],
      [{ r: '0x' }, /transaction\.r: expected up to 32 bytes/],
      [{ gas: undefined }, /transaction\.gas: expected a hex number/],
      [{ accessList: undefined }, /transaction\.accessList: expected a list/],
      [{ to: '0x01' }, /transaction\.to: expected 20 bytes/],
      [{ type: '0x0', v: '0x1d', gasPrice: '0x1' }, /transaction\.v: 29 is neither/],
    ]
    for (const [change, reason] of cases) {
      assert.throws(
        () => parseTransactionJson({ ...json, ...change }),
        (error) => error instanceof CodecError && reason.test(error.message),
        String(reason),
      )
    }
  })
})
