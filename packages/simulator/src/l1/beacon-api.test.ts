import assert from 'node:assert/strict'
import { createNativeCrypto } from '@keelson/node/assembly'
import {
  bytesToHex,
  concatBytes,
  encodeSignedTransaction,
  hexToBytes,
  rlpDecode,
  rlpEncode,
  rlpList,
  signingDigest,
  TX_BLOB,
  toAddress,
} from '@keelson/primitives'
import { createSeed } from '../core/seed.ts'
import { Simulation } from '../core/simulation.ts'
import { answerBeacon } from './beacon-api.ts'
import { BLOB_BYTES } from './l1-blobs.ts'
import { createL1Methods } from './l1-methods.ts'
import { SimulatedL1 } from './simulated-l1.ts'
import { createStandInKzg } from './stand-in-kzg.ts'

const START_MS = 1_800_000_000_000
const SLOT_MS = 12_000
const GWEI = 10n ** 9n
const KEY = new Uint8Array(32).fill(7)
const CHAIN_ID = 900_084n
const TO = `0x${'22'.repeat(20)}` as const
const crypto = createNativeCrypto()
const SENDER = toAddress(crypto.addressOf(KEY))
const kzg = createStandInKzg(crypto)
const BLOB = Uint8Array.from({ length: BLOB_BYTES }, (_, i) => (i > 0 && i < 1_000 ? i % 251 : 0))
const context = { signal: new AbortController().signal, transport: 'http' as const }

function open() {
  const simulation = new Simulation(createSeed(1), START_MS)
  const account = { address: SENDER, nonce: 0n, balanceWei: 10n ** 20n, code: new Uint8Array(0), storage: [] }
  const start = { accounts: [account], addresses: { OptimismPortal: TO, L2OutputOracle: TO } as never }
  const l1 = new SimulatedL1(simulation, crypto, { chainId: CHAIN_ID, blockTimeSec: 12, finalityBlocks: 64, start })
  l1.start()
  const methods = createL1Methods(l1)
  return {
    l1,
    run: (slots: number) => simulation.run(simulation.nowMs + slots * SLOT_MS),
    send: (raw: Uint8Array) => methods.eth_sendRawTransaction?.([bytesToHex(raw)], context),
  }
}

async function blobTransaction(feeGwei = 200n) {
  const commitment = await kzg.blobToCommitment(BLOB)
  const versionedHash = crypto.sha256(commitment).slice()
  versionedHash[0] = 1
  const fields = {
    type: TX_BLOB,
    chainId: CHAIN_ID,
    nonce: 0n,
    gasLimit: 21_000n,
    to: hexToBytes(TO),
    valueWei: 0n,
    data: new Uint8Array(0),
    accessList: [],
    maxFeePerGasWei: feeGwei * GWEI,
    maxPriorityFeePerGasWei: (feeGwei * GWEI) / 100n,
    maxFeePerBlobGasWei: feeGwei * GWEI,
    blobVersionedHashes: [versionedHash],
  } as const
  const tx = encodeSignedTransaction(fields, crypto.sign(signingDigest(fields), KEY))
  const content = [rlpList(rlpDecode(tx.raw.subarray(1)), 'transaction'), [BLOB], [commitment], [await kzg.blobProof(BLOB, commitment)]]
  return { raw: concatBytes(Uint8Array.of(TX_BLOB), rlpEncode(content)), hash: bytesToHex(versionedHash) }
}

describe('blobs of the simulated L1', () => {
  const path = (slot: number, hash: string) => new URL(`http://l1/eth/v1/beacon/blobs/${slot}?versioned_hashes=${hash}`)

  it('are served in the slot of their block, and paid for', async () => {
    const { l1, run, send } = open()
    await run(1)
    const { raw, hash } = await blobTransaction()
    await send(raw)
    await run(1)
    assert.equal(l1.head.header.blobGasUsed, 131_072n)
    assert.deepEqual(answerBeacon(l1, path(2, hash)).body, { data: [bytesToHex(BLOB)] })
    assert.deepEqual(answerBeacon(l1, path(1, hash)).body, { data: [] })
    assert.equal(answerBeacon(l1, path(9, hash)).status, 404)
    const { accounts, burntWei } = l1.head.state
    assert.equal(
      [...accounts.values()].reduce((sum, { balanceWei }) => sum + balanceWei, burntWei),
      10n ** 20n,
    )
  })

  it('are replaced only at twice the price', async () => {
    const { send } = open()
    await send((await blobTransaction(100n)).raw)
    const refused = async (feeGwei: bigint) => send((await blobTransaction(feeGwei)).raw)
    await assert.rejects(() => refused(150n), /replacement transaction underpriced/)
    await refused(200n)
  })

  it('do not verify with the proof of another', async () => {
    const commitment = await kzg.blobToCommitment(BLOB)
    const proof = await kzg.blobProof(BLOB, commitment)
    assert.ok(await kzg.verifyBlobProof(BLOB, commitment, proof))
    const other = BLOB.slice()
    other[5] = 99
    assert.ok(!(await kzg.verifyBlobProof(other, commitment, proof)))
    assert.ok(!(await kzg.verifyBlobProof(BLOB, commitment, commitment)))
  })
})
