/** Each message gets a verdict; accepted SSZ encodes to the same bytes. */

import assert from 'node:assert/strict'
import { forksAtGenesis } from '@keelson/chainspec'
import { createBlockValidator, messageId } from '@keelson/consensus'
import {
  blockSigningDigest,
  bytesToHex,
  concatBytes,
  createPureCrypto,
  decodePayloadSsz,
  encodePayloadSsz,
  encodeSignedPart,
  type PayloadEnvelope,
  type PayloadVersion,
  payloadVersion,
  signatureToBytes,
  toAddress,
} from '@keelson/primitives'
import { snappyCompress } from '@keelson/runtime/snappy'
import fc, { type Arbitrary } from 'fast-check'
import { createExecutionWorld } from '../../support/execution-world.ts'
import { brokenBytes } from '../mutate.ts'
import { refundOf } from '../refund.ts'
import { defineSubject } from '../subject.ts'
import { orCodecError } from './rlp.ts'

interface Case {
  readonly kind: 'ssz' | 'plain' | 'compressed'
  readonly version: PayloadVersion
  readonly bytes: Uint8Array
}

const CHAIN_ID = 901n
const KEY = new Uint8Array(32).fill(9)

async function envelopes(): Promise<readonly PayloadEnvelope[]> {
  const world = await createExecutionWorld({ forks: forksAtGenesis('lagoon') })
  const transfer = world.transfer(0, `0x${'11'.repeat(20)}`, 5n)
  const block = await world.mine({ transactions: [transfer.raw, refundOf(1, 1).raw] })
  const newest = (await world.l2Source.payload(block.hash)) as PayloadEnvelope
  await world.stop()
  const without = (fields: object, parentBeaconBlockRoot = newest.parentBeaconBlockRoot): PayloadEnvelope => ({
    payload: { ...newest.payload, ...fields },
    parentBeaconBlockRoot,
  })
  const blobFields = { withdrawalsRoot: null, blobGasUsed: null, excessBlobGas: null }
  return [newest, without({ withdrawalsRoot: null }), without(blobFields, null), without({ ...blobFields, withdrawals: null }, null)]
}

export const gossipSubject = defineSubject<Case>({
  name: 'gossip',
  cases: 20_000,
  caseLimitMs: 10_000,
  async open() {
    const crypto = createPureCrypto()
    const blocks = await envelopes()
    const signer = toAddress(crypto.addressOf(KEY))
    const validator = createBlockValidator({
      chainId: CHAIN_ID,
      signer: () => signer,
      nowMs: () => (blocks[0] as PayloadEnvelope).payload.timestampSec * 1000,
      usesBlobGasField: () => true,
      crypto,
    })
    const plain = blocks.map((envelope) => {
      const part = encodeSignedPart(envelope)
      return concatBytes(signatureToBytes(crypto.sign(blockSigningDigest(CHAIN_ID, part), KEY)), part)
    })
    const of = (kind: Case['kind'], valid: readonly Uint8Array[]): Arbitrary<Case> =>
      fc.nat(blocks.length - 1).chain((i) =>
        fc.record({
          kind: fc.constant(kind),
          version: fc.oneof(
            { weight: 9, arbitrary: fc.constant(payloadVersion((blocks[i] as PayloadEnvelope).payload)) },
            { weight: 1, arbitrary: fc.constantFrom(1, 2, 3, 4) },
          ) as Arbitrary<PayloadVersion>,
          bytes: brokenBytes(fc.constant(valid[i] as Uint8Array)),
        }),
      )
    return {
      arbitrary: fc.oneof(
        of(
          'ssz',
          blocks.map(({ payload }) => encodePayloadSsz(payload)),
        ),
        of('plain', plain),
        of('compressed', plain.map(snappyCompress)),
      ),
      check({ kind, version, bytes }) {
        if (kind === 'ssz') {
          const payload = orCodecError(() => decodePayloadSsz(version, bytes))
          if (payload !== null) assert.equal(bytesToHex(encodePayloadSsz(payload)), bytesToHex(bytes))
          return
        }
        const message = kind === 'plain' ? snappyCompress(bytes) : bytes
        assert.equal(messageId(crypto, '/optimism/901/3/blocks', message, null).length, 20)
        const judged = validator.judge(version, message)
        if (judged.verdict !== 'accept') return
        // An accepted mutation left the signed part unchanged.
        assert.ok(blocks.some(({ payload }) => payload.blockHash === judged.envelope.payload.blockHash))
      },
    }
  },
})
