/** Keys of validators: one signs attestations, the other owns the stake and pays the fees. */
import { type Address, type Bytes32, type Crypto, keccak256, toAddress, utf8ToBytes } from '@keelson/primitives'

export const STAKE_WEI = 1_000n * 10n ** 18n
/** The stake, and fees of some days. */
export const OWNER_FUNDS_WEI = 1_100n * 10n ** 18n
/** As many as a scenario may have. */
export const MAX_VALIDATORS = 20

export function signingKeyOf(machine: string): Bytes32 {
  return keccak256(utf8ToBytes(`the signing key of ${machine}`))
}

export function ownerKeyOf(machine: string): Bytes32 {
  return keccak256(utf8ToBytes(`the owner of ${machine}`))
}

export function ownerAddresses(crypto: Crypto): readonly Address[] {
  return Array.from({ length: MAX_VALIDATORS }, (_, i) => toAddress(crypto.addressOf(ownerKeyOf(`validator-${i + 1}`))))
}
