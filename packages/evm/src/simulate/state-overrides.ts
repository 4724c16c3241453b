import { type Address, type Bytes20, type Bytes32, EMPTY_CODE_HASH_BYTES, keccak256, toAddress } from '@keelson/primitives'
import type { PrecompileChanges } from '../ports.ts'
import type { ViewOverlay } from './view-overlay.ts'

export interface StateOverride {
  readonly address: Bytes20
  readonly balanceWei?: bigint
  readonly nonce?: bigint
  readonly code?: Uint8Array
  readonly storage?: readonly (readonly [slot: Bytes32, value: Bytes32])[]
  readonly storageDiff?: readonly (readonly [slot: Bytes32, value: Bytes32])[]
  readonly movePrecompileTo?: Bytes20
}

export function applyStateOverrides(overlay: ViewOverlay, overrides: readonly StateOverride[]): void {
  for (const { address, balanceWei, nonce, code, storage, storageDiff } of overrides) {
    const before = overlay.account(address)
    const changes = [balanceWei, nonce, code, storage, storageDiff]
    if (changes.every((change) => change === undefined)) continue
    const codeHash =
      code === undefined ? (before?.codeHash ?? EMPTY_CODE_HASH_BYTES) : code.length === 0 ? EMPTY_CODE_HASH_BYTES : keccak256(code)
    overlay.apply({
      accounts: [
        {
          address,
          deleted: false,
          storageReset: storage !== undefined,
          nonce: nonce ?? before?.nonce ?? 0n,
          balanceWei: balanceWei ?? before?.balanceWei ?? 0n,
          codeHash,
          slots: [...(storage ?? []), ...(storageDiff ?? [])],
        },
      ],
      codes: code === undefined || code.length === 0 ? [] : [[codeHash, code]],
    })
  }
}

export function precompileChanges(overrides: readonly StateOverride[], precompiles: readonly Bytes20[]): PrecompileChanges | string {
  const active = new Set<Address>(precompiles.map((address) => toAddress(address)))
  const overridden = new Set<Address>(overrides.map(({ address }) => toAddress(address)))
  const removed = overrides.filter(({ address }) => active.has(toAddress(address))).map(({ address }) => address)
  const moved: { readonly from: Bytes20; readonly to: Bytes20 }[] = []
  for (const { address, movePrecompileTo: to } of overrides) {
    if (to === undefined) continue
    if (!active.has(toAddress(address))) return `account ${toAddress(address)} is not a precompile`
    if (overridden.has(toAddress(to))) return `account ${toAddress(to)} is already overridden`
    moved.push({ from: address, to })
  }
  return { removed, moved }
}
