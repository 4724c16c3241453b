import assert from 'node:assert/strict'
import { bytesToHex, createPureCrypto, hexToBytes, recoverSender, TX_FEE_MARKET, toAddress } from '@keelson/primitives'
import { Secret } from '@keelson/runtime'
import { createFakeRpc } from './fake-rpc.test-support.ts'
import { createLocalSigner, createRemoteSigner, type ManagedTransaction } from './signer.ts'

const crypto = createPureCrypto()
// First account of the public development mnemonic.
const KEY = new Secret(hexToBytes('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'))
const ADDRESS = toAddress('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')

const transaction: ManagedTransaction = {
  type: TX_FEE_MARKET,
  chainId: 900n,
  nonce: 3n,
  gasLimit: 21_000n,
  to: new Uint8Array(20).fill(1),
  valueWei: 7n,
  data: new Uint8Array(0),
  accessList: [],
  maxFeePerGasWei: 100n,
  maxPriorityFeePerGasWei: 2n,
}

describe('signers', () => {
  const local = createLocalSigner(KEY, crypto)

  it('a local one signs as its address', async () => {
    assert.equal(local.address, ADDRESS)
    const signed = await local.signTransaction(transaction)
    assert.equal(toAddress(recoverSender(signed, crypto) as Uint8Array), ADDRESS)
  })

  it('a remote one is shown the fields and its answer is taken in either form', async () => {
    const { raw } = await local.signTransaction(transaction)
    for (const answer of [bytesToHex(raw), { raw: bytesToHex(raw), tx: {} }]) {
      const rpc = createFakeRpc({ eth_signTransaction: () => answer })
      const signed = await createRemoteSigner(ADDRESS, rpc, crypto).signTransaction(transaction)
      assert.deepEqual(signed.raw, raw)
      const { params } = rpc.calls[0] as { params: readonly unknown[] }
      const shown = params[0] as Record<string, unknown>
      assert.deepEqual(
        [shown.from, shown.nonce, shown.value, shown.chainId, shown.to],
        [ADDRESS, '0x3', '0x7', '0x384', `0x${'01'.repeat(20)}`],
      )
    }
  })

  it('a remote one that signs something else, or as somebody else, is refused', async () => {
    const other = createLocalSigner(new Secret(new Uint8Array(32).fill(1)), crypto)
    const answers = [await local.signTransaction({ ...transaction, valueWei: 8n }), await other.signTransaction(transaction)]
    for (const [i, { raw }] of answers.entries()) {
      const rpc = createFakeRpc({ eth_signTransaction: () => bytesToHex(raw) })
      await assert.rejects(createRemoteSigner(ADDRESS, rpc, crypto).signTransaction(transaction), {
        code: 'client/signer',
        severity: 'critical',
        message: i === 0 ? /another transaction/ : /another account/,
      })
    }
    const nonsense = createFakeRpc({ eth_signTransaction: () => '0x02' })
    await assert.rejects(createRemoteSigner(ADDRESS, nonsense, crypto).signTransaction(transaction), { code: 'client/bad-answer' })
  })
})
