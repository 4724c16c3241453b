import type { Address, Clock } from '@keelson/primitives'
import type { KeyValueStore } from '@keelson/runtime'
import { ValidatorError } from '../errors.ts'
import { admitAttestation, withoutRecord } from './decide-signing.ts'
import type { MachineRecord } from './machine-record.ts'
import { exportInterchange, importInterchange } from './merge-interchange.ts'
import { ProtectionStore } from './protection-store.ts'
import type { SlashingProtection } from './slashing-protection.ts'

export interface ProtectionDependencies {
  readonly clock: Pick<Clock, 'nowMs'>
  readonly machineRecord?: (key: Address) => MachineRecord | null
}

const MAX_REASON_LENGTH = 1_000

/** Throws ValidatorError `consensus/protection-damaged` for a missing or unreadable header. */
export function createSlashingProtection(
  db: KeyValueStore,
  { clock, machineRecord = () => null }: ProtectionDependencies,
): SlashingProtection {
  const store = new ProtectionStore(db)
  let last: Promise<unknown> = Promise.resolve()

  /** Nothing may run between reading a record and the write that depends on it. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }

  store.header()
  return {
    chain: () => store.header().chain,
    keys: () => store.keys(),
    beginKey: (key) =>
      inTurn(async () => {
        if (store.marksOf(key) !== null) return false
        await store.setMarks([[key, { watermark: null, newestEpoch: null }]])
        return true
      }),
    admitAttestation: (key, request) => inTurn(() => admitAttestation(store, machineRecord(key), key, request)),
    async recordedAttestation(key, epoch) {
      const { chain } = store.header()
      const record = chain === null ? null : store.signedFor(key, epoch, chain)
      if (chain === null || record === null) return null
      const { chainId, contract, anchor } = chain
      return { domain: { chainId, contract }, anchor, attestation: record.attestation }
    },
    raiseWatermark: (key, epoch) =>
      inTurn(async () => {
        const marks = store.marksOf(key)
        if (marks === null) throw new ValidatorError('consensus/protection-missing', 'critical', withoutRecord(key), { key })
        if (marks.watermark !== null && epoch <= marks.watermark) return
        // Keeps recorded attestations, to distinguish them from another machine's.
        await store.setMarks([[key, { ...marks, watermark: epoch }]])
      }),
    watermark: async (key) => store.marksOf(key)?.watermark ?? null,
    stop: (reason, key) =>
      inTurn(async () => {
        if (store.stopped() !== null) return
        await store.setStop({ reason: reason.slice(0, MAX_REASON_LENGTH), sinceMs: clock.nowMs(), key: key ?? null })
      }),
    stopped: () => store.stopped(),
    clearStop: () => inTurn(() => store.setStop(null)),
    exportInterchange: (keys) => inTurn(() => exportInterchange(store, keys)),
    importInterchange: (interchange) => inTurn(() => importInterchange(store, interchange)),
    close: () => inTurn(() => store.close()),
  }
}
