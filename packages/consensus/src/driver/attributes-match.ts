/**
 * Is an existing block the one that L1 demands? Field by field, with the first difference named.
 * specs: protocol/derivation.md#l1-consolidation-payload-attributes-matching
 */
import { decodeExtraData } from '@keelson/derivation'
import { bytesToHex, CodecError, equalBytes, type Hash, type PayloadAttributes, type PayloadEnvelope } from '@keelson/primitives'

/** Null when they agree, else what differs, in words. */
export function attributesMismatch(attributes: PayloadAttributes, parentHash: Hash, envelope: PayloadEnvelope): string | null {
  const { payload } = envelope
  if (payload.parentHash !== parentHash) return `parent hash: L1 demands ${parentHash}, the block has ${payload.parentHash}`
  const scalars: readonly (readonly [string, unknown, unknown])[] = [
    ['timestamp', attributes.timestampSec, payload.timestampSec],
    ['prevRandao', attributes.prevRandao, payload.prevRandao],
    ['fee recipient', attributes.feeRecipient, payload.feeRecipient],
    ['gas limit', attributes.gasLimit, payload.gasLimit],
    ['parent beacon block root', attributes.parentBeaconBlockRoot, envelope.parentBeaconBlockRoot],
    ['number of withdrawals', attributes.withdrawals?.length ?? null, payload.withdrawals?.length ?? null],
    ['number of transactions', attributes.transactions.length, payload.transactions.length],
  ]
  for (const [name, expected, got] of scalars) {
    if (expected !== got) return `${name}: L1 demands ${expected}, the block has ${got}`
  }
  for (let i = 0; i < attributes.transactions.length; i++) {
    const expected = attributes.transactions[i] as Uint8Array
    if (!equalBytes(expected, payload.transactions[i] as Uint8Array)) return `transaction ${i} differs`
  }
  return feeParametersMismatch(attributes, payload.extraData)
}

/**
 * From Holocene a block's extra data repeats what the attributes asked for; a block built from all-zero
 * parameters holds the chain's constants instead, which only the engine knows, so zero matches anything.
 */
function feeParametersMismatch(attributes: PayloadAttributes, extraData: Uint8Array): string | null {
  if (attributes.eip1559Params === null) return null
  try {
    const fees = decodeExtraData(extraData)
    const wanted = attributes.eip1559Params
    if (wanted.some((byte) => byte !== 0) && !equalBytes(wanted, fees.eip1559Params)) {
      return `EIP-1559 parameters: L1 demands ${bytesToHex(wanted)}, the block has ${bytesToHex(fees.eip1559Params)}`
    }
    return attributes.minBaseFeeWei !== null && attributes.minBaseFeeWei !== fees.minBaseFeeWei
      ? `minimum base fee: L1 demands ${attributes.minBaseFeeWei}, the block has ${fees.minBaseFeeWei}`
      : null
  } catch (error) {
    if (error instanceof CodecError) return `extra data: ${error.message}`
    throw error
  }
}
