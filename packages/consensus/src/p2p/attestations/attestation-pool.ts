/** At most two different attestations per epoch and validator: the second is evidence. */

import type { SeenAttestation } from '@keelson/contracts'
import type { Address, Bytes32 } from '@keelson/primitives'
import { bytesToHex } from '@keelson/primitives'

export type PoolAnswer = 'new' | 'second' | 'known' | 'enough'

export interface PooledAttestation extends SeenAttestation {
  readonly digest: string
  compared: boolean
}

export interface AttestationPool {
  look(validator: Address, epoch: number, digest: Bytes32): PoolAnswer
  /** Call it after `look` returned `new` or `second`. */
  add(seen: SeenAttestation, digest: Bytes32): void
  of(epoch: number): readonly PooledAttestation[]
  /** Returns the newest epoch first; `from` and `to` are inclusive. */
  uncompared(from: number, to: number): readonly PooledAttestation[]
  readonly size: number
}

const DIFFERENT_ONES = 2
const KEPT_EPOCHS = 64
const MAX_VALIDATORS = 1_024

export function createAttestationPool(): AttestationPool {
  const byEpoch = new Map<number, Map<Address, PooledAttestation[]>>()
  const look = (validator: Address, epoch: number, digest: Bytes32): PoolAnswer => {
    const validators = byEpoch.get(epoch)
    const seen = validators?.get(validator)
    if (seen === undefined) return (validators?.size ?? 0) < MAX_VALIDATORS ? 'new' : 'enough'
    if (seen.some((one) => one.digest === bytesToHex(digest))) return 'known'
    return seen.length < DIFFERENT_ONES ? 'second' : 'enough'
  }
  return {
    look,
    add(seen, digest) {
      const { epoch } = seen.attestation
      const validators = byEpoch.get(epoch) ?? new Map<Address, PooledAttestation[]>()
      byEpoch.set(epoch, validators)
      const ones = validators.get(seen.validator) ?? []
      validators.set(seen.validator, [...ones, { ...seen, digest: bytesToHex(digest), compared: false }])
      if (byEpoch.size > KEPT_EPOCHS) byEpoch.delete(Math.min(...byEpoch.keys()))
    },
    of: (epoch) => [...(byEpoch.get(epoch)?.values() ?? [])].flat(),
    uncompared: (from, to) =>
      [...byEpoch]
        .sort(([a], [b]) => b - a)
        .flatMap(([, validators]) => [...validators.values()].flat())
        .filter(({ compared, attestation: { checkpointNumber } }) => !compared && checkpointNumber >= from && checkpointNumber <= to),
    get size() {
      let size = 0
      for (const validators of byEpoch.values()) for (const ones of validators.values()) size += ones.length
      return size
    },
  }
}
