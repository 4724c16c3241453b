import { attestationDigest } from '@keelson/contracts'
import { type Address, equalBytes, ZERO_HASH } from '@keelson/primitives'
import { asCalled } from '@keelson/runtime'
import type { AttestationToSign } from '../signer.ts'
import type { MachineRecord } from './machine-record.ts'
import type { ProtectedChain } from './protected-chain.ts'
import type { SignedRecord } from './protection-records.ts'
import type { ProtectionStore } from './protection-store.ts'
import type { Admission, RefusalReason } from './slashing-protection.ts'

/**
 * Decides whether `key` may sign. Before it returns `new`, it records the attestation in the store and the machine record. Calls
 * must not overlap. Rejects when a record could not be written.
 */
export async function admitAttestation(
  store: ProtectionStore,
  machine: MachineRecord | null,
  key: Address,
  { domain, anchor, attestation }: AttestationToSign,
): Promise<Admission> {
  const { epoch } = attestation
  const chain: ProtectedChain = { chainId: domain.chainId, contract: domain.contract, anchor }
  const stop = store.stopped()
  if (stop !== null) return refused('stopped', `nothing is signed since ${new Date(stop.sinceMs).toISOString()}: ${stop.reason}`)
  const marks = store.marksOf(key)
  if (marks === null) return refused('unknown-key', withoutRecord(key))
  if (anchor === ZERO_HASH) return refused('other-chain', 'the staking contract has no anchor yet: nobody is registered there')
  const { chain: known } = store.header()
  if (known !== null && !isSameChain(known, chain)) return refused('other-chain', otherChain(known, chain))
  const seen = machine?.newest(chain) ?? null
  const isBehindMachine = seen !== null && seen.epoch > (marks.newestEpoch ?? -1)
  const watermark = isBehindMachine ? Math.max(seen.epoch, marks.watermark ?? 0) : marks.watermark
  if (watermark !== null && epoch <= watermark) {
    const why = isBehindMachine
      ? `this machine has signed with it for epoch ${seen.epoch} from a store that knew more than this one (an old copy?)`
      : `epochs up to ${watermark} are refused (its watermark)`
    return refused('below-watermark', `key ${key} does not sign for epoch ${epoch}: ${why}; a later epoch can be signed for`)
  }
  const digest = attestationDigest(domain, anchor, attestation)
  const before = store.signedFor(key, epoch, chain)
  if (before !== null) {
    if (!equalBytes(before.digest, digest)) return refused('other-attestation-in-epoch', otherAttestation(key, before, attestation))
    if (seen?.epoch === epoch && !equalBytes(seen.digest, digest)) {
      const message = `this machine has signed something else with key ${key} in epoch ${epoch}, from another store`
      return refused('other-attestation-in-epoch', message)
    }
    await machine?.note(chain, { epoch, digest })
    return { verdict: 'repeated' }
  }
  if (marks.newestEpoch !== null && epoch <= marks.newestEpoch) {
    const message = `key ${key} does not sign for epoch ${epoch}: it has signed for epoch ${marks.newestEpoch} already`
    return refused('older-than-newest', message)
  }
  await store.record(key, chain, marks, { digest, attestation })
  await machine?.note(chain, { epoch, digest })
  return { verdict: 'new' }
}

export function isSameChain(a: ProtectedChain, b: ProtectedChain): boolean {
  return a.chainId === b.chainId && a.contract === b.contract && a.anchor === b.anchor
}

export function otherChain(known: ProtectedChain, asked: ProtectedChain): string {
  const show = ({ chainId, contract, anchor }: ProtectedChain) => `chain ${chainId}, staking contract ${contract}, anchor ${anchor}`
  return `this slashing protection store is for ${show(known)}, and was asked about ${show(asked)}; give each chain a data directory of its own`
}

export function withoutRecord(key: Address): string {
  return (
    `there is no record of what key ${key} has signed, so it must not sign: bring the record along ` +
    `(${asCalled('validator')} protection import FILE), or, only if this key has never signed anything anywhere, ` +
    `begin one (${asCalled('validator protection init')} --new-key ${key})`
  )
}

function refused(reason: RefusalReason, message: string): Admission {
  return { verdict: 'refused', reason, message }
}

function otherAttestation(key: Address, { attestation: before }: SignedRecord, now: AttestationToSign['attestation']): string {
  const show = ({ checkpointNumber, checkpointHash }: AttestationToSign['attestation']) => `block ${checkpointNumber} ${checkpointHash}`
  return (
    `key ${key} has signed for ${show(before)} in epoch ${now.epoch} and will sign nothing else there; ` +
    `refused: ${show(now)}. Send the recorded one, or wait for the next epoch`
  )
}
