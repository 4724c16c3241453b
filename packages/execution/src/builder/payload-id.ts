/** execution-apis src/engine/paris.md#payload-building */
import {
  bigintToBytes,
  bytesToHex,
  type Crypto,
  concatBytes,
  encodeWithdrawal,
  type Hash,
  hexToBytes,
  type PayloadAttributes,
  type PayloadId,
  rlpEncode,
} from '@keelson/primitives'

export function attributesVersion(attributes: PayloadAttributes): 1 | 2 | 3 {
  if (attributes.withdrawals === null) return 1
  return attributes.parentBeaconBlockRoot === null ? 2 : 3
}

export function payloadIdOf(parent: Hash, attributes: PayloadAttributes, crypto: Crypto): PayloadId {
  const optional = (bytes: Uint8Array | null) => (bytes === null ? [] : [bytes])
  const fields = rlpEncode([
    hexToBytes(parent),
    attributes.timestampSec,
    hexToBytes(attributes.prevRandao),
    hexToBytes(attributes.feeRecipient),
    attributes.withdrawals === null ? [] : [attributes.withdrawals.map(encodeWithdrawal)],
    optional(attributes.parentBeaconBlockRoot === null ? null : hexToBytes(attributes.parentBeaconBlockRoot)),
    [...attributes.transactions],
    attributes.noTxPool ? 1 : 0,
    attributes.gasLimit,
    optional(attributes.eip1559Params),
    optional(attributes.minBaseFeeWei === null ? null : bigintToBytes(attributes.minBaseFeeWei, 8)),
  ])
  const digest = crypto.sha256(fields)
  return bytesToHex(concatBytes(Uint8Array.of(attributesVersion(attributes)), digest.subarray(0, 7))) as PayloadId
}

export function versionOfPayloadId(id: PayloadId): number {
  return hexToBytes(id)[0] as number
}
