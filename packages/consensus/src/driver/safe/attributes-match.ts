import type { BlockRules } from '@keelson/chainspec'
import { decodeExtraData } from '@keelson/derivation'
import {
  bigintToBytes,
  bytesToHex,
  CodecError,
  concatBytes,
  equalBytes,
  type Hash,
  type PayloadAttributes,
  type PayloadEnvelope,
} from '@keelson/primitives'

/** `rules` are those of the block. specs: protocol/derivation.md#l1-consolidation-payload-attributes-matching */
export function attributesMismatch(
  attributes: PayloadAttributes,
  parentHash: Hash,
  envelope: PayloadEnvelope,
  rules: BlockRules,
): string | null {
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
  return extraDataMismatch(attributes, payload.extraData, rules)
}

/** All-zero parameters mean the chain's configured constants. op-node: engine_consolidate.go, `checkExtraDataParamsMatch` */
function extraDataMismatch(attributes: PayloadAttributes, extraData: Uint8Array, rules: BlockRules): string | null {
  const version = rules.extraDataVersion
  if (version === null || attributes.eip1559Params === null) {
    return extraData.length === 0 ? null : `extra data: L1 demands none, the block has ${bytesToHex(extraData)}`
  }
  try {
    const fees = decodeExtraData(extraData)
    if (extraData[0] !== version) return `extra data: L1 demands version ${version}, the block has ${extraData[0]}`
    const wanted = statedParameters(attributes.eip1559Params, rules)
    if (!equalBytes(wanted, fees.eip1559Params)) {
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

function statedParameters(wanted: Uint8Array, { baseFeeConstants }: BlockRules): Uint8Array {
  if (wanted.some((byte) => byte !== 0)) return wanted
  return concatBytes(bigintToBytes(baseFeeConstants.denominator, 4), bigintToBytes(baseFeeConstants.elasticity, 4))
}
