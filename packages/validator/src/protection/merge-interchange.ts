import { type Address, bytesToHex, type Hash } from '@keelson/primitives'
import { ValidatorError } from '../errors.ts'
import { isSameChain, otherChain } from './decide-signing.ts'
import type { Interchange } from './interchange.ts'
import type { ProtectedChain } from './protected-chain.ts'
import type { Marks, SignedRecord } from './protection-records.ts'
import type { ProtectionStore } from './protection-store.ts'
import type { ImportOutcome } from './slashing-protection.ts'

/** Exports `keys`, or all keys if undefined. */
export async function exportInterchange(store: ProtectionStore, keys: readonly Address[] | undefined): Promise<Interchange> {
  const exported = []
  for (const { key, watermark } of await store.keys()) {
    if (keys !== undefined && !keys.includes(key)) continue
    const attestations = []
    for await (const signed of store.allSigned(key)) attestations.push({ epoch: signed.attestation.epoch, signingRoot: rootOf(signed) })
    exported.push({ key, watermark, attestations })
  }
  return { chain: store.header().chain, keys: exported }
}

/**
 * Raises each key's watermark to the file's highest epoch, all or nothing. Throws ValidatorError `consensus/protection-import`
 * for another chain.
 */
export async function importInterchange(store: ProtectionStore, { chain, keys }: Interchange): Promise<ImportOutcome> {
  const { chain: known } = store.header()
  if (chain !== null && known !== null && !isSameChain(known, chain)) {
    throw new ValidatorError('consensus/protection-import', 'critical', `${otherChain(known, chain)}; nothing was changed`)
  }
  const merged = new Map<Address, Marks>()
  const conflicts: { readonly key: Address; readonly epoch: number }[] = []
  for (const { key, watermark, attestations } of keys) {
    const own = merged.get(key) ?? store.marksOf(key) ?? { watermark: null, newestEpoch: null }
    let highest = watermark
    const roots = new Map<number, Hash>()
    for (const { epoch, signingRoot } of attestations) {
      highest = Math.max(highest ?? 0, epoch)
      if (signingRoot === null) continue
      const other = roots.get(epoch) ?? ownRoot(store, key, epoch, known)
      if (other !== null && other !== signingRoot) conflicts.push({ key, epoch })
      roots.set(epoch, signingRoot)
    }
    merged.set(key, { ...own, watermark: highest === null ? own.watermark : Math.max(highest, own.watermark ?? 0) })
  }
  await store.setMarks(merged, chain)
  return { keys: [...merged].map(([key, marks]) => ({ key, ...marks })), conflicts }
}

function ownRoot(store: ProtectionStore, key: Address, epoch: number, chain: ProtectedChain | null): Hash | null {
  const record = chain === null ? null : store.signedFor(key, epoch, chain)
  return record === null ? null : rootOf(record)
}

function rootOf({ digest }: SignedRecord): Hash {
  return bytesToHex(digest) as Hash
}
