import assert from 'node:assert/strict'
import { concatBytes, createPureCrypto, encodeSignedPart, type PayloadEnvelope, ZERO_ADDRESS, ZERO_HASH } from '@keelson/primitives'
import { snappyCompress } from '@keelson/runtime/snappy'
import { payloadLies } from '../../../../../test/support/payload-lies.ts'
import { makePayload, type PayloadRequest } from '../../../../../test/support/payloads.ts'
import type { GossipedBlock } from '../../ports.ts'
import { createLocalBlockSigner } from '../gossip/block-signer.ts'
import { type BlockJudgement, createBlockValidator } from '../gossip/block-validator.ts'
import { encodeBlockMessage } from '../gossip/encode-message.ts'
import { createBlockEvidence } from './block-evidence.ts'

const NOW_SEC = 1_800_000_000
const CHAIN_ID = 84532n
const crypto = createPureCrypto()
const signer = createLocalBlockSigner(crypto, new Uint8Array(32).fill(7))

const REQUEST: PayloadRequest = {
  number: 9,
  parentHash: ZERO_HASH,
  timestampSec: NOW_SEC,
  l1Origin: { hash: ZERO_HASH, number: 1 },
  sequenceNumber: 0,
}
const BLOCK = makePayload({ ...REQUEST, transactions: [Uint8Array.of(2, 3, 4)] })

async function signedBlock(envelope: PayloadEnvelope): Promise<GossipedBlock> {
  const { signed } = await encodeBlockMessage(CHAIN_ID, signer, envelope)
  return { ...signed, signer: signer.address } as GossipedBlock
}

function newValidator() {
  return createBlockValidator({
    chainId: CHAIN_ID,
    signer: () => signer.address,
    nowMs: () => NOW_SEC * 1000,
    usesBlobGasField: () => true,
    crypto,
  })
}

describe('cached blocks of gossip', () => {
  it('a block with any field changed under the original signature is not cached, and the original is accepted', async () => {
    const validator = newValidator()
    const { signature } = await signedBlock(BLOCK)
    const verdictOf = (envelope: PayloadEnvelope, version: 3 | 4): BlockJudgement['verdict'] =>
      validator.judge(version, snappyCompress(concatBytes(signature, encodeSignedPart(envelope)))).verdict
    for (const { name, envelope } of payloadLies(BLOCK)) {
      if (envelope.parentBeaconBlockRoot === null) continue
      assert.equal(verdictOf(envelope, envelope.payload.withdrawalsRoot === null ? 3 : 4), 'reject', name)
    }
    assert.equal(verdictOf(BLOCK, 4), 'accept')
  })

  it('only a block of another hash by the same signer is evidence, whatever a copy looks like', async () => {
    const evidence = createBlockEvidence()
    const first = await signedBlock(BLOCK)
    assert.equal(evidence.note(first), null)
    assert.equal(evidence.note({ ...first, signature: new Uint8Array(65) }), null, 'the same block under another signature')
    assert.equal(evidence.note({ ...first, signer: ZERO_ADDRESS }), null, "another signer's block")
    const second = await signedBlock(makePayload({ ...REQUEST, transactions: [Uint8Array.of(2, 3, 5)] }))
    assert.deepEqual(evidence.note(second)?.first.signature, first.signature)
  })
})
